"""An answer that a JSON schema held to its form, as the text that it stands for; also while it is written. Pure."""

import json
import re
from collections.abc import Iterable, Iterator
from itertools import chain
from string import whitespace
from typing import Any

from knowledge.texts.stops import STOPS
from retrieval.answering.marks import citation_marks
from retrieval.answering.sentences import sentence_spans

CHARACTER = r"(?:[^\"\\]|\\(?:[\"\\/bfnrt]|u[0-9a-fA-F]{4}))"
SENTENCE = re.compile(
    rf"\"text\"\s*:\s*\"(?P<text>{CHARACTER}*)(?P<closed>\"?)(?:\s*,\s*\"passages\"\s*:\s*\[(?P<passages>[\d\s,]*)\])?"
)
UNSETTLED = STOPS + whitespace
ENDS = (*STOPS, ":", "：")


def schema(count: int) -> dict[str, Any]:
    """Sentences, each with the numbers of its passages, of which there are `count`."""
    passages = {"type": "array", "items": {"type": "integer", "enum": [*range(1, count + 1)]}}
    sentence = {"type": "object", "properties": {"text": {"type": "string"}, "passages": passages}}
    return {"type": "object", "properties": {"sentences": {"type": "array", "items": sentence}}}


def unfolded(pieces: Iterable[str]) -> Iterator[str]:
    """The text's pieces from the JSON's; what is no JSON comes as it is. Only an open sentence is read again."""
    pieces, head = iter(pieces), ""
    while not head.strip() and (piece := next(pieces, None)) is not None:
        head += piece
    if head.lstrip().startswith("{"):
        yield from sentence_by_sentence(chain([head], pieces))
    else:
        yield from chain([head], pieces)


def sentence_by_sentence(pieces: Iterable[str]) -> Iterator[str]:
    """The text's pieces, every sentence with its marks, as `It costs 5 euros. [2]`; of the open one what will stay."""
    rest = shown = gap = ""  # since the last whole sentence: the JSON, the text, and what parts the two
    for piece in pieces:
        rest += piece
        while match := SENTENCE.search(rest):
            text = f"{gap}{said}" if (said := sentences(match)) else ""
            if text.startswith(shown) and text != shown:
                yield text[len(shown) :]
                shown = text
            if match["passages"] is None and not SENTENCE.search(rest, match.end()):
                break
            rest, shown, gap = rest[match.end() :], "", " " if text else gap


def sentences(match: re.Match[str]) -> str:
    """What one item of the list says: a sentence, or several, each of which then has the marks of all."""
    text = json.loads(f'"{match["text"]}"', strict=False).encode("utf-8", "ignore").decode().strip()
    spans = sentence_spans(text)
    if not match["closed"] or match["passages"] is None:
        return settled(text[: spans[0].end]) if spans else ""
    numbers = re.findall(r"\d+", match["passages"])
    if not numbers:
        return text
    marks = " ".join(f"[{number}]" for number in numbers)
    return " ".join(f"{ended(text[span.start : span.end])} {marks}" for span in spans)


def settled(said: str) -> str:
    """Of a sentence that is being written: what can neither end it nor be a mark."""
    said = said.rstrip(UNSETTLED)
    while (start := said.rfind("[")) >= 0 and "]" not in said[start:].removesuffix("]"):
        said = said[:start].rstrip(UNSETTLED)
    return said


def ended(said: str) -> str:
    """A sentence without the model's own marks at its end: it names their passages beside."""
    for mark in reversed([*citation_marks(said)]):
        if said[mark.end() :].strip() not in ("", *STOPS):
            break
        said = said[: mark.start()].rstrip() + said[mark.end() :].strip()
    return said if said.endswith(ENDS) else f"{said}."
