"""What is said of one year or version answers for no other."""

import pytest

from retrieval.answering.editions import are_of_another
from retrieval.answering.evidence import Evidence, margin
from retrieval.answering.quoting.extracts import extract
from tests.retrieval.answering_fakes import make_hit

OTHERS = [
    ("What dividend did we get for 2022?", "For the financial year 2023 a dividend of 2.2 per cent was resolved.", ()),
    ("Wie hoch ist die Dividende für 2022?", "Für das Jahr 2023 beträgt sie 2 %.", ()),
    ("2022年の配当は", "2023年の配当は2%です。", ()),
    ("Opening hours in 2025?", "Open from 9 to 17.", ("Opening hours 2024",)),
    ("Opening hours in 2025?", "Open from 9 to 17.", ("docs/opening_hours-2024.md",)),
    ("Does it run on Django 4.2?", "It runs on Django 3.2.", ()),
    ("what did openssh 9.7 change", "DSA keys are gone.", ("Changelog", "9.6 (2024-03-01)", "Removed")),
    ("What is new in version 3?", "Colours.", ("v2.1",)),
]
SAME = [
    ("Have cheques been accepted in 2022?", "Cheques have not been accepted since 2019.", ()),
    ("What is the fee in 2026?", "From 1 January 2025 the fee is 30 euros.", ()),
    ("Was kostet der Beitrag 2025?", "Der Beitrag beträgt seit 2023 30 Euro.", ()),
    ("2022年の配当は", "2019年から配当は2%です。", ()),
    ("Who was in the chair in 2021?", "Ann (2019–2022) and Bob were in the chair.", ()),
    ("Who was in the chair in 2025?", "In 2024/25 Ann was in the chair.", ()),
    ("Opening hours in 2025?", "Open from 9 to 17.", ("docs/opening-hours-2024-25.md",)),
    ("Opening hours in 2025?", "In 2025, open from 9 to 17.", ("Opening hours 2024",)),
    ("What was the budget between 2020 and 2022?", "The budget of 2023 was four million.", ()),
    ("Does it run on Django 4.2?", "Django 3.2 or later.", ()),
    ("Does it run on Django 4.2?", "It runs on Django 4.2.7 and 5.0.", ()),
    ("Does it run on Django 4.2?", "It needs Python 3.10.", ("3.1 Installation",)),
    ("what did openssh 9.6 change", "DSA keys are gone.", ("Changelog", "9.6 (2024-03-01)", "Removed")),
    ("Is 4.2 MB allowed?", "The limit is 3.1 MB.", ()),
    ("Who was in the chair in 2021?", "On 2024-03-12 Ann took the chair.", ()),
    ("Does Nimbus work with Python 3.11?", "Nimbus works with Python 3.8 and newer.", ()),
    ("Does Nimbus work with Python 3.11?", "Nimbus works with Python 3.8 (and higher).", ()),
    ("Does Nimbus work with Python 3.11?", "Minimum Python 3.9.", ()),
    ("Läuft es mit Python 3.11?", "Es läuft mit Python 3.8 und neuer.", ()),
    ("¿Funciona con Python 3.11?", "Funciona con Python 3.8 y superiores.", ()),
    ("What is a locker in 2025?", "A locker costs 5 euros. Prices as published in the price list of 2023.", ()),
    ("How many days of leave in 2025?", "Updated on 12 March 2023. Every employee gets 30 days.", ()),
    ("I was hired in 2024. Days off for moving house?", "2 days off for moving house (agreement of 2016).", ()),
    ("Opening hours in 2025?", "Open from 9 to 17. © 2022", ()),
    ("Was kostet es 2025?", "Es kostet 5 Euro. Stand: 2024", ()),
    ("When was the bridge finished that was begun in 2018?", "The bridge was finished in 2021.", ()),
    ("When does the contract of 2019 end?", "It ends on 31 December 2026.", ()),
    ("Does it support OpenID in version 3.2?", "OpenID was added in version 2.4.", ()),
    ("Who was in the chair in 2010?", "Ann was elected in 2008.", ()),
    ("Who was in the chair in 2010?", "Ann led it in 2008, and Bob in 2012.", ()),
    ("What does Regulation (EU) 2016/679 say of minors?", "No child of 1999 needs consent.", ()),
    ("What is the fee?", "The fee of 2023 is 30 euros.", ()),
]


@pytest.mark.parametrize(("question", "said", "titles"), OTHERS)
def test_another_year_or_version_is_told_from_the_one_asked_for(question, said, titles):
    assert are_of_another(question, said, titles)
    assert not are_of_another(question, f"{said} As for {question}", titles)


@pytest.mark.parametrize(("question", "said", "titles"), SAME)
def test_bounds_the_same_and_what_is_of_something_else_are_no_others(question, said, titles):
    assert not are_of_another(question, said, titles)


def test_a_reader_convinces_nobody_of_another_year():
    hits = [make_hit("For the financial year 2023 a dividend of 2.2 per cent was resolved by the assembly.")]
    by_year = {
        year: extract(f"What dividend was resolved for {year}?", hits, reading=lambda texts: [4.0] * len(texts))
        for year in (2022, 2023)
    }
    assert margin(Evidence(1.3), by_year[2022]) < 0 < margin(Evidence(1.3), by_year[2023])


def test_of_two_years_the_one_asked_for_is_quoted():
    hits = [
        make_hit("The fee of 2023 was raised, and is 30 euros for each member of the boat club."),
        make_hit("The fee of 2022 stays, and is 20 euros for each member of the boat club."),
    ]
    best, *_ = extract(
        "What is the fee of 2022 for a member of the club?", hits, reading=lambda texts: [4.0, 1.0][: len(texts)]
    )
    assert "20 euros" in best.quote.text
