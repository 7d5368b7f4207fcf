"""From a question to an answer that its passages bear out, or to a refusal that points at the nearest sections.

The model's word counts for nothing by itself: what it writes is checked sentence by sentence against the passages.
Evidence too weak: refused before the model is asked. No sentence that is borne out and answers: the documents' own
words where the evidence is strong, else a refusal. No chat model: the documents' own words, and `degraded` says so.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from time import perf_counter

import numpy as np
from django.conf import settings

from knowledge import models
from knowledge.endpoints import Chat, EndpointError, chat_endpoint
from knowledge.models.library import Reader
from retrieval import search as search_module
from retrieval.answering.citations import Checked, check, extracted
from retrieval.answering.evidence import STRONG_EXTRACT, Evidence, answers, extract, rests_on_the_best, weigh
from retrieval.answering.ledger import record
from retrieval.answering.passages import Passage, pack
from retrieval.answering.phrases import phrase, says_not_known
from retrieval.answering.prompt import messages
from retrieval.answering.sentences import sentence_spans
from retrieval.answering.words import language_of
from retrieval.query import parse
from retrieval.query_vector import query_vector, recognised_endpoint
from retrieval.results import Answer, Hit, SearchOptions
from retrieval.view import release_connection

EMBEDDED_BUDGET = 300  # tokens of passages: of 12 questions SmolLM2 answered 5 from 280, 3 from 500, 3 from 1,000
BUDGET = 6000
EMBEDDED_LENGTH = 200  # tokens of an answer
LENGTH = 800
PROMPT_ROOM = 400  # tokens: the wording and the question
LEAST_BUDGET = 200
EXTRACT = "extract"  # the model's name when the words are the documents' own
NOTHING = Checked("", (), (), 0)
LOOPS = ((60, 3), (20, 6))  # the last so many characters, seen so often: the model is going round in circles
ASKS_ITSELF = "\nQuestion:"
ECHO = "›"  # stands in the passages' headings: the model is reciting its prompt


@dataclass(frozen=True, slots=True)
class Retrieved:
    hits: tuple[Hit, ...]


@dataclass(frozen=True, slots=True)
class Token:
    """A piece of the model's draft. Only `Finished` holds what stands up to the check."""

    text: str


@dataclass(frozen=True, slots=True)
class Finished:
    """The answer as it was checked, and its entry in the ledger."""

    answer: Answer
    entry: models.Answer


Event = Retrieved | Token | Finished


