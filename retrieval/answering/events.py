"""What happens while an answer is made, as it is told to pages and clients."""

from dataclasses import dataclass
from typing import ClassVar

from knowledge import models
from retrieval.results import AnswerResult, Hit


@dataclass(frozen=True, slots=True)
class Begun:
    """The answer has its entry in the ledger, incomplete."""

    entry: models.Answer


@dataclass(frozen=True, slots=True)
class Rewritten:
    """The question as it will be searched for."""

    standalone: str


@dataclass(frozen=True, slots=True)
class Retrieved:
    hits: tuple[Hit, ...]
    searched: tuple[tuple[str, int], ...]  # libraries and their snapshots


@dataclass(frozen=True, slots=True)
class Token:
    """A piece of the model's draft. Only `Finished` holds what stands up to the check."""

    text: str


@dataclass(frozen=True, slots=True)
class Silent:
    """Nothing new for a while; told on, so that a connection that is gone is noticed, and one that is there is kept."""

    SENT: ClassVar[str] = ": still there\n\n"  # among server-sent events: a comment, which clients pass over


@dataclass(frozen=True, slots=True)
class Finished:
    """The answer as it was checked, and its entry in the ledger."""

    answer: AnswerResult
    entry: models.Answer


Event = Begun | Rewritten | Retrieved | Token | Silent | Finished
