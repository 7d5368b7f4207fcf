"""Templates load what their package may know."""

import re
from pathlib import Path

import pytest
from django.conf import settings
from django.template.loader import get_template

TEMPLATES = Path(settings.BASE_DIR) / "templates"
NAMED = re.compile(r"""["']([\w/.-]+\.html)(?:#\w+)?["']""")
LOADED = re.compile(r"{% load ([^%]+) %}")


def reached(package: str) -> set[str]:
    """The templates that a package names, and those that these extend and include."""
    found: set[str] = set()
    modules = Path(settings.BASE_DIR, package).rglob("*.py")
    waiting = [name for path in modules for name in NAMED.findall(path.read_text())]
    while waiting:
        name = waiting.pop()
        if name not in found and (TEMPLATES / name).exists():
            found.add(name)
            waiting += NAMED.findall((TEMPLATES / name).read_text())
    return found


@pytest.mark.parametrize("package", ["knowledge", "ingestion"])
def test_pages_load_no_library_of_retrieval(package: str) -> None:
    theirs = {path.stem for path in Path(settings.BASE_DIR, "retrieval/templatetags").glob("[!_]*.py")}
    named = reached(package)
    loaded = {
        (name, one) for name in named for line in LOADED.findall((TEMPLATES / name).read_text()) for one in line.split()
    }
    assert len(named) > 5 and theirs and [pair for pair in sorted(loaded) if pair[1] in theirs] == []


@pytest.mark.parametrize("name", sorted(str(path.relative_to(TEMPLATES)) for path in TEMPLATES.rglob("*.html")))
def test_every_template_can_be_read(name: str) -> None:
    get_template(name)
