"""How the constructs of reStructuredText begin, as docutils recognises them, and what the directives hold.

The lines come from strangers: no pattern here may try the same characters in two ways.
"""

import re
from collections.abc import Iterable

from ingestion.parsers.pictures import alternative
from knowledge.texts.directives import CODE, LEADING, NOTES, OBJECTS, SETTING_UP, words

BULLET = re.compile(r"[-+*•‣⁃](?: +|$)")
ENUMERATOR = re.compile(r"(?:\((?:\w{1,9}|#)\)|(?:\d{1,9}|[a-zA-Z]|[ivxlcdmIVXLCDM]{1,12}|#)[.)])(?: +|$)")
FIELD = re.compile(r":(?![: ])(?:[^:\\]|\\.|:(?![ `]|$))*(?<! ):(?: +|$)")
ARGUMENT = r"(?:[a-zA-Z][\w-]*|<[^<>]+>)"
ONE_OPTION = rf"(?:-\w(?: ?{ARGUMENT})?|(?:--|/)\w[\w-]*(?:[ =]{ARGUMENT})?)"
OPTION = re.compile(rf"{ONE_OPTION}(?:, {ONE_OPTION})*(?:  +|$)")
DOCTEST = re.compile(r">>>(?: +|$)")
LINE_BLOCK = re.compile(r"\|(?: +|$)")
GRID_TABLE = re.compile(r"\+-[-+]+-\+$")
SIMPLE_TABLE = re.compile(r"=+(?: +=+)+$")
SIMPLE_TABLE_BORDER = re.compile(r"=[ =]*$")
EXPLICIT = re.compile(r"\.\.(?: +|$)")
ANONYMOUS_TARGET = re.compile(r"__(?: +|$)")

DIRECTIVE = re.compile(r"(?P<name>[^\W_]+(?:[-._+:][^\W_]+)*) ?::(?: +(?P<argument>.*))?$")
REPLACEMENT = re.compile(r"\|(?! )[^|]+\| +replace::(?: |$)")  # a name that stands for a text
LABEL = re.compile(r"_(?:`(?P<quoted>[^`]+)`|(?P<name>(?:\\.|[^:\\]|:(?![ ]|$))+)):$")
TARGET = re.compile(r"_(?![ ]|$)")
FOOTNOTE = re.compile(r"\[[^\[\]\s]+\](?: +|$)")
TITLED_ENTRY = re.compile(r"[^<>]+ <(?P<name>[^<>]+)>$")
FILE_OPTION = re.compile(r":file: +(?P<path>\S.*)$")
OPTION_FIELD = re.compile(r":(?P<name>[\w-]+):(?: |$)")


TABLES = words("table list-table csv-table flat-table")
AUTOMATIC = words(
    """autoattribute autoclass autodata autodecorator autoenum autoexception autofunction automethod automodule
    autoproperty"""
)
"""What these document is in the code; what an author adds to it is their body."""
SILENT = LEADING | SETTING_UP | AUTOMATIC | {"class"}
"""They say nothing themselves: they point, set up or style. (`class` is an object when it has a body.)"""
AROUND = words(
    """acks card centered compound configuration-block container cssclass details dropdown epigraph figure grid
    grid-item grid-item-card hlist highlights ifconfig line-block only pull-quote rubric tab tab-item tab-set tabs"""
)
"""They hold other blocks, which are read as if they stood alone."""
KNOWN = CODE | NOTES | TABLES | SILENT | AROUND
INCLUDING = words("include literalinclude")
"""What they name, as a csv-table does in `:file:`, is not copied in: it is a file of the library, found as such."""


def tells(name: str, role: str) -> bool:
    """Whether it describes something of a program."""
    return role in OBJECTS or name in AUTOMATIC


def tells_a_picture(options: Iterable[str]) -> bool:
    """Whether these lines have a text that stands for the picture, and it does not only lead elsewhere."""
    found = (OPTION_FIELD.match(line.strip()) for line in options)
    given = {match["name"]: match.string[match.end() :] for match in found if match}
    return "target" not in given and alternative(given.get("alt")) != ""


def code_language(name: str, argument: str) -> str:
    if name in ("code", "code-block", "sourcecode", "prompt"):
        return argument.split(" ", maxsplit=1)[0].lower()
    return {"terminal": "terminal", "console": "console", "doctest": "pycon", "testcode": "python"}.get(name, "")
