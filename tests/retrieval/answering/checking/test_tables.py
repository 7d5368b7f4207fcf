"""Cells of a table, said of their row and their column."""

from collections.abc import Callable

import pytest

from retrieval.answering.checking.support import support
from retrieval.answering.quoting.tables import quotable
from tests.retrieval.answering.checking.pairs import holds

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


PANELS = [
    ("Panel", "Tools", "Who may use them"),
    ("B", "tyre levers, pumps", "everyone"),
    ("C", "torque wrenches", "everyone, after a word with the duty mechanic"),
    ("D", "spoke keys", "everyone"),
    ("E", "headset press", "duty mechanic only"),
]
FLEET = [
    ("Name", "Kind", "Class", "Load", "Child seats"),
    ("Otter", "two-wheeled box bike", "electric", "110 kg", "2"),
    ("Heron", "three-wheeled box bike, rain tent", "electric", "120 kg", "4"),
    ("Magpie", "longtail", "electric", "80 kg", "2"),
    ("Badger", "three-wheeled box bike", "unassisted", "100 kg", "2"),
    ("Wren", "longtail", "unassisted", "60 kg", "1"),
]
CHARGES = [("Reason", "Charge"), ("Box left dirty", "€15"), ("Lost lock key", "€35"), ("Lost battery key", "€60")]


def list_table(rows: list[tuple[str, ...]]) -> str:
    drawn = "".join(f"   * - {first}\n" + "".join(f"     - {cell}\n" for cell in cells) for first, *cells in rows)
    return f".. list-table:: What there is\n   :header-rows: 1\n\n{drawn}"


def csv_table(rows: list[tuple[str, ...]]) -> str:
    head, *below = (", ".join(f'"{cell}"' for cell in row) for row in rows)
    return f".. csv-table:: What there is\n   :header: {head}\n\n" + "".join(f"   {row}\n" for row in below)


def columns(rows: list[tuple[str, ...]], between: str = "  ") -> tuple[list[int], list[str]]:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return widths, [between.join(map(str.ljust, row, widths)) for row in rows]


def simple(rows: list[tuple[str, ...]]) -> str:
    widths, (head, *below) = columns(rows)
    rule = "  ".join("=" * width for width in widths)
    return "\n".join([rule, head, rule, *below, rule, ""])


def grid(rows: list[tuple[str, ...]]) -> str:
    widths, drawn = columns(rows, " | ")
    rule = "+-" + "-+-".join("-" * width for width in widths) + "-+\n"
    head, *below = (f"| {row} |\n" for row in drawn)
    return f"{rule}{head}{rule.replace('-', '=')}" + rule.join(below) + rule


def markdown(rows: list[tuple[str, ...]]) -> str:
    head, *below = (f"| {' | '.join(row)} |\n" for row in rows)
    return head + "|---" * len(rows[0]) + "|\n" + "".join(below)


def without_markup(rows: list[tuple[str, ...]]) -> str:
    return "".join(f"{' | '.join(row)}\n" for row in rows)


@pytest.mark.parametrize("drawn", [list_table, csv_table, simple, grid, markdown, without_markup])
@pytest.mark.parametrize(
    ("rows", "true", "false"),
    [
        (PANELS, "Everyone may use the tools on panel D.", "Everyone may use the tools on panel E."),
        (PANELS, "Everyone may use the tools on panels B and D.", "The headset press may be used by everyone."),
        (PANELS, "Everyone, after a word with the duty mechanic, may use the tools on panel C.",
         "Everyone, after a word with the duty mechanic, may use the tools on panel D."),
        (FLEET, "Wren has a load of 60 kg.", "Wren has a load of 100 kg."),
        (FLEET, "Heron is a three-wheeled box bike with a rain tent.",
         "Magpie is a three-wheeled box bike with a rain tent."),
        (FLEET, "Wren is an unassisted longtail.", "Wren is an electric longtail."),
        (FLEET, "Heron can carry up to 120 kg.", "Magpie can carry up to 120 kg."),
        (FLEET, "Heron has 4 child seats.", "Badger has 4 child seats."),
        (FLEET, "Badger carries 100 kg and has 2 child seats.", "Wren carries 60 kg and has 2 child seats."),
        (FLEET, "Wren carries 60 kg, Magpie 80 kg.", "Wren carries 80 kg, Magpie 60 kg."),
        (CHARGES, "A lost lock key costs €35.", "A lost battery key costs €35."),
        (CHARGES, "If the box is left dirty, the charge is €15.", "If the box is left dirty, the charge is €60."),
    ],
)  # fmt: skip
def test_what_one_row_says_is_not_said_of_the_next(
    drawn: Callable[[list[tuple[str, ...]]], str], rows: list[tuple[str, ...]], true: str, false: str
) -> None:
    assert holds(true, f"{drawn(rows)}\nAsk at the desk.")
    assert not holds(false, f"{drawn(rows)}\nAsk at the desk.")