@dataclass(slots=True)
class Draft:
    """What the model wrote, and in what circumstances."""

    passages: tuple[Passage, ...] = ()
    text: str = ""
    model: str = ""
    small: bool = False  # the embedded model, which answers from whatever it read last
    away: bool = False
    cut: bool = False  # in the middle of a sentence, perhaps
    usage: dict[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Verdict:
    text: str
    refused: bool
    model: str  # whose words it is
    checked: Checked
    hits: tuple[Hit, ...]  # what the citations' numbers count


def answer(user: Reader, question: str, options: SearchOptions = SearchOptions()) -> Answer:  # noqa: B008 - frozen
    """Raises what `search` raises; a model that is away degrades the answer, or raises EndpointError."""
    for event in answer_events(user, question, options):
        if isinstance(event, Finished):
            return event.answer
    raise AssertionError("unreachable: the last event is always Finished")


def answer_events(
    user: Reader,
    question: str,
    options: SearchOptions = SearchOptions(),  # noqa: B008 - frozen
) -> Iterator[Event]:
    """Retrieved once, a Token for every piece of the draft, Finished once."""
    started = perf_counter()
    result = search_module.search(user, question, replace(options, phrases=False))  # who asks may quote anything
    told = result.understood
    asked = (told.text if told.filters or told.exclusions else "") or question
    took = {"search": _since(started)}
    yield Retrieved(result.hits)
    release_connection()
    draft = Draft()
    evidence = weigh(asked, result.hits)
    if not evidence.weak:
        for piece in write(asked, result.hits, draft):
            took.setdefault("first_token", _since(started))
            yield Token(piece)
    verdict = conclude(asked, result.hits, evidence, draft)
    took["total"] = _since(started)
    finished = Answer(
        question=question,
        searched_for=result.query,
        answer=verdict.text,
        refused=verdict.refused,
        degraded=(*result.degraded, *(["chat"] if draft.away else [])),
        model=verdict.model,
        citations=verdict.checked.citations,
        sentences=verdict.checked.sentences,
        usage=draft.usage,
        took_ms=took,
        hits=verdict.hits,
    )
    yield Finished(finished, record(user, finished))


def write(question: str, hits: tuple[Hit, ...], draft: Draft) -> Iterator[str]:
    """The pieces of the model's draft as they come; the draft is complete when they end."""
    try:
        chat = chat_endpoint()
        budget, length = room(chat)
        draft.passages = pack(hits, budget, chat.count_tokens)
        draft.model, draft.small = chat.model, chat.embedded
        if not draft.passages:
            return
        stream = chat.stream(messages(question, draft.passages), length)
        for piece in stream:
            draft.text += piece
            yield piece
            if astray(draft.text):
                stream.close()
                break
        draft.cut = stream.finish_reason != "stop"
        draft.usage = dict(stream.usage)
    except EndpointError:
        if not settings.AI_OFFLINE_FALLBACK:
            raise
        draft.away = True


def room(chat: Chat) -> tuple[int, int]:
    """Tokens for the passages and for the answer."""
    budget, length = (EMBEDDED_BUDGET, EMBEDDED_LENGTH) if chat.embedded else (BUDGET, LENGTH)
    return max(min(budget, chat.context_tokens - length - PROMPT_ROOM), LEAST_BUDGET), length


def astray(text: str) -> bool:
    """Small models repeat themselves, or go on with a question of their own."""
    tails = [(text[-size:], often) for size, often in LOOPS]
    return (
        ASKS_ITSELF in text or ECHO in text or any(tail.strip() and text.count(tail) >= often for tail, often in tails)
    )


def complete_sentences(draft: Draft) -> str:
    text, asked, _ = draft.text.partition(ASKS_ITSELF)
    text = "\n".join(line for line in text.split("\n") if ECHO not in line)
    spans = sentence_spans(text)
    return text[: spans[-2].end] if draft.cut and not asked and len(spans) > 1 else text


def conclude(question: str, hits: tuple[Hit, ...], evidence: Evidence, draft: Draft) -> Verdict:
    """What is said in the end: the draft if it stands up to the check, else the documents' words, else a refusal."""
    refusal, lead, lead_without_model = phrase(language_of(question))
    shown = tuple(passage.hit for passage in draft.passages) or hits
    if evidence.weak:
        return Verdict(refusal, True, draft.model, NOTHING, shown)
    checked = NOTHING if draft.away else check(complete_sentences(draft), shown)
    stands = answers(question, checked)
    if stands and not draft.small:
        return Verdict(checked.text, False, draft.model, checked, shown)
    extracts = extract(question, hits, lambda texts: similarities(question, texts))
    strong = evidence.strong or any(one.value >= STRONG_EXTRACT for one in extracts)
    if stands and strong and rests_on_the_best(question, checked, extracts):
        return Verdict(checked.text, False, draft.model, checked, shown)
    if extracts and (draft.away or (strong and not says_not_known(draft.text))):
        quoted = extracted({one.n: one.quote for one in extracts})
        return Verdict(f"{lead_without_model if draft.away else lead}\n\n{quoted.text}", False, EXTRACT, quoted, hits)
    return Verdict(refusal, True, draft.model, NOTHING, shown)


def similarities(question: str, texts: Sequence[str]) -> list[float]:
    """Cosines to the question; zeros where no embedding endpoint answers, so that words decide alone."""
    try:
        asked = query_vector(parse(question).text).values  # known since the search
        endpoint, _ = recognised_endpoint()
        cosines: list[float] = (endpoint.embed_documents(texts) @ np.array(asked, np.float32)).tolist()
    except EndpointError:
        if not settings.AI_OFFLINE_FALLBACK:
            raise
        return [0.0] * len(texts)
    return cosines


def _since(started: float) -> float:
    return round((perf_counter() - started) * 1000, 3)
