"""What is said of all."""

import pytest

from tests.retrieval.answering.checking.pairs import cases, holds

TOLD_APART = {
    "what is said of some is not said of all": [
        ("Corporate cards are issued to directors and to sales staff.",
         "Cards are issued to directors and sales staff.",
         "Corporate cards are issued to all staff."),
        ("The copay for a hospital visit may be $150.", "The copay for a hospital visit may be $150.",
         "The copay for a hospital visit is always $150."),
        ("Les enfants de moins de huit ans sont accompagnés d'un adulte.",
         "Les enfants de moins de huit ans sont accompagnés d'un adulte.",
         "Tous les enfants sont accompagnés d'un adulte."),
        ("Los empleados con hijos tienen preferencia en verano.", "Los empleados con hijos tienen preferencia.",
         "Todos los empleados tienen preferencia en verano."),
        ("Mitglieder mit Ausweis zahlen den halben Preis.", "Mitglieder mit Ausweis zahlen den halben Preis.",
         "Alle Mitglieder zahlen den halben Preis."),
        ("Employees must complete the training at the start and yearly.",
         "Every employee must complete the training at the start.",
         "Every employee of the bank must complete the training at the end."),
        ("The fee is paid once a year by members.", "Members pay the fee every year.",
         "Members pay the fee every month."),
        ("Wear glasses and gloves in the store.", "Wear all of these in the store: glasses and gloves.",
         "Wear glasses and gloves in every store."),
        ("The plan may cover certain services provided by non-participating providers.",
         "Certain services provided by non-participating providers may be covered.",
         "The plan covers all services provided by non-participating providers."),
    ],
    "all is not all where some are excepted": [
        ("Nothing may be plugged into the computer except the printer.",
         "Nothing may be plugged into the computer, except the printer.",
         "Nothing may be plugged into the computer."),
        ("Pets other than cats need the landlord's consent.", "Pets other than cats need the landlord's consent.",
         "All pets need the landlord's consent."),
        ("Les congés non pris au 31 mai sont perdus, sauf en cas de maladie.",
         "Les congés non pris au 31 mai sont perdus, sauf en cas de maladie.",
         "Les congés non pris au 31 mai sont toujours perdus."),
    ],
    "what nothing restricts is not said of these only": [
        ("Either party may end the lease with three months' notice.",
         "Either party may end the lease with three months' notice.",
         "Only the landlord may end the lease with three months' notice."),
        ("Staff work until 20:00 on Fridays.", "On Fridays staff work only until 20:00.",
         "On Saturdays staff work only until 20:00."),
        ("Bücher werden an der Theke ausgeliehen.", "An der Theke werden Bücher ausgeliehen.",
         "Bücher werden ausschließlich an der Theke ausgeliehen."),
    ],
}  # fmt: skip


@pytest.mark.parametrize(("passage", "true", "false"), cases(TOLD_APART))
def test_it_tells_apart_what_is_said_and_what_is_not(passage: str, true: str, false: str) -> None:
    assert holds(true, passage)
    assert not holds(false, passage)


def test_english_so_restricts_nothing_as_portuguese_so_does() -> None:
    assert holds("The fan is off, so the engine overheats.", "The engine overheats because the fan is off.")
    assert not holds("Só os sócios usam a sauna.", "Os sócios usam a sauna.")
