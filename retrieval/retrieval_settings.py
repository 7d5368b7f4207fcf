"""The settings of retrieval that belong to a library, and what holds when several are searched. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass, fields

from .results import SearchOptions


@dataclass(frozen=True, slots=True)
class RetrievalSettings:
    """What a library asks for, by the names of its columns and of SearchOptions."""

    lexical_weight: float = 1.0
    diversity: float = 1.0
    fusion: str = "scores"
    rrf_k: int = 60
    depth: int = 200
    rerank: bool = True
    top_k: int = 10

    @classmethod
    def of(cls, library: object) -> "RetrievalSettings":
        return cls(**{name: getattr(library, name) for name in NAMES})


NAMES = tuple(field.name for field in fields(RetrievalSettings))
DEFAULT = RetrievalSettings()


@dataclass(frozen=True, slots=True)
class ResolvedOptions(SearchOptions):
    """Options that leave nothing open, but for the weight of words: None means each library's own."""

    top_k: int = DEFAULT.top_k
    depth: int = DEFAULT.depth
    fusion: str = DEFAULT.fusion
    rrf_k: int = DEFAULT.rrf_k
    diversity: float = DEFAULT.diversity
    without_words: bool = False  # by meaning alone, whatever the mode: where words took too long

    @property
    def by_meaning_alone(self) -> bool:
        return self.mode == "vector" or self.without_words


def resolved_options(options: SearchOptions, libraries: Sequence[RetrievalSettings]) -> ResolvedOptions:
    """What was asked for; else what all of the searched libraries say alike; else the default.

    A ranking over several libraries is one ranking: a setting that only some of them have can't hold for it. The
    weight of words is no such setting: it is taken passage by passage.
    """
    own = agreed(libraries)
    values = {field.name: getattr(options, field.name) for field in fields(SearchOptions)}
    for name in ("top_k", "depth", "fusion", "rrf_k", "diversity"):
        values[name] = getattr(own, name) if values[name] is None else values[name]
    values["depth"] = max(values["depth"], values["top_k"])
    if values["rerank"] is None and not own.rerank:
        values["rerank"] = False
    return ResolvedOptions(**values)


def agreed(libraries: Sequence[RetrievalSettings]) -> RetrievalSettings:
    said = {name: {getattr(one, name) for one in libraries} for name in NAMES}
    return RetrievalSettings(**{name: values.pop() for name, values in said.items() if len(values) == 1})
