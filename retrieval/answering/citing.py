"""Citations as models like to write them, rewritten to `[1]` before the answer is checked. Pure.

Code stays as it is, and so does what may be something else: a parenthesis or a raised number counts only where a
sentence ends, as far as there are passages, and where no clearer citation stands in the answer.
"""

import re
from collections.abc import Callable, Collection, Sequence

from knowledge.texts.items import MARK
from knowledge.texts.languages.little_words import AND, alternation
from knowledge.texts.stops import STOPS
from retrieval.answering.marks import NUMBER, citation_marks, prose_and_code
from retrieval.answering.sentences import MARKED

_AND = alternation(AND)
AS_WRITTEN = rf"\d{{1,3}}(?:\s*(?:[,;–-]|{_AND}|&)\s*\d{{1,3}})*"
SOURCE = (
    r"(?:source|passage|reference|ref|quelle|textstelle|fuente|pasaje|fonte|passaggio|bron|passagem|źródło|источник"
    r"|来源|出典|المصدر)s?n?\.?"
)
NO_NAME = r"(?<![\w\])}`$\\])"  # not behind a name: no index, no call, no link's text
AT_END = rf"(?=[{STOPS}]+(?:\s|\Z)|[ \t]*(?:\n|\Z))"
SEE = r"(?:(?:see|siehe|s\.|vgl\.|cf\.|voir|véase|vedi|zie|ver|см\.)(?: also| auch)?:?\s*)?"
BEFORE = 30  # characters before a number
HOLDS = "\ue000"

# How models write a citation: its name, what it looks like, with N for its numbers, and an example.
CLEARLY = (
    ("lenticular", r"【N(?:†[^】\n]{0,80})?】", "【1】"),
    ("dagger", r"\[N†[^\]\n]{0,80}\]", "[1†source]"),
    ("with_its_noun", rf"[\[【][ \t]{{0,3}}{SOURCE}[ \t]{{0,3}}[:：#]?[ \t]{{0,3}}N[ \t]{{0,3}}[\]】]", "[Source 1]"),
    ("noun_in_parentheses", rf"[(（]{SOURCE} ?N[)）]{AT_END}", "(passage 1)"),
    ("number_sign", r"\[#N\]", "[#1]"),
    ("footnote", r"\[\^N\](?!:)", "[^1]"),
    ("doubled", rf"{NO_NAME}(?<!\[)\[\[N\]\](?:\([^()\s]*\))?", "[[1]]"),
    ("link", rf"{NO_NAME}\[N\]\([^()\s]*[^()\s\d][^()\s]*\)", "[1](handbook/lending.rst)"),
    ("escaped", r"\\\[N\\\]", "\\[1\\]"),
    ("raised_in_brackets", r"<sup>\[N\]</sup>", "<sup>[1]</sup>"),
    ("range", rf"{NO_NAME}\[(?=\d{{1,3}}\s*[;–-])N\]{AT_END}", "[1-3]"),
)
STOP = rf"(?=[{STOPS}]+(?:\s|\Z))"
_BEHIND_STOP = rf"(?<=[{STOPS}])\s?"
FAINTLY = (
    ("parenthesis", rf"(?<=[^\W\d_])\s\(N\){STOP}", "(1)"),
    ("parenthesis_behind", rf"{_BEHIND_STOP}\(N\)(?=[ \t]*(?:\n|\Z))", ". (1)"),
    ("raised", rf"(?<=[^\W\d_]{{4}})\s?<sup>N</sup>{STOP}", "<sup>1</sup>"),
    ("raised_behind", rf"{_BEHIND_STOP}<sup>N</sup>(?=\s|\Z)", ".<sup>1</sup>"),
    ("superscript", rf"(?<=[^\W\d_]{{4}})\s?(?P<superscript>[¹²³⁴-⁹]){STOP}", "¹"),
    ("superscript_behind", rf"{_BEHIND_STOP}(?P<superscript_behind>[¹²³⁴-⁹])(?=\s|\Z)", ".¹"),
)


def _any_of(notations: Sequence[tuple[str, str, str]], number: str) -> re.Pattern[str]:
    named = (looks.replace("N", f"(?P<{name}>{number})") for name, looks, _ in notations)
    return re.compile("|".join(named), re.IGNORECASE)


