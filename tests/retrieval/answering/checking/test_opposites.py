"""Words that exclude each other."""

import pytest

from retrieval.answering.checking.figures import spelt_as
from retrieval.answering.checking.support import support
from tests.retrieval.answering.checking.pairs import cases, holds

TOLD_APART = {
    "words that exclude each other are not taken for each other": [
        ("Das Büro ist montags geschlossen.", "Montags ist das Büro geschlossen.",
         "Das Büro ist dienstags geschlossen."),
        ("La oficina está cerrada los lunes.", "Los lunes la oficina está cerrada.",
         "La oficina está abierta los lunes."),
        ("办公室周一关闭。", "周一办公室关闭。", "办公室周一开放。"),
        ("The meeting is at 3 pm.", "The meeting is at 3 p.m.", "The meeting is at 3 am."),
        ("The third reminder costs 10 euros.", "The third reminder costs €10.", "The second reminder costs 10 euros."),
        ("Die Frist beträgt vierzehn Tage.", "Die Frist beträgt 14 Tage.", "Die Frist beträgt sechzehn Tage."),
        ("Some employees receive a car.", "Some employees receive a car.", "All employees receive a car."),
        ("The data is encrypted at rest.", "At rest the data is encrypted.", "The data is unencrypted at rest."),
        ("Smoking is prohibited in all rooms.", "Smoking is not allowed in all rooms.",
         "Smoking is allowed in all rooms."),
        ("Activez le pare-feu avant l'installation.", "Avant l'installation, activez le pare-feu.",
         "Désactivez le pare-feu avant l'installation."),
        ("The train is more expensive than the bus.", "The train is dearer than the bus.",
         "The train is cheaper than the bus."),
        ("Dogs are allowed on the terrace.", "Dogs are permitted on the terrace.",
         "Dogs are forbidden on the terrace."),
        ("Dogs are not permitted in the hall.", "Dogs are not allowed in the hall.",
         "Dogs are permitted in the hall."),
        ("Smoking is banned in the hall.", "Smoking is prohibited in the hall.", "Smoking is allowed in the hall."),
        ("The building lacks an elevator.", "The building does not have an elevator.", "The building has an elevator."),
        ("You may take in a lodger, provided that you tell us their name beforehand.",
         "You may take in a lodger if you tell us their name beforehand.",
         "You may take in a lodger if you tell us their name afterwards."),
        ("Those under 18 are granted a licence in place of a tenancy.",
         "A licence is granted to those under 18 instead of a tenancy.",
         "Those under 18 are granted a tenancy in place of a licence."),
    ],
    "on is not off and true is not false": [
        ("Turn off the pump before cleaning.", "Before cleaning, turn the pump off.",
         "Turn on the pump before cleaning."),
        ("The flag is off by default.", "By default the flag is off.", "The flag is on by default."),
        ("Logging is off in production.", "In production logging is off.", "Logging is on in production."),
        ("Set debug to false in production.", "In production set debug to false.",
         "Set debug to true in production."),
        ("The ticket is void after the event.", "After the event the ticket is void.",
         "The ticket is valid after the event."),
        ("Log out before you close the window.", "Before you close the window, log out.",
         "Log in before you close the window."),
    ],
    "the nearer of two opposites counts": [
        ("The shop is open from Tuesday to Friday. It is closed on public holidays.",
         "The shop is closed on public holidays.", "The shop is open on public holidays."),
        ("Some members pay by card. Dues are collected in May.", "Some members pay by card.",
         "Most members pay by card."),
        ("Encrypted backups are kept for a year. Unencrypted backups are deleted at once.",
         "Unencrypted backups are deleted at once.", "Encrypted backups are deleted at once."),
    ],
    "a day beyond those from one to another is none of them": [
        ("The pool is open from 8:00 to 20:00 from Tuesday to Sunday.", "The pool is open on Sunday from 8:00.",
         "The pool is open on Monday from 8:00."),
        ("La piscine est ouverte de 8 h à 20 h du mardi au dimanche.", "La piscine est ouverte le jeudi de 8 h à 20 h.",
         "La piscine est ouverte le lundi de 8 h à 20 h."),
        ("Der Laden ist von Freitag bis Montag geöffnet.", "Der Laden ist am Sonntag geöffnet.",
         "Der Laden ist am Dienstag geöffnet."),
    ],
}  # fmt: skip


