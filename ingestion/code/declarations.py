"""Symbols of languages that have no grammar here, and say at the head of a line what they declare. Pure.

Where a declaration ends is told by its indent, in SQL by its semicolon. What is called is not read.
"""

import re
from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import islice

from ingestion.documents import SymbolDraft
from knowledge.texts.lines import indent_of, inside

from . import statements

LONGEST_NAME = 600  # characters, with what it stands in
LONGEST_SIGNATURE = 500
LONGEST_DOCSTRING = 2_000
MOST = 20_000  # symbols of a file
DEEPEST = 50  # declarations in each other
MOST_ABOVE = 100  # lines of a comment
NAME = r"(?P<name>[^\W\d]\w{0,199})"
LABEL = r'"[^"\n]{1,200}"'
BETWEEN_LABELS = re.compile(r'"[ \t]+"')
JOINTS = re.compile(r"(?:::|')(?=\w)")  # of Perl
QUOTES = re.compile(r'["`\[\]]')
BRACE = re.compile(r"[{(]\s*(?:$|#|//)")
CLOSES = re.compile(r"[})]|end\b")
COMMENT = re.compile(r"\s*(?://+!?|--+|#+'?!?)\s?(.*)")
UNSAID = re.compile(r"(?:\s*(?:[{(=]|\bdo|\bas))+\s*$", re.IGNORECASE)  # of a signature
C_COMMENT = r"^[ \t]*/\*.*?(?:\*/|\Z)"
NOTHING = r"(?!)"


@dataclass(frozen=True)
class Form:
    """`head` finds a declaration, by groups its `kind` and `name`."""

    head: re.Pattern[str]
    plain: Callable[[str], str]  # the source with blanks for what holds no declarations, such as comments
    scope: re.Pattern[str] | None = None  # says by `name` what all behind it belongs to
    kinds: Mapping[str, str] = field(default_factory=dict)  # of the words for them; others are kinds themselves
    owners: Mapping[str, str] = field(default_factory=dict)  # by word: what is written before the name elsewhere
    has_clauses: bool = False  # several declarations of a name, one behind the other, are one


def form(head: str, texts: str, scope: str = "", **more: Mapping[str, str] | bool) -> Form:
    hidden = re.compile(texts, re.MULTILINE | re.DOTALL)
    return Form(
        re.compile(rf"^[ \t]*{head}", re.MULTILINE),
        lambda source: statements.blanked(hidden, source),
        re.compile(rf"^[ \t]*package\s+{scope}", re.MULTILINE) if scope else None,
        **more,  # type: ignore[arg-type]
    )


FORMS = {
    "sql": Form(statements.HEAD, statements.without_texts),
    "protobuf": form(
        rf"(?P<kind>message|enum|service|rpc)\s+{NAME}\s*[{{(]",
        C_COMMENT,
        scope=r"(?P<name>[\w.]{1,200})\s*;",
        kinds={"rpc": "method"},
    ),
    "graphql": form(
        rf"(?:extend\s+)?(?P<kind>type|interface|input|enum|union|scalar|query|mutation|subscription|fragment)\s+{NAME}"
        r"(?=[ \t]*(?:[@{(=&]|implements\s|on\s|$))",
        r'""".*?(?:"""|\Z)',
    ),
    "hcl": form(
        rf"(?<![ \t])(?P<kind>[a-z]\w{{0,18}})[ \t]+(?P<name>{LABEL}(?:[ \t]+{LABEL})?)[ \t]*\{{",
        C_COMMENT,
        owners={"data": "data", "variable": "var", "module": "module"},
    ),
    "powershell": form(
        r"(?P<kind>function|filter|class|enum)[ \t]+(?:\w{1,20}:)?(?P<name>[^\W\d][\w-]{0,199})\s*[{(:]",
        r"<#.*?(?:#>|\Z)",
    ),
    "perl": form(
        r"(?P<kind>sub)\s+(?P<name>[^\W\d][\w:']{0,199})\s*[{(:]",
        r"^=[a-z].*?(?:^=cut\b|\Z)",
        scope=r"(?P<name>[\w:']{1,200})\s*(?:v?[\d._]+\s*)?[;{]",
        kinds={"sub": "function"},
    ),
    "elixir": form(
        r"(?P<kind>def(?:module|protocol|p|macrop?|guardp?|delegate)?)[ \t]+(?P<name>[^\W\d][\w.]{0,199}[?!]?)",
        r'""".*?(?:"""|\Z)',
        kinds={"defmodule": "module", "defprotocol": "interface", "defmacro": "macro", "defmacrop": "macro"}
        | dict.fromkeys(("def", "defp", "defguard", "defguardp", "defdelegate"), "function"),
        has_clauses=True,
    ),
    "r": form(r"`?(?P<name>[^\W\d][\w.]{0,199})`?[ \t]*(?:<-|=)[ \t]*(?P<kind>function)\s*\(", NOTHING),
    "fish": form(r"(?P<kind>function)[ \t]+(?P<name>[\w-]{1,200})", NOTHING),
}


