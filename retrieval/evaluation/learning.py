"""Learning from a library's golden questions how much words count in fusion.

What is learnt must prove itself: the weight is fitted to all folds of the questions but one and tried on that one, for
each. Only when that ranks better than the weight 1, by more than the standard error, do searches use it. It is learnt
beside the weight that the library is set to, and counts times that.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from django.db import transaction

from knowledge.golden import Question
from knowledge.governance import audit
from knowledge.models import LearntFusion, Library, Snapshot
from retrieval.candidates import RankedCandidates
from retrieval.chunk_columns import ChunkColumns
from retrieval.filtering import masks
from retrieval.fusion import LEAST_AGREED, combine, diversify, gap_of, scaled
from retrieval.loading import load
from retrieval.query import parse
from retrieval.query_vector import query_vector
from retrieval.ranking import RankingInput, SearchTrace, rank
from retrieval.results import Hit
from retrieval.retrieval_settings import RetrievalSettings, resolved_options
from retrieval.view import one_read

from .branches import searching
from .folds import folds
from .logit import Example, Floats, lexical_weight
from .metrics import mean
from .questions import finds, measures

FEWEST = 20  # questions: with fewer, chance decides


@dataclass(frozen=True, slots=True)
class JudgedQuestion:
    """A question's candidates in order of position, with what fusion needs to rank them and which of them answer."""

    question: Question
    hits: tuple[Hit, ...]
    ranked: RankedCandidates
    chunk_columns: ChunkColumns
    base: float  # the weight of this question's words, of which nothing has been learnt
    diversity: float
    example: Example

    def ndcg(self, weight: float) -> float:
        """nDCG@10 of the hybrid ranking with this weight."""
        ranked, positions = self.ranked, candidates(self.ranked)
        arrays = ranked.scores["lexical"], ranked.scores["vector"], ranked.scale
        fused = combine(positions, *arrays, weight * self.base)
        best = diversify(fused, self.chunk_columns, 10, self.diversity)
        hits = [self.hits[int(np.searchsorted(positions, position))] for position, _ in best]
        return measures(self.question, hits)["ndcg@10"]


def learn(snapshot: Snapshot, questions: Sequence[Question], advance: Callable[[], None]) -> LearntFusion:
    """Raises ValueError for too few questions, RuntimeError when a branch does not answer.

    Questions of filters alone, which nothing ranks, are left out.
    """
    questions = [question for question in questions if parse(question.text).text]
    if len(questions) < FEWEST:
        raise ValueError(f"{len(questions)} questions are too few to learn from: {FEWEST} at least")
    judged = {}
    for question in questions:
        judged[question.id] = judge(snapshot, question)
        advance()
    tried: dict[str, float] = {}
    fitted = []
    for fold in folds(judged):
        weight = lexical_weight([judged[question].example for question in fold.train])
        tried |= {question: judged[question].ndcg(weight) for question in fold.test}
        fitted.append(weight)
    by_default = {question: one.ndcg(1.0) for question, one in judged.items()}
    everything = lexical_weight([one.example for one in judged.values()])
    gain, error = paired(by_default, tried)
    return kept(
        snapshot,
        profile_hash=snapshot.profile.hash,
        lexical_weight=everything if gain > error else 1.0,
        learnt_weight=everything,
        folds=fitted,
        questions=len(judged),
        default_ndcg=mean(list(by_default.values())),
        learnt_ndcg=mean(list(tried.values())),
        standard_error=error,
    )


@transaction.atomic
def kept(snapshot: Snapshot, **values: Any) -> LearntFusion:
    """From now on searches go by it, so the audit says what it changes."""
    library = Library.objects.lock(snapshot.library_id)
    row = LearntFusion.objects.create(library=library, **values)
    said: dict[str, Any] = {"questions": row.questions, "learnt": row.learnt_weight, "used": row.lexical_weight}
    audit.record("fusion.learn", library=library, snapshot=snapshot, **said)
    return row


@transaction.atomic
def forget(library: Library) -> int:
    """Searches weigh words as the library is set again, under every profile. Returns how often it had learnt."""
    library = Library.objects.lock(library.pk)
    used = LearntFusion.objects.used_by(library.active_snapshot)
    count, _ = library.learnt_fusions.all().delete()
    if count:
        audit.record("fusion.forget", library=library, used=used.lexical_weight if used else 1)
    return count


def judge(snapshot: Snapshot, question: Question) -> JudgedQuestion:
    """Both branches' candidates, as a search for the question has them, whatever weight is in use now."""
    library = snapshot.library
    asked = replace(searching(snapshot), fusion="scores")
    options = resolved_options(asked, [RetrievalSettings.of(library)])
    query, trace = parse(question.text), SearchTrace()
    embedded = query_vector(query.text)
    with one_read(None, options.libraries, options.snapshot) as view:
        allowed = masks.allowed(view, query, [], options.phrases)
        ranked = rank(RankingInput(view, query.text, embedded, options, allowed), trace)
        if trace.degraded or ranked.fusion != "scores":
            raise RuntimeError("cannot learn: the vectors of this library are of another model")
        positions = candidates(ranked)
        hits = load(
            view, query.text, RankedCandidates(ranked.scores, {}, [(int(position), 0.0) for position in positions])
        )
        answers = np.array([any(finds(hit, place) for place in question.gold) for hit in hits], bool)
        base = ranked.words_worth * library.lexical_weight
        example = Example(features(ranked, base), answers)
        return JudgedQuestion(question, hits, ranked, view.chunk_columns, base, options.diversity, example)


def candidates(ranked: RankedCandidates) -> np.ndarray:
    return np.array(sorted(position for position, _ in ranked.candidates), np.int64)


def features(ranked: RankedCandidates, base: float) -> Floats:
    """Of each candidate, what its words are worth before anything is learnt and its cosine, both in units of cosine."""
    cosines = ranked.scores["vector"]
    share, words, meaning = scaled(candidates(ranked), ranked.scores["lexical"], cosines, ranked.scale, base)
    gap = gap_of(cosines, ranked.scale) * max(ranked.scale.agreed, LEAST_AGREED)
    return np.column_stack([share / (1 - share) * gap * words, gap * meaning])


def paired(before: Mapping[str, float], after: Mapping[str, float]) -> tuple[float, float]:
    """The mean difference over the questions, and its standard error."""
    differences = [after[question] - before[question] for question in before]
    spread = float(np.std(differences, ddof=1)) if len(differences) > 1 else math.inf
    return mean(differences), spread / math.sqrt(len(differences))
