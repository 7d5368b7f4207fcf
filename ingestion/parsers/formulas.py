"""Formulas of Office in one line: their letters, and what else only their place would say: a/b, x^2, √x."""

import re

from lxml import etree

M = "{http://schemas.openxmlformats.org/officeDocument/2006/math}"
SIGNS = {f"{M}num": "", f"{M}den": "/", f"{M}sup": "^", f"{M}e": "√"}
EXPONENT = re.compile(r"[-+−]?[0-9]+")
SINGLE = re.compile(r"[\w.,]*")  # needs no brackets
RADICAL = f"{M}rad"


def linear(formula: etree._Element) -> str:
    """Signs and brackets are added in place."""
    for part in reversed(list(formula.iter(*SIGNS))):  # the inner ones first
        parent = part.getparent()
        if part.tag != f"{M}e" or (parent is not None and parent.tag == RADICAL):
            mark(part, SIGNS[part.tag])
    return "".join(formula.itertext())


def is_exponent(raised: str, before: str) -> bool:
    """Whether what is raised is a number right behind a digit, of which it would become one: 10⁶."""
    return EXPONENT.fullmatch(raised) is not None and before[-1:].isdecimal()


def mark(part: etree._Element, sign: str) -> None:
    text = "".join(part.itertext()).strip()
    if not text or not len(part):
        return
    opening, closing = ("", "") if SINGLE.fullmatch(text) else ("(", ")")
    part.text = f"{sign}{opening}{part.text or ''}"
    part[-1].tail = f"{part[-1].tail or ''}{closing}"
