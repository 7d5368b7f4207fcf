"""What is asked, where something was pasted beside it: code between fences, files between tags, a traceback. Pure."""

import re
from collections import defaultdict
from collections.abc import Iterator

from knowledge.texts.fences import code_lines
from knowledge.texts.words import terms
from retrieval.answering.followups.followup import says_little
from retrieval.answering.followups.subjects import refers
from retrieval.answering.sentences import is_question

ASKED = re.compile(r"</?(?:question|query|user_query|task)>", re.IGNORECASE)  # what assistants put around a question
FENCE_IN_A_LINE = re.compile(r"^(?P<before>[^`\n]*[^`\s])[ \t]*(?P<fence>`{3,}[^`\s]*)[ \t]*$", re.MULTILINE)
ATTRIBUTES = r"(?:\s[^<>]*)?(?<!/)>"
NAME = r"(?P<name>[A-Za-z][\w.:-]*)"
OPENING = re.compile(rf"^[ \t]*<{NAME}{ATTRIBUTES}", re.MULTILINE)
TAG = re.compile(rf"<(?P<closes>/?){NAME}{ATTRIBUTES}")
TRACEBACK = re.compile(r"^[ \t]*Traceback \(most recent call last\):\n(?:[ \t]+\S.*\n)+\S.*$", re.MULTILINE)
PARAGRAPH = re.compile(r"\n\s*\n")
ANNOUNCES = (":", "：")


def asked_in(text: str) -> str:
    """The text without what was pasted into it and what announces that; of several paragraphs the last, if that is a
    question that stands alone. The text itself where nothing was pasted, or too little is left: “Why does this fail?”
    """
    left = without_pasted(text.replace("\r\n", "\n"))
    paragraphs = [one.strip() for one in PARAGRAPH.split(left) if terms(one)]
    said = [one for one in paragraphs if not one.endswith(ANNOUNCES)] or paragraphs
    if not said or " ".join(left.split()) == " ".join(text.split()):
        return text
    asked = said[-1] if is_question(said[-1]) and not refers(said[-1]) else "\n\n".join(said)
    return text if refers(asked) and says_little(asked) else asked


def without_pasted(text: str) -> str:
    """An empty line stands for each listing, block and traceback."""
    lines = FENCE_IN_A_LINE.sub(r"\g<before>\n\g<fence>", text).split("\n")
    code = code_lines(lines)
    prose = "\n".join("" if at in code else line for at, line in enumerate(lines))
    return TRACEBACK.sub("\n\n", "\n\n".join(between_tags(ASKED.sub("\n\n", prose))))


def between_tags(text: str) -> Iterator[str]:
    """What stands around `<tag>…</tag>` that begins a line, and takes all of it or several."""
    ends = ends_of_blocks(text)
    unclosed: set[str] = set()
    at = begin = 0
    while opening := OPENING.search(text, at):
        end = 0 if opening["name"] in unclosed else ends.get(opening.start("name"), 0)
        if not end:
            unclosed.add(opening["name"])
        at = end or opening.end()
        if "\n" in text[opening.start() : end] or (end and not text[end:].split("\n", 1)[0].strip()):
            yield text[begin : opening.start()]
            begin = at
    yield text[begin:]


def ends_of_blocks(text: str) -> dict[int, int]:
    """Where each block ends, with blocks of its name in it, by where the name of its tag begins; found in one pass."""
    ends: dict[int, int] = {}
    opened: defaultdict[str, list[int]] = defaultdict(list)
    for tag in TAG.finditer(text):
        if not tag["closes"]:
            opened[tag["name"]].append(tag.start("name"))
        elif opened[tag["name"]]:
            ends[opened[tag["name"]].pop()] = tag.end()
    return ends
