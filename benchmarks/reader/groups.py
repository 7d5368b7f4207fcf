"""What the reader learns from: one question with quotations that answer it and others that don't.

Beside the answer stand quotations of the same section, among them the answering one without its answer, and some of
other sections that are near to the question.
"""

import json
import random
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from math import log
from pathlib import Path

from torch import Tensor

WINDOW = 250, 520  # characters of a quotation, as Muniment's own are
UNDER_HEADING = 0.65  # of the quotations; the others stand alone
LEAST_HOLE = 80  # characters: less is no quotation
OF_PARAGRAPH = 2  # questions of each paragraph of SQuAD, of some five
WITHHELD = 0.3  # of SQuAD's questions: only other paragraphs of the article are read
LEAST_QUESTION = 15  # characters: "dd" and the like are no questions
ROW = re.compile(r"[^.:]{1,80}: \S+ [^.]{1,80}, ")  # of a table, as it is told
ALONE = 0.35  # of the windows that begin with a row: Muniment reads that which tells by itself, too
SENTENCE_END = re.compile(r"(?<=[.!?])\s+(?=[A-Z“\"(])")
WORD = re.compile(r"\w+")
CHANCE = random.Random(0)  # noqa: S311

Vectors = Callable[[Sequence[str]], Tensor]  # texts in, unit vectors out


@dataclass
class Group:
    question: str
    answers: list[str] = field(default_factory=list)  # none: a near miss
    beside: list[str] = field(default_factory=list)  # of the same section
    near: list[str] = field(default_factory=list)  # of others
    prior: float = 0.0  # logit of a model that sees the question alone


@dataclass(frozen=True, slots=True)
class Window:
    """Neighbouring sentences of a section, as a quotation has them: most often below their heading."""

    section: int
    span: range
    above: str
    sentences: Sequence[str]

    @property
    def text(self) -> str:
        return self.above + " ".join(self.sentences[place] for place in self.span)

    def without(self, places: Sequence[int]) -> list[str]:
        """Its text without these sentences, if enough is left of it."""
        left = self.above + " ".join(self.sentences[place] for place in self.span if place not in places)
        return [left] if len(left) > LEAST_HOLE else []


def windows(section: int, heading: str, sentences: Sequence[str]) -> Iterator[Window]:
    """From each sentence on as many as a quotation holds."""
    for first in range(len(sentences)):
        is_alone = ROW.match(sentences[first]) and CHANCE.random() < ALONE
        most, length, last = 0 if is_alone else CHANCE.randint(*WINDOW), 0, first
        while last < len(sentences) and (not length or length + len(sentences[last]) < most):
            length += len(sentences[last]) + bool(length)
            last += 1
        yield Window(section, range(first, last), heading if CHANCE.random() < UNDER_HEADING else "", sentences)


def of_sections(told: list[dict], vectors: Vectors) -> Iterator[Group]:
    """`told`: sections with the questions that they answer and miss."""
    headings = [" › ".join(dict.fromkeys([section["document"], section["heading"]])) + "\n" for section in told]
    mine = [list(windows(number, headings[number], section["sentences"])) for number, section in enumerate(told)]
    apart = [window for own in mine for window in not_overlapping(own)]  # what is near is sought among these
    texts = [window.text for window in apart]
    stands_for: list[list[int]] = [[] for _ in told]
    for place, window in enumerate(apart):
        stands_for[window.section].append(place)
    asked = [
        (number, question, places)
        for number, section in enumerate(told)
        for question, places in [*section["answered"], *((missed, None) for missed in section["missed"])]
    ]
    found = vectors(texts)
    for (number, question, places), row in zip(asked, vectors([question for _, question, _ in asked]), strict=True):
        cosines = found @ row
        nearest = cosines.topk(min(40, len(apart))).indices.tolist()
        near = [texts[place] for place in nearest if apart[place].section != number][:8]
        own = [texts[place] for place in sorted(stands_for[number], key=lambda place: -float(cosines[place]))]
        sentences = told[number]["sentences"]
        if places is not None:
            group = answered(question, places, mine[number])
        elif question in told[number].get("added", {}):
            at, sentence = told[number]["added"][question]
            longer = [*sentences[:at], sentence, *sentences[at:]]
            group = answered(question, [at], list(windows(number, headings[number], longer)))
            group.beside = [*CHANCE.sample(group.beside, min(3, len(group.beside))), *own]
        else:
            group = Group(question, [], own[:5])
        if group.answers or places is None:
            group.near = near
            yield group


def not_overlapping(own: Sequence[Window]) -> Iterator[Window]:
    end = 0
    for window in own:
        if window.span[0] >= end:
            yield window
            end = window.span[-1] + 1


def answered(question: str, places: Sequence[int], mine: Sequence[Window]) -> Group:
    """What answers holds all of these sentences; or, where no quotation can, at least half as many as the fullest."""
    held = [sum(place in window.span for place in places) for window in mine]
    enough = max(held) if max(held) == len(places) else max(held) / 2
    whole = [window for window, count in zip(mine, held, strict=True) if count >= enough]
    others = [window.text for window in mine if not any(place in window.span for place in places)]
    holes = [text for window in whole for text in window.without(places)]
    beside = others + CHANCE.sample(holes, min(3, len(holes)))
    return Group(question, [window.text for window in whole], beside)


def of_squad(path: Path, share: float = 1.0) -> Iterator[Group]:
    """Of a share of its articles. What is near is of the same one, by the words shared with the question: the rarer
    there the heavier.
    """
    articles = json.loads(path.read_text())["data"]
    for article in CHANCE.sample(articles, round(share * len(articles))):
        title = article["title"].replace("_", " ") + "\n"
        quotable = [
            window
            for number, paragraph in enumerate(article["paragraphs"])
            for window in windows(number, title, SENTENCE_END.split(paragraph["context"]))
        ]
        texts = [window.text for window in quotable]
        held = [set(WORD.findall(text.lower())) for text in texts]
        often = Counter(word for words in held for word in words)
        for number, paragraph in enumerate(article["paragraphs"]):
            told = [asked for asked in paragraph["qas"] if len(asked["question"]) > LEAST_QUESTION]
            for asked in CHANCE.sample(told, min(OF_PARAGRAPH, len(told))):
                question, said = asked["question"], asked["answers"][0]["text"]
                words = set(WORD.findall(question.lower()))
                weights = {word: log(1 + len(texts) / often[word]) for word in words if often[word]}
                lacking = [at for at, text in enumerate(texts) if said not in text]
                lacking.sort(key=lambda at: -sum(weights.get(word, 0.0) for word in held[at]))
                near = [texts[at] for at in lacking if quotable[at].section != number][:8]
                if CHANCE.random() < WITHHELD:
                    yield Group(question, [], near[:5], near[5:])
                    continue
                mine = [window for window in quotable if window.section == number]
                answers = [window for window in mine if said in window.text]
                if answers:
                    others = [window.text for window in mine if said not in window.text]
                    holes = [text for window in answers for text in window.without(saying(window, said))]
                    yield Group(question, [window.text for window in answers], others + holes[:3], near)


def saying(window: Window, said: str) -> list[int]:
    return [place for place in window.span if said in window.sentences[place]]


def read_lines(path: Path) -> list[dict]:
    return [json.loads(line) for line in path.read_text().splitlines()]
