"""From a question to an answer that its passages bear out: `answer`, or its events as they come."""

from .pipeline import Event, Finished, Retrieved, Token, answer, answer_events

__all__ = ["Event", "Finished", "Retrieved", "Token", "answer", "answer_events"]
