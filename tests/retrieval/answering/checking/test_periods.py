"""What is so per month is not so per day, in every language of the answers."""

from itertools import chain, combinations, permutations

import pytest

from knowledge.texts.words import content, folded
from retrieval.answering.checking.periods import NAMES, PERIODS, rates
from retrieval.answering.checking.quantities import SPELLINGS
from retrieval.answering.phrases import IN
from tests.retrieval.answering.checking.pairs import holds

SAID = {
    "en": [("The price is 5 euros {}.", ("per day", "a month", "every year")),
           ("The fee is paid {}.", ("daily", "monthly", "yearly"))],
    "fr": [("Le prix est de 5 euros {}.", ("par jour", "par mois", "par an")),
           ("Les frais sont payés {}.", ("quotidiennement", "mensuellement", "annuellement"))],
    "de": [("Der Preis beträgt 5 Euro {}.", ("pro Tag", "im Monat", "im Jahr")),
           ("Die Gebühr wird {} bezahlt.", ("täglich", "monatlich", "jährlich"))],
    "es": [("El precio es de 5 euros {}.", ("por día", "al mes", "cada año")),
           ("La cuota se paga {}.", ("diariamente", "mensualmente", "trimestralmente"))],
    "it": [("Il prezzo è di 5 euro {}.", ("al giorno", "al mese", "all'anno")),
           ("La quota si paga {}.", ("giornalmente", "mensilmente", "annualmente"))],
    "nl": [("De prijs is 5 euro {}.", ("per dag", "per maand", "elk jaar")),
           ("De bijdrage wordt {} betaald.", ("dagelijks", "maandelijks", "jaarlijks"))],
    "pt": [("O preço é de 5 euros {}.", ("por dia", "por mês", "ao ano")),
           ("A quota é paga {}.", ("diariamente", "mensalmente", "anualmente"))],
    "pl": [("Cena wynosi 5 euro {}.", ("za dzień", "za miesiąc", "na rok")),
           ("Opłata jest pobierana {}.", ("dziennie", "miesięcznie", "rocznie"))],
    "ru": [("Цена составляет 5 евро {}.", ("в день", "за месяц", "каждый год")),
           ("Плата взимается {}.", ("ежедневно", "ежемесячно", "ежегодно"))],
    "zh": [("价格为{}5欧元。", ("每天", "每个月", "每年")), ("价格为5欧元/{}。", ("天", "月", "年"))],
    "ja": [("料金は{}5ユーロです。", ("毎日", "毎月", "毎年")), ("料金は{}5ユーロです。", ("日額", "月額", "年額")),
           ("料金は{}5ユーロです。", ("一日につき", "一か月ごとに", "一年あたり"))],
    "ar": [("السعر 5 يورو {}.", ("في اليوم", "لكل شهر", "كل سنة")), ("تدفع الرسوم {}.", ("يوميًا", "شهريًا", "سنويًا"))],
}  # fmt: skip


@pytest.mark.parametrize("language", IN)
def test_a_month_is_no_day_in_any_language(language: str) -> None:
    for sentence, periods in SAID[language]:
        assert all(holds(sentence.format(one), sentence.format(one)) for one in periods)
        for one, other in permutations(periods, 2):
            assert not holds(sentence.format(one), sentence.format(other)), (one, other)


@pytest.mark.parametrize("language", IN)
def test_every_period_has_its_names_in_every_language(language: str) -> None:
    assert all(names[language].split() for names in NAMES.values())


def test_no_name_is_of_two_periods() -> None:
    stems = [
        {stem for form in chain(*(text.replace("|", " ").split() for text in names.values())) for stem in content(form)}
        for names in NAMES.values()
    ]
    assert not any(one & other for one, other in combinations(stems, 2))
    assert PERIODS[folded("año")] == PERIODS["jaar"] == PERIODS["год"] == "year"
    assert SPELLINGS["h"] == SPELLINGS["uur"] >= {"hour", "stund"}


@pytest.mark.parametrize(
    ("passage", "true", "false"),
    [
        ("The plan for small teams costs $5/month.", "The plan for small teams costs $5 per month.",
         "The plan for small teams costs $5 per year."),
        ("The plan for small teams costs $5 per month.", "The plan for small teams costs $5/month.",
         "The plan for small teams costs $5/year."),
        ("The fee for a locker is paid monthly.", "The fee for a locker is paid each month.",
         "The fee for a locker is paid yearly."),
        ("Requests are limited to 100 per second for each key.", "For each key requests are limited to 100 per second.",
         "Requests are limited to 100 per minute for each key."),
        ("Rooms cost 80 euros per night for two guests.", "For two guests rooms cost 80 euros a night.",
         "Rooms cost 80 euros per week for two guests."),
        ("The boat is rented for 20 euros by the hour.", "The boat is rented for 20 euros an hour.",
         "The boat is rented for 20 euros by the day."),
        ("Im Jahr 2024 zahlen Mitglieder 5 Euro pro Monat.", "2024 zahlen Mitglieder 5 Euro im Monat.",
         "2024 zahlen Mitglieder 5 Euro pro Woche."),
        ("Stawka dzienna wynosi 20 zł.", "Stawka wynosi 20 zł za dzień.", "Stawka godzinowa wynosi 20 zł."),
        ("会議は毎月曜日に行われます。", "会議は毎週月曜日に行われます。", "会議は毎月行われます。"),
        ("会議は毎週月曜日に行われます。", "会議は毎月曜日に行われます。", "会議は毎火曜日に行われます。"),
        ("図書館は毎日曜日開館します。", "図書館は毎週日曜日開館します。", "図書館は毎日開館します。"),
        ("De poort is 's nachts dicht; parkeren kost 5 euro per week.", "Elke nacht is de poort dicht.",
         "Elke maand is de poort dicht."),
        ("Das Tor ist nachts geschlossen.", "Jede Nacht ist das Tor geschlossen.",
         "Jede Woche ist das Tor geschlossen."),
        ("Backups are made nightly.", "Backups are made every night.", "Backups are made every week."),
        ("The group meets in the hall every second week, and pays 5 euros per month.",
         "The group meets in the hall every second week.", "The group meets in the hall every day."),
        ("The £20 are credited to the rent account once per repair.",
         "Once per repair the £20 are credited to the rent account.",
         "The £20 are credited to the rent account once per month."),
        ("A locker costs £4 per member and is paid each January.", "A locker is paid annually at £4 per member.",
         "A locker costs £4 per day and is paid each January."),
        ("Die Teilnahme kostet 12 Euro pro Person.", "Pro Person kostet die Teilnahme 12 Euro.",
         "Die Teilnahme kostet 12 Euro pro Monat."),
    ],
)  # fmt: skip
def test_how_often_is_one_however_it_is_said(passage: str, true: str, false: str) -> None:
    assert holds(true, passage)
    assert not holds(false, passage)


def test_a_year_a_day_of_something_and_every_second_week_are_no_rates() -> None:
    assert rates("Im Jahr 2024 kostet es 5 Euro je Monat.") == {"month": "je monat"}
    assert rates("Am Tag der Rückgabe zahlen Sie 5 Euro pro Woche.") == {"week": "pro woche"}
    assert rates("5 Euro im Monat, am Tag vor der Abreise; 2 Euro am Tag") == {"month": "im monat", "day": "am tag"}
    assert rates("The group meets every second week, each day at noon.") == {"day": "each day"}
