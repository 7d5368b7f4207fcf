"""Whether everything that Muniment rests on works, what is degraded, and what to do about it: `doctor` and /readyz."""

from .examination import Examination, State
from .examine import examine
from .ready import readiness

__all__ = ["Examination", "State", "examine", "readiness"]
