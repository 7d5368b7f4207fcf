"""Fonts that show signs instead of letters: ü is a tick in Wingdings, and m is µ in Symbol."""

import re
from collections.abc import Mapping, Sequence

from mammoth.docx.dingbats import dingbats  # as Unicode has them

FONTS = {font.lower(): font for font, _ in dingbats}
NUMBERED = re.compile(r"(?<=[a-z])\d+$")  # by LibreOffice: a second font face of the same font
SPACES = 0x20, 0xA0  # of text, whatever the font
OWN = 0xF000  # where Office puts the letters of such a font among those that are no text


def sign_font(name: str) -> str:
    """The font of signs that is called so, "" for one of letters."""
    return FONTS.get(NUMBERED.sub("", name.strip(" '\"").lower()), "")


def signs_of(text: str, font: str, but_own: bool = False) -> str:
    """What the font shows for its letters; `but_own`: for none but those that are no text in other fonts."""
    return text.translate((OWN_SIGNS if but_own else SIGNS)[font])


def by_font(first: int, but: Sequence[int] = ()) -> Mapping[str, Mapping[int, int]]:
    """font → its letters, from this place on, and their signs."""
    return {
        own: {first + letter: sign for (font, letter), sign in dingbats.items() if font == own and letter not in but}
        for own in FONTS.values()
    }


OWN_SIGNS = by_font(OWN)
SIGNS = {font: {**letters, **OWN_SIGNS[font]} for font, letters in by_font(0, but=SPACES).items()}
