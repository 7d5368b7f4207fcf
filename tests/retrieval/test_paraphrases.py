"""What says the same in another spelling or in other words, beside what says something else."""

import pytest

from retrieval.answering.citations import best_quote
from tests.retrieval.answering_fakes import make_hit


def holds(sentence: str, passage: str) -> bool:
    quote = best_quote(sentence, [make_hit(passage)])
    return quote is not None and quote.support.holds


@pytest.mark.parametrize(
    ("passage", "true", "false"),
    [
        ("Meetings are held on the second floor.", "Meetings are held on the 2nd floor.",
         "Meetings are held on the 3rd floor."),
        ("Meetings are held on the 2nd floor.", "Meetings are held on the second floor.",
         "Meetings are held on the third floor."),
        ("The rent is due on the fifth of each month.", "The rent is due on the 5th of each month.",
         "The rent is due on the 6th of each month."),
        ("The rent is due on the 5th of May.", "The rent is due on 5 May.", "The rent is due on the 6th of May."),
        ("The contract was signed on 2024-04-03.", "The contract was signed on 3 April 2024.",
         "The contract was signed on 4 March 2024."),
        ("The contract was signed on 3 April 2024.", "The contract was signed on 2024-04-03.",
         "The contract was signed on 2024-03-04."),
        ("The contract was signed on 2024-04-03.", "On April 3rd, 2024 the contract was signed.",
         "The contract was signed on 3 April 2025."),
        ("Der Vertrag wurde am 2024-04-03 unterschrieben.", "Der Vertrag wurde am 3. April 2024 unterschrieben.",
         "Der Vertrag wurde am 4. April 2024 unterschrieben."),
        ("Der Vertrag wurde am 03.04.2024 unterschrieben.", "Der Vertrag wurde am 3. April 2024 unterschrieben.",
         "Der Vertrag wurde am 4. März 2024 unterschrieben."),
        ("Opened on 2024-05-01, closed on 2024-06-01.", "Opened on 1 May 2024.", "Opened on 1 June 2024."),
        ("The log is in backup-2024-04-03.tar.gz.", "The log is in backup-2024-04-03.tar.gz.",
         "The log is in backup-2024-04-04.tar.gz."),
    ],
)  # fmt: skip
def test_a_date_and_an_ordinal_are_one_however_they_are_written(passage: str, true: str, false: str) -> None:
    assert holds(true, passage)
    assert not holds(false, passage)


@pytest.mark.parametrize(
    ("passage", "true", "false"),
    [
        ("A ticket costs 10.5 dollars.", "A ticket costs $10.50.", "A ticket costs $10.05."),
        ("A ticket costs €10.50.", "A ticket costs 10.5 euros.", "A ticket costs 10.5 dollars."),
        ("Der Eintritt kostet 7,50 Euro.", "Der Eintritt kostet 7,5 Euro.", "Der Eintritt kostet 7,05 Euro."),
        ("Adults pay €12.50, children pay €6.50.", "Children pay 6.5 euros.", "Children pay 12.5 euros."),
        ("Version 2.10 fixes the printer.", "Version 2.10 fixes the printer.", "Version 2.1 fixes the printer."),
        ("| Plan | Price ($) |\n|---|---|\n| Basic | 9.5 |\n| Pro | 29.5 |", "The Basic plan has a price of $9.5.",
         "The Basic plan has a price of $29.50."),
        ("The budget is $1.5 million.", "The budget is $1.5 million.", "The budget is $1.50."),
    ],
)  # fmt: skip
def test_cents_of_money_alone_end_with_a_nought_or_without(passage: str, true: str, false: str) -> None:
    assert holds(true, passage)
    assert not holds(false, passage)


@pytest.mark.parametrize(
    ("passage", "true", "false"),
    [
        ("On Sundays, the pool is open; on Mondays it is not.", "On Mondays, the pool is not open.",
         "On Sundays, the pool is not open."),
        ("On Sundays, the pool is open; on Mondays it is not.", "On Sundays, the pool is open.",
         "On Mondays, the pool is open."),
        ("Samstags ist das Bad geöffnet, sonntags nicht.", "Sonntags ist das Bad nicht geöffnet.",
         "Samstags ist das Bad nicht geöffnet."),
    ],
)  # fmt: skip
def test_what_a_denial_leaves_out_may_be_said(passage: str, true: str, false: str) -> None:
    assert holds(true, passage)
    assert not holds(false, passage)


