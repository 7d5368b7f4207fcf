"""What was looked at, and what was found."""

from dataclasses import asdict, dataclass, field
from enum import StrEnum
from typing import Any


class State(StrEnum):
    OK = "ok"
    OFF = "off"  # by choice
    DEGRADED = "degraded"  # something is poorer without it
    BROKEN = "broken"  # something that is needed does not work


@dataclass(frozen=True, slots=True)
class Examination:
    name: str
    state: State
    detail: str
    to_do: str = ""
    figures: dict[str, Any] = field(default_factory=dict)

    def as_json(self) -> dict[str, Any]:
        return asdict(self)
