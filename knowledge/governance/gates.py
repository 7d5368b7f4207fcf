"""The gate before activation: the golden questions of a library, asked of a candidate, against the library's bar."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import Any

from django.contrib.auth.models import User
from django.utils.module_loading import import_string

from knowledge import access
from knowledge.above import MEASURE
from knowledge.endpoints import EndpointError
from knowledge.governance import audit
from knowledge.models import GateRun, Library, NotActivatable, Snapshot
from knowledge.models.library import Reader

RECENT = 20  # real questions that a reviewer sees beside the golden ones


class GateRefused(NotActivatable):
    """The candidate is worse than the library's bar; `run` names the questions that fell."""

    def __init__(self, run: GateRun) -> None:
        super().__init__(run.reason)
        self.run = run


@dataclass(frozen=True, slots=True)
class GateMeasurement:
    """What a candidate finds, beside what the active snapshot finds."""

    questions: int
    recall: float | None  # mean recall@10
    fallen: list[dict[str, Any]]  # answered by the active snapshot and not by the candidate
    missed: list[str]  # answered by neither
    changed: list[dict[str, Any]]  # whose first ten hits differ
    placeless: frozenset[str] = frozenset()  # questions of which no place is in the candidate
    note: str = ""  # how it was measured otherwise than usual


def is_set(library: Library) -> bool:
    return library.gate_minimum is not None or library.gate_may_fall is not None


def check(library: Library, candidate: Snapshot, by: Reader, override: str = "") -> GateRun | None:
    """Let the candidate pass, or raise GateRefused. Without a bar nothing is asked and nothing is written."""
    override = override.replace("\0", "").strip()
    if override:
        access.demand(by, access.Act.OVERRIDE, library)
    if not is_set(library):
        return None
    run = run_gate(library, candidate)
    if run.passed:
        return run
    if not override:
        audit.record("gate.refuse", library=library, snapshot=candidate, by=by, reason=run.reason, fallen=names(run))
        raise GateRefused(run)
    run.overridden_by, run.override_reason = (by if isinstance(by, User) else None), override[:2000]
    run.save(update_fields=["overridden_by", "override_reason"])
    audit.record(
        "gate.override",
        library=library,
        snapshot=candidate,
        by=by,
        reason=override[:2000],
        refused=run.reason,
        fallen=names(run),
    )
    return run


def run_gate(library: Library, candidate: Snapshot) -> GateRun:
    """Ask all the questions and write down what was found, whether there is a bar or not."""
    run = GateRun(snapshot=candidate, minimum=library.gate_minimum, may_fall=library.gate_may_fall, questions=0)
    try:
        measured = measure(library, candidate)
    except RuntimeError as error:
        run.reason, run.passed = str(error), False
    except EndpointError as error:  # its words say where the model should be
        run.reason, run.passed = f"cannot evaluate: {error.role} did not answer", False
    else:
        run.questions, run.recall = measured.questions, measured.recall
        run.fallen, run.changed = measured.fallen, measured.changed
        refused = verdict(run, measured.missed, measured.placeless) if is_set(library) else ""
        run.reason, run.passed = "; ".join(filter(None, (refused, measured.note)))[:2000], not refused
    run.save()
    return run


def measure(library: Library, candidate: Snapshot) -> GateMeasurement:
    """Raises RuntimeError when part of the search did not answer; EndpointError, without AI_OFFLINE_FALLBACK."""
    questions = library.golden_questions.active().questions()
    measured: GateMeasurement = import_string(MEASURE)(library.active_snapshot, candidate, questions, asked(library))
    return measured


def asked(library: Library) -> list[str]:
    """The last questions that people asked of this library, if its policy lets others read them, and did so then."""
    if library.query_log != Library.QueryLog.FULL:
        return []
    rows = library.logged_queries.filter(kind="question").order_by("-pk")
    return list(dict.fromkeys(rows.values_list("text", flat=True)[:200]))[:RECENT]


def verdict(run: GateRun, missed: Iterable[str], placeless: Collection[str]) -> str:
    """Why it does not pass; empty: it passes. `missed` are questions that what is active does not answer, either."""
    if not run.questions:
        return "the library has a gate, and no golden question to ask"
    reasons = []
    if run.minimum is not None and run.recall is not None and run.recall < run.minimum:
        reasons.append(f"{run.recall:.1%} of their places are among the first ten hits, below {run.minimum:.1%}")
        if told := quoted(missed, placeless):
            reasons.append(f"not answered by this snapshot: {told}")
    if run.may_fall is not None and len(run.fallen) > run.may_fall:
        reasons.append(f"{len(run.fallen)} of {run.questions} questions fell, and {run.may_fall} may")
    if reasons and run.fallen:
        reasons.append(f"no longer answered: {quoted(names(run), placeless)}")
    return "; ".join(reasons)[:2000]


def quoted(questions: Iterable[str], placeless: Collection[str]) -> str:
    why = " (its place is not in this snapshot)"
    return ", ".join(f"“{text}”{why if text in placeless else ''}" for text in questions)


def names(run: GateRun) -> list[str]:
    return [str(one["text"]) for one in run.fallen]
