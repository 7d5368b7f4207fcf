"""Rows that hold what a question names: numbers, weekdays, seasons."""

from collections.abc import Sequence

import pytest

from retrieval.answering.citations import best_quote
from retrieval.answering.evidence import weigh
from retrieval.answering.quoting.days import dates_asked, dates_in, weekdays_asked, weekdays_in
from retrieval.answering.quoting.extracts import extract
from retrieval.answering.quoting.held import held_in
from retrieval.answering.quoting.ranges import Range, range_in
from tests.retrieval.answering_fakes import make_hit

BOATS = """| Length of the boat | Night | Week |
| --- | ---: | ---: |
| up to 8 m | 18 € | 108 € |
| up to 10 m | 24 € | 144 € |
| up to 12 m | 31 € | 186 € |
| over 12 m | 42 € | 252 € |"""
NOTICE = """| Employed for | Notice |
| --- | --- |
| up to 6 months (probation) | 2 weeks |
| up to 2 years | 4 weeks |
| from 2 years | 1 month |
| from 5 years | 2 months |"""
LICENCES = """| Licences | Discount |
| --- | ---: |
| 1–9 | none |
| 10–49 | 8 % |
| 50 and more | 15 % |"""
SERVICE = """- less than 2 years of service: 25 days
- 2 to 5 years of service: 27 days
- **more than 5 years of service:** 30 days"""
AGES = "| Age | Group |\n| --- | --- |\n| 7–10 | Robins |\n| 11 and older | Owls |"
HOURS = """| Day | Hours |
| --- | --- |
| Monday to Thursday | 7:00–20:00 |
| Friday | 7:00–22:00 |
| Sat–Sun | 9:00–18:00 |"""
LINES = "Monday to Thursday 9:00–17:00\nFriday 9:00–13:00"
PRINTED = "up to 8 m     18 €\nup to 10 m    24 €\nover 10 m .... 30 €"
SEASONS = """| Saison | Eintritt |
| --- | ---: |
| 1. April – 31. Oktober | 9 € |
| 01.11.–31.03. | 7 € |"""


@pytest.mark.parametrize(
    ("cell", "expected"),
    [
        ("up to 8 m", Range(high=8)),
        ("≤ 8", Range(high=8)),
        ("5 years or less", Range(high=5)),
        ("under 5s", Range(high=5, has_high=False)),
        ("unter 6 Jahren", Range(high=6, has_high=False)),
        ("12歳未満", Range(high=12, has_high=False)),
        ("from 5 years", Range(low=5)),
        ("ab 18 Jahren", Range(low=18)),
        ("13 years and older", Range(low=13)),
        ("65+", Range(low=65)),
        ("6歳以上", Range(low=6)),
        ("above 5,000 €", Range(low=5000, has_low=False)),
        ("más de 10", Range(low=10, has_low=False)),
        ("$10–20", Range(10, 20)),
        ("6 à 12 ans", Range(6, 12)),
        ("от 5 до 10 кг", Range(5, 10)),
        ("over 8 up to 12 m", Range(8, 12, has_low=False)),
        ("from 6 to less than 12", Range(6, 12, has_high=False)),
        ("Zone 3", Range(3, 3)),
        ("12 x 15 cm", None),
        ("8:00–12:00", None),
        ("1 May – 31 October", None),
        ("E07", None),
        ("see page 3 to learn how it is done", None),
        ("on request", None),
    ],
)
def test_what_a_cell_says_is_read_as_a_range(cell: str, expected: Range | None) -> None:
    assert range_in(cell) == expected


@pytest.mark.parametrize(
    ("cell", "days"),
    [
        ("Monday to Thursday", {0, 1, 2, 3}),
        ("Mo, Mi, Fr", {0, 2, 4}),
        ("du lundi au vendredi", {0, 1, 2, 3, 4}),
        ("maandag t/m woensdag", {0, 1, 2}),
        ("Sat.–Mon.", {0, 5, 6}),
        ("Sat/Sun", {5, 6}),
        ("pon do pt", set()),  # “do” is Thursday elsewhere: it is left alone
        ("Monday 9–17", set()),
        ("Sunday school", set()),
    ],
)
def test_what_a_cell_says_is_read_as_weekdays(cell: str, days: set[int]) -> None:
    assert weekdays_in(cell) == days


@pytest.mark.parametrize(
    ("cell", "inside", "outside"),
    [
        ("1 April – 31 October", "on 1 May", "on 3 November"),
        ("November to March", "in January", "in June"),
        ("01.11.2025–31.03.2026", "am 24. Dezember", "am 1. April"),
        ("June, July and August", "in July", "in May"),
        ("Jan–Mar", "in February", "in April"),
        ("December 24", "24 December", "25 December"),
    ],
)
def test_what_a_cell_says_is_read_as_days_of_the_year(cell: str, inside: str, outside: str) -> None:
    [(_, held)], [(_, other)] = dates_asked(inside), dates_asked(outside)
    assert held <= dates_in(cell)
    assert not other <= dates_in(cell)


