"""What a process knows of an optional endpoint that ranks: probed before use, and left alone while it is away."""

import time
from collections.abc import Sequence
from dataclasses import dataclass

from knowledge.endpoints import RerankEndpoint, rerank_endpoint
from knowledge.endpoints.connection import EndpointError

PROVEN_SECONDS = 300.0  # how long an endpoint is trusted after it passed its probe, or to be off
AWAY_SECONDS = 30.0  # before one that failed is tried again: nobody waits for it meanwhile


@dataclass(frozen=True, slots=True)
class Proven:
    """An endpoint that has passed its probe; `proven_at` tells one proof from the next."""

    endpoint: RerankEndpoint
    proven_at: float


class EndpointStatus:
    """One per role and process."""

    def __init__(self, role: str) -> None:
        self.role = role
        self._known: tuple[float, Proven | EndpointError | None] | None = None  # until when, and what

    @property
    def is_known(self) -> bool:
        """Whether `proven` answers from memory, without a call."""
        return self._known is not None and time.monotonic() <= self._known[0]

    @property
    def is_off(self) -> bool:
        """Whether none is configured, as it was last looked at."""
        return self._known is not None and self._known[1] is None

    def proven(self) -> Proven | None:
        """The endpoint, after a real call showed that it ranks; None when it is off. Raises EndpointError."""
        if not self.is_known:
            try:
                self._remember(self._probed(), PROVEN_SECONDS)
            except EndpointError as error:
                self.failed(error)
        assert self._known is not None  # noqa: S101
        if isinstance(self._known[1], EndpointError):
            raise self._known[1]
        return self._known[1]

    def scores(self, query: str, documents: Sequence[str], most: int | None = None) -> list[float]:
        """What `RerankEndpoint.rerank` gives; nothing where it is off. Raises EndpointError, and remembers it."""
        proven = self.proven()
        try:
            return proven.endpoint.rerank(query, documents, most) if proven else []
        except EndpointError as error:
            self.failed(error)
            raise

    def failed(self, error: EndpointError) -> None:
        self._remember(error, AWAY_SECONDS)

    def forget(self) -> None:
        """Look at the endpoint anew: its settings changed."""
        self._known = None

    def _probed(self) -> Proven | None:
        endpoint = rerank_endpoint(self.role)
        if endpoint is None:
            return None
        endpoint.probe()
        return Proven(endpoint, time.monotonic())

    def _remember(self, what: Proven | EndpointError | None, seconds: float) -> None:
        self._known = (time.monotonic() + seconds, what)  # replaced whole: threads share it
