"""A follow-up becomes a question that stands alone. The reader sees it and may word it otherwise. Pure.

A model's wording is taken only if it keeps what was asked, keeps the subject and adds nothing that was not said. Else,
and without a model, the subject is put behind the question in brackets: plain, and never wrong about what it adds.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from retrieval.answering.ellipsis import completed, left
from retrieval.answering.subjects import REFERRING, content_runs, is_name
from retrieval.answering.words import terms, words

FEW = 2  # content words: "And on Sundays?" asks nothing by itself
KEPT = 0.6  # of the follow-up's content words, in its new wording
LONGEST = 300
REMEMBERED = 4  # turns
OPENINGS = re.compile(
    r"^(?:and|but|or|so|then|what about|how about|why|why not|et|mais|ou|und|aber|oder|warum|y|pero|e|ma|en|maar|а|и|و"
    r"|那|それ|では)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Turn:
    """What was asked before, as it was understood, and the words that answered it."""

    question: str
    answer: str = ""
    cited: str = ""  # headings and quotations


def depends(question: str, history: Sequence[Turn]) -> bool:
    """Whether a question needs what was said before it."""
    if not history:
        return False
    spoken = words(question)
    refers = any(word in REFERRING for word in spoken)
    return refers or bool(OPENINGS.match(question.strip())) or len(terms(question)) <= FEW


def subject(history: Sequence[Turn]) -> str:
    """What the conversation is about: the longest runs of words of its last question, and names."""
    for turn in reversed(history):
        runs = content_runs(turn.question)
        answered = terms(f"{turn.answer} {turn.cited}")
        if runs:
            longest = max(len(run.split()) for run in runs)
            likely = [run for run in runs if len(run.split()) == longest]
            chosen = ([run for run in likely if terms(run) & answered] or likely)[-2:]
            names = [run for run in runs if run not in chosen and is_name(run)]
            return ", ".join([*names, *chosen])
    return ""


def by_rule(question: str, history: Sequence[Turn]) -> str:
    """The follow-up with the subject behind it, as far as it neither names it itself nor replaces it."""
    before = [turn.question for turn in history]
    runs = [run for run in subject(history).split(", ") if run]
    asked, gone = completed(question.strip(), before, runs)
    named = terms(asked)
    kept = [run for run in runs if run != gone and not terms(run) <= named]
    about = ", ".join(filter(None, (left(run, asked, before) for run in kept)))
    return f"{asked} ({about})" if about else asked


def acceptable(wording: str, question: str, history: Sequence[Turn]) -> bool:
    """Whether a model's wording asks the same: nothing lost, nothing invented, one line."""
    if not wording or "\n" in wording or len(wording) > LONGEST:
        return False
    asked, worded, about = terms(question), terms(wording), terms(subject(history))
    known = asked.union(*(terms(f"{turn.question} {turn.answer} {turn.cited}") for turn in history))
    keeps = len(asked & worded) >= len(asked) * KEPT
    return keeps and (not about or bool(worded & about)) and worded <= known


def cleaned(text: str) -> str:
    """A model's wording without what models put around it."""
    first = text.strip().split("\n")[0].strip()
    return re.sub(r"^(?:standalone )?question\s*:\s*", "", first, flags=re.IGNORECASE).strip("\"'“”„ ")
