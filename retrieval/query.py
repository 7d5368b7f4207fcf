"""What a user asks for, made safe and taken apart: pure, never raises. docs/search.md says it for people."""

import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import groupby

from knowledge.texts.analysis import composed

from .traces import without_frames

MAX_CHARACTERS = 8_000
LONGEST_WRITTEN = 400  # characters: what is longer was pasted, and its quotes and dashes are its own

FIELDS = ("file", "library", "lang", "kind", "section", "updated")
LANGUAGE = f'words, "phrases", -exclusions and filters ({" ".join(f"{field}:" for field in FIELDS)})'
TYPOGRAPHIC = (  # a pair with a space or an end on both sides, but for what a sentence or a bracket adds
    r"(?:“[^“”]*”|„[^„“”]*[“”]|«[^«»]*»|»[^«»]*«)(?=[?!.,;:)\]]*(?!\S))"
)
OPENING = rf"(?<!\S)[(\[]+(?={TYPOGRAPHIC})"
TERM = re.compile(
    rf"""(?:(?<!\S)(?P<minus>-)?(?:(?P<field>{"|".join(FIELDS)}):)?)?"""
    rf"""(?:"(?P<quoted>[^"]*)"|(?<!")(?P<typographic>{TYPOGRAPHIC})|(?P<bare>{OPENING}|\S+))""",
    re.IGNORECASE,
)
OTHER_WIDTH = re.compile("[\uff01-\uff5e\uff66-\uff9f]+")  # full-width letters, half-width katakana
LIKE_NO_FILTER = ("//", ":", '"')  # what follows the colon in `file://…` and `section::before`
SUSPENDED = re.compile(r"(?:\b(?:und|oder|bzw\.|sowie|and|or|en)|/|\w-,?)\s+\Z", re.IGNORECASE)  # “-name” follows
TRACED = re.compile(r'File "[^"\n]+", line \d')  # of a traceback: its file need not be said by a passage
ERROR = re.compile(  # how a message of one begins, which quotes names of its own: `ValueError: invalid literal: "x"`
    r"(?:Uncaught )?(?:\w+\.)*\w*(?:Error|Exception|Warning)(?: ?[\[(]\w+[\])])?:\s|(?:\w+\.)+[A-Z]\w*:\s"
    r"|(?i:error|fatal|warning)(?: ?[A-Z]+\d+|\[\w+\])?:\s|(?i:failed) to [^\":]{1,40}:\s|Exception in thread \""
    r"|\*\* \([A-Z][\w.]*\)\s|(?:\w+: )?[\w./\\-]+\.[^\W\d]\w*:\d+:"  # `** (MatchError) …`, `main.go:10:5: …`
)
PLACED = re.compile(r" (?:at \S+|in \S+ on) line \d+\b")  # as Perl and PHP say where
is_identifier = re.compile(  # by its signs: `$this->render()`, `App::run`, `make_response`, `useRouter`, `pytest.ini`
    r"(?=\S*(?:->|::|[$_]|[a-z][A-Z]|[^\W\d_]\.[^\W\d_]{2}))(?=\S*[^\W\d_])[\w$@.:>\\()-]+"
).fullmatch
TRAILING = "?!,;"  # of a sentence, not of a filter's value: “what does file:setup.rst say?”


class Role(StrEnum):
    WORD = "word"
    PHRASE = "phrase"
    EXCLUSION = "exclusion"
    FILTER = "filter"


@dataclass(frozen=True, slots=True)
class Term:
    """One thing of a query: `written` is how it stands there, `value` what it is about."""

    role: Role
    written: str
    value: str
    field: str = ""  # of a filter: one of FIELDS
    excluded: bool = False  # "-": what holds this is not wanted
    quoted: bool = False


@dataclass(frozen=True, slots=True)
class Query:
    terms: tuple[Term, ...]

    @property
    def written(self) -> str:
        return " ".join(term.written for term in self.terms)

    @property
    def text(self) -> str:
        """What is looked for: the words, and those of the phrases."""
        return " ".join(term.value for term in self.terms if term.role in (Role.WORD, Role.PHRASE))

    @property
    def phrases(self) -> tuple[str, ...]:
        return tuple(term.value for term in self.terms if term.role is Role.PHRASE)

    @property
    def exclusions(self) -> tuple[Term, ...]:
        return tuple(term for term in self.terms if term.role is Role.EXCLUSION)

    @property
    def filters(self) -> tuple[Term, ...]:
        return tuple(term for term in self.terms if term.role is Role.FILTER)

    @property
    def operators(self) -> tuple[Term, ...]:
        """Everything but plain words."""
        return tuple(term for term in self.terms if term.role is not Role.WORD)

    def values(self, field: str, excluded: bool = False) -> tuple[str, ...]:
        return tuple(term.value for term in self.filters if (term.field, term.excluded) == (field, excluded))

    def within(self, files: Sequence[str]) -> "Query":
        """The same, in files of these globs alone, however long it is."""
        values = [glob.replace('"', "") for glob in files]
        added = (Term(Role.FILTER, f'file:"{value}"', value, "file", quoted=True) for value in values)
        return Query((*self.terms, *added))

    def without(self, unwanted: Term) -> str:
        """The query as it would be written without this term."""
        return " ".join(term.written for term in self.terms if term is not unwanted)

    def respelt(self, words: Mapping[str, str]) -> str:
        """The query as it would be written with other words for these; filters and exclusions as they are."""
        return " ".join(
            respelled(term.written, words) if term.role in (Role.WORD, Role.PHRASE) else term.written
            for term in self.terms
        )


