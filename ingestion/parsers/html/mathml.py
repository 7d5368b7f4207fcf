"""Formulas of MathML in one line, as `formulas` writes those of Office: a/b, x^2, x_i, √x, ∑_(i=1)^n i, 1 2; 3 4."""

import re
from collections.abc import Callable, Sequence

from selectolax.lexbor import LexborNode

from ingestion.parsers.formulas import SINGLE
from ingestion.parsers.html.elements import DEEPEST, SILENT

# Functions and products whose signs nobody sees: sin x, 2x, and what parts the indices i, j
INVISIBLE = str.maketrans({"\u2061": " ", "\u2062": "", "\u2063": ",", "\u2064": ""})


def linear(node: LexborNode, depth: int = 0) -> str:
    """What a formula, or a part of one, says."""
    inner = [] if depth > DEEPEST else [child for child in node.iter() if child.tag not in SILENT]
    if not inner:
        said = node.text().translate(INVISIBLE)
        return said if said == " " else " ".join(said.split())
    parts = [linear(child, depth + 1) for child in inner]
    write = WRITERS.get(node.tag or "")
    return write(parts) if write else sequence(parts, [child.tag or "" for child in inner])


def sequence(parts: Sequence[str], tags: Sequence[str]) -> str:
    """One behind the other; letters with a space between where a power or a fraction ends: x^2 y."""
    said, was_written = "", False
    for part, tag in zip(parts, tags, strict=True):
        is_apart = was_written and said[-1:].isalnum() and part[:1].isalnum()
        said, was_written = f"{said}{' ' if is_apart else ''}{part}", tag in WRITERS
    return said


def grouped(part: str) -> str:
    return part if SINGLE.fullmatch(part) or len(part) == 1 else f"({part})"


def fraction(parts: Sequence[str]) -> str:
    """A power needs no brackets in one: 1/x^2."""
    return "/".join(part if SINGLE.fullmatch(re.sub("[_^]", "", part)) else grouped(part) for part in parts)


def root(parts: Sequence[str]) -> str:
    return f"√[{parts[-1]}]{grouped(parts[0])}"


def raised(sign: str) -> Callable[[Sequence[str]], str]:
    """Writes what stands above or below the first part, behind this sign and, if there is one more, another."""
    return lambda parts: parts[0] + "".join(s + grouped(part) for s, part in zip(sign, parts[1:], strict=False) if part)


def above(parts: Sequence[str]) -> str:
    """An accent belongs to its letter: x̄."""
    return "".join(parts) if not any(map(str.isalnum, parts[-1])) else raised("^")(parts)


WRITERS: dict[str, Callable[[Sequence[str]], str]] = {
    "mfrac": fraction,
    "msqrt": lambda parts: f"√{grouped(''.join(parts))}",
    "mroot": root,
    "msup": raised("^"),
    "msub": raised("_"),
    "msubsup": raised("_^"),
    "mover": above,
    "munder": raised("_"),
    "munderover": raised("_^"),
    "mtable": "; ".join,
    "mtr": " ".join,
    "mphantom": lambda parts: "",
}
