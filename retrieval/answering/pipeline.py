"""From a question to an answer that its passages bear out, or to a refusal that points at the nearest sections.

The model's word counts for nothing by itself: what it writes is checked sentence by sentence against the passages.
Evidence too weak, for a reader too: refused before the model is asked. No sentence that is borne out and answers: the
documents' own words where the evidence is strong, else a refusal. No chat model of one's own: the documents' own words
alone, at once. One that is away, or writes nothing: these, and `degraded` says so.
"""

from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from time import perf_counter

from django.db import transaction

from knowledge import models
from knowledge.endpoints import EndpointError, storable
from knowledge.models.library import Reader
from knowledge.texts.languages.questions import language_of, likeliest
from retrieval import search as search_module
from retrieval.answering import drafts
from retrieval.answering.conclusions import Conclusion, conclude, emptied, hinted, missed, refusal, retries, withheld
from retrieval.answering.drafting import Draft, alone, has_judge, write
from retrieval.answering.events import Begun, Event, Finished, Retrieved, Rewritten, Silent, Token
from retrieval.answering.fetching import hits_of, passage_after
from retrieval.answering.followups import followup
from retrieval.answering.followups.followup import Turn
from retrieval.answering.followups.history import are_open_still, turns
from retrieval.answering.grounds import Grounds
from retrieval.answering.ledger import Asking, begin, complete, hold, note_read
from retrieval.answering.pasted import asked_in
from retrieval.answering.phrases import said_in
from retrieval.answering.revocation import ReaderAccess
from retrieval.query import MAX_CHARACTERS, respelled
from retrieval.results import AnswerResult, SearchOptions, SearchResult, Sentence
from retrieval.retrieval_settings import DEFAULT
from retrieval.slips import is_misspelt
from retrieval.traces import without_frames
from retrieval.view import UnknownLibrary, check_names, release_connection, resolve

SILENCE = 10.0  # seconds, after which it is told that nothing new comes: proxies cut what is silent for a minute


@dataclass(frozen=True, slots=True)
class Found:
    """What a search brought for a question, and what can be answered from it."""

    result: SearchResult
    grounds: Grounds


def answer(
    user: Reader,
    question: str,
    options: SearchOptions = SearchOptions(),  # noqa: B008 - frozen
    asking: Asking = Asking(),  # noqa: B008 - frozen
) -> AnswerResult:
    """Raises what `search` raises, and TooMany; a model that is away degrades the answer, or raises EndpointError."""
    for event in answer_events(user, question, options, asking):
        if isinstance(event, Finished):
            return event.answer
    raise AssertionError("unreachable: the last event is always Finished")


def answer_events(
    user: Reader,
    question: str,
    options: SearchOptions = SearchOptions(),  # noqa: B008 - frozen
    asking: Asking = Asking(),  # noqa: B008 - frozen
) -> Generator[Event]:
    """Begun, Rewritten and Retrieved once, a Token for every piece of the draft, Finished once.

    Silent comes between two of them while the model says nothing, or nothing that is told.
    Closed or broken off before its end it leaves an entry that is incomplete. Raises UnknownLibrary before it begins
    where a name is none, TooMany, and ValueError for a question that is too long.
    """
    question = storable(question).strip()
    if len(question) > MAX_CHARACTERS:
        raise ValueError(f"a question has at most {MAX_CHARACTERS:,} characters")
    check_names(options.libraries)
    entry = begin(user, question, options, asking)
    pk, draft = entry.pk, Draft()  # a row that is deleted forgets its key
    away: tuple[str, ...] = ()
    try:
        drafts.put(pk, draft.buffer)
        yield Begun(entry)
        said = asking.history or turns(asking.conversation, user, entry)
        asked = tuple(turn for turn in said if not followup.asks_nothing(turn.question))
        asking = replace(asking, history=asked[-followup.REMEMBERED :])
        for event in compose(user, question, options, asking, draft):
            if isinstance(event, AnswerResult):
                yield finish(user, entry, event, asking)
            else:
                if isinstance(event, Rewritten):
                    entry.standalone = event.standalone
                elif isinstance(event, Retrieved):
                    note_read(entry, event.hits, event.searched)
                yield event
    except UnknownLibrary:
        entry.delete()
        raise
    except EndpointError as error:
        away = (error.role,)
        raise
    finally:
        drafts.take_away(pk)
        if entry.pk and entry.state == models.Answer.State.INCOMPLETE:
            entry.give_up(away)


