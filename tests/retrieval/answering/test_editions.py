"""What is said of one year or version answers for no other."""

import pytest

from retrieval.answering.editions import are_of_another
from retrieval.answering.evidence import Evidence, margin
from retrieval.answering.quoting.extracts import extract
from tests.retrieval.answering_fakes import make_hit

YEARS = "| | Swimming |\n|---|---|\n| Year 1 | Monday, 2 hours |\n| Year 3 | Tuesday |\n| Year 5 | Friday |"
OTHERS = [
    ("What dividend did we get for 2022?", "For the financial year 2023 a dividend of 2.2 per cent was resolved.", ()),
    ("Wie hoch ist die Dividende für 2022?", "Für das Jahr 2023 beträgt sie 2 %.", ()),
    ("2022年の配当は", "2023年の配当は2%です。", ()),
    ("Opening hours in 2025?", "Open from 9 to 17.", ("Opening hours 2024",)),
    ("Opening hours in 2025?", "Open from 9 to 17.", ("docs/opening_hours-2024.md",)),
    ("Does it run on Django 4.2?", "It runs on Django 3.2.", ()),
    ("what did openssh 9.7 change", "DSA keys are gone.", ("Changelog", "9.6 (2024-03-01)", "Removed")),
    ("What is new in version 3?", "Colours.", ("v2.1",)),
    ("When does Year 2 swim?", YEARS, ()),
    ("when do pupils in year two swim", YEARS, ()),
    ("Who is on call in week 20?", "| Week | On call |\n|---|---|\n| 14 | Gareth |\n| 15 | Ines |", ()),
    ("Wer hat in Woche 20 Dienst?", "Woche | Dienst\n14 | Gareth\n15 | Ines\n16 | Gareth", ()),
    ("What do Year 2 learn?", YEARS, ()),
    ("When does Year 2 swim?", "On Tuesdays, for 2 hours.", ("Swimming", "Year 3")),
    ("When does Year 2 swim?", "On Tuesdays.", ("Years 3 and 4",)),
    ("When does Year 2 swim?", "Years 1, 3, 5 and 6 swim on Mondays, for 2 hours.", ()),
    ("When does Year 2 swim?", "Year 1 swims every Monday\nYear 3 swims all day, for 5 euros each\nYear 4: always", ()),
    ("When does Year 2 swim?", "All pupils swim on Mondays.", ("Year 3",)),
    ("When does Year 2 swim?", "On Monday Year 1 swims for 2 hours, and Year 3 runs.", ()),
    ("Wann schwimmt Klasse 2?", "Montags schwimmt die Klasse 1, dienstags die Klasse drei.\n- Klasse 4: mittwochs", ()),
    ("Quel est le prix de la zone 2 ?", "| Zone | Prix |\n|---|---|\n| Zone 1 | 5 € |\n| Zone 3 | 12 € |", ()),
    ("¿Cuánto cuesta el nivel 2?", "Nivel 1: 20 €\nNivel 3: 30 €", ()),
    ("Quando nuota la classe 2?", "Classe 1: lunedì alle 9\nClasse 3: tutti i giorni alle 10", ()),
    ("What does level 2 cost?", "Level I: 10 euros\nLevel III: 30 euros", ()),
    ("What does level 2 cost?", "It costs 30 euros.", ("Level III",)),
    ("What is size 44 called?", "Size 38: small\nSize 40: medium", ()),
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
    ("When does Year 1 swim?", YEARS, ()),
    ("When does Year 2 swim?", "Years 1 to 3 swim on Mondays.", ("Year 4",)),
    ("When does Year 2 swim?", "Years 1-3: Mondays\nYears 4-6: Tuesdays", ()),
    ("When does Year 7 swim?", "Year 5: Mondays\nYear 6 and above: Tuesdays", ()),
    ("When does Year 2 swim?", "Year 1: Mondays\nThe second year: Tuesdays\nYear 3: Wednesdays", ()),
    ("When does Year 2 swim?", "Year 1: Mondays\nYear Two: Tuesdays\nYear 3: Wednesdays", ()),
    (
        "When does Year 2 swim?",
        "| Year | Day |\n|---|---|\n| Year 1 | Monday |\n| 2 | Tuesday |\n| Year 3 | Friday |",
        (),
    ),
    ("When does Year 2 swim?", "Year 3 has its lesson on Mondays, all others on Tuesdays.", ()),
    ("Who is on call in week 15?", "| Week | On call |\n|---|---|\n| 14 | Gareth |\n| 15 | Ines |", ()),
    ("What do I get at level 7?", "| Level | Bonus |\n|---|---|\n| 1 | 5 % |\n| 5 | 8 % |\n| 10 | 9 % |", ()),
    (
        "Who is on call in week 20?",
        "| Week | On call |\n|---|---|\n| 14 | Gareth |\n| 15 | Ines |\n| later | Tom |",
        (),
    ),
    ("When does Year 2 swim?", "Years 1, 3, 5 and 6 swim on Mondays, the others never.", ()),
    ("Is parking on level 4 free?", "Parking is free on all levels. The lifts are at Level 1 and Level 5.", ()),
    ("Who is on level 2?", "- Level 1: lobby only.\n- Level 3: lobby and labs.\n- All others: lobby and offices.", ()),
    ("Is it free on level 4?", "It is free on every level except Level 1 and Level 2.", ()),
    ("Is there a lift on level 4?", "Each level has a lift, and only Level 1 and Level 2 a bar.", ()),
    ("How long is form 7 kept?", "Form 3 and Form 5 are kept for ten years, as are all other forms.", ()),
    ("Was kostet Stufe 2?", "Stufe 1 kostet 3, Stufe 3 kostet 9, alle anderen Stufen 5 Euro.", ()),
    ("What does tier 4 cost?", "Tier 1: 5 euros\nTier 2: 9 euros\nHigher tiers: 20 euros", ()),
    ("Who has ticket 7?", "Tickets 1, 2, 3 ... 20 are Ann's.", ()),
    ("Who has ticket 7?", "Tickets 1, 2, 3, …, 20 are Ann's.", ()),
    ("What does level 2 cost?", "| Level 1 | 10 euros |\n| Level II | 30 euros |\n| Level 3 | 4 euros |", ()),
    ("What does level 4 cost?", "Level I: 10 euros\nLevels II, III and IV: 30 euros", ()),
    ("What does level 4 cost?", "It costs 10 euros.", ("Level IV",)),
    ("When do years 2 and 3 swim?", "Year 1: Mondays\nYear 3: Tuesdays", ()),
    ("Until which year, from Year 2 on, do they swim?", "Year 1: Mondays\nYear 3: Tuesdays", ()),
    ("May I borrow 2 bikes?", "Members borrow 3 bikes, and guests\nborrow 1 bike.", ()),
    ("Co jest do klasy 2?", "Klasa 1: kino\nKlasa 3: teatr", ()),
    ("Is it open until 5?", "Open until 4.\nUntil 6 on Fridays.", ()),
    ("May my child, who is 2, come?", "Children: 3 on each bench.\nIs 5 the limit? Is 6?", ()),
    ("What is on May 2?", "May 1: concert\nMay 3: dance", ()),
    ("What does chapter 2 say?", "2. Nothing is said.", ("Chapter 1",)),
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
