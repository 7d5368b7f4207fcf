"""Without what a quotation would mislead: the other steps of instructions, the rule that a note stands beside. Clauses
of a contract stand for themselves.
"""

import re
from collections import deque
from functools import lru_cache

from knowledge.texts.lines import first_of, indent_of
from retrieval.answering.quoting.layout import (
    LISTED,
    LISTED_TOO,
    LISTED_WHOLE,
    WIDENED,
    announces,
    further_out,
    is_open,
    is_overline,
    paragraph_start,
    parts,
)
from retrieval.answering.sentences import MARKED_HEADING, POINTS_BACK, Span, code_spans

FEW_WORDS = 3  # of an announcement within a paragraph: "Otherwise:", "If not:", "To do so:"
NOTE = re.compile(r"\.\. note::|!!! note\b|>\s?\[!note\]|(?:\*\*|__)?note:", re.IGNORECASE)
MARKS = ".|<>["  # of directives, comments, tables, and other notes
NUMBERED = re.compile(r"[ \t]*(?:(?P<number>\d{1,3})|#)[.)]\s+\S")
# A clause says in a few words what it is about: in bold letters before its text, on a line of its own above it, or as a
# sentence: "2. Personal licence. The licence …"
NUMBER = r"[ \t]*(?:\*\*)?(?:\d{1,3}|#)[.)][ \t]+"
WORD = r"\w+(?:['’]\w+)?"
TITLE = rf"{WORD}(?: {WORD})?|{WORD} (?:of|and|or|for|other)(?: {WORD}){{1,4}}"
CLAUSE = re.compile(
    rf"{NUMBER}(?:\*\*(?:{TITLE})(?:[.:]\*\*|\*\*[.:]?)[ \t]*\S|\w+(?: \w+)?[?]?\n+[ \t]*[^\s\d])", re.IGNORECASE
)
PLAIN_CLAUSE = re.compile(rf"{NUMBER}(?:{TITLE})\. (?=\S)", re.IGNORECASE)
ITEM = re.compile(r"^[ \t]*(?:\d{1,3}|#)[.)]\s", re.MULTILINE)
FEWEST_CLAUSES, MOST_ARE = 3, 0.75
LONG = {CLAUSE: 120, PLAIN_CLAUSE: 200}  # characters of one, on the average: most steps are shorter
# Steps begin so, or their sentences. "Use of the berth" orders nothing.
_ORDERS = """
activate add adjust allow apply ask attach back boil bring build carry change charge check choose clean clear click
close collect come confirm connect copy create cut delete deselect disable disconnect download drain draw drag drop
dry edit empty enable ensure enter execute export extract fetch fill find fit fix follow give go heat hold import
inform insert inspect install keep launch lay leave let lift loosen lock log look lower make mark measure mix mount
move navigate note open paste pick place plug pour power prepare press print pull push put raise read remove rename
repeat replace reset restart restore rinse run save scan screw scroll secure select send set shut sign slide specify
start stop store submit switch take tap tell tick tighten tip turn type undo unlock unplug unscrew update upload
verify wait warm wash wipe write
öffnen öffne wählen wähle drücken drücke entfernen entferne prüfen prüfe klicken klicke schließen schließe einsetzen
ziehen ziehe starten starte stellen stelle legen lege lösen löse schalten schalte trennen trenne warten warte
ouvrez ouvrir choisissez appuyez retirez vérifiez cliquez fermez insérez branchez débranchez attendez sélectionnez
abra abrir elija pulse quite compruebe cierre inserte conecte desconecte espere seleccione haga
apri aprire scegli premi rimuovi verifica chiudi inserisci collega scollega attendi open kies druk verwijder sluit
"""
ORDERS = frozenset(_ORDERS.split())
BEGINS = re.compile(r"(?:\A|[.!?:][*_]*\s+|\n)[\W\d]*(?P<first>[^\W\d_]+)(?! of\b)")