@pytest.mark.parametrize("question", ["May I bring my dog?", "Who can march there?", "What is the sun?"])
def test_words_that_are_no_days_are_not_taken_for_them(question: str) -> None:
    assert not [*weekdays_asked(question), *dates_asked(question)]


@pytest.mark.parametrize(
    ("question", "table", "row"),
    [
        ("What does a boat of 11 metres pay a night?", BOATS, "up to 12 m"),
        ("fee for a 9.5 m boat", BOATS, "up to 10 m"),
        ("a yacht of seventeen metres", BOATS, "over 12 m"),
        ("a boat of 11 tons", BOATS, ""),
        ("What did a boat pay in 2024?", BOATS, ""),
        ("notice after 7 years", NOTICE, "from 5 years"),
        ("notice after 4 months", NOTICE, "up to 6 months"),
        ("notice after 2 years", NOTICE, ""),  # two rows hold it
        ("discount for 12 licences", LICENCES, "10–49"),
        ("discount for 12 chairs", LICENCES, ""),
        ("How much leave after 8 years?", SERVICE, "**more than 5"),
        ("How much leave after 3 years?", SERVICE, "2 to 5"),
        ("Which group is a child of 8 years in?", AGES, "7–10"),
        ("lessons for a 16-year-old", AGES, "11 and older"),
        ("lessons for 8 people", AGES, ""),
        ("Is it open on Wednesday?", HOURS, "Monday to Thursday"),
        ("Until when on Sundays?", HOURS, "Sat–Sun"),
        ("Is it open on Wednesday?", LINES, "Monday to Thursday"),
        ("fee for a boat of 9 m", PRINTED, "up to 10 m"),
        ("Was kostet es im Januar?", SEASONS, "01.11."),
        ("Was kostet es am 3. Mai?", SEASONS, "1. April"),
        ("Was kostet es?", SEASONS, ""),
    ],
)
def test_the_row_is_found_that_holds_what_is_asked(question: str, table: str, row: str) -> None:
    found = [table[one.row.span.start : one.row.span.end].removeprefix("| ") for one in held_in(question, table)]
    assert len(found) == bool(row)
    assert all(said.startswith(row) for said in found)


def test_a_reader_is_told_that_the_row_holds_what_is_asked() -> None:
    read: list[str] = []

    def reading(texts: Sequence[str]) -> list[float]:
        read.extend(texts)
        return [0.0] * len(texts)

    fees = make_hit(f"Fees are paid on arrival.\n\n{BOATS}", breadcrumb=("Harbour fees",))
    extract("What does the harbour cost for a boat of 11 metres?", [fees], reading=reading)
    assert "Harbour fees\nLength of the boat 11 metres: up to 12 m: Night 31 €, Week 186 €." in read


def test_a_number_that_a_row_holds_is_not_missing() -> None:
    hits = [make_hit(LICENCES, scores={"vector": 0.3})]
    held, foreign = (weigh(f"discount for {asked}", hits).strength for asked in ("12 licences", "12 chairs"))
    assert held - foreign > 0.3


def test_a_long_table_is_shown_by_the_row_that_holds_what_is_asked() -> None:
    rows = "\n".join(f"| {10 * n + 1}–{10 * n + 10} kg | {n + 3} € |" for n in range(12))
    table = f"| Weight of the parcel | Postage |\n| --- | ---: |\n{rows}"
    [quoted, *_] = extract("What is the postage of a parcel of 37 kg?", [make_hit(table)])
    assert quoted.quote.text.strip("| ") == "31–40 kg | 6 €"


@pytest.mark.parametrize(
    ("sentence", "table", "is_true"),
    [
        ("A boat of 11 metres pays 31 € a night.", BOATS, True),
        ("A boat of 11 metres pays 42 € a night.", BOATS, False),
        ("A boat of 11 metres pays 31 € a week.", BOATS, False),
        ("Boats over 11 metres pay 31 € a night.", BOATS, False),
        ("After 7 years the notice is 2 months.", NOTICE, True),
        ("After 7 years the notice is 1 month.", NOTICE, False),
        ("For 12 licences there is a discount of 8 %.", LICENCES, True),
        ("For 12 licences there is a discount of 15 %.", LICENCES, False),
        ("After 8 years of service you get 30 days.", SERVICE, True),
        ("After 8 years of service you get 27 days.", SERVICE, False),
        ("After 8 days of service you get 30 days.", SERVICE, False),
        ("On Wednesday the hours are 7:00–20:00.", HOURS, True),
        ("On Wednesday the hours are 7:00–22:00.", HOURS, False),
        ("On Sunday the hours are 7:00–22:00.", HOURS, False),
        ("Im Januar kostet der Eintritt 7 €.", SEASONS, True),
        ("Im Januar kostet der Eintritt 9 €.", SEASONS, False),
    ],
)
def test_a_sentence_about_what_a_row_holds_is_held_against_that_row(sentence: str, table: str, is_true: bool) -> None:
    quote = best_quote(sentence, [make_hit(table)])
    assert quote is not None
    assert quote.support.holds == is_true
