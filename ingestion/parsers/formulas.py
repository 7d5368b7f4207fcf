"""Formulas of Office in one line, with what only their place would say: a/b, x^2, √x, ∑_(i=1)^n i, [1 2; 3 4]."""

import re
from collections.abc import Iterator

from lxml import etree

M = "{http://schemas.openxmlformats.org/officeDocument/2006/math}"
TEXT = re.compile(r"\{.*\}t")  # of formulas, Word or PowerPoint
EXPONENT = re.compile(r"[-+−]?[0-9]+")
SINGLE = re.compile(r"[\w.,]*")  # needs no brackets
BRACKETS = tuple("([{|")
LETTERS, FUNCTION = f"{M}r", f"{M}func"
INTEGRAL, HAT, ATOP = "∫", "\u0302", "¦"  # ¦ is what Word itself writes for what stands above another without a line


def linear(formula: etree._Element) -> str:
    """What a formula, or a part of one, says; "" for properties, which say how it looks."""
    tag = formula.tag
    if not isinstance(tag, str) or tag.endswith("Pr"):
        return ""
    if TEXT.fullmatch(tag):
        return formula.text or ""
    write = WRITERS.get(tag.removeprefix(M))
    return write(formula) if write else sequence(formula)


def sequence(element: etree._Element) -> str:
    """Its parts one behind the other; letters with a space between where a power or a fraction ends: x^2 y, a sin b."""
    said, before = "", LETTERS
    for each in element:
        if text := linear(each):
            is_apart = said[-1:].isalnum() and text[:1].isalnum() and (before != LETTERS or each.tag == FUNCTION)
            said, before = f"{said}{' ' if is_apart else ''}{text}", each.tag
    return said


def is_exponent(raised: str, before: str) -> bool:
    """Whether what is raised is a number right behind a digit, of which it would become one: 10⁶."""
    return EXPONENT.fullmatch(raised) is not None and before[-1:].isdecimal()


def fraction(element: etree._Element) -> str:
    line = ATOP if property_of(element, "type", "bar") == "noBar" else "/"
    return f"{grouped(element, 'num')}{signed(line, element, 'den')}"


def root(element: etree._Element) -> str:
    degree = "" if property_of(element, "degHide", "0") in ("1", "on", "true") else part(element, "deg")
    return f"{f'√[{degree}]' if degree else '√'}{grouped(element, 'e')}"


def scripts(element: etree._Element) -> str:
    return f"{part(element, 'e')}{below_and_above(element)}"


def scripts_before(element: etree._Element) -> str:
    return f"{below_and_above(element)} {part(element, 'e')}"


def limit_below(element: etree._Element) -> str:
    return f"{part(element, 'e')}{signed('_', element, 'lim')}"


def limit_above(element: etree._Element) -> str:
    return f"{part(element, 'e')}{signed('^', element, 'lim')}"


def operator(element: etree._Element) -> str:
    """A sum, an integral, …: its sign, from where to where, of what."""
    return f"{property_of(element, 'chr', INTEGRAL)}{below_and_above(element)} {part(element, 'e')}"


def function(element: etree._Element) -> str:
    name, of = part(element, "fName"), part(element, "e")
    return f"{name}{of}" if name.isalpha() and of.startswith(BRACKETS) else f"{name} {of}"


def brackets(element: etree._Element) -> str:
    within = property_of(element, "sepChr", "|").join(parts(element, "e"))
    return f"{property_of(element, 'begChr', '(')}{within}{property_of(element, 'endChr', ')')}"


def matrix(element: etree._Element) -> str:
    return "; ".join(" ".join(parts(row, "e")) for row in element.iterfind(f"{M}mr"))


def lines(element: etree._Element) -> str:
    """Equations one below the other; & is where they are aligned."""
    return "; ".join(parts(element, "e")).replace("&", "")


def accent(element: etree._Element) -> str:
    return f"{part(element, 'e')}{property_of(element, 'chr', HAT)}"


WRITERS = {
    "f": fraction,
    "rad": root,
    "sSup": scripts,
    "sSub": scripts,
    "sSubSup": scripts,
    "sPre": scripts_before,
    "limLow": limit_below,
    "limUpp": limit_above,
    "nary": operator,
    "func": function,
    "d": brackets,
    "m": matrix,
    "eqArr": lines,
    "acc": accent,
}


def property_of(element: etree._Element, name: str, otherwise: str) -> str:
    """What the element's properties say; "" where they say nothing on purpose, as of a bracket that is left out."""
    found = element.find(f"{element.tag}Pr/{M}{name}")
    return otherwise if found is None else found.get(f"{M}val", "")


def parts(element: etree._Element, name: str) -> Iterator[str]:
    return (linear(each).strip() for each in element.iterfind(f"{M}{name}"))


def part(element: etree._Element, name: str) -> str:
    return next(parts(element, name), "")


def below_and_above(element: etree._Element) -> str:
    return f"{signed('_', element, 'sub')}{signed('^', element, 'sup')}"


def signed(sign: str, element: etree._Element, name: str) -> str:
    """A part behind its sign; "" for an empty one."""
    text = grouped(element, name)
    return f"{sign}{text}" if text else ""


def grouped(element: etree._Element, name: str) -> str:
    """A part in brackets, unless it is one word, or has brackets of its own."""
    text = part(element, name)
    return text if SINGLE.fullmatch(text) or len(text) == 1 or is_bracketed(element, name) else f"({text})"


def is_bracketed(element: etree._Element, name: str) -> bool:
    within = [child.tag for child in element.iterfind(f"{M}{name}/*") if child.tag != f"{M}ctrlPr"]
    return within == [f"{M}d"] and element.find(f"{M}{name}/{M}d/{M}dPr/{M}begChr[@{M}val='']") is None
