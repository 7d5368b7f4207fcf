"""What import-linter calls pure can be imported alone: no parent package loads Django."""

import ast
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).parent.parent
PACKAGES = ("config", "knowledge", "ingestion", "retrieval")
IMPORT = """
import importlib, pkgutil, sys
for name in sys.argv[1:]:
    module = importlib.import_module(name)
    for one in pkgutil.walk_packages(getattr(module, "__path__", []), f"{name}."):
        importlib.import_module(one.name)
print(*{name.partition(".")[0] for name in sys.modules} & {"django", "psycopg", "openai"})
"""


def pure() -> list[str]:
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
    return [name for one in contracts if "django" in one.get("forbidden_modules", ()) for name in one["source_modules"]]


def test_what_is_pure_is_imported_without_django() -> None:
    bare = {name: value for name, value in os.environ.items() if name != "DJANGO_SETTINGS_MODULE"}
    told = subprocess.run(
        [sys.executable, "-c", IMPORT, *pure()], cwd=ROOT, env=bare, capture_output=True, text=True, check=False
    )
    assert pure() and (told.returncode, told.stdout.strip()) == (0, ""), told.stderr


def test_what_calls_itself_pure_is_held_to_it() -> None:
    """The others need Django's SafeString, and say so."""
    held = tuple(name.replace(".", "/") for name in pure())
    for path in sorted(path for package in PACKAGES for path in (ROOT / package).rglob("*.py")):
        said = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
        if re.search(r"\bPure\b(?!\s+but)", said):
            module = str(path.relative_to(ROOT).with_suffix("")).removesuffix("/__init__")
            assert any(module == name or module.startswith(f"{name}/") for name in held), f"{module} is in no contract"
