"""Profile drift: the code, the settings or the model are not those that the active snapshot was built with.

An incremental build would mix what was made with two profiles; it refuses, and a full one builds beside the old.
"""

from dataclasses import asdict, dataclass
from typing import Any

from django.conf import settings

from knowledge.endpoints import CODE, has_code_model
from knowledge.endpoints.deterministic import BagOfWordsEmbedding
from knowledge.models import EmbeddingSpace, Library, Snapshot

from .profile import profile_settings

NAMES = {
    "parsers": "the parsers' version",
    "chunker": "the chunker's version",
    "budget": "the chunk budget",
    "limit": "the longest chunk",
    "overlap": "the chunk overlap",
    "language": "the text-search language",
    "analysis": "the word analysis' version",
    "scoring": "the scoring version",
    "parts": "how passages are embedded in parts",
    "embedding.model": "the embedding model",
    "embedding.dimension": "the embedding dimension",
    "embedding.query_prefix": "the query prefix",
    "embedding.document_prefix": "the document prefix",
    "code_embedding.model": "the embedding model of code",
    "code_embedding.dimension": "the embedding dimension of code",
    "ocr": "the languages of text recognition",
    "summaries": "how sections are summarised",
}
MOST_NAMED = 10  # libraries, in a warning
MODEL_AGAIN = "tokenizer"  # always the embedding model's
SWAPPED = "the embedding model behind the same name"


@dataclass(frozen=True, slots=True)
class Drift:
    """One setting that is not what the active snapshot was built with."""

    setting: str
    built: Any
    now: Any

    def __str__(self) -> str:
        values = "" if self.setting == SWAPPED else f" (it was {shown(self.built)}, it is {shown(self.now)})"
        return f"{self.setting}{values}"

    def as_json(self) -> dict[str, Any]:
        return asdict(self)


class ProfileChanged(Exception):
    """An incremental build would mix two profiles; the message says which settings differ, and the one command."""

    def __init__(self, snapshot: Snapshot, drifts: tuple[Drift, ...]) -> None:
        super().__init__(
            f"what {snapshot} was built with has changed: {'; '.join(map(str, drifts))}. Searches go on as "
            f"they are. To build a new one beside it, and switch when it is complete: "
            f"manage.py reindex --full {snapshot.library.slug}"
        )
        self.drifts = drifts


def refuse_drift(base: Snapshot | None, space: EmbeddingSpace, now: dict[str, Any]) -> None:
    """Raises ProfileChanged where the base was built with anything else than the settings `now`."""
    if base and (drifts := drift_of(base.library, space, now, base)):
        raise ProfileChanged(base, drifts)


def drift_of(
    library: Library,
    space: EmbeddingSpace | None = None,
    now: dict[str, Any] | None = None,
    base: Snapshot | None = None,
) -> tuple[Drift, ...]:
    """What differs from the profile of the base, by itself the active snapshot; nothing where there is none.

    Without `space` no model is called, and what the code and the settings say is compared. With the endpoint's own
    (`recognised_space(endpoint)`), so is what its canary vectors say: a model swapped behind the same name is found.
    `now` are the settings that a build would have, where the caller knows them.
    """
    base = base or library.active_snapshot
    if base is None:
        return ()
    if now is None:
        test_mode, code = base.space.model == BagOfWordsEmbedding.model, configured_code_space(base.code_space)
        now = profile_settings(library, space or configured_space(base.space), test_mode, code)
    was, is_now = flat(base.profile.settings), flat(now)
    keys = sorted(key for key in was.keys() | is_now.keys() if was.get(key) != is_now.get(key))
    found = tuple(Drift(NAMES.get(key, key), was.get(key), is_now.get(key)) for key in keys if key != MODEL_AGAIN)
    if not found and space and space.pk != base.space_id:
        return (Drift(SWAPPED, base.space_id, space.pk),)
    return found


def others_by_words(space: EmbeddingSpace, library: Library) -> str:
    """Of a model that no build used before: a warning where other libraries were built with another; else empty."""
    others = Library.objects.searched().exclude(pk=library.pk).exclude(active_snapshot__space=space).order_by("slug")
    names = list(others.values_list("slug", flat=True)[: MOST_NAMED + 1])
    named = ", ".join(names[:MOST_NAMED]) + ", …" * (len(names) > MOST_NAMED)
    searched = "while it answers, what was built otherwise is searched by words only"
    return f"no build used {space} before: {searched} ({named})" if names else ""


def configured_space(built: EmbeddingSpace) -> EmbeddingSpace:
    """The space as it was built, with what the settings alone say of it now."""
    model, dimension, max_tokens = built.model, built.dimension, built.max_tokens
    if settings.AI_TEST_MODE:
        deterministic = BagOfWordsEmbedding
        model, dimension, max_tokens = deterministic.model, deterministic.dimension, deterministic.max_tokens
    elif configured := settings.ENDPOINTS["embedding"]["model"]:
        model = configured
    return EmbeddingSpace(
        model=model,
        dimension=dimension,
        max_tokens=max_tokens,
        query_prefix=settings.EMBEDDING_QUERY_PREFIX,
        document_prefix=settings.EMBEDDING_DOCUMENT_PREFIX,
    )


def configured_code_space(built: EmbeddingSpace | None) -> EmbeddingSpace | None:
    """The same of code. A model that is configured and was not asked yet has no dimension."""
    if not has_code_model():
        return None
    model = settings.ENDPOINTS[CODE]["model"]
    return built if built and model in ("", built.model) else EmbeddingSpace(model=model or "unnamed")


def flat(values: dict[str, Any], prefix: str = "") -> dict[str, Any]:
    """`{"embedding": {"model": "m"}}` as `{"embedding.model": "m"}`."""
    out: dict[str, Any] = {}
    for key, value in values.items():
        out |= flat(value, f"{prefix}{key}.") if isinstance(value, dict) else {f"{prefix}{key}": value}
    return out


def shown(value: Any) -> str:
    return "none" if value in (None, "") else str(value)
