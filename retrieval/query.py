"""What a user may ask for, made safe: pure, never raises."""

import unicodedata

MAX_CHARACTERS = 1_000
MAX_TERMS = 64


def clean(query: str) -> str:
    """The query without control characters and lone surrogates, at most 1,000 characters and 64 words."""
    printable = "".join(
        " " if unicodedata.category(character) in ("Cc", "Cs", "Co", "Cn") else character
        for character in query[: MAX_CHARACTERS * 4]
    )
    return " ".join(printable[:MAX_CHARACTERS].split()[:MAX_TERMS])
