"""Packs a section's blocks into chunks: structure first, the token budget second."""

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import groupby, pairwise

from ingestion.chunking.embedding import told
from ingestion.chunking.pieces import Piece, measured_pieces
from ingestion.chunking.splitting import SENTENCES, Span, at, split
from ingestion.documents import BlockKind, ChunkDraft, ParsedDocument, SectionDraft, TokenCounter, line_starts, union
from knowledge.texts.formats import notation_of
from knowledge.texts.stops import STOPS

CHUNKER_VERSION = 15
PLAIN = "text/plain"  # its marks are what it says: `"""`, `#` and `*` of programs pasted there, lines drawn by hand
SMALL_TAIL = 0.15  # of the budget: a last chunk below it joins the one before, within the limit
KINDS = {BlockKind.CODE: "code", BlockKind.TABLE: "table"}
TITLE = re.compile(rf"(?=.{{0,80}}[^\W\d_])(?!.*(?: {{3}}|\t))[\w\"“‘'(«¿].{{0,88}}[^\s{STOPS}:;,|：；，、]")
INTRODUCED = (BlockKind.CODE, BlockKind.TABLE, BlockKind.LIST)
Group = list[Piece]


def chunk(
    document: ParsedDocument,
    sections: Sequence[SectionDraft],
    count_tokens: TokenCounter,
    budget: int = 300,
    overlap: int = 0,
    limit: int = 480,
) -> tuple[ChunkDraft, ...]:
    """The chunks of a file, in order. Each is a stretch of one section, of at most `budget` tokens where that can be,
    or of a quarter more in a section that has many (docs/decisions/0021).

    A block that fits the budget is never torn. `limit` is what a chunk may have with a small tail joined, or
    with up to `overlap` tokens of the chunk before repeated. Tokens are those of what is embedded, without markup
    (docs/decisions/0026), added up over the blocks of a chunk, as vocabularies that do not cross white space allow.
    Parts of a torn block may tell more together: rows of a table, what looked like a mark at the start of a line.
    """
    budget = min(budget, limit)
    starts = line_starts(document.text)
    marked_up = document.media_type != PLAIN
    notation = notation_of(document.path)
    pieces = measured_pieces(document.text, starts, sections, count_tokens, budget, limit, marked_up, notation)
    by_section = groupby(pieces, key=lambda piece: piece.section)
    groups = [group for _, own in by_section for group in pack(document.text, list(own), limit)]
    repeated = overlaps(document.text, groups, count_tokens, overlap, limit) if overlap else {}
    return tuple(draft(document.text, starts, *numbered, repeated.get(numbered[0])) for numbered in enumerate(groups))


def pack(text: str, pieces: list[Piece], limit: int) -> list[Group]:
    """Greedily, whole units of one section in order."""
    budget = pieces[0].budget
    groups: list[Group] = []
    total = 0
    for unit in units(text, pieces, budget):
        total += unit[0].gap + size(unit)
        fits = total <= budget and groups and groups[-1][-1].page == unit[0].page  # so that a chunk's page is certain
        if fits and not begins_apart(groups[-1], unit[-1], budget):
            groups[-1] += unit
        else:
            groups.append(unit)
            total = size(unit)
    if len(groups) > 1 and total < SMALL_TAIL * budget and joinable(groups[-2], groups[-1], limit):
        groups[-2:] = [groups[-2] + groups[-1]]
    return groups


def joinable(group: Group, tail: Group, limit: int) -> bool:
    return size(group + tail) <= limit and group[-1].page == tail[0].page


def units(text: str, pieces: list[Piece], budget: int) -> Iterator[Group]:
    """What stays together: a sentence that introduces a code block, table or list goes with it where both fit, and so
    does what looks like a heading in plain text."""
    unit: Group = []
    for piece in pieces:
        leads = bool(unit) and (introduces(text, unit[-1], piece) or heads(text, unit[-1], piece))
        if unit and not (leads and size([*unit, piece]) <= budget):
            yield unit
            unit = []
        unit = [*unit, piece]
    if unit:
        yield unit


