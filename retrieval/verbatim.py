"""A query that is a message or a line of code: what says a good part of it in a row comes first.

To BM25 `SSHException: SSH session not active` is a bag of words, each of which ten functions say more often than the
one that raises it. Scores stay as they are; only the order changes.
"""

import re
from dataclasses import replace

from .candidates import RankedCandidates
from .query import ERROR
from .view import View, rows

TEXTS = """
    SELECT chunk.id, concat_ws(' ', section.title, chunk.context, chunk.text)
    FROM knowledge_chunk chunk JOIN knowledge_section section ON section.id = chunk.section_id
    WHERE chunk.id = ANY(%(chunks)s::bigint[])
"""
READ = 50  # candidates
LEAST = 4  # words: three stand in a row by chance
SHARE = 3  # of the message's words one in so many: a log line has its time, its host and its values, too
MOST = 80  # words of a message
SIGNS = re.compile(r"\w\(|[={}\[\]<>|]|;$|::|->")  # of code, and of what programs write
BETWEEN = re.compile(r"\W+")


def said_first(view: View, text: str, ranked: RankedCandidates, most: int) -> RankedCandidates:
    """Of what was pasted alone: who asks in words of their own means no wording."""
    said = message_of(text)
    if len(said) < LEAST or not ranked.fused:
        return ranked
    read = {int(view.chunk_columns.chunks[position]): position for position, _ in ranked.candidates[:READ]}
    runs = {read[chunk]: longest_run(said, spaced(whole)) for chunk, whole in rows(TEXTS, {"chunks": [*read]})}
    least = max(LEAST, len(said) / SHARE)
    scores = dict(ranked.candidates)
    first = sorted((one for one in read.values() if runs.get(one, 0) >= least), key=lambda one: -runs[one])
    hits = [*((one, scores[one]) for one in first), *(hit for hit in ranked.fused if hit[0] not in first)]
    return replace(ranked, fused=hits[:most], named=ranked.named.union(first))


def message_of(text: str) -> list[str]:
    """The words of what a program wrote, without what kind of error it is; none of other texts."""
    error = ERROR.match(text)
    if error is None and not SIGNS.search(text):
        return []
    return spaced(text[error.end() :] if error else text).split()[:MOST]


def spaced(text: str) -> str:
    """Its words in small letters, with a space before and behind each."""
    return f" {BETWEEN.sub(' ', text.lower()).strip()} "


def longest_run(said: list[str], text: str) -> int:
    """How many of the words said stand in a row in a text that is `spaced`."""
    longest = 0
    for start in range(len(said)):
        while start + longest < len(said) and f" {' '.join(said[start : start + longest + 1])} " in text:
            longest += 1
    return longest