def read_declarations(text: str, language: str) -> tuple[SymbolDraft, ...]:
    """Nothing for a language of which no form is known."""
    known = FORMS.get(language)
    if known is None:
        return ()
    found = symbols_of(text, language, known)
    merged = clauses_joined(found) if known.has_clauses else found
    return tuple(replace(symbol, ordinal=ordinal) for ordinal, symbol in enumerate(merged))


def symbols_of(text: str, language: str, known: Form) -> Iterator[SymbolDraft]:
    lines, plain = text.split("\n"), known.plain(text)
    starts = [0, *(found.end() for found in re.finditer("\n", text))]
    scopes = [(scope.start(), own_name(scope["name"])) for scope in known.scope.finditer(plain)] if known.scope else []
    around: list[tuple[int, str]] = []  # what the next may stand in: its last line, and its name
    heads = [*islice(known.head.finditer(plain), MOST)]
    for head, stop in zip(heads, [*(one.start() for one in heads[1:]), len(text)], strict=False):
        first, said = (bisect_right(starts, at) for at in (head.end() - len(head[0].lstrip()), head.start("kind")))
        while around and around[-1][0] < first:
            around.pop()
        if len(around) >= DEEPEST:
            continue
        if known.head is statements.HEAD:
            last = bisect_right(starts, statements.end_of(head, stop, plain, text) - 1)
        else:
            last = end_of_block(lines, first)
        word, name = " ".join(head["kind"].lower().split()), own_name(head["name"])
        behind = [owner for start, owner in scopes if start < head.start()][-1:]
        owners = [*behind, *(owner for _, owner in around), *filter(None, [known.owners.get(word)])]
        around.append((last, name))
        yield SymbolDraft(
            ordinal=0,
            kind=known.kinds.get(word, word),
            name=name.rpartition(".")[2],
            qualified_name=".".join([*owners, name])[:LONGEST_NAME],
            language=language,
            line_start=first,
            line_end=last,
            signature=UNSAID.sub("", " ".join(lines[said - 1].split()))[:LONGEST_SIGNATURE],
            docstring=comment_above(lines, first - 1),
        )


def clauses_joined(symbols: Iterator[SymbolDraft]) -> Iterator[SymbolDraft]:
    before: SymbolDraft | None = None
    for symbol in symbols:
        if before and (before.kind, before.qualified_name) == (symbol.kind, symbol.qualified_name):
            before = replace(before, line_end=symbol.line_end)
        else:
            if before:
                yield before
            before = symbol
    if before:
        yield before


def own_name(written: str) -> str:
    """`A::B`, `"a" "b"` and `[dbo].[a]` as A.B, a.b and dbo.a."""
    return JOINTS.sub(".", QUOTES.sub("", BETWEEN_LABELS.sub(".", written)))


def end_of_block(lines: list[str], first: int) -> int:
    """The number of the last line of what begins on the line of this number: it stands further in, or closes it."""
    indent = indent_of(lines[first - 1])
    end = inside(lines, first, indent)
    while end < len(lines) and lines[end].strip() and indent_of(lines[end]) == indent:
        line = lines[end].strip()
        if not (line.startswith("{") or CLOSES.match(line)):
            break
        end += 1
        if not BRACE.search(line):
            break
        end = max(end, inside(lines, end, indent))
    return max(end, first)


def comment_above(lines: list[str], at: int) -> str:
    """Of SQL, whose dumps write it so, also above a blank line."""
    said: list[str] = []
    at = statements.below_its_comment(lines, at)
    while at > 0 and len(said) < MOST_ABOVE and (found := COMMENT.fullmatch(lines[at - 1])):
        said.append(found[1].strip())
        at -= 1
    return "\n".join(reversed(said)).strip()[:LONGEST_DOCSTRING]
