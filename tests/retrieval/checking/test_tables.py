"""Cells of a table, said of their row and their column."""

import pytest

from retrieval.answering.checking.support import support
from tests.retrieval.checking.pairs import holds

PRICES = "Item | Members | Guests\nTandem | 12 | 18\nCargo bike | 15 | 25"


RULED = "| Item | Members | Guests |\n|---|---|---|\n| Tandem | €12 | €18 |\n| Cargo bike | €15 | €25 |"


@pytest.mark.parametrize(
    ("passage", "true", "false"),
    [
        (RULED, "A tandem costs guests €18.", "Members pay €18 for a tandem."),
        (RULED, "Guests pay €25 for a cargo bike.", "Guests pay €18 for a cargo bike."),
        (PRICES, "Members pay 15 and guests 25 for a cargo bike.", "Members pay 25 and guests 15 for a cargo bike."),
        (PRICES, "Members and guests pay 12 and 18 for a tandem.", "Members pay 25 for a cargo bike."),
        ("| Plan | 2023 | 2024 |\n| Basic | 10 | 12 |\n| Team | 20 | 25 |", "In 2024 the Team plan costs 25.",
         "In 2023 the Team plan costs 25."),
        ("Item | Members | Guests\nRoom A | 20 | 35\nRoom B | 30 | 50", "Members pay 20 for Room A.",
         "Members pay 35 for Room A."),
        ("Trailer: Guests €6, Full deposit €40.", "A trailer costs guests €6.", "A trailer costs guests €40."),
    ],
)  # fmt: skip
def test_a_number_of_a_table_is_said_of_its_row_and_its_column(passage: str, true: str, false: str) -> None:
    assert holds(true, passage)
    assert not holds(false, passage)


def test_a_row_far_below_its_tables_head_is_read_with_it() -> None:
    rows = "\n".join(f"| Bike {letter} | {n} | {n + 30} |" for n, letter in enumerate("ABCDEFGHIJK", start=10))
    passage = f"| Item | Members | Guests |\n|---|---|---|\n{rows}"
    assert not holds("Bike K is 50 for members.", passage)
    assert not holds("Bike K: 50 (members).", passage)
    assert holds("Bike K: 20.", passage)


DUTIES = "Post | Signs | Answers to\nDesk lead | Rotas | Floor head\nFloor head | Orders | Director"


@pytest.mark.parametrize(
    ("true", "false"),
    [
        ("The desk lead signs rotas.", "The desk lead signs orders."),
        ("The floor head signs orders and answers to the director.", "The desk lead answers to the director."),
    ],
)
def test_a_word_of_a_table_is_said_of_its_row(true: str, false: str) -> None:
    assert holds(true, DUTIES)
    assert not holds(false, DUTIES)


PLANS = """| Plan | Users | Storage (GB) | Price (€ per month) | Discount % |
|---|---|---|---|---|
| Basic | 5 | 20 | 9 | 0 |
| Team | 25 | 100 | 49 | 10 |
"""


@pytest.mark.parametrize(
    ("true", "false"),
    [
        ("The Basic plan has 5 users.", "The Basic plan has 25 users."),
        ("The Basic plan has 5 users.", "The Basic plan has 20 users."),
        ("The Team plan includes 100 GB.", "The Basic plan includes 100 GB."),
        ("The Team plan has 25 users and 100 GB of storage.", "The Team plan has 100 users and 25 GB of storage."),
        ("The Basic plan costs €9 per month.", "The Team plan costs €9 per month."),
        ("The Team plan has a 10 % discount.", "The Team plan has a 25 % discount."),
    ],
)
def test_a_number_of_a_table_has_the_unit_of_its_column(true: str, false: str) -> None:
    head, rows = PLANS[: PLANS.index("| Basic")], PLANS[PLANS.index("| Basic") :]
    assert holds(true, PLANS) and support(true, rows, head=head).holds
    assert not holds(false, PLANS) and not support(false, rows, head=head).holds
