"""Summaries from the summary endpoint, each within its time; what fails is counted, and in the end no longer asked."""

import time
from dataclasses import dataclass, field
from pathlib import Path

from knowledge.endpoints import ChatEndpoint, EndpointError
from knowledge.texts.stops import SENTENCE_END

from .extract import weighed

PROMPT = "section_v1"  # a changed prompt is a new file
MOST_CHARACTERS = 4_000  # of a section that the model reads
MOST_TOKENS = 120
LONGEST = 800  # characters of a summary
SECONDS = 120.0  # for one section
STEM = 5  # letters
GIVE_UP_AFTER = 3  # failures in a row


@dataclass
class Writer:
    """Asks until it has failed GIVE_UP_AFTER times in a row: a build does not wait for a server that hangs."""

    endpoint: ChatEndpoint
    failures: int = 0  # in all
    reason: str = ""  # of the last one
    _in_a_row: int = field(default=0, repr=False)

    def write(self, titles: list[str], text: str) -> str | None:
        """One summary; None where the endpoint failed, or is no longer asked."""
        if self._in_a_row >= GIVE_UP_AFTER:
            return None
        try:
            summary = self._ask(titles, text)
        except EndpointError as error:
            self.failures, self.reason = self.failures + 1, str(error)
            self._in_a_row += 1
            return None
        self._in_a_row = 0
        if not is_borne_out(summary, [*titles, text]):
            self.failures, self.reason = self.failures + 1, "the summary endpoint wrote what the section does not say"
            return None
        return summary

    def _ask(self, titles: list[str], text: str) -> str:
        deadline = time.monotonic() + SECONDS
        messages = [
            {"role": "system", "content": prompt()},
            {"role": "user", "content": f"Section: {' > '.join(titles)}\n\n{text[:MOST_CHARACTERS]}"},
        ]
        stream = self.endpoint.stream(messages, MOST_TOKENS, timeout=SECONDS)
        pieces: list[str] = []
        for piece in stream:
            pieces.append(piece)
            if time.monotonic() > deadline:
                stream.close()
                raise EndpointError("summary", f"took longer than {SECONDS:.0f} seconds for one section")
        summary = whole_sentences(" ".join("".join(pieces).split())[:LONGEST], stream.finish_reason == "length")
        return summary.replace("\0", "")


def is_borne_out(summary: str, sources: list[str]) -> bool:
    """Whether at least half of its distinct words begin like words of the section, and it does not repeat itself.

    Small models write "This section is about a section of a catalogue", or a title thirty times.
    """
    said = weighed(summary)
    known = {word[:STEM] for source in sources for word in weighed(source)}
    distinct = set(said)
    found = sum(word[:STEM] in known for word in distinct)
    return len(distinct) > 0 and found >= len(distinct) / 2 and len(distinct) >= len(said) / 2


def whole_sentences(text: str, was_cut: bool) -> str:
    """Without the last sentence of a text that was cut, where another one is left."""
    *_, end = (len(text), *(stop.end() for stop in SENTENCE_END.finditer(text)))
    return text[:end] if was_cut else text


def prompt(name: str = PROMPT) -> str:
    return (Path(__file__).parent / "prompts" / f"{name}.txt").read_text(encoding="utf-8").strip()
