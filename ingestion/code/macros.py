"""Macros of C and C++ that stand where a grammar knows of none: to it they are types, or names of functions."""

import re

from .conditions import APART, blank

WORD = rb"(?<!\w)_{0,2}[A-Z][A-Z0-9_]++(?!\w)"
LIST = rb"\((?:[^()]|\([^()]*\)){0,2000}\)"
MACRO = WORD + rb"(?:[ \t]*" + LIST + rb")?"
MACROS = rb"(" + MACRO + rb"(?:\s+" + MACRO + rb"){0,8})\s+"  # a list of them is tried from each of its lines
PIECE = re.compile(rb"\S+")
DIRECTIVE = re.compile(rb"^[ \t]*#(?>(?:[^\n\\]++|\\.)*)", re.M | re.S)
TYPE = re.compile(  # `class MY_API Shelf final : public Base {`
    rb"\b(?:class|struct|union|enum)\s+" + MACROS + rb"(?!final\b)[A-Za-z_][\w:]*(?:\s*<[^;{}()]{0,300}>)?"
    rb"\s*(?:final\s*)?(?::(?!:)[^;{}]{0,300})?\{"
)  # fmt: skip
PARAMETERS = re.compile(rb"\w\s+(" + WORD + rb"\s*\(\s*)" + LIST + rb"\s*(\))\s*;")  # `int lend OF((int book));`
OF_QT = re.compile(  # `public slots:`, `signals:`, `Q_PROPERTY(int a READ a)`
    rb"\b(?:public|protected|private)\s+(slots|Q_SLOTS)\s*:|^[ \t]*(?:((?:signals|Q_SIGNALS)\s*:)"
    rb"|(QT?_[A-Z][A-Z_]*+(?!\w)(?>(?:[ \t]*" + LIST + rb")?))(?!\s*[;:,.)=(]))",
    re.M,
)  # fmt: skip
ABOVE = re.compile(  # `BEGIN_DECLS`, or `MY_API`, and what begins a declaration, or ends a block
    rb"^[ \t]*" + MACROS + rb"(?:(?:class|struct|union|enum|namespace|template|typedef|using|static|inline|constexpr"
    rb"|virtual|explicit|friend|extern|public|protected|private|const|void|bool|char|int|long|double|std)\b|\})",
    re.M,
)  # fmt: skip
NO_TYPE = (
    rb"(?:static|extern|inline|const|struct|union|enum|class|virtual|friend|typedef|return|else|new|constexpr|consteval"
    rb"|constinit|volatile|register|mutable|thread_local|unsigned|signed|explicit)\b"
)
BETWEEN = re.compile(  # `int MY_CALL lend(`, `MY_API shelf_t MY_CALL lend(`
    rb"(?:^[ \t]*(" + WORD + rb")[ \t]+|[\s*]|^)(?!" + NO_TYPE + rb")[a-z]\w*(?:\s*[*&]\s*|\s+)(" + WORD + rb")"
    rb"\s+[A-Za-z_]\w*\s*\(",
    re.M,
)  # fmt: skip


def hides_types(source: bytes) -> bool:
    return TYPE.search(source) is not None


def without_macros(source: bytes) -> bytes:
    """The source with spaces for them. Comments and directives between them stay."""
    plain = bytearray(source)
    code = bytearray(DIRECTIVE.sub(lambda match: blank(match[0]), APART.sub(without_words, source)))
    for pattern in (TYPE, PARAMETERS, OF_QT, ABOVE, BETWEEN):
        spans = [span for found in pattern.finditer(code) for span in found.regs[1:] if span != (-1, -1)]
        for piece in [piece.span() for span in spans for piece in PIECE.finditer(code, *span)]:
            code[slice(*piece)] = plain[slice(*piece)] = blank(bytes(plain[slice(*piece)]))
    return bytes(plain)


def without_words(apart: re.Match[bytes]) -> bytes:
    """Spaces for a comment; as many signs as a string has."""
    return blank(apart[0]) if apart[0].startswith(b"/") else b"'" * len(apart[0])
