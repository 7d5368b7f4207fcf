"""Citations as models like to write them, rewritten to `[1]` before the answer is checked. Pure.

Code stays as it is, and so does what may be something else: a parenthesis or a raised number counts only where a
sentence ends, as far as there are passages, and where no clearer citation stands in the answer.
"""

import re
from collections.abc import Callable, Collection

from retrieval.answering.marks import NUMBER, citation_marks
from retrieval.answering.sentences import MARKED, blocks

NUMBERS = r"\d{1,3}(?:\s*(?:[,;–-]|and|und|et|y|e|en|i|и|&)\s*\d{1,3})*"
SOURCE = (
    r"(?:source|passage|reference|ref|quelle|textstelle|fuente|pasaje|fonte|passaggio|bron|passagem|źródło|источник"
    r"|来源|出典|المصدر)s?n?\.?"
)
APART = r"(?<![\w\])}`$\\])"  # not behind a name: no index, no call, no link's text
AT_END = r"(?=[.!?…。！？]+(?:\s|\Z)|[ \t]*(?:\n|\Z))"
SEE = r"(?:(?:see|siehe|s\.|vgl\.|cf\.|voir|véase|vedi|zie|ver|см\.)(?: also| auch)?:?\s*)?"
LOOKED_AT = 30  # characters before a number
HOLDS = "\ue000"
CODE = re.compile(r"(`+)[^`\n]+\1")

CLEAR = re.compile(
    rf"【(?P<a>{NUMBERS})(?:†[^】\n]{{0,80}})?】|\[(?P<b>{NUMBERS})†[^\]\n]{{0,80}}\]"
    rf"|[\[【][ \t]{{0,3}}{SOURCE}[ \t]{{0,3}}[:：#]?[ \t]{{0,3}}(?P<c>{NUMBERS})[ \t]{{0,3}}[\]】]"
    rf"|[(（]{SOURCE} ?(?P<k>{NUMBERS})[)）]{AT_END}|\[#(?P<d>{NUMBERS})\]|\[\^(?P<e>{NUMBERS})\](?!:)"
    rf"|{APART}(?:(?<!\[)\[\[(?P<f>{NUMBERS})\]\](?:\([^()\s]*\))?|\[(?P<g>{NUMBERS})\]\([^()\s]*[^()\s\d][^()\s]*\))"
    rf"|\\\[(?P<h>{NUMBERS})\\\]|<sup>\[(?P<i>{NUMBERS})\]</sup>|{APART}\[(?P<j>\d{{1,3}}\s*[;–-]\s*{NUMBERS})\]"
    rf"{AT_END}",
    re.IGNORECASE,
)
STOP = r"(?=[.!?…。！？]+(?:\s|\Z))"
FAINT = re.compile(
    rf"(?<=[^\W\d_])\s\((?P<a>\d{{1,3}})\){STOP}|(?<=[.!?…])\s?\((?P<b>\d{{1,3}})\)(?=[ \t]*(?:\n|\Z))"
    rf"|(?<=[^\W\d_]{{4}})\s?(?:<sup>(?P<c>\d{{1,3}})</sup>|(?P<d>[¹²³⁴-⁹])){STOP}"
    r"|(?<=[.!?…])\s?(?:<sup>(?P<e>\d{1,3})</sup>|(?P<f>[¹²³⁴-⁹]))(?=\s|\Z)",
)
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
JOINED = re.compile(rf"(?<!\[)({MARKED})\s*(?:,|;|\b(?:and|und|et|y|e|en|i|и)\b|&|和|と)\s*(?={MARKED}(?!\]))")
ASIDE = re.compile(rf"{APART}[(（]\s*{SEE}((?:{MARKED}\s*)+)[)）]", re.IGNORECASE)
NAMED = re.compile(rf"(?<=\w)[ \t]*\[([^\[\]\n]+\.\w{{1,8}})\]{AT_END}")
ENTRY = r"(?:[-*•][ \t]+)?\[\d{1,3}\](?!\()[^\n]*(?<![.!?…。！？])"  # no sentence
LIST_BELOW = re.compile(
    r"(?:\A|\n)[ \t]*(?:#{1,6} +|\*\*)?(?:sources?|references?|citations?|quellen?|fuentes?|fonti|fontes?|bronnen"
    rf"|źródła|источники|来源|出典|المصادر)(?:\*{{0,2}}[:：]\*{{0,2}}[ \t]*(?:{ENTRY})?|\*{{0,2}}[ \t]*(?=\n))"
    rf"(?:\n[ \t]*(?:{ENTRY})?)*\Z",
    re.IGNORECASE,
)
NOTE_BELOW = re.compile(r"(?:(?:\n[ \t]*){1,3}\[\^?\d{1,3}\]:[^\n]*)+\s*\Z")


def cited_plainly(text: str, count: int, files: Collection[str] = ()) -> str:
    """With the citations of its `count` passages as `[1]` or `[1, 2]`, and no list of sources below.

    Names of their `files` in brackets go: what has no number is looked up in all passages.
    """
    names = {name for path in files for name in (path, path.rsplit("/", 1)[-1])}

    def clear(found: re.Match[str]) -> str:
        said = mark(next(filter(None, found.groups())), count)
        is_else = found["g"] and any(int(number) > count for number in NUMBER.findall(said))
        return found[0] if is_else or not said else said

    def faint(found: re.Match[str]) -> str:
        number = int(next(filter(None, found.groups())).translate(RAISED))
        is_of_it = COUNTED.search(found.string, max(0, found.start() - LOOKED_AT), found.start())
        return f" [{number}]" if 1 <= number <= count and not is_of_it else found[0]

    def named(found: re.Match[str]) -> str:
        is_of_it = OF_A_FILE.search(found.string, max(0, found.start() - LOOKED_AT), found.start())
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
    return "".join(
        text[block.start : block.end] if is_code else changed_prose(text[block.start : block.end], change)
        for block, is_code in blocks(text)
    )


def changed_prose(text: str, change: Callable[[str], str]) -> str:
    """Code within a line stands for one character of a private area meanwhile."""
    kept = [found[0] for found in CODE.finditer(text)]
    changed = change(CODE.sub(HOLDS, text.replace(HOLDS, "")))
    return re.sub(HOLDS, lambda _: kept.pop(0), changed) if changed.count(HOLDS) == len(kept) else text
