"""Where the evaluation data is, for the tests that need it."""

import os
from pathlib import Path

import pytest

DATA = Path(os.environ.get("MUNIMENT_DATA") or Path(__file__).parents[3] / "shared" / "data")

needs_data = pytest.mark.skipif(not DATA.is_dir(), reason="no evaluation data: set MUNIMENT_DATA to its directory")
