"""What is excepted."""

import pytest

from tests.retrieval.answering.checking.pairs import cases, holds

TOLD_APART = {
    "what is excepted is not said of it": [
        ("All employees receive a bonus except contractors.", "Contractors do not receive a bonus.",
         "Contractors receive a bonus."),
        ("The pool is open every day except Monday.", "The pool is open every day except Monday.",
         "The pool is open every day."),
        ("The warranty applies unless the seal is broken.", "Unless the seal is broken, the warranty applies.",
         "The warranty applies if the seal is broken."),
        ("Unless otherwise agreed, rent is due on the first day of each month.",
         "Rent is due on the first day of each month.", "Rent is due on the last day of each month."),
        ("Alle Mitglieder dürfen abstimmen, außer Gästen.", "Alle Mitglieder dürfen abstimmen, Gäste nicht.",
         "Gäste dürfen abstimmen."),
        ("Tous les employés, sauf les stagiaires, reçoivent une prime.",
         "Tous les employés reçoivent une prime, sauf les stagiaires.", "Les stagiaires reçoivent une prime."),
        ("La garantía se aplica a menos que el sello esté roto.",
         "A menos que el sello esté roto, la garantía se aplica.", "La garantía se aplica si el sello está roto."),
        ("Музей открыт ежедневно, кроме понедельника.", "Музей открыт ежедневно, кроме понедельника.",
         "Музей открыт в понедельник."),
        ("除周一外，博物馆每天开放。", "除周一外，博物馆每天开放。", "博物馆周一开放。"),
        ("المتحف مفتوح كل يوم ما عدا الاثنين.", "المتحف مفتوح كل يوم ما عدا الاثنين.", "المتحف مفتوح يوم الاثنين."),
    ],
    "every exception counts and all may is all": [
        ("Helmets are worn in all halls except the store and the kitchen.",
         "Helmets are worn in all halls except the store and the kitchen.", "Helmets are worn in the kitchen."),
        ("Only members who have paid their dues can vote.", "Members who have paid their dues can vote.",
         "All members can vote."),
    ],
    "all but some is not all": [
        ("All but temporary employees receive a bonus.", "All except temporary employees receive a bonus.",
         "All employees receive a bonus."),
        ("Everyone but students pays the fee.", "The fee is paid by everyone but students.", "Students pay the fee."),
        ("You may bring anything but glass bottles.", "You may bring anything except glass bottles.",
         "You may bring anything."),
        ("The library is open every day but Sunday.", "The library is open every day except Sunday.",
         "The library is open on Sunday."),
        ("Alle bis auf die Praktikanten erhalten einen Bonus.", "Alle außer den Praktikanten erhalten einen Bonus.",
         "Alle erhalten einen Bonus."),
        ("All members may vote but must show a card.", "All members may vote.", "All members may not vote."),
        ("Das Bad ist bis auf weiteres geschlossen.", "Das Bad ist geschlossen.", "Das Bad ist geöffnet."),
    ],
}  # fmt: skip


@pytest.mark.parametrize(("passage", "true", "false"), cases(TOLD_APART))
def test_it_tells_apart_what_is_said_and_what_is_not(passage: str, true: str, false: str) -> None:
    assert holds(true, passage)
    assert not holds(false, passage)


def test_hors_d_oeuvres_are_no_exception() -> None:
    passage = "In the lobby salads and hors d'oeuvres are served to all guests."
    assert holds("All guests are served salads in the lobby.", passage)
    assert not holds("Tous les invités sont servis.", "Tous les invités sont servis, hors enfants.")
    assert holds("Tous les invités sont servis.", "Tous les invités sont servis de hors-d'œuvre.")
