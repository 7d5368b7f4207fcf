"""Questions asked of a library, and each answer judged by rule. Nothing is written into the ledger."""

import logging
import re
from collections.abc import Callable, Iterable
from dataclasses import replace

from knowledge.endpoints import Chat, EndpointError
from knowledge.golden import Gold, Question
from retrieval.answering.conclusions import EXTRACT
from retrieval.answering.drafting import Draft, has_judge
from retrieval.answering.ledger import Asking
from retrieval.answering.pipeline import compose
from retrieval.answering.prompt import JUDGE, conversation, one_line
from retrieval.answering.sentences import claims
from retrieval.evaluation.answer_measures import JudgedAnswer
from retrieval.evaluation.questions import finds
from retrieval.results import AnswerResult, Citation, Hit, SearchOptions

LENGTH = 16  # tokens of a judge's word, in bold or behind "Answer:"
WORD = re.compile(r"[^\W_]+")
SAID = {"yes": 1.0, "no": 0.0}
logger = logging.getLogger(__name__)


def evaluate_answers(
    questions: Iterable[Question], options: SearchOptions, advance: Callable[[], None], judge: Chat | None
) -> list[JudgedAnswer]:
    """A question without gold is one that the documents do not answer."""
    judged = []
    for question in questions:
        *_, answer = compose(None, question.text, options, Asking(), Draft())
        assert isinstance(answer, AnswerResult)  # noqa: S101
        by_rule = judge_by_rule(question, answer)
        judged.append(with_opinion(by_rule, judge, answer) if judge and not answer.refused else by_rule)
        advance()
    return judged


def judge_by_rule(question: Question, answer: AnswerResult) -> JudgedAnswer:
    citations, gold = answer.citations, question.gold
    claimed = claims(answer.sentences)
    right = [citation for citation in citations if any(finds(quoted(citation), place) for place in gold)]
    near = [citation for citation in citations if any(is_near(quoted(citation), place) for place in gold)]
    return JudgedAnswer(
        identifier=question.id,
        answerable=bool(gold),
        refused=answer.refused,
        model=answer.model,
        cited=len(citations),
        cited_gold=len(right),
        cited_near=len(near),
        cited_file=sum(citation.hit.source_file in {place.file for place in gold} for citation in citations),
        verified=sum(citation.verified for citation in citations),
        gold=len(gold),
        gold_cited=sum(any(finds(quoted(citation), place) for citation in citations) for place in gold),
        resolved=sum(map(resolves, citations)),
        sentences=len(claimed),
        supported=sum(sentence.supported for sentence in claimed),
        invented=answer.invented,
        margin=decided_by(answer),
        degraded=tuple(answer.degraded),
        took_ms=answer.took_ms,
    )


def is_near(hit: Hit, place: Gold) -> bool:
    """Whether it overlaps the place, or stands on a page beside it: gold is one page of a text that goes on there."""
    beside = place.file == hit.source_file and None not in (place.page, hit.page) and not place.lines
    return finds(hit, place) or (beside and abs((hit.page or 0) - (place.page or 0)) <= 1)


def quoted(citation: Citation) -> Hit:
    """The hit, of no more lines and characters than are quoted of it: the rest of its passage was not cited."""
    hit, lines = citation.hit, citation.hit.text.split("\n")
    line = sum(len(one) + 1 for one in lines[: citation.line_start - hit.line_start])
    start = hit.char_start + max(hit.text.find(citation.quote, line), hit.text.find(citation.quote), 0)
    return replace(
        hit,
        line_start=citation.line_start,
        line_end=citation.line_end,
        char_start=start,
        char_end=start + len(citation.quote),
    )


def decided_by(answer: AnswerResult) -> float | None:
    """The margin, where that let the answer through: a model's own words are held to the check instead."""
    quoted = answer.model == EXTRACT and "chat" not in answer.degraded
    return answer.weighed.get("margin") if quoted or not has_judge() else None


def resolves(citation: Citation) -> bool:
    """The quotation stands in its chunk, inside its lines."""
    hit = citation.hit
    return citation.quote in hit.text and hit.line_start <= citation.line_start <= citation.line_end <= hit.line_end


def with_opinion(judged: JudgedAnswer, judge: Chat, answer: AnswerResult) -> JudgedAnswer:
    """A judge that is away takes nothing from what was judged by rule: it counts among what did not answer."""
    try:
        return replace(judged, opinion=opinion(judge, answer))
    except EndpointError as error:
        logger.warning("An answer goes without the judge's opinion: %s", error)
        return replace(judged, degraded=(*judged.degraded, "judge"))


def opinion(judge: Chat, answer: AnswerResult) -> float | None:
    """What a judge model says of an answer and its quotations: 1 or 0; None where it says neither.

    Raises EndpointError.
    """
    quotes = "\n".join(one_line(citation.quote) for citation in answer.citations)
    content = f"Question: {one_line(answer.question)}\nAnswer: {one_line(answer.answer)}\nQuotations:\n{quotes}"
    return verdict(judge.complete(conversation(JUDGE.strip(), content), LENGTH).text)


def verdict(said: str) -> float | None:
    """By its first word, behind a heading: who is not sure, or finds nothing to judge, says neither yes nor no."""
    words = [word.casefold() for word in WORD.findall(said)]
    first = words[1:2] if words[:1] == ["answer"] else words[:1]
    return SAID.get("".join(first))
