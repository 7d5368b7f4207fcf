"""How the constructs of reStructuredText begin, as docutils recognises them, and what the directives hold.

The lines come from strangers: no pattern here may try the same characters in two ways.
"""

import re
from collections.abc import Iterable

from ingestion.parsers.pictures import alternative

ADORNMENT = re.compile(r"([!-/:-@\[-`{-~])\1*$")
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


def words(text: str) -> frozenset[str]:
    return frozenset(text.split())


CODE = words(
    """code code-block sourcecode parsed-literal math prompt console terminal doctest testcode testsetup testoutput
    testcleanup productionlist graphviz digraph graph uml mermaid ipython"""
)
BEGUN_BY_ARGUMENT = words("math parsed-literal productionlist prompt")
"""Of these, the first line may be all that there is; that of others names a language, a group or a file."""
NOTES = words(
    """admonition attention best-practice caution danger deprecated deprecated-removed error hint important note
    screencast seealso sidebar tip todo topic versionadded versionchanged versionremoved warning"""
)
TABLES = words("table list-table csv-table flat-table")
SILENT = words(
    """autoattribute autoclass autodata autodecorator autoenum autoexception autofunction automethod automodule
    autoproperty autosummary class codeauthor contents currentmodule default-domain default-role footer header highlight
    image include index literalinclude meta module moduleauthor namespace php:namespace raw role rst-class
    section-numbering sectionauthor sectnum tabularcolumns target-notes title toctree"""
)
"""They say nothing themselves: they point, set up or style. (`class` is an object when it has a body.)"""
AROUND = words(
    """acks card centered compound configuration-block container cssclass details dropdown epigraph figure grid
    grid-item grid-item-card hlist highlights ifconfig line-block only pull-quote rubric tab tab-item tab-set tabs"""
)
"""They hold other blocks, which are read as if they stood alone."""
OBJECTS = words(
    """attribute class classmethod confval const data decorator describe directive django-admin django-admin-option enum
    envvar exception fieldlookup function glossary interface macro member method module object option program property
    role setting staticmethod struct templatefilter templatetag trait type var"""
)
AUTOMATIC = frozenset(name for name in SILENT if name.startswith("auto")) - {"autosummary"}
"""What these document is in the code; what an author adds to it is their body."""
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
