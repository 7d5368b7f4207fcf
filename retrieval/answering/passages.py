"""Hits become the numbered passages that a model reads: best first, each text once, within a budget of tokens."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from retrieval.answering.sentences import sentence_spans
from retrieval.answering.words import words
from retrieval.results import Hit

MOST = 8
OVERHEAD = 24  # tokens of a passage's number and heading
LEAST = 40  # tokens: a shorter remainder of a passage is not worth its heading


@dataclass(frozen=True, slots=True)
class Passage:
    n: int
    hit: Hit
    text: str  # the chunk, or as many of its first sentences as fit

    @property
    def heading(self) -> str:
        return " › ".join(dict.fromkeys((*self.hit.breadcrumb, self.hit.section_title))) or self.hit.source_file


def pack(
    hits: Iterable[Hit], budget: int, count_tokens: Callable[[Sequence[str]], list[int]], most: int = MOST
) -> tuple[Passage, ...]:
    """Passages of at most `budget` tokens together. The first hit that says something is there, cut to fit if need be.

    A later one that does not fit is left out for one that does. Raises what `count_tokens` raises.
    """
    unique = list({hit.text: hit for hit in reversed(list(hits)) if not only_a_heading(hit)}.values())[::-1]
    packed: list[Passage] = []
    for hit, tokens in zip(unique, count_tokens([hit.text for hit in unique]), strict=True):
        room = budget - OVERHEAD
        if tokens > room and packed:
            continue
        text = hit.text if tokens <= room else _beginning(hit.text, max(room, LEAST), count_tokens)
        packed.append(Passage(len(packed) + 1, hit, text))
        budget -= tokens + OVERHEAD
        if len(packed) == most:
            break
    return tuple(packed)


def only_a_heading(hit: Hit) -> bool:
    """Whether the chunk is a section's title and nothing else: found for its words, but it tells nothing."""
    return set(words(hit.text)) <= set(words(hit.section_title))


def _beginning(text: str, room: int, count_tokens: Callable[[Sequence[str]], list[int]]) -> str:
    spans = sentence_spans(text)
    counts = count_tokens([text[span.start : span.end] for span in spans])
    end = total = 0
    for span, count in zip(spans, counts, strict=True):
        total += count
        if total > room:
            break
        end = span.end
    return text[:end] or text[: room * 2]
