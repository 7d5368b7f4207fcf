"""Clauses of contracts and statutes, items of an agenda: each stands for itself, as no step of instructions does."""

import re
from functools import lru_cache
from itertools import pairwise

from knowledge.texts.items import NUMBER
from knowledge.texts.lines import first_of, indent_of
from knowledge.texts.words import folded, words
from retrieval.answering.quoting.layout import LISTED_TOO, LISTED_WHOLE
from retrieval.answering.sentences import POINTS_BACK, Span, code_spans
from retrieval.answering.series import REST

# A clause says in a few words what it is about: in bold letters before its text, on a line of its own above it, or as a
# sentence: "2. Personal licence. The licence …"
NUMBERED = rf"[ \t]*(?:\*\*)?{NUMBER}[ \t]+"
WORD = r"\w+(?:['’]\w+)?"
TITLE = rf"{WORD}(?: {WORD})?|{WORD} (?:of|and|or|for|other)(?: {WORD}){{1,4}}"
CLAUSE = re.compile(
    rf"{NUMBERED}(?:\*\*(?:{TITLE})(?:[.:]\*\*|\*\*[.:]?)[ \t]*\S|\w+(?: \w+)?[?]?\n+[ \t]*[^\s\d])", re.IGNORECASE
)
PLAIN_CLAUSE = re.compile(rf"{NUMBERED}(?:{TITLE})\. (?=\S)", re.IGNORECASE)
ITEM = re.compile(rf"^[ \t]*{NUMBER}\s", re.MULTILINE)
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
# Numbered within a section, at the beginning of a line: 6.1 and 6.2 of a contract, (1) and (2) of a statute.
WITHIN = re.compile(
    r"^[ \t]*(?:\*\*)?(?:(?P<above>\d{1,3}(?:\.\d{1,3})*)\.(?P<number>\d{1,3})\.?|\((?P<alone>\d{1,3})\))(?:\*\*)?"
    r"[ \t]+(?=\S)",
    re.MULTILINE,
)
FIRST_WORDS = 6  # among which is what points back: "In any other flat"
LONG_WITHIN = 40  # characters of one, on the average: a list of headings has fewer


@lru_cache(maxsize=512)
def clauses_within(text: str) -> tuple[int, ...]:
    """Where the lines begin with which clauses do that are numbered within their section, two or more, and that nothing
    announces; not those that speak of the one before, which belong to it: “If 6.1 applies”, “However, …”."""
    code = code_spans(text)
    runs: list[list[re.Match[str]]] = []
    for one in WITHIN.finditer(text):
        if runs and follows(one, runs[-1][-1]):
            runs[-1].append(one)
        elif not any(span.start <= one.start() < span.end for span in code):
            runs.append([one])
    told = [run for run in runs if len(run) > 1 and not text[: run[0].start()].rstrip().endswith((":", "："))]
    if not told or gives_orders(said := text[told[0][0].start() :]) or len(said) < LONG_WITHIN * sum(map(len, told)):
        return ()
    begun = ((run[0], *(one for before, one in pairwise(run) if not leans(text, one, before))) for run in told)
    return tuple(one.start() for ones in begun for one in ones)


def follows(clause: re.Match[str], before: re.Match[str]) -> bool:
    number, last = (int(one["number"] or one["alone"]) for one in (clause, before))
    return clause["above"] == before["above"] and number == last + 1


def leans(text: str, clause: re.Match[str], before: re.Match[str]) -> bool:
    """Whether it speaks of the clause before: by its number, behind a word if that is a bare one; or points back."""
    end = text.find("\n", clause.end())
    said = text[clause.end() : end if end != -1 else len(text)]
    number = f"{before['above']}.{before['number']}" if before["above"] else before["alone"]
    named = rf"(?<![\d.]){re.escape(number)}" if before["above"] else rf"[^\W\d]\.? \(?{number}\)?"
    points_back = POINTS_BACK.match(said) or not REST.isdisjoint(words(folded(said))[:FIRST_WORDS])
    return bool(points_back or re.search(rf"{named}(?![\w%]|[.,]\d)", said))


def clause_within(text: str, place: int) -> Span | None:
    """The clause in which this place stands, of those that are numbered within their section."""
    starts = clauses_within(text)
    start = max((one for one in starts if one <= place), default=None)
    if start is None:
        return None
    end = min((one for one in starts if one > place), default=len(text))
    begin = start + first_of(text[start:end])
    return Span(begin, start + len(text[start:end].rstrip())) if end - start <= LISTED_TOO else None


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