def respelled(text: str, words: Mapping[str, str]) -> str:
    """The text with other words for these."""
    if not words:
        return text
    wrong = re.compile("|".join(map(alone, sorted(words, key=len, reverse=True))))
    return wrong.sub(lambda found: words[found.group()], text)


def alone(word: str) -> str:
    """A pattern for the word by itself, or as a part of an identifier such as HttpKernel."""
    before = "" if word[0].isupper() else r"(?<![^\W\d_])"
    return rf"{before}{re.escape(word)}(?![^\W\d_A-Z])"


def parse(query: str) -> Query:
    """Words, "phrases", -exclusions and filters (FIELDS; `-` before one turns it round).

    What only looks like one of these (`std::vector`, `--dry-run`, `-1`, `http://…`, an open quote, the second half of
    “Benutzername und -passwort”) is a word. So is an exclusion where nothing is looked for that it could be taken from,
    and everything in a pasted text; of one with several lines, in which words stand beside quotes, and of an error's
    message all but filters.
    """
    has_lines, query = "\n" in query.strip(), clean(query)
    told = without_frames(query)
    if len(query) > LONGEST_WRITTEN or TRACED.search(query) or told != query:
        return Query((Term(Role.WORD, query, told),))
    terms = terms_of(query)
    roles = {term.role for term in terms}
    is_pasted = has_lines or ERROR.match(query) or PLACED.search(query)
    if is_pasted and Role.WORD in roles and roles & {Role.PHRASE, Role.EXCLUSION}:
        return Query(without_operators(terms))
    if all(term.role is Role.EXCLUSION for term in terms):
        terms = tuple(plain(term.written) for term in terms)
    return Query(terms)


def terms_of(query: str) -> tuple[Term, ...]:
    terms: list[Term] = []
    for found in TERM.finditer(query):
        follows_filter = bool(terms) and terms[-1].role is Role.FILTER  # `file:docs/` is no word that is cut short
        terms.append(plain(found.group()) if is_suspended(found) and not follows_filter else term_of(found))
    return tuple(terms)


def without_operators(terms: Sequence[Term]) -> tuple[Term, ...]:
    """The filters among these; all that stands between two of them as it is written."""
    found: list[Term] = []
    for is_filter, group in groupby(terms, key=lambda term: term.role is Role.FILTER):
        together = list(group)
        found += together if is_filter else [plain(" ".join(term.written for term in together))]
    return tuple(found)


def term_of(match: re.Match[str]) -> Term:
    written, field = match.group(), (match["field"] or "").lower()
    quoted = match["bare"] is None
    value = inside(match) if quoted else match["bare"]
    excluded = bool(match["minus"])
    if field:
        value = value if quoted else value.rstrip(TRAILING)
        is_filter = value and (quoted or not value.startswith(LIKE_NO_FILTER))
        return Term(Role.FILTER, written, value, field, excluded, quoted) if is_filter else plain(written)
    if not any(map(str.isalnum, value)):
        return plain(written)
    if excluded:
        return Term(Role.EXCLUSION, written, value, "", True, quoted) if quoted or is_word(value) else plain(written)
    return Term(Role.PHRASE, written, value, quoted=True) if quoted else plain(written)


def inside(match: re.Match[str]) -> str:
    """What stands between the quotation marks."""
    return (match["typographic"][1:-1] if match["typographic"] else match["quoted"]).strip()


def is_suspended(match: re.Match[str]) -> bool:
    """Whether its dash stands for the beginning of a word that was said before."""
    bare = bool(match["minus"] and match["bare"] and not match["field"])
    return bare and bool(SUSPENDED.search(match.string, 0, match.start()))


def is_word(value: str) -> bool:
    """What may follow the dash of an exclusion: not the `-1` of a number, the `-m` or the `--dry-run` of a command."""
    return len(value) > 1 and value[0].isalpha()


def plain(written: str) -> Term:
    return Term(Role.WORD, written, written)


def in_usual_width(query: str) -> str:
    """The query, and after it what of it is of the other width, as most texts write it: both are sought."""
    return " ".join([query, *(unicodedata.normalize("NFKC", run) for run in OTHER_WIDTH.findall(query))])


def clean(query: str) -> str:
    """The query without control characters and lone surrogates, composed, white space folded, at most 8,000 characters.

    People paste error messages and whole issues. Cut at 1,000 characters and 64 words, swe-django's queries reach an
    nDCG@10 of .642 and CISI's .404; with 8,000 characters, of which the heaviest lexemes are searched for
    (`lexical.MOST_SCORED`; 64 of them then), .689 and .415.
    """
    kept = composed(query[: MAX_CHARACTERS * 2])
    printable = "".join(
        " " if unicodedata.category(character) in ("Cc", "Cs", "Co", "Cn") else character for character in kept
    )
    return " ".join(printable.split())[:MAX_CHARACTERS].rstrip()
