"""From a question to an answer that its passages bear out: `answer`, or its events as they come."""

from .ledger import Asking, TooMany
from .pipeline import Begun, Event, Finished, Retrieved, Silent, Token, Understood, answer, answer_events

__all__ = [
    "Asking",
    "Begun",
    "Event",
    "Finished",
    "Retrieved",
    "Silent",
    "Token",
    "TooMany",
    "Understood",
    "answer",
    "answer_events",
]
