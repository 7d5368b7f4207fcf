"""Where a text parts, for checks that hold a sentence against sentences, and the words that part or join. Pure.

Abbreviations have lost their full stops before: `synonyms.in_common_words`.
"""

import re

from knowledge.texts.items import MARK
from knowledge.texts.languages.little_words import AND, BETWEEN, OR, alternation

STOPS = r"[.;!?]\s|[。！？；]|\n\s*\n"
SENTENCE_END = re.compile(STOPS)
ITEM_END = re.compile(rf"{STOPS}|\n(?=[ \t]*(?:{MARK}\s|\*\*|\|))")  # or of an item, a bold term, a row

# Alternations, also of folded text; “en caso de” joins nothing, nor do “i” and “of” in English.
JOINING = alternation(AND, but="e en i")
CHOOSING = alternation(OR, but="of")
CONTRASTING = "but|while|whereas|aber|während|wahrend|sondern|mais|pero|sino|maar|но|а"
# And those that are words of other languages, too: “ma voiture”, “más” when it is folded.
PARTING = f"{JOINING}|{CONTRASTING}|e|en|ma|mas"
FROM_ONE_TO_OTHER = re.compile(  # “between March and May”: no two parts
    rf"(?P<first>\b(?:{alternation(BETWEEN)})\s(?:[^,;:.]|(?<=\d)\.){{1,40}}?)\s(?:{alternation(AND)})(?=\s)",
    re.IGNORECASE,
)


def unparted(text: str) -> str:
    """Without the word that would part what reaches from one to another."""
    return FROM_ONE_TO_OTHER.sub(r"\g<first>", text)
