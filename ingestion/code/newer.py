"""What TypeScript has and its grammar does not know: how a parameter of types varies, and the like."""

import re

from .conditions import blank

APART = rb"(?P<comment>//[^\n]*|/\*.*?(?:\*/|\Z))|(?P<string>\"(?>(?:[^\"\\\n]++|\\.)*)\"?|'(?>(?:[^'\\\n]++|\\.)*)'?)"
PARAMETER = rb"(?=[A-Za-z_$][\w$]*\s*(?:[,>=]|extends\b))"
UNKNOWN = re.compile(
    APART + rb"|[<,]\s*(?P<variance>(?:(?:in|out)\s+)+)" + PARAMETER + rb"|\bexport\s+(?P<type>type)\s*\*"
    rb"|(?P<module>\bimport\((?:\"[^\"\n]*\"|'[^'\n]*')\)\.)(?=[\w$.]+<)"
    rb"|\n[ \t]*(?P<before>[ \t])<(?=\s*(?:const\s+)?" + PARAMETER + rb")",  # a line that begins with parameters
    re.S,
)
ENDS = re.compile(rb".?(?:[\w$)\]}\"'`]|(?<!=)>)", re.S)


def without_newer(source: bytes) -> bytes:
    """The source with spaces for it, and a semicolon before a call signature on a line of its own: the grammar takes
    its parameters, `<A>(a: A): A`, for those of the type that ends the line before.
    """
    plain = bytearray(source)
    said, end = b"", 0  # the last signs of code, and where what was looked at ends
    for found in UNKNOWN.finditer(source):
        said = source[end : found.start()].rstrip()[-2:] or said
        kind, end = found.lastgroup or "", found.end()
        if kind == "before":
            if ENDS.fullmatch(said):
                plain[found.start(kind)] = ord(";")
        elif kind != "comment" and kind != "string":
            plain[slice(*found.span(kind))] = blank(found[kind])
        if kind != "comment":
            said = source[end - 2 : end]
    return bytes(plain)