@pytest.mark.parametrize(("passage", "true", "false"), cases(TOLD_APART))
def test_it_tells_apart_what_is_said_and_what_is_not(passage: str, true: str, false: str) -> None:
    assert holds(true, passage)
    assert not holds(false, passage)


def test_what_excludes_a_word_in_another_sentence_is_not_beside_it() -> None:
    museum = "The museum is closed on Mondays. From Tuesday to Sunday it is open from 10 to 17."
    assert holds("The museum is open from Tuesday to Sunday from 10 to 17.", museum)
    assert not holds("The museum is open on Mondays.", museum)


@pytest.mark.parametrize(
    ("passage", "true", "false"),
    [
        ("Öffnungszeiten: Mo–Fr 9–17 Uhr.", "Die Öffnungszeiten am Montag sind 9–17 Uhr.",
         "Die Öffnungszeiten am Samstag sind 9–17 Uhr."),
        ("Die Werkstatt ist Mo. bis Fr. von 9 bis 17 Uhr geöffnet.",
         "Die Werkstatt ist am Freitag von 9 bis 17 Uhr geöffnet.",
         "Die Werkstatt ist am Samstag von 9 bis 17 Uhr geöffnet."),
        ("Das Büro öffnet am Mo. um zwölf.", "Das Büro öffnet am Montag um zwölf.",
         "Das Büro öffnet am Dienstag um zwölf."),
        ("The workshop is open Mon–Fri from 9 to 17.", "The workshop is open on Monday from 9 to 17.",
         "The workshop is open on Saturday from 9 to 17."),
        ("L'atelier est ouvert lun. de 9 à 17 h.", "L'atelier est ouvert lundi de 9 à 17 h.",
         "L'atelier est ouvert mardi de 9 à 17 h."),
        ("De werkplaats is open op ma. van 9 tot 17 uur.", "De werkplaats is open op maandag van 9 tot 17 uur.",
         "De werkplaats is open op dinsdag van 9 tot 17 uur."),
        ("El taller abre lun. a vie. de 9 a 17 h.", "El taller abre viernes de 9 a 17 h.",
         "El taller abre sábado de 9 a 17 h."),
    ],
)  # fmt: skip
def test_a_shortened_weekday_is_one(passage: str, true: str, false: str) -> None:
    assert support(true, passage).holds
    assert not support(false, passage).holds


@pytest.mark.parametrize(
    "said",
    [
        "Do 9 exercises to warm up, so that nothing hurts.", "So 3 Teams spielen, Di ist ein Kürzel.",
        "Das Boot sinkt im Mar Menor, das Tier sat.", "Corso di 9 lezioni, di sera.",
    ],
)  # fmt: skip
def test_what_only_looks_like_a_shortened_weekday_is_none(said: str) -> None:
    assert spelt_as(said, said) == said


@pytest.mark.parametrize(
    ("passage", "said", "other"),
    [
        ("Members rarely pay a deposit.", "seldom", "usually"), ("The refund is often granted.", "usually", "seldom"),
        ("Mitglieder zahlen selten eine Kaution.", "selten", "meistens"),
        ("Leden betalen soms een borg.", "soms", "zelden"),
    ],
)  # fmt: skip
def test_rarely_is_not_usually(passage: str, said: str, other: str) -> None:
    often = next(word for word in ("rarely", "often", "selten", "soms") if word in passage)
    assert support(passage.replace(often, said), passage).holds
    assert not support(passage.replace(often, other), passage).holds
