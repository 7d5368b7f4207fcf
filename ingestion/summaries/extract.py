"""The sentences of a section that say most of what it says. Pure, and the same on any machine.

Each sentence is worth the mean weight of its words, where a word weighs as often as the section says it, and more where
the headings say it; what stands early is worth a little more, as authors say first what follows. After Luhn, "The
Automatic Creation of Literature Abstracts" (1958), and Edmundson, "New Methods in Automatic Extracting" (1969).
"""

import math
import re
from collections import Counter
from collections.abc import Sequence

from ingestion.chunking.splitting import SENTENCES
from knowledge.texts.analysis import UNSPACED

VERSION = "extract-2"
MOST_WORDS = 60
SHORTEST = 4  # words of a sentence
LONGEST = 45  # words of a sentence that are taken
COMMON = 3  # letters: shorter words weigh nothing
HEADING = 2.0
EARLY = 0.5

LETTERS = rf"[^\W_{UNSPACED}]+"
WORD = re.compile(rf"[{UNSPACED}]{{1,2}}|{LETTERS}")  # two characters are about a word where no spaces are written
WEIGHED = re.compile(rf"(?=([{UNSPACED}]{{2}}))|({LETTERS})")  # there every pair of neighbours, wherever words begin
BLANK_LINE = re.compile(r"\n\s*\n")
MARKUP = re.compile(r":[\w:+-]+:(?=`)|[`*|]+|<[^<>]*>(?=`)|\]\([^()\s]*\)|^\s*(?:[-+*•#>]|\.\.)\s+", re.MULTILINE)


def extract(titles: Sequence[str], text: str, most_words: int = MOST_WORDS) -> str:
    """Whole sentences of `text` in their order, `most_words` together at most, without markup; "" where it has none."""
    sentences = split(text)
    counts = Counter(word for sentence in sentences for word in set(weighed(sentence)))
    headings = {word for title in titles for word in weighed(title)}
    worth = {
        place: value(sentence, counts, headings) * (1 + EARLY / (1 + place)) for place, sentence in enumerate(sentences)
    }
    chosen: list[int] = []
    left = most_words
    for place in sorted(worth, key=lambda place: (-worth[place], place)):
        length = len(WORD.findall(sentences[place]))
        if length <= left:
            chosen.append(place)
            left -= length
    return " ".join(shortened(sentences[place], most_words) for place in sorted(chosen))


def split(text: str) -> list[str]:
    """Its sentences, white space folded; what is too short to say anything is left out."""
    paragraphs = (MARKUP.sub("", paragraph) for paragraph in BLANK_LINE.split(text))
    pieces = (" ".join(piece.split()) for paragraph in paragraphs for piece in SENTENCES.split(paragraph))
    kept = [shortened(piece, LONGEST) for piece in pieces if len(WORD.findall(piece)) >= SHORTEST]
    return list(dict.fromkeys(kept))


def weighed(text: str) -> list[str]:
    words = ((match[1] or match[2]).casefold() for match in WEIGHED.finditer(text))
    return [word for word in words if len(word) > COMMON or not word.isascii()]


def value(sentence: str, counts: Counter[str], headings: set[str]) -> float:
    words = set(weighed(sentence))
    weight = sum(math.log1p(counts[word]) * (HEADING if word in headings else 1.0) for word in sorted(words))
    return weight / math.sqrt(len(words)) if words else 0.0


def shortened(sentence: str, words: int) -> str:
    """As much of its beginning as `words` reach."""
    for count, match in enumerate(WORD.finditer(sentence), start=1):
        if count == words:
            return sentence[: match.end()]
    return sentence
