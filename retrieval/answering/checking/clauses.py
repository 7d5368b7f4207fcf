"""Where a text parts, for checks that hold a sentence against sentences. Pure.

Abbreviations have lost their full stops before: `synonyms.in_common_words`.
"""

import re

_STOPS = r"[.;!?]\s|[。！？；]|\n\s*\n"
SENTENCE_END = re.compile(_STOPS)
ITEM_END = re.compile(rf"{_STOPS}|\n(?=[ \t]*[-*+•|])")  # or of an item of a list, a row of a table
