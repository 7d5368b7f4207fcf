"""What statements of SQL create, in the dialect of any product, and where they end. Pure."""

import re
from collections.abc import Sequence

PART = r'(?:"[^"\n]{1,200}"|`[^`\n]{1,200}`|\[[^\]\n]{1,200}\]|[\w$#]{1,200})'
HEAD = re.compile(  # with the DROP before it, as dumps write it
    r"^[ \t]*(?:drop\s[^;\n]{1,300};[\s;]*)?create\s+(?:or\s+(?:replace|alter)\s+)?"
    r"(?:(?:definer|algorithm)\s*=\s*\S{1,200}\s+|sql\s+security\s+\w+\s+"
    r"|(?:global|local|temp|temporary|unlogged|unique|fulltext|spatial|constraint|recursive|editionable|noneditionable"
    r"|aggregate|foreign|virtual|clustered|nonclustered)\s+){0,5}"
    r"(?P<kind>table|(?:materialized\s+)?view|function|procedure|proc|trigger|type|index|sequence|domain|schema|synonym"
    r"|package(?:\s+body)?|aggregate)\s+(?:concurrently\s+)?(?:if\s+not\s+exists\s+)?"
    rf"(?!on\s|if\s|authorization\s)(?P<name>{PART}(?:\.{PART}){{0,3}})",
    re.IGNORECASE | re.MULTILINE,
)
ROUTINES = ("function", "procedure", "proc", "trigger", "package", "package body")
COMMENTS = r"--[^\n]*|/\*.*?(?:\*/|\Z)"
TEXTS = r"'(?>(?:[^'\\]++|\\.|'')*)(?:'|\Z)"
QUOTED = re.compile(rf"{COMMENTS}|{TEXTS}|\$(?P<tag>\w{{0,60}})\$.*?\$(?P=tag)\$", re.DOTALL)
UNDOLLARED = re.compile(rf"{COMMENTS}|{TEXTS}", re.DOTALL)
DELIMITED = re.compile(r"^\s*delimiter\s+\$", re.IGNORECASE | re.MULTILINE)
DELIMITER = re.compile(r"^[ \t]*(?:go|/|//|\$\$|;;|delimiter\b.*)[ \t]*$", re.IGNORECASE | re.MULTILINE)
CALLING = re.compile(r"\bexecute\s+(?:function|procedure)\b", re.IGNORECASE)  # all that a trigger of Postgres does
OTHER = re.compile(r"[^\n]")


def blanked(texts: re.Pattern[str], source: str) -> str:
    """The source with blanks for these, its lines as they are."""
    return texts.sub(lambda found: OTHER.sub(" ", found.group()), source)


def without_texts(source: str) -> str:
    """The source with blanks for its comments and strings, bodies between `$$` among them."""
    return blanked(UNDOLLARED if DELIMITED.search(source) else QUOTED, source)


def end_of(head: re.Match[str], stop: int, plain: str, source: str) -> int:
    """Where the statement ends that begins so, at the latest at `stop`, where the next one begins; `plain` is the
    source without its texts. A body between BEGIN and END has semicolons of its own.
    """
    delimiter = DELIMITER.search(plain, head.end(), stop)
    stop = delimiter.start() if delimiter else stop
    semicolon = plain.find(";", head.end(), stop) + 1
    said = source[head.end() : semicolon]
    has_body = " ".join(head["kind"].lower().split()) in ROUTINES and "$" not in said and not CALLING.search(said)
    return semicolon if semicolon and not has_body else head.end() + len(plain[head.end() : stop].rstrip())


def below_its_comment(lines: Sequence[str], at: int) -> int:
    """Behind which line the comment ends of what begins at this index, if it has one: dumps leave a line empty."""
    is_noted = at > 1 and not lines[at - 1].strip() and lines[at - 2].lstrip().startswith("--")
    return at - 1 if is_noted else at
