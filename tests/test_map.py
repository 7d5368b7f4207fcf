"""docs/map.md names every module at the top of the packages, and none that is not there."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
UNNAMED = {"__init__.py", "__pycache__", "apps.py"}  # as in every Django project
NAMED = re.compile(r"`([\w./]+)`")


def told(package: str) -> set[str]:
    text = (ROOT / "docs/map.md").read_text(encoding="utf-8")
    (section,) = re.findall(rf"^## \w+: `{package}/`\n(.*?)(?=^## |\Z)", text, re.MULTILINE | re.DOTALL)
    return {name.rstrip("/") for name in NAMED.findall(section) if name.endswith((".py", "/"))}


@pytest.mark.parametrize("package", ["config", "knowledge", "ingestion", "retrieval"])
def test_the_map_is_whole(package):
    there = {path.name for path in (ROOT / package).iterdir() if path.suffix == ".py" or path.is_dir()} - UNNAMED
    assert there <= told(package)
    below = {path.name for path in (ROOT / package).rglob("*")}
    assert told(package) <= below
