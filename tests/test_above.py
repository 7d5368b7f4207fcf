"""What is asked for by name is there, takes what it is given, and is named in one module."""

import re
from inspect import Parameter, signature
from pathlib import Path

import pytest
from django.conf import settings
from django.utils.module_loading import import_string

from knowledge import above

ROOT = Path(__file__).parent.parent
CALLED = {  # with these arguments, and no others are needed
    above.RUN: ["job_id"],
    above.DRIFT: ["library"],
    above.DIRECTORY: ["location"],
    above.PATTERN: ["pattern"],
    above.REJECTED: ["library"],
    above.OUTCOMES: ["library", "uploads"],
    above.UPLOAD_LIMITS: [],
    above.EMPTY_TRASH: [],
    above.FINISH_ERASING: [],
    above.MISSING_LANGUAGES: ["languages"],
    above.PAGE_IMAGE: ["sha256", "page"],
    above.PREPARE: ["snapshot"],
    above.MEASURE: ["active", "candidate", "golden", "asked"],
    above.MISSING_GOLD: ["questions", "snapshot"],
    settings.EMBEDDED_ENDPOINTS: ["role"],
    settings.EMBEDDED_OFFERS: ["role"],
    "knowledge.upkeep.run_due": [],
    "knowledge.upkeep.write_reminders": [],
}
UPWARD = {"knowledge": "ingestion|retrieval|config", "retrieval": "ingestion|config", "ingestion": "retrieval|config"}


@pytest.mark.parametrize(("name", "taken"), CALLED.items(), ids=CALLED)
def test_what_is_called_by_name_takes_what_it_is_given(name: str, taken: list[str]) -> None:
    wanted = signature(import_string(name)).parameters.values()
    assert [one.name for one in wanted if one.default is Parameter.empty] == taken


def test_every_name_is_looked_at() -> None:
    assert {value for name, value in vars(above).items() if name.isupper()} == {
        name for name in CALLED if name.startswith(("ingestion.", "retrieval."))
    }


@pytest.mark.parametrize("package", UPWARD)
def test_no_other_module_names_what_it_may_not_import(package: str) -> None:
    named = re.compile(rf"""["'](?:{UPWARD[package]})\.\w""")
    files = [
        path for path in (ROOT / package).rglob("*.py") if path.name != "above.py" and "migrations" not in path.parts
    ]
    assert files and [str(path) for path in files if named.search(path.read_text(encoding="utf-8"))] == []
