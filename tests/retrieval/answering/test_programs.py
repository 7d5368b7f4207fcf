"""What is quoted from a program."""

from dataclasses import replace
from pathlib import Path

import pytest

from retrieval.answering.evidence import Evidence, margin
from retrieval.answering.quoting.extracts import extract
from retrieval.answering.quoting.programs import LONGEST, said_in, units
from retrieval.answering.sentences import Span
from tests.retrieval.answering_fakes import make_hit

PRICING = (Path(__file__).parents[3] / "sample/booking/pricing.py").read_text(encoding="utf-8")
FUNCTION = '''def deposit(booking):
    """The deposit for the whole loan. Members leave half.

Partners leave nothing.
    """

    highest = max(booking)

    return highest
'''


def pieces(text: str) -> list[str]:
    return [text[unit.start : unit.end] for unit in units(text)]


def symbols(text: str) -> list:
    """Hits as they are found: the functions of a file, and what stands above them."""
    above, *functions = [unit for unit in pieces(text) if "import" not in unit.split("\n")[0]]
    named = [(one.partition("(")[0].removeprefix("def "), one) for one in functions]
    titled = [("pricing.py", above), *((name if name.isidentifier() else "pricing.py", one) for name, one in named)]
    return [
        make_hit(one, source_file="booking/pricing.py", section_title=title, language="python", chunk_id=n)
        for n, (title, one) in enumerate(titled)
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            f"import os\n\n\n{FUNCTION}\n\nclass A:\n    b = 1\n",
            ["import os", FUNCTION.rstrip(), "class A:\n    b = 1"],
        ),
        ("function a() {\n  b();\n\n  c();\n\n}\n\nd();\n", ["function a() {\n  b();\n\n  c();\n\n}", "d();"]),
        (
            "        return 1\n\n    def b(self):\n        pass\n",
            ["        return 1", "    def b(self):\n        pass"],
        ),
        ("", []),
        ("\n\n", []),
    ],
)
def test_a_unit_is_whole(text, expected):
    assert [piece.strip("\n") for piece in pieces(text)] == expected


@pytest.mark.parametrize(
    "question",
    [
        "What are the deposits for each kind of bike, as a table?",
        "What do members leave?",
        "What is printed in the handbook?",
        "What does a no-show pay?",
        "How much is the late charge?",
        "Which amounts stay exact?",
    ],
)
def test_a_quotation_from_code_has_its_signature_and_its_docstring(question):
    for hit in symbols(PRICING):
        for one in extract(question, [hit]):
            assert not one.quote.text.startswith('"""')
            assert one.quote.text.startswith("def ") or hit.section_title == "pricing.py"
            assert one.quote.text.count('"""') in (0, 2)


def test_of_a_long_unit_lines_are_quoted_and_none_from_within_a_string():
    rules = " ".join(f"Rule {n} is for lamp{n} and door{n}." for n in range(30))
    body = "\n".join(f"    lamp{n} = door{n} + {n}" for n in range(80))
    text = f'def rules():\n    """{rules}"""\n{body}\n\n    note = """\n    {rules}\n    """\n    return lamp\n'
    for said, quoted in said_in(text):
        assert quoted.start <= said.start and said.end <= quoted.end
        assert text.count('"""', 0, quoted.start) % 2 == 0
        assert quoted.end - quoted.start <= LONGEST + len(text[said.start : said.end])


@pytest.mark.parametrize(
    ("question", "is_shown"),
    [
        ("Show the code of the function that computes the deposit", True),
        ("Show me the source code of deposit", True),
        ("Which function computes the deposit?", False),  # the best hit is no code
        ("How much is the deposit?", False),
        ("Show the code of the late charge", False),
    ],
)
def test_a_symbol_whose_code_is_asked_for_is_quoted_whole_and_is_enough(question, is_shown):
    page = make_hit("Guests leave the whole deposit.", section_title="Deposit", chunk_id=9)
    code = make_hit(FUNCTION, source_file="pricing.py", section_title="deposit")
    best, *_ = extract(question, [page, code]) or [None]
    assert bool(best and best.is_asked_code) == is_shown
    if best and is_shown:
        assert best.quote.span == Span(0, len(FUNCTION.rstrip())) and margin(Evidence(0.5), [best]) == 0


def test_a_method_is_named_by_the_words_of_its_own_name():
    code = make_hit(FUNCTION, source_file="shop.js", section_title="Shop.lateCharge")
    assert extract("Which method gives the late charge?", [code])[0].is_asked_code
    assert extract("Show the code of lateCharge", [code])[0].is_asked_code


CANCELLING = make_hit(
    "Cancelling a booking is free until 18:00. Later it costs half of the first day.",
    section_title="Cancelling",
    chunk_id=9,
)
FEE = make_hit(
    'def cancel_my_booking(booking):\n    """Cancel a booking: what it costs to cancel it later."""\n'
    "    return half(booking)",
    source_file="pricing.py",
    section_title="cancel_my_booking",
)


@pytest.mark.parametrize(
    ("question", "of_the_document", "file"),
    [
        ("How do I cancel my booking?", 3.0, "handbook.md"),
        ("How do I cancel my booking?", 1.0, "pricing.py"),  # not surely an answer
        ("What does cancel_my_booking return?", 3.0, "pricing.py"),
        ("Which function do I cancel my booking with?", 3.0, "pricing.py"),
    ],
)
def test_documents_come_before_programs_unless_programs_are_asked_for(question, of_the_document, file):
    def reading(texts):
        return [5.0 if "half(booking)" in text else of_the_document for text in texts]

    page = replace(CANCELLING, source_file="handbook.md")
    best, *_ = extract(question, [FEE, page], reading=reading)
    assert best.quote.hit.source_file == file


def test_a_program_that_nobody_asked_for_has_to_convince_more():
    def best(question, logit):
        return extract(question, [FEE], reading=lambda texts: [logit] * len(texts))

    assert margin(Evidence(0.9), best("How do I cancel my booking?", 1.5)) < 0
    assert margin(Evidence(0.9), best("How do I cancel my booking?", 3.5)) > 0
    assert margin(Evidence(0.9), best("What does the program say when I cancel my booking?", 1.5)) > 0
