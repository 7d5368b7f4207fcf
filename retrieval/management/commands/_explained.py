"""An explanation as lines of text."""

from collections.abc import Iterator

from retrieval.explanation_values import BranchScore, Diversity, Explanation, TermScore
from retrieval.results import Hit


def explained(hit: Hit) -> Iterator[str]:
    """Nothing for a hit that was found without being explained."""
    if (why := hit.explain) is None:
        return
    yield from map(branch, why.parts)
    yield fused(hit, why)
    if why.terms:
        yield "; ".join([*map(term, why.terms), f"its whole file {why.file_score:.3f}"])
    if hit.ranks["rerank"]:
        yield f"reranked from {why.rank_before_rerank} to {hit.ranks['rerank']} ({hit.scores['rerank']:.3f})"


def branch(part: BranchScore) -> str:
    if part.rank is None:
        return f"{part.branch} not found"
    said = f"{part.branch} rank {part.rank}, score {part.score:.3f}"
    if part.scaled is not None:
        return f"{said}: {part.scaled:.3f} of the best × {part.weight:.2f} = {part.adds:.3f}"
    return f"{said}: adds {part.adds:.5f}"


def fused(hit: Hit, why: Explanation) -> str:
    score = hit.scores["fused"]
    called = "; its section or file is called so, or it says a message in a row, so it comes first" if why.named else ""
    return f"fused {score:.5f}, rank {why.fused_rank} by that alone{diverse(why.diversity)}{called}"


def diverse(diversity: Diversity) -> str:
    """What its place in its section, and better hits of its own section and file, took from it."""
    if diversity.worth == 1:
        return ""
    after = f"after {diversity.file} better of its file, {diversity.section} of its section"
    reasons = [after] * bool(diversity.file) + ["later in its section"] * diversity.later
    return f"; worth × {diversity.worth:.3f} {', '.join(reasons)}"


def term(one: TermScore) -> str:
    said = f" said {one.query_count} times" if one.query_count > 1 else ""
    return f"{one.lexeme}{said} in {one.df} passages, idf {one.idf:.2f}, {one.score:.3f} ({one.share:.0%})"
