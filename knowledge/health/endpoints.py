"""The model endpoints, each asked to do what it is for."""

from collections.abc import Callable, Iterator
from typing import Any

from django.conf import settings

from knowledge.endpoints import EndpointError, embedding_endpoint, has_writer
from knowledge.endpoints.chat import UNTOLD_CONTEXT
from knowledge.endpoints.probes import probe_chat, probe_embedding, probe_rerank
from knowledge.models import Library
from knowledge.spaces import spaces_like

from .examination import Examination, State

Probe = Callable[[], dict[str, Any] | None]

LEAST_CONTEXT = 2000  # tokens of a model that thinks: with fewer it reads too little to answer well


def examine_endpoints() -> Iterator[Examination]:
    embedding = asked("embedding", probe_embedding, "builds fail, and searches know words only")
    yield embedding
    if embedding.state == State.OK:
        yield from examine_spaces()
    yield asked("chat", lambda: probe_chat() if has_writer() else None, "answers are the documents' own words")
    yield asked("rerank", probe_rerank, "searches keep the fused order", needed=False)
    without = "what is quoted is chosen by words and vectors alone"
    yield asked("reader", lambda: probe_rerank("reader"), without, needed=False)
    if settings.ENDPOINTS["summary"]["url"]:
        yield asked("summary", lambda: probe_chat("summary"), "sections are not summarised", needed=False)
    if settings.ENDPOINTS["code_embedding"]["url"]:
        yield asked("code_embedding", lambda: probe_embedding("code_embedding"), "code is not embedded", needed=False)


def asked(role: str, probe: Probe, without: str, needed: bool = True) -> Examination:
    name, variable = f"{role} endpoint", f"{role.upper()}_URL"
    try:
        figures = probe()
    except EndpointError as error:
        state = State.BROKEN if needed else State.DEGRADED
        to_do = f"look at that server and at {variable}; until then {without}"
        return Examination(name, state, f"it {error.reason}", to_do)
    if figures is None:
        return Examination(name, State.OFF, f"{variable} is not set: {without}")
    told = ", ".join(f"{key.replace('_', ' ')} {value}" for key, value in figures.items() if key != "model")
    mode = " (AI_TEST_MODE: no model is called)" if settings.AI_TEST_MODE else ""
    if figures.get("streams") is False:
        to_do = "let it stream: readers see nothing until an answer is complete"
        return Examination(name, State.DEGRADED, "answers come in one piece", to_do, figures)
    left = figures.get("context_tokens", LEAST_CONTEXT)
    if settings.CHAT_THINKING and settings.ENDPOINTS[role]["url"] and left < LEAST_CONTEXT:
        detail = f"CHAT_THINKING leaves {max(left, 0):,} tokens for prompt and answer"
        to_do = f"lower it, or give the model more context ({UNTOLD_CONTEXT:,} tokens where its server has no /props)"
        return Examination(name, State.DEGRADED, detail, to_do, figures)
    return Examination(name, State.OK, f"{figures['model']}: {told}{mode}", "", figures)


def examine_spaces() -> Iterator[Examination]:
    """Whether the vectors that searches compare with are this model's."""
    endpoint = embedding_endpoint()
    alike = [space.pk for space in spaces_like(endpoint, endpoint.canaries())]
    libraries = Library.objects.searched()
    other = libraries.exclude(active_snapshot__space__in=alike).select_related("active_snapshot__space")
    for library in other.order_by("slug"):
        space = library.active_snapshot.space if library.active_snapshot else None
        anew = f"manage.py reindex --full {library}, or " if library.has_source else ""
        yield Examination(
            f"vectors of {library}",
            State.DEGRADED,
            f"they were made by {space}, not by the model that answers: {library} is searched by words only",
            f"{anew}set EMBEDDING_URL to that model",
        )