def test_a_passage_that_begins_amid_a_row_or_a_table_reads_its_other_rows_alone() -> None:
    fleet, charges = list_table(FLEET), list_table(CHARGES)
    amid = fleet[fleet.index("   * - Badger") :]
    assert holds("Wren is an unassisted longtail.", amid)
    assert not holds("Wren has a load of 100 kg.", amid)
    amid = charges[charges.index("     - €35") :]
    assert holds("A lost battery key costs €60.", amid)
    assert not holds("A lost battery key costs €35.", amid)


@pytest.mark.parametrize("day", ["Tuesday", "Tuesdays"])
@pytest.mark.parametrize(("true", "false"), [("3 pm to 8 pm", "3 pm to 9 pm"), ("15:00 to 20:00", "10:00 to 13:00")])
def test_the_hours_of_a_weekday_are_said_of_it_in_the_plural_too(day: str, true: str, false: str) -> None:
    hours = grid([("Day", "Workshop", "Desk"), ("Tuesday", "15:00 to 20:00", "09:00 to 11:00"),
                  ("Saturday", "10:00 to 16:00", "10:00 to 13:00")])  # fmt: skip
    assert holds(f"On {day} the workshop is open from {true}.", hours)
    assert not holds(f"On {day} the workshop is open from {false}.", hours)


WHO = ["members", "guests", "children", "seniors", "students"]
BIKES = [("Bike", "Hour", "Day"), *((f"Bike {n}", f"{n % 9 + 2} euros", f"{n % 7 + 20} euros") for n in range(1, 71))]


@pytest.mark.parametrize(
    ("true", "false"),
    [
        ("Bike 7 costs 9 euros an hour.", "Bike 7 costs 8 euros an hour."),
        ("Bike 7 costs 20 euros a day.", "Bike 7 costs 22 euros a day."),
        ("Bike 12 costs 5 euros an hour.", "Bike 12 costs 7 euros an hour."),
        ("Bike 7 costs 9 euros an hour, bike 9 costs 2 euros.", "Bike 7 costs 2 euros an hour, bike 9 costs 9 euros."),
        ("Bikes 7 and 10 cost 9 and 3 euros an hour.", "Bikes 7 and 10 cost 99 and 3 euros an hour."),
    ],
)
def test_rows_that_share_a_word_are_named_by_what_tells_them_apart(true: str, false: str) -> None:
    table = markdown(BIKES)
    assert holds(true, table)
    assert not holds(false, table)


@pytest.mark.parametrize(
    "sentence", ["Bike 7 costs 99 euros.", "The bikes cost 99 euros.", "Bikes 1, 2, 3, 4, 5, 6, 7, 8 and 9 cost more."]
)
def test_a_long_table_has_hardly_more_quotations_than_rows(sentence: str) -> None:
    assert len(quotable(markdown(BIKES), "", sentence)) < 80


def test_rows_of_one_name_are_all_named_by_it() -> None:
    fares = [("Item", "Who", "Price"), *(("Bike", who, str(n)) for n, who in enumerate(WHO, 5)), ("Boat", WHO[0], "40")]
    assert holds("Bikes cost members 5, seniors 8.", markdown(fares))
    assert not holds("Boats cost members 5.", markdown(fares))
