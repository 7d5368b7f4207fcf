"""What every program here begins with: the code of Muniment can be imported, and knows its settings."""

import os
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
WORDS = "tide bread bicycle lock moss harbour kettle ledger river stone apple window garden letter candle engine"

sys.path.insert(0, str(ROOT))
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")


def set_up_django() -> None:
    """With the settings as the environment has them by now; tests have done it already."""
    import django
    from django.apps import apps

    if not apps.ready:
        django.setup()