@pytest.mark.parametrize(
    ("passage", "true", "false"),
    [
        ("Der Schlüssel ist bis zum 31. Mai zurückzugeben.", "Der Schlüssel muss bis zum 31. Mai zurückgegeben werden.",
         "Der Schlüssel muss nicht bis zum 31. Mai zurückgegeben werden."),
        ("Le toit sera réparé en mai.", "En mai, le toit sera réparé.", "Le toit ne sera pas réparé en mai."),
        ("Non aprire mai il coperchio.", "Il coperchio non si deve aprire mai.", "Il coperchio si deve aprire."),
    ],
)  # fmt: skip
def test_the_month_of_may_denies_nothing(passage: str, true: str, false: str) -> None:
    assert holds(true, passage)
    assert not holds(false, passage)


@pytest.mark.parametrize(
    ("passage", "true", "false"),
    [
        ("Smoking is not permitted anywhere in the building.", "Smoking is prohibited in the building.",
         "Smoking is permitted in the building."),
        ("Smoking is prohibited on the terrace.", "No, you are not allowed to smoke on the terrace.",
         "Yes, you are allowed to smoke on the terrace."),
        ("Glass bottles are forbidden at the pool.", "You may not bring glass bottles to the pool.",
         "You may bring glass bottles to the pool."),
        ("Parking is forbidden in front of the gate.", "Do not park in front of the gate.",
         "Park in front of the gate."),
        ("Hunde sind im Garten verboten.", "Hunde sind im Garten nicht erlaubt.", "Hunde sind im Garten erlaubt."),
        ("Guests are not permitted to use the kitchen but may use the garden.", "Guests may use the garden.",
         "Guests may use the kitchen."),
        ("Smoking is prohibited in the hall and allowed on the terrace.", "Smoking is allowed on the terrace.",
         "Smoking is allowed in the hall."),
        ("Cats are welcome. Dogs are prohibited.", "Cats are welcome.", "Cats are prohibited."),
    ],
)  # fmt: skip
def test_what_is_not_allowed_is_forbidden(passage: str, true: str, false: str) -> None:
    assert holds(true, passage)
    assert not holds(false, passage)


@pytest.mark.parametrize(
    ("passage", "true", "false"),
    [
        ("Check-in starts at 15:00.", "Check-in starts at 3 p.m.", "Check-in starts at 3 a.m."),
        ("Check-in starts at 3 p.m. Guests get a key.", "Check-in starts at 15:00.", "Check-in starts at 3:00."),
        ("If you are ill, call your manager before 9:00.", "You need to call your manager before 9 am if you are ill.",
         "You need to call your manager before 9 pm if you are ill."),
        ("The night desk opens at 00:30.", "The night desk opens at 12:30 am.", "The night desk opens at 12:30 pm."),
        ("Breakfast is served from 7 to 10 a.m.", "Breakfast is served from 7 a.m. to 10 a.m.",
         "Breakfast is served from 7 p.m. to 10 p.m."),
    ],
)  # fmt: skip
def test_an_hour_is_one_by_either_clock(passage: str, true: str, false: str) -> None:
    assert holds(true, passage)
    assert not holds(false, passage)


@pytest.mark.parametrize(
    ("passage", "true", "false"),
    [
        ("Employees are entitled to 28 days of paid leave per year.",
         "According to the handbook, employees receive 28 days of paid leave each year.",
         "According to the handbook, employees receive 29 days of paid leave each year."),
        ("Der Vorstand tagt jährlich.", "Laut Handbuch tagt der Vorstand jährlich.",
         "Laut Handbuch tagt der Vorstand monatlich."),
        ("The tenant pays the deposit in May.", "Based on the contract, the tenant pays the deposit in May.",
         "According to the Contoso handbook, the tenant pays the deposit in May."),
    ],
)  # fmt: skip
def test_a_source_that_is_named_first_is_no_claim(passage: str, true: str, false: str) -> None:
    assert holds(true, passage)
    assert not holds(false, passage)


@pytest.mark.parametrize(
    ("passage", "true", "false"),
    [
        ("Adults: €12.50\nChildren under 12: €6\nFamilies: €30",
         "Adults pay €12.50, children under 12 pay €6, and families pay €30.",
         "Adults pay €12.50, children under 14 pay €6, and families pay €30."),
        ("Kinder unter 12 Jahren: 6 Euro Eintritt", "Kinder unter 12 zahlen 6 Euro Eintritt.",
         "Kinder unter 14 zahlen 6 Euro Eintritt."),
    ],
)  # fmt: skip
def test_a_verb_is_not_what_a_number_counts(passage: str, true: str, false: str) -> None:
    assert holds(true, passage)
    assert not holds(false, passage)
