"""What PDFium reads on a page of a PDF, letter by letter."""

import re
from collections.abc import Sequence
from itertools import accumulate, islice, takewhile

from ingestion.parsers.pdf.outline import Outline
from ingestion.parsers.pdf.powers import POWER, number_of, powers

STRAIGHTENED = str.maketrans(
    {"‘": "'", "’": "'", "‚": "'", "‛": "'", "′": "'", "“": '"', "”": '"', "„": '"', "″": '"', "‐": "-", "‑": "-",
     "‒": "-", "–": "-", "—": "-", "―": "-", "−": "-", "…": "...", "ﬀ": "ff", "ﬁ": "fi", "ﬂ": "fl", "ﬃ": "ffi",
     "ﬄ": "ffl"}
)  # fmt: skip
STRAIGHT_KEYS = frozenset(map(chr, STRAIGHTENED))


class Page:
    """What PDFium reads on a page, its powers marked, which headings the bookmarks put there, and what the lines say
    that are items of lists though they look like headings.
    """

    def __init__(self, text: str, outline: Outline, items: frozenset[str] = frozenset()) -> None:
        self.items = items
        self.text, self.outline = text.replace(POWER, "^"), outline
        self.powers = {said: power for number, power in powers(text).items() for said in (number, straight(number))}
        before, *exponents = squeezed(text).split(POWER)
        self.letters = "".join([before, *exponents])
        self.raised = frozenset(islice(accumulate(map(len, [before, *exponents])), len(exponents)))
        places = [(plain, at) for at, letter in enumerate(self.letters) for plain in letter.translate(STRAIGHTENED)]
        self.plain = "".join(plain for plain, _ in places)
        self.origin = [at for _, at in places]

    def says(self, text: str) -> bool:
        return squeezed(text) in self.plain

    def verbatim(self, text: str) -> str:
        """The text with the quotation marks and dashes of the page, which liteparse makes plain, and its powers."""
        written = self.with_marks(text)
        if not self.powers:
            return written
        return number_of(*self.powers).sub(lambda number: self.powers[number[0]], written)

    def with_marks(self, text: str) -> str:
        sought = squeezed(text)
        start = self.plain.find(sought)
        if start < 0 or not sought or not (self.raised or set(self.letters) & STRAIGHT_KEYS):
            return text
        raised = self.raised_in(sought)
        written: list[str] = []
        at, last = start, -1
        for letter in text:
            if letter.isspace():
                written.append(letter)
                continue
            if self.origin[at] != last:
                last = self.origin[at]
                if at - start in raised:
                    written[-1:] = [written[-1], "^"] if not written[-1].isspace() else ["^"]
                written.append(self.letters[last])
            at += 1
        return "".join(written)

    def raised_in(self, sought: str) -> frozenset[int]:
        """Where powers begin in letters of the page, if they do wherever these stand on it."""
        if not self.raised:
            return self.raised
        places = [match.start() for match in re.finditer(f"(?={re.escape(sought)})", self.plain)]
        told = [
            frozenset(at for at in range(1, len(sought)) if self.origin[place + at] in self.raised) for place in places
        ]
        return frozenset.intersection(*told)

    def lines(self, lines: Sequence[str]) -> str:
        """The lines, a word that a line's end tears put together in the first, as PDFium reads it."""
        kept: list[str] = []
        for line in lines:
            begun, *rest = line.split(" ", 1)
            last = kept[-1].rsplit(" ", 1)[-1] if kept else ""
            word = "".join(takewhile(str.isalnum, begun))
            if last[-1:] == "-" and f"{last}{word}" not in self.plain and f"{last[:-1]}{word}" in self.plain:
                kept[-1] = f"{kept[-1][:-1]}{begun}"
                kept += rest
            else:
                kept.append(line)
        return "\n".join(map(self.verbatim, kept))


def straight(text: str) -> str:
    return text.translate(STRAIGHTENED)


def squeezed(text: str) -> str:
    return "".join(text.split())
