"""What a chat model writes: a follow-up in words that stand alone, and an answer from passages.

That is held to a form, followed while it comes, and broken off where it goes astray.
"""

import logging
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import takewhile

from django.conf import settings

from knowledge.endpoints import (
    Chat,
    EndpointError,
    Form,
    Hold,
    by_grammar,
    by_schema,
    chat_endpoint,
    has_writer,
    without_thoughts,
)
from knowledge.texts.stops import STOPS
from retrieval.answering.drafts import DraftBuffer
from retrieval.answering.followups import followup
from retrieval.answering.followups.followup import Turn
from retrieval.answering.listening import heard
from retrieval.answering.marks import without_marks
from retrieval.answering.passages import UNDER, Passage, pack
from retrieval.answering.prompt import LONGEST, grammar, harmless, messages, rewriting
from retrieval.answering.sentences import MARKED, sentence_spans
from retrieval.answering.structured import schema, unfolded
from retrieval.results import Hit
from retrieval.view import release_connection

BUDGET = 6000  # tokens of passages
LENGTH = 800  # tokens of an answer
PROMPT_ROOM = 400  # tokens: the wording and the question
LEAST_BUDGET = 200
REWRITTEN_LENGTH = 100  # tokens
LOOPS = ((60, 3), (20, 6))  # the last so many characters, seen so often: the model is going round in circles
ASKS_ITSELF = "\nQuestion:"
WHOLE = re.compile(rf"(?:[{STOPS}][\"'”’»)」』”）]*|{MARKED})\Z")  # how a sentence ends that was not cut
logger = logging.getLogger(__name__)


@dataclass(slots=True)
class Draft:
    """What the model wrote, and in what circumstances. The buffer is what others see of it meanwhile."""

    buffer: DraftBuffer = field(default_factory=DraftBuffer)
    passages: tuple[Passage, ...] = ()
    text: str = ""
    model: str = ""
    away: bool = False  # before its first word, or in the middle of its text
    locked: bool = False  # away because its server refused the API key
    silent: bool = False  # the model came to no word: it called tools, or thought until its tokens were gone
    cut: bool = False  # in the middle of a sentence, perhaps
    usage: dict[str, int] = field(default_factory=dict)


def has_judge() -> bool:
    """Whether a model writes that reads better than words and cosines tell: it says itself that it does not know."""
    return has_writer() and chat_endpoint().judges


def alone(question: str, history: Sequence[Turn]) -> str:
    """A question that can be understood without those before it."""
    if not followup.depends(question, history):
        return question
    return (reworded(question, history) if has_writer() else "") or followup.by_rule(question, history)


def reworded(question: str, history: Sequence[Turn]) -> str:
    """The model's wording; empty where it may not be taken, or the model is away, as the answer itself will say."""
    release_connection()
    try:
        said = chat_endpoint().complete(rewriting(question, history), REWRITTEN_LENGTH).text
    except EndpointError:
        return ""
    worded = followup.cleaned(said)
    return worded if followup.acceptable(worded, question, history) else ""


def write(question: str, hits: tuple[Hit, ...], draft: Draft, tighter: bool = False) -> Iterator[str]:
    """The pieces of the model's draft as they come, empty ones while it is silent; at their end it is complete. None
    where no model writes answers."""
    if not has_writer():
        return
    try:
        chat = chat_endpoint()
        budget, length = room(chat)
        draft.passages = pack(hits, budget, chat.count_tokens)
        draft.model = chat.model
        if not draft.passages:
            return
        hold = chat.holds_by  # decisions/0018
        stream = chat.stream(messages(question, draft.passages, tighter), length, form=form(hold, len(draft.passages)))
        pieces = heard(unfolded(stream) if hold is Hold.SCHEMA else iter(stream), stream.close)
        for piece in pieces:
            draft.text += piece
            if not tighter:  # who follows by the saved draft would read the end of the one behind that of the other
                draft.buffer.text = draft.text
            yield piece
            if draft.buffer.stopped or astray(draft):
                pieces.close()
                break
        end = forced(draft.text) if hold is Hold.GRAMMAR else len(draft.text)
        draft.cut = stream.finish_reason != "stop" or end < len(draft.text)
        draft.text = without_thoughts(draft.text[:end])
        draft.silent = not (draft.text.strip() or draft.buffer.stopped)
        draft.usage = dict(stream.usage)
    except EndpointError as error:
        if not settings.AI_OFFLINE_FALLBACK:
            raise
        logger.warning("An answer goes without the chat model, or without its end: %s", error)
        draft.text = without_thoughts(draft.text)
        draft.away = draft.cut = True
        draft.locked = error.is_of_the_key


def form(hold: Hold, count: int) -> Form | None:
    """What holds an answer from `count` passages to its form, for a server that can; None for one that cannot."""
    if hold is Hold.GRAMMAR:
        return by_grammar(grammar(count))
    return by_schema(schema(count)) if hold is Hold.SCHEMA else None


def room(chat: Chat) -> tuple[int, int]:
    """Tokens for the passages and for the answer."""
    return max(min(BUDGET, chat.context_tokens - LENGTH - PROMPT_ROOM), LEAST_BUDGET), LENGTH


def forced(text: str) -> int:
    """Where a grammar broke off a sentence that was too long, with a number in the middle of it; else the end."""
    begun = 0
    for mark in re.finditer(MARKED, text):
        said = text[begun : mark.start()].strip()
        if len(said) >= LONGEST and not WHOLE.search(said):
            return mark.start()
        begun = mark.end()
    return len(text)


def astray(draft: Draft) -> bool:
    """Small models repeat themselves, recite their prompt, or go on with a question of their own."""
    text = draft.text
    tails = [(text[-size:], often) for size, often in LOOPS]
    looping = any(tail.strip() and text.count(tail) >= often for tail, often in tails)
    return ASKS_ITSELF in text or looping or any(recited(line, draft.passages) for line in text.split("\n")[:-1])


def recited(line: str, passages: Sequence[Passage]) -> bool:
    """Whether it is what stands above a passage in the prompt, titles under titles, and nothing else."""
    said = without_marks(line)
    return UNDER in said and any(said == harmless(passage.heading) for passage in passages)


def complete_sentences(draft: Draft) -> str:
    """Of a draft that was cut, without its last sentence: “if their manager agrees” may have followed. One that stands
    alone is kept if it ends as a whole one does."""
    text, asked, _ = draft.text.partition(ASKS_ITSELF)
    text = "\n".join(takewhile(lambda line: not recited(line, draft.passages), text.split("\n")))
    spans = sentence_spans(text)
    if not draft.cut or asked:
        return text
    if len(spans) > 1:
        return text[: spans[-2].end]
    return text if WHOLE.search(text.rstrip()) else ""