CLEAR, FAINT = _any_of(CLEARLY, AS_WRITTEN), _any_of(FAINTLY, r"\d{1,3}")
# Words that a number, or a file's name, belongs to.
COUNTED = re.compile(
    r"\b(?:paragraph|section|article|clause|step|button|option|figure|table|form|question|chapter|page|item|point|level"
    r"|class|phase|version|type|room|gate|panel|absatz|artikel|abschnitt|schritt|taste|abbildung|tabelle|kapitel|seite"
    r"|punkt|stufe|one|two|three|four|five|six|seven|eight|nine|ten|\w*met(?:er|re)s?)s?\Z",
    re.IGNORECASE,
)
OF_A_FILE = re.compile(
    r"\b(?:is|are|in|into|see|the|to|from|of|at|with|files?|called|named|open|edit|run|ist|datei)\Z", re.I
)
RAISED = str.maketrans("¹²³⁴⁵⁶⁷⁸⁹", "123456789")
JOINED = re.compile(rf"(?<!\[)({MARKED})\s*(?:,|;|\b(?:{_AND})\b|&|和|と)\s*(?={MARKED}(?!\]))")
ASIDE = re.compile(rf"{NO_NAME}[(（]\s*{SEE}((?:{MARKED}\s*)+)[)）]", re.IGNORECASE)
NAMED = re.compile(rf"(?<=\w)[ \t]*\[([^\[\]\n]+\.\w{{1,8}})\]{AT_END}")
ENTRY = rf"(?:{MARK}[ \t]+)?\[\d{{1,3}}\](?!\()[^\n]*(?<![{STOPS}])"  # no sentence
LIST_BELOW = re.compile(
    r"(?:\A|\n)[ \t]*(?:#{1,6} +|\*\*)?(?:sources?|references?|citations?|quellen?|fuentes?|fonti|fontes?|bronnen"
    rf"|źródła|источники|来源|出典|المصادر)(?:\*{{0,2}}[:：]\*{{0,2}}[ \t]*(?:{ENTRY})?|\*{{0,2}}[ \t]*(?=\n))"
    rf"(?:\n[ \t]*(?:{ENTRY})?)*\Z",
    re.IGNORECASE,
)
NOTE_BELOW = re.compile(r"(?:(?:\n[ \t]*){1,3}\[\^?\d{1,3}\]:[^\n]*)+\s*\Z")


def cited_plainly(text: str, count: int, files: Collection[str]) -> str:
    """With the citations of its `count` passages as `[1]` or `[1, 2]`, and no list of sources below.

    Names of their `files` in brackets go: what has no number is looked up in all passages.
    """
    names = {name for path in files for name in (path, path.rsplit("/", 1)[-1])}

    def clear(found: re.Match[str]) -> str:
        said = mark(next(filter(None, found.groups())), count)
        is_else = found["link"] and any(int(number) > count for number in NUMBER.findall(said))
        return found[0] if is_else or not said else said

    def faint(found: re.Match[str]) -> str:
        number = int(next(filter(None, found.groups())).translate(RAISED))
        is_of_it = COUNTED.search(found.string, max(0, found.start() - BEFORE), found.start())
        return f" [{number}]" if 1 <= number <= count and not is_of_it else found[0]

    def named(found: re.Match[str]) -> str:
        is_of_it = OF_A_FILE.search(found.string, max(0, found.start() - BEFORE), found.start())
        return "" if found[1] in names and not is_of_it else found[0]

    text = outside_code(text, lambda prose: CLEAR.sub(clear, prose))
    text = outside_code(text, lambda prose: NAMED.sub(named, prose))
    if not any(citation_marks(text)):
        text = outside_code(text, lambda prose: FAINT.sub(faint, prose))
    text = outside_code(text, lambda prose: JOINED.sub(r"\1", ASIDE.sub(lambda found: found[1].rstrip(), prose)))
    return LIST_BELOW.sub("", NOTE_BELOW.sub("", text)).rstrip() or text


def mark(written: str, count: int) -> str:
    """`1, 2` for `1-2` or `1; 2`; nothing for a range that reaches beyond the passages or backwards."""
    numbers: list[int] = []
    for piece in re.split(r"[,;&]|[^\W\d_]+", written):
        first, *rest = map(int, NUMBER.findall(piece))
        last = rest[-1] if rest else first
        if rest and not 1 <= first < last <= count:
            return ""
        numbers += range(first, last + 1)
    return f"[{', '.join(map(str, numbers))}]"


def outside_code(text: str, change: Callable[[str], str]) -> str:
    """Each piece of code stands for one character of a private area meanwhile."""
    pieces = [(text[span.start : span.end], is_code) for span, is_code in prose_and_code(text)]
    kept = [piece for piece, is_code in pieces if is_code]
    changed = change("".join(HOLDS if is_code else piece.replace(HOLDS, "") for piece, is_code in pieces))
    return re.sub(HOLDS, lambda _: kept.pop(0), changed) if changed.count(HOLDS) == len(kept) else text
