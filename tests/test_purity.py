"""What import-linter calls pure can be imported alone: no parent package loads Django."""

import os
import subprocess
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).parent.parent
IMPORT = """
import importlib, pkgutil, sys
for name in sys.argv[1:]:
    module = importlib.import_module(name)
    for one in pkgutil.walk_packages(getattr(module, "__path__", []), f"{name}."):
        importlib.import_module(one.name)
print(*{name.partition(".")[0] for name in sys.modules} & {"django", "psycopg", "openai"})
"""


def test_what_is_pure_is_imported_without_django() -> None:
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
    pure = [name for one in contracts if "django" in one.get("forbidden_modules", ()) for name in one["source_modules"]]
    bare = {name: value for name, value in os.environ.items() if name != "DJANGO_SETTINGS_MODULE"}
    told = subprocess.run(
        [sys.executable, "-c", IMPORT, *pure], cwd=ROOT, env=bare, capture_output=True, text=True, check=False
    )
    assert pure and (told.returncode, told.stdout.strip()) == (0, ""), told.stderr
