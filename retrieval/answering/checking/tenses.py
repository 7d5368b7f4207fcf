"""What will be, said as if it had been, and the reverse: “will vote in March” is not “voted in March”. Pure."""

import re
from collections.abc import Iterator
from functools import lru_cache

from knowledge.texts.words import folded, stem

_BETWEEN = r"(?:(?:not|also|only|then|be|been|soon|already|\w+ly)\s)*"
COMING = re.compile(
    rf"\b(?:will|going to)\s{_BETWEEN}(?P<verb>\w+)|\b(?:sera|seront|seran|serao|sara|saranno)\s(?P<romance>\w+)"
    r"|\b(?:zostan(?:ie|a)|bedzie|beda|будет|будут)\s(?P<slavic>\w+)"
    r"|\bw(?:ird|erden)\b[^.,;:]*?\b(?P<german>\w+)\s?(?=[.,;:]|\Z)"
)
GONE = re.compile(
    rf"\b(?:was|were|ha[sd]|have)\s{_BETWEEN}(?P<verb>\w+)|(?<!\bis\s)(?<!\bare\s)(?<!\bbe\s)\b(?P<simple>\w{{3,}}ed)\b"
    r"|\b(?:a ete|ont ete|fue|fueron|foi|foram|e stat[oa]|sono stat[ie])\s(?P<romance>\w+)"
    r"|\b(?:(?:zosta|by)l[aoiy]?|был[аои]?)\s(?P<slavic>\w+)"
    r"|\bwurden?\b[^.,;:]*?\b(?P<german>\w+)\s?(?=[.,;:]|\Z)"
)


def mistimed(sentence: str, passage: str) -> str:
    """A verb that the passage has in the other tense alone: what will be done has not been done."""
    for mine, other in ((GONE, COMING), (COMING, GONE)):
        there = verbs(other, passage) - verbs(mine, passage)
        if found := there & verbs(mine, sentence) - verbs(other, sentence):
            return min(found)
    return ""


@lru_cache(maxsize=2048)
def verbs(tense: re.Pattern[str], text: str) -> frozenset[str]:
    return frozenset(_verbs(tense, folded(text)))


def _verbs(tense: re.Pattern[str], text: str) -> Iterator[str]:
    for found in tense.finditer(text):
        yield from (stem(word) for word in found.groups() if word)
