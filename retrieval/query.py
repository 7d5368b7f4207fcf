"""What a user may ask for, made safe: pure, never raises."""

import unicodedata

MAX_CHARACTERS = 8_000


def clean(query: str) -> str:
    """The query without control characters and lone surrogates, white space folded, at most 8,000 characters.

    People paste error messages and whole issues. Cut at 1,000 characters and 64 words, swe-django's queries reach an
    nDCG@10 of .642 and CISI's .404; with 8,000 characters, of which the 64 heaviest lexemes are searched for
    (`lexical.rank`), .689 and .415.
    """
    kept = query[: MAX_CHARACTERS * 2]
    printable = "".join(
        " " if unicodedata.category(character) in ("Cc", "Cs", "Co", "Cn") else character for character in kept
    )
    return " ".join(printable.split())[:MAX_CHARACTERS].rstrip()