def finish(user: Reader, entry: models.Answer, answer: AnswerResult, asking: Asking) -> Finished:
    """Written down. Its words go if what it was drawn from was erased while it was written; how it was worded, if what
    was said before it was erased, or closed."""
    worded_in = asking.conversation if answer.standalone != answer.question else None
    with transaction.atomic():
        if not hold(entry, answer):
            answer = emptied(answer)
        elif worded_in and not are_open_still(asking.history, worded_in, user, entry):
            answer = replace(answer, standalone="", searched_for="")
        return Finished(answer, complete(entry, answer))


def compose(
    user: Reader, question: str, options: SearchOptions, asking: Asking, draft: Draft
) -> Iterator[Rewritten | Retrieved | Token | Silent | AnswerResult]:
    """The answer's way from the question to what stands up to the check; writes nothing down."""
    started = perf_counter()
    if followup.asks_nothing(question) and not asking.standalone:
        resolve(user, options.libraries, options.snapshot)  # what there is not is refused, whatever is said to it
        yield from unasked(question, asking.history)
        return
    searches: list[float] = []
    look = partial(found_for, user, options, asking, searches)
    standalone, found = understood(question, asking, look)
    yield Rewritten(standalone)
    found = found or look(standalone)
    result, grounds = found.result, found.grounds
    took: dict[str, float | None] = {"search": round(sum(searches), 3), "first_token": None}
    searched = tuple((library.slug, library.snapshot) for library in result.libraries)
    yield Retrieved(result.hits, searched)
    access = ReaderAccess(user, result.hits, searched, asking.token)
    if asking.pinned or grounds.are_worth_asking or (not grounds.evidence.hopeless and has_judge()):
        for piece in seen(write(grounds.question, result.hits, draft), access):
            took["first_token"] = took["first_token"] or (_since(started) if piece else None)
            yield Token(piece) if piece else Silent()
    conclusion, sentences = yield from decided(grounds, draft, access, partial(refusal, user, options, result))
    took["total"] = _since(started)
    yield AnswerResult(
        question=question,
        standalone=standalone,
        searched_for=result.query,
        answer=conclusion.text,
        refused=conclusion.refused,
        degraded=(*result.degraded, *missed(conclusion, draft)),
        model=conclusion.model,
        citations=conclusion.checked.citations,
        sentences=sentences,
        usage=draft.usage,
        took_ms=took,
        hits=conclusion.hits,
        searched=searched,
        invented=conclusion.checked.invented,
        stopped=draft.buffer.stopped,
        weighed=grounds.as_json(),
    )


def unasked(question: str, history: Sequence[Turn]) -> Iterator[Rewritten | Retrieved | AnswerResult]:
    """What is said to thanks, in the language of the conversation: nothing is searched, and no model asked."""
    yield Rewritten(question)
    yield Retrieved((), ())
    said_last = " ".join([*(turn.question for turn in history[-1:]), question])
    language = language_of(said_last) if likeliest(said_last) else followup.courteous_in(question)
    said = said_in(language).nothing_asked
    took = {"search": 0.0, "first_token": None, "total": 0.0}
    yield AnswerResult(question, "", said, True, (), "", (), (), {}, took, (), standalone=question)


def understood(question: str, asking: Asking, look: Callable[[str], Found]) -> tuple[str, Found | None]:
    """The question in words that stand alone, and what was found for them, if that was looked for: one that says little
    goes on from what was said before it, unless the documents answer it only as it stands."""
    asked = asked_in(question)
    standalone = asking.standalone or alone(asked, asking.history)
    if asking.standalone or standalone == asked or not followup.may_stand_alone(asked):
        return standalone, None
    found = look(standalone)
    if not found.grounds.suffice and (by_itself := look(asked)).grounds.suffice:
        return asked, by_itself
    return standalone, found


