"""A follow-up becomes a question that stands alone. The reader sees it and may word it otherwise. Pure.

A model's wording is taken only if it keeps what was asked, keeps the subject and adds nothing that was not said. Else,
and without a model, the subject is put behind the question in brackets: plain, and never wrong about what it adds.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from retrieval.answering.words import STOP_WORDS, plain, terms, words

FEW = 2  # content words: "And on Sundays?" asks nothing by itself
KEPT = 0.6  # of the follow-up's content words, in its new wording
LONGEST = 300
REMEMBERED = 4  # turns
_REFERRING = (
    "it its this that these those they them their theirs he him his she her hers one ones there then same former latter"
    " il elle ils elles lui leur leurs cela ceci celui celle ceux y en ce cette ces"
    " er sie es ihn ihm ihr ihre sein seine dies diese dieser dieses das dessen dort dann davon damit dafur"
    " ello esto eso este esta estos estas ese esa ellos ellas su sus"
    " esso essa essi questo questa questi quello quella lo suo sua"
    " het dit dat deze die hij zij hun zijn haar ervan daarvan ele ela eles isso isto seu sua"
    " он она оно они его ее их это этот эта там тогда هو هي هم ذلك هذا"
)
REFERRING = frozenset(plain(word) for word in _REFERRING.split())
OPENINGS = re.compile(
    r"^(?:and|but|or|so|then|what about|how about|why|why not|et|mais|ou|und|aber|oder|warum|y|pero|e|ma|en|maar|а|и|و"
    r"|那|それ|では)\b",
    re.IGNORECASE,
)
WORD = re.compile(r"[^\W_]+(?:['’_.-][^\W_]+)*")
# What a question asks about a subject, and is no part of it.
_ASPECTS = (
    "long many much often far old big soon day days hour hour week month time times year years"
    " cost costs price mean means work works happen happens difference explain tell say does do use"
    " need want get make take give up down out off per kind sort type way"
)
ASPECTS = frozenset(plain(word) for word in _ASPECTS.split())
STOPPED = frozenset(plain(word) for said in STOP_WORDS.values() for word in said.split()) | REFERRING


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


def content_runs(question: str) -> list[str]:
    """Neighbouring words that carry meaning: “cargo bike” of “How long can you borrow a cargo bike?”"""
    runs: list[list[str]] = [[]]
    end = 0
    for word in WORD.finditer(question):
        apart = bool(question[end : word.start()].strip())
        folded = plain(word[0])
        if apart or folded in STOPPED or folded in ASPECTS:
            runs.append([])
        if folded not in STOPPED and folded not in ASPECTS:
            runs[-1].append(word[0])
        end = word.end()
    return [" ".join(run) for run in runs if run and terms(" ".join(run))]


def is_name(run: str) -> bool:
    return any(character.isupper() or character in "_." for character in run[1:]) or run[:1].isupper()


def by_rule(question: str, history: Sequence[Turn]) -> str:
    """The follow-up with the subject behind it, as far as it does not name it itself."""
    asked = terms(question)
    about = ", ".join(run for run in subject(history).split(", ") if run and not terms(run) <= asked)
    return f"{question.strip()} ({about})" if about else question.strip()


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
