"""What ends a sentence, in the scripts that are read here. Pure."""

import re

# As characters of a class.
SPACED = ".!?…؟।"  # where white space follows
UNSPACED = "。！？"  # whatever follows
STOPS = SPACED + UNSPACED
SENTENCE_END = re.compile(rf"[{SPACED}](?=\s|\Z)|[{UNSPACED}]")
