"""What is said in the end: the draft if it stands up to the check, else the documents' words, else a refusal."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial

from knowledge import models
from knowledge.endpoints import EndpointError
from knowledge.models.library import Reader
from knowledge.texts.languages.questions import language_of
from retrieval import search as search_module
from retrieval.answering.citations import Checked, check, extracted
from retrieval.answering.citing import cited_plainly
from retrieval.answering.drafting import Draft, complete_sentences
from retrieval.answering.evidence import Evidence, answers, are_answered_beside
from retrieval.answering.grounds import Grounds
from retrieval.answering.phrases import said_in
from retrieval.answering.quoting.extracts import Extract
from retrieval.answering.reader_scores import reader_scores
from retrieval.answering.remarks import says_not_known
from retrieval.rerank import RERANKER
from retrieval.results import AnswerResult, Hit, SearchOptions, SearchResult, Sentence, broke_off

EXTRACT = "extract"  # the model's name when the words are the documents' own
NOTHING = Checked("", (), (), 0)


@dataclass(frozen=True, slots=True)
class Conclusion:
    text: str
    refused: bool
    model: str  # whose words it is
    checked: Checked
    hits: tuple[Hit, ...]  # what the citations' numbers count


def retries(conclusion: Conclusion, evidence: Evidence, draft: Draft) -> bool:
    """Whether a model that could do better is asked once more: the evidence is strong, its words did not stand."""
    failed = conclusion.refused or conclusion.model == EXTRACT
    can = not (draft.away or draft.buffer.stopped) and bool(draft.text)
    return failed and can and evidence.strong and not says_not_known(draft.text)


def missed(conclusion: Conclusion, draft: Draft) -> tuple[str, ...]:
    """What of the chat model was missing, as `degraded` names it."""
    if not (draft.away or draft.silent):
        return ()
    if draft.away and conclusion.checked.sentences and conclusion.model == draft.model:
        return ("cut",)
    return ("chat", "key") if draft.locked else ("chat",)


def hinted(checked: Checked) -> tuple[Sentence, ...]:
    """The sentences with a reranker's opinion of each and its quotation, where there is one. No proof: a hint."""
    quotes = {citation.n: citation.quote for citation in checked.citations}
    hints: list[float | None] = []
    try:
        for sentence in checked.sentences:
            cited = [quotes[n] for n in sentence.citations]
            hints.append(max(RERANKER.scores(sentence.text, cited), default=None) if cited else None)
    except EndpointError:
        return checked.sentences
    return tuple(replace(sentence, hint=hint) for sentence, hint in zip(checked.sentences, hints, strict=True))


def conclude(grounds: Grounds, draft: Draft, refusing: Callable[[str], str]) -> Conclusion:
    """What is said in the end: the draft if it stands up to the check, else the documents' words, else a refusal.

    Rather than to refuse, a draft is kept that is borne out as a whole, by what stands beside the question's words.
    `refusing` gives the refusal in a language.
    """
    question, hits = grounds.question, grounds.hits
    language = language_of(question, beside=(hit.text for hit in hits))
    shown = tuple(passage.hit for passage in draft.passages) or hits
    if not draft.text and not grounds.are_worth_asking:
        return Conclusion(refusing(language), True, draft.model, NOTHING, shown)
    parts = [passage.parts for passage in draft.passages]
    said = cited_plainly(complete_sentences(draft), len(parts), {passage.hit.source_file for passage in draft.passages})
    checked = check(said, parts)
    own, read = Conclusion(checked.text, False, draft.model, checked, shown), partial(reader_scores, question)
    if draft.buffer.stopped or answers(question, checked, read):
        return own
    if are_answered_beside(question, checked, read) and is_from(checked, grounds.extracts):
        return own
    if grounds.extracts and (draft.away or draft.silent or (grounds.are_enough and not says_not_known(draft.text))):
        quoted = extracted({one.n: one.quote for one in grounds.quotations})
        told = (*hits, *(one.quote.hit for one in grounds.quotations if one.n > len(hits)))
        lead = said_in(language).lead_in(draft.away, draft.silent)
        return Conclusion(f"{lead}\n\n{quoted.text}", False, EXTRACT, quoted, told)
    if are_answered_beside(question, checked) and not says_not_known(draft.text):
        return own
    return Conclusion(refusing(language), True, draft.model, NOTHING, shown)


def is_from(checked: Checked, extracts: Sequence[Extract]) -> bool:
    """Whether all that bears an answer out stands in what would be quoted in its place."""
    quoted = [(one.quote.hit.chunk_id, one.quote.text) for one in extracts]
    return all(
        any(citation.hit.chunk_id == chunk and citation.quote in text for chunk, text in quoted)
        for citation in checked.citations
        if citation.verified
    )


def withheld(question: str) -> Conclusion:
    """Nothing is said of what was withdrawn, or closed to its reader, while the answer was written."""
    return Conclusion(said_in(language_of(question)).refusal, True, "", NOTHING, ())


def emptied(answer: AnswerResult) -> AnswerResult:
    """Withheld, and nothing is said of how it was worded, as where it was erased later."""
    told = replace(answer, answer=withheld(answer.question).text, refused=True, model="", invented=0)
    return replace(told, standalone="", searched_for="", citations=(), sentences=(), hits=())


def refusal(user: Reader, options: SearchOptions, result: SearchResult, language: str) -> str:
    """In words: that the documents do not tell, which libraries were searched, and whether there are others; that
    these have no file of the globs that alone were to be searched; or that they could not be searched."""
    if broke_off(result):
        return said_in(language).not_searched
    slugs = [library.slug for library in result.libraries]
    globs = [one.value for one in result.understood.filters if one.field == "file" and not one.excluded]
    names = models.Library.objects.filter(slug__in=slugs).order_by("slug").values_list("name", flat=True)
    if globs and names and not result.hits and not has_files(user, options, globs):
        return said_in(language).no_such_file([*names], globs)
    others = models.Library.objects.readable_by(user).searched().exclude(slug__in=slugs)
    return said_in(language).refused([*names], everywhere=not (options.libraries and others.exists()))


def has_files(user: Reader, options: SearchOptions, globs: Sequence[str]) -> bool:
    """Whether there is anything in files of these globs, whatever it says."""
    written = " ".join(f'file:"{glob}"' for glob in globs)
    return bool(search_module.search(user, written, replace(options, top_k=1)).hits)