def begins_apart(group: Group, piece: Piece, budget: int) -> bool:
    """Whether a code block or table that has to be torn begins here, and what is before it is a chunk already."""
    return piece.kind in KINDS and 0 < piece.torn != group[-1].torn and size(group) >= budget / 2


def introduces(text: str, piece: Piece, following: Piece) -> bool:
    together = piece.page == following.page and piece.kind not in INTRODUCED
    return together and following.kind in INTRODUCED and text[piece.end - 1] == ":"


def heads(text: str, piece: Piece, following: Piece) -> bool:
    """Whether it is a line of its own that no mark makes a heading, and no sentence."""
    is_unmarked = piece.kind is BlockKind.PARAGRAPH and not piece.marked_up and not piece.torn
    return is_unmarked and piece.page == following.page and bool(TITLE.fullmatch(text[piece.start : piece.end].strip()))


def size(group: Group) -> int:
    return sum(piece.tokens for piece in group) + sum(piece.gap for piece in group[1:])


def overlaps(
    text: str, groups: list[Group], count_tokens: TokenCounter, overlap: int, limit: int
) -> dict[int, tuple[int, int]]:
    """For each chunk that repeats the end of the one before: where it then starts, and how many tokens that adds."""
    tails = {
        ordinal: last_parts(text, before, overlap)
        for ordinal, (before, group) in enumerate(pairwise(groups), start=1)
        if before[0].section == group[0].section
    }
    uncounted = [span for tail in tails.values() for span, tokens in tail if tokens < 0]
    counts = dict(zip(uncounted, count_tokens([text[a:b] for a, b in uncounted]) if uncounted else [], strict=True))
    repeated: dict[int, tuple[int, int]] = {}
    for ordinal, tail in tails.items():
        left = min(overlap, limit - size(groups[ordinal])) - groups[ordinal][0].gap
        for span, tokens in reversed(tail):
            left -= counts.get(span, tokens)
            if left < 0:
                break
            added = repeated[ordinal][1] if ordinal in repeated else groups[ordinal][0].gap
            repeated[ordinal] = (span[0], added + counts.get(span, tokens))
    return repeated


def last_parts(text: str, group: Group, overlap: int) -> list[tuple[Span, int]]:
    """The last blocks of a chunk with their tokens, or the sentences (-1: not counted) of its last block of prose."""
    last = group[-1]
    if last.tokens > overlap and last.kind not in KINDS:
        return [(span, -1) for span in split(text, (last.start, last.end), at(SENTENCES))[1:]]
    gaps = [*(piece.gap for piece in group[1:]), 0]
    return [((piece.start, piece.end), piece.tokens + gap) for piece, gap in zip(group, gaps, strict=True)][1:]


def draft(text: str, starts: Sequence[int], ordinal: int, group: Group, repeated: tuple[int, int] | None) -> ChunkDraft:
    largest = largest_kind(group)
    start, extra = repeated or (group[0].start, 0)
    end = group[-1].end
    said, context = text[start:end], group[0].context
    return ChunkDraft(
        ordinal=ordinal,
        section=group[0].section,
        kind=KINDS.get(largest.kind, "prose"),
        language=largest.language if largest.kind is BlockKind.CODE else "",
        text=said,
        char_start=start,
        char_end=end,
        line_start=bisect_right(starts, start),
        line_end=bisect_right(starts, end - 1),
        page=group[0].page,
        tokens=size(group) + extra,
        box=union([piece.box for piece in group]),
        context=context,
        told=told(said, group[0].notation, context) if any(piece.marked_up for piece in group) else said,
    )


def largest_kind(group: Group) -> Piece:
    """The longest piece of the kind that most of the chunk is."""
    totals: dict[str, int] = {}
    for piece in group:
        kind = KINDS.get(piece.kind, "prose")
        totals[kind] = totals.get(kind, 0) + piece.tokens
    most = max(totals, key=lambda kind: totals[kind])
    return max((piece for piece in group if KINDS.get(piece.kind, "prose") == most), key=lambda piece: piece.tokens)
