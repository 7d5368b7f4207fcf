"""Scripts that stand in elements of another file, as components of Vue and Svelte have them."""

import re

HELD = {"svelte": "typescript", "vue": "typescript"}  # which reads JavaScript, too
SCRIPT = re.compile(
    r"<script(?=[\s>])(?>(?:[^>\"']++|\"[^\"]*+\"?|'[^']*+'?)*)(?:>(.*?)(?:</script\s*>|\Z)|\Z)|<!--.*?(?:-->|\Z)",
    re.S | re.I,
)
OTHER = re.compile(r"[^\n]")


def scripts_of(text: str) -> str:
    """The text with spaces for all but its scripts, so that these keep their lines."""
    plain, end = [], 0
    for found in SCRIPT.finditer(text):
        if found[1] is not None:
            plain += [OTHER.sub(" ", text[end : found.start(1)]), found[1]]
            end = found.end(1)
    return "".join(plain) + OTHER.sub(" ", text[end:])
