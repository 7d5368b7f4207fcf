"""Whether scans are read: text recognition is a choice of the operator, and a program that may not be installed."""

import subprocess
from functools import cache
from typing import Any

from django.conf import settings
from django.core.checks import CheckMessage, Warning, register


def recognised_languages() -> str:
    """What OCR_LANGUAGES says, where that can be done; else "", and scans are rejected as scans."""
    languages: str = settings.OCR_LANGUAGES
    return languages if languages and not missing(languages) else ""


def missing(languages: str) -> list[str]:
    """What of the languages, such as `eng+deu`, tesseract has no model for."""
    return sorted(set(languages.split("+")) - installed())


@cache
def installed() -> frozenset[str]:
    """The languages of the installed tesseract; none without one."""
    try:
        listed = subprocess.run(["tesseract", "--list-langs"], capture_output=True, text=True, timeout=30, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return frozenset()
    return frozenset(listed.stdout.split("\n")[1:]) - {""}


@register
def check_recognition(**kwargs: Any) -> list[CheckMessage]:
    languages = settings.OCR_LANGUAGES
    if not languages or not (lacking := missing(languages)):
        return []
    hint = " ".join(f"tesseract-ocr-{language.replace('_', '-')}" for language in lacking)
    return [
        Warning(
            f"OCR_LANGUAGES is {languages!r}, but tesseract has no model for {', '.join(lacking)}: scans are rejected.",
            hint=f"On Debian: apt install tesseract-ocr {hint}",
            id="ingestion.W001",
        )
    ]
