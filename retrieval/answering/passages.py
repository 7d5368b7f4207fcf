"""Hits become the numbered passages that a model reads: best first, each text once, within a budget of tokens."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from knowledge.texts.words import words
from retrieval.answering.sentences import sentence_spans
from retrieval.results import Hit
from retrieval.stretches import joined

MOST = 8
UNDER = " › "  # between a title and the one below it
OVERHEAD = 24  # tokens of a passage's number and heading
LEAST = 40  # tokens: a shorter remainder of a passage is not worth its heading


@dataclass(frozen=True, slots=True)
class Passage:
    """One number of the prompt: a chunk, or neighbours of one section joined. Each part can be cited by itself."""

    n: int
    hit: Hit  # the best of its parts
    text: str  # all of it, or as many of its first sentences as fit; rows that go on below their table's head
    parts: tuple[Hit, ...]

    @property
    def heading(self) -> str:
        return UNDER.join(dict.fromkeys((*self.hit.breadcrumb, self.hit.section_title))) or self.hit.source_file


def pack(
    hits: Iterable[Hit], budget: int, count_tokens: Callable[[Sequence[str]], list[int]], most: int = MOST
) -> tuple[Passage, ...]:
    """Passages of at most `budget` tokens together. The first hit that says something is there, cut to fit if need be.

    A later one that does not fit is left out for one that does; joined neighbours that do not fit are taken one by one.
    Raises what `count_tokens` raises.
    """
    packed: list[Passage] = []
    for candidates in counted(hits, count_tokens):
        for hit, parts, tokens in candidates:
            room = budget - OVERHEAD
            if tokens > room and (packed or (len(candidates) > 1 and len(parts) > 1)):
                continue
            text = hit.whole if tokens <= room else _beginning(hit.whole, max(room, LEAST), count_tokens)
            packed.append(Passage(len(packed) + 1, parts[0], text, parts))
            budget -= tokens + OVERHEAD
            if len(packed) == most:
                return tuple(packed)
            if len(parts) == len(candidates) - 1:
                break
    return tuple(packed)


Candidate = tuple[Hit, tuple[Hit, ...], int]  # a text to pack, the chunks it is made of, its tokens


def counted(hits: Iterable[Hit], count_tokens: Callable[[Sequence[str]], list[int]]) -> list[list[Candidate]]:
    """By stretch of neighbours: the stretch as one, then its chunks alone. A text that was there before is left out."""
    unique = list({hit.text: hit for hit in reversed(list(hits)) if not only_a_heading(hit)}.values())[::-1]
    groups = [
        [(stretch.hit, stretch.parts), *((part, (part,)) for part in stretch.parts)]
        if len(stretch.parts) > 1
        else [(stretch.hit, stretch.parts)]
        for stretch in joined(unique)
    ]
    counts = iter(count_tokens([hit.whole for group in groups for hit, _ in group]))
    return [[(hit, parts, next(counts)) for hit, parts in group] for group in groups]


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