def found_for(user: Reader, options: SearchOptions, asking: Asking, searches: list[float], standalone: str) -> Found:
    """How many milliseconds the search took is added to the others; what a reader makes of it comes after."""
    started = perf_counter()
    result = retrieve(user, standalone, options, asking)
    searches.append(_since(started))
    asked = without_filters(result) or without_frames(standalone)
    cautious = cautions(library.slug for library in result.libraries)
    grounds = Grounds(asked, result.hits, cautious, partial(passage_after, user, asked))
    release_connection()
    respelt = respelled(asked, {typed: meant for typed, meant in result.corrected.items() if is_misspelt(typed, meant)})
    if respelt != asked and not grounds.suffice and (as_meant := replace(grounds, question=respelt)).suffice:
        grounds = as_meant
    return Found(result, grounds)


def without_filters(result: SearchResult) -> str:
    """The question's own words, where others of it only said where to look; else nothing."""
    understood = result.understood
    return understood.text if understood.filters or understood.exclusions else ""


def decided(
    grounds: Grounds, draft: Draft, access: ReaderAccess, refusing: Callable[[str], str]
) -> Generator[Silent, None, tuple[Conclusion, tuple[Sentence, ...]]]:
    """What is said in the end, its sentences with their hints; nothing to a reader who may not see it any more."""
    conclusion = conclude(grounds, draft, refusing)
    if not access.is_lost() and retries(conclusion, grounds.evidence, draft):
        conclusion = (yield from tried_again(grounds, draft, access, refusing)) or conclusion
    sentences = hinted(conclusion.checked)
    return (withheld(grounds.question), ()) if access.is_lost_now() else (conclusion, sentences)


def tried_again(
    grounds: Grounds, draft: Draft, access: ReaderAccess, refusing: Callable[[str], str]
) -> Generator[Silent, None, Conclusion | None]:
    """What comes of a second draft, if that stands up to the check; its tokens count as the first one's."""
    again = Draft(buffer=draft.buffer)
    for _ in seen(("" for _ in write(grounds.question, grounds.hits, again, tighter=True)), access):
        yield Silent()  # what was read already stays on the page until the answer is checked
    draft.usage = added(draft.usage, again.usage)
    second = conclude(grounds, again, refusing)
    stands = second.model == again.model and not second.refused and not again.buffer.stopped
    return second if stands else None


def seen(pieces: Iterable[str], access: ReaderAccess) -> Iterator[str]:
    """The pieces for as long as the reader may see what they are drawn from; of the empty ones one in SILENCE."""
    told_at = perf_counter()
    for piece in pieces:
        if access.is_lost():
            return
        if piece or perf_counter() - told_at >= SILENCE:
            told_at = perf_counter()
            yield piece


def cautions(slugs: Iterable[str]) -> dict[str, float]:
    """How cautious each of these libraries is set to be."""
    return dict(models.Library.objects.filter(slug__in=[*slugs]).values_list("slug", "caution"))


def retrieve(user: Reader, standalone: str, options: SearchOptions, asking: Asking) -> SearchResult:
    """What is read: pinned passages first, excluded ones not at all."""
    most = options.top_k or DEFAULT.top_k  # passages are what a model reads, whatever a page of hits is set to
    wide = replace(options, files=asking.files, phrases=False, top_k=most + len(asking.excluded))  # may quote anything
    result = search_module.search(user, standalone, wide)
    if not (asking.pinned or asking.excluded):
        return result
    pinned = hits_of(user, standalone, options, asking.pinned)
    taken = {*asking.excluded, *(hit.chunk_id for hit in pinned)}
    hits = [*pinned, *(hit for hit in result.hits if hit.chunk_id not in taken)][:most]
    return replace(result, hits=tuple(replace(hit, rank=rank) for rank, hit in enumerate(hits, start=1)))


def added(one: dict[str, int], other: dict[str, int]) -> dict[str, int]:
    """The tokens of two calls together."""
    return {name: one.get(name, 0) + other.get(name, 0) for name in {**one, **other}}


def _since(started: float) -> float:
    return round((perf_counter() - started) * 1000, 3)