@lru_cache(maxsize=512)
def numbered_lists(text: str) -> tuple[Span, ...]:
    """Lists of two items or more whose numbers follow each other, from the first number to the end of the last item.

    An item ends at a heading and where, below a blank line, something stands that is not further in.
    """
    found: list[Span] = []
    items, last, indent, start, end, at = 0, 0, 0, 0, 0, 0
    below_blank = False
    code = deque(sorted(code_spans(text), key=lambda one: one.start))
    for line in text.split("\n"):
        while code and code[0].end <= at:
            code.popleft()
        is_code = bool(code) and code[0].start < at + len(line)
        item = None if is_code else NUMBERED.match(line)
        further_in = bool(items) and indent_of(line) > indent
        number = int(item["number"] or last + 1) if item else 0
        goes_on = bool(items and item) and indent_of(line) == indent and number == last + 1
        ends = bool(item) or below_blank or bool(MARKED_HEADING.match(line.lstrip()))
        if items and line.strip() and not goes_on and not further_in and ends:
            found += [Span(start, end)] if items > 1 else []
            items = 0
        if item and (goes_on or not items):
            start = start if items else at + first_of(line)
            items, last, indent = items + 1, number, indent_of(line)
        end = at + len(line.rstrip()) if line.strip() else end
        below_blank = not line.strip()
        at += len(line) + 1
    return tuple([*found, Span(start, end)] if items > 1 else found)


def with_its_steps(text: str, quoted: Span, place: int) -> Span:
    """The quotation of a sentence at this place with all of the numbered steps that it is one of, or below which it
    stands and reaches back into, and what announces them, if that is short enough: instructions without their first
    step mislead."""
    lists = numbered_lists(text)
    around = next((one for one in lists if one.start <= place < one.end), None)
    steps = around or next((one for one in lists if one.start < quoted.start < one.end <= place), None)
    if steps is None:
        return quoted
    before = next((one for one in reversed(parts(text)) if one.end <= steps.start), steps)
    leads_in = announces(text, before) and not is_overline(text, before)
    if around and not leads_in and (clause := clause_at(text, around, place)):
        return clause
    leading = (told_before(text, before), before.start, steps.start) if leads_in else (steps.start,)
    starts = (min(quoted.start, one) for one in leading)
    least = steps.end if around else quoted.end
    start = next((one for one in starts if least - one <= LISTED_WHOLE), None)
    if start is None:
        behind = (one.start for one in parts(text) if one.start >= steps.end)
        return quoted if around else Span(next(behind, place), quoted.end)
    return Span(start, quoted.end if steps.end < quoted.end <= start + WIDENED else least)


def is_clause(text: str, quoted: Span) -> bool:
    """Whether a quotation is one clause, and no more."""
    return any(clause_at(text, one, quoted.start) == quoted for one in numbered_lists(text) if one.end >= quoted.end)


def clause_at(text: str, listed: Span, place: int) -> Span | None:
    """The item of a numbered list in which this place stands, if each of them stands for itself as in a contract: says
    what it is about, and is no short step."""
    line = text.rfind("\n", 0, listed.start) + 1
    items = ITEM.finditer(text, line, listed.end)
    starts = [one.start() for one in items if indent_of(one[0]) == indent_of(text[line : listed.start + 1])]
    are_clauses = any(
        listed.end - line >= long * len(starts)
        and sum(bool(clause.match(text, start)) for start in starts) >= MOST_ARE * len(starts)
        for clause, long in LONG.items()
    )
    if not are_clauses or len(starts) < FEWEST_CLAUSES or gives_orders(text[line : listed.end]):
        return None
    start = max((one for one in starts if one <= place), default=line)
    end = min((one for one in starts if one > place), default=listed.end)
    return Span(start, start + len(text[start:end].rstrip())) if end - start <= LISTED_WHOLE else None


def gives_orders(text: str) -> bool:
    """Whether sentences of it begin as steps do: two of them, and an eighth of all."""
    begun = [found["first"].lower() for found in BEGINS.finditer(text)]
    orders = sum(word in ORDERS for word in begun)
    return orders > 1 and orders * 8 >= len(begun)


def told_before(text: str, announcing: Span) -> int:
    """Where its paragraph begins, if what announces says too little without it ("Otherwise:"); else where it begins."""
    few = len(text[announcing.start : announcing.end].split()) <= FEW_WORDS
    points_back = POINTS_BACK.match(text, announcing.start)
    return paragraph_start(text, announcing) if few or points_back else announcing.start


def with_what_it_notes(text: str, quoted: Span) -> Span:
    """A quotation that begins with a note, with the paragraph above that the note is beside, if that is short enough:
    the exception without the rule misleads."""
    above = next((one for one in reversed(parts(text)) if one.end <= quoted.start), None)
    if not NOTE.match(text, quoted.start) or above is None or announces(text, above) or is_open(text, above):
        return quoted
    start = paragraph_start(text, above)
    is_prose = text[start] not in MARKS and not LISTED.match(text, start) and not further_out(text, quoted, above)
    return Span(start, quoted.end) if is_prose and quoted.end - start <= LISTED_TOO else quoted
