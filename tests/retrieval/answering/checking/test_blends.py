"""Half of one sentence and half of another is said by neither."""

import pytest

from retrieval.answering.checking.blends import blended
from retrieval.answering.checking.support import support
from tests.retrieval.answering.checking.pairs import cases, holds

HALL = (
    "The hall measures 14 by 9 metres. It holds 110 people standing or 64 at tables. The kitchen at the back has a"
    " cooker and crockery for 70. The stage is 40 centimetres high and can be reached by a ramp."
)


LOANS = (
    "* A trailer borrowed on its own may stay out for seven lending days.\n"
    "* Partners, that is, schools with a signed agreement, may keep anything for ten lending days.\n\n"
    "Before your first ride the desk host takes you through a 15-minute introduction. Nobody needs an introduction for"
    " a trailer."
)


SHOP = "Contoso sells lamps. The company delivers within two days. Heron Ltd repairs them."


TOLD_APART = {
    "what two sentences say is not said as one": [
        (HALL, "The kitchen has crockery for 70.", "The kitchen at the back is 40 centimetres high."),
        (HALL, "The hall holds 110 people standing.", "The hall has a cooker and crockery for 110 people."),
        (HALL, "The stage is 40 centimetres high.", "The kitchen can be reached by a ramp."),
        (LOANS, "Trailer: 7 days.", "Trailer: 15."),
        (LOANS, "| Trailer | 7 |", "| Trailer | 10 |"),
        (LOANS, "| Partners | 10 |", "| Partners | 7 |"),
        (LOANS, "A trailer can be borrowed for up to 7 days.", "A trailer can be borrowed for up to 10 days."),
        (SHOP, "Contoso delivers within two days.", "Heron Ltd delivers within two days."),
        (
            "The museum is closed on Mondays. From Tuesday to Sunday it is open from 10 to 17.",
            "The museum is open from Tuesday to Sunday from 10 to 17.",
            "The museum is open on Mondays from 10 to 17.",
        ),
        (
            "Der Saal fasst 110 Personen. Die Küche hat einen Herd und Geschirr für 70 Personen.",
            "Die Küche hat Geschirr für 70 Personen.",
            "Die Küche fasst 110 Personen.",
        ),
        (
            "Late receipts are paid if the head of department agrees. Flights need the approval of the director.",
            "Flights need the approval of the director.",
            "Flights need the approval of the head of department.",
        ),
    ],
    "what one sentence says is not said of what another speaks of": [
        ("The fleet steward examines the bike within two days. The treasurer informs the insurer within three days.",
         "The fleet steward examines the bike within two days.", "The treasurer examines the bike within two days."),
        ("Adults required by the ratios are admitted free of charge. Additional adults pay the concession price.",
         "Adults required by the ratios are admitted free of charge.",
         "Additional adults are admitted free of charge."),
        ("Cancelling is free until 18:00. After a no-show the first day is charged in full.",
         "You can cancel free of charge until 18:00.", "After a no-show the first day is free of charge."),
        ("Members park at no charge. Guests are charged €4.", "Members park for free.", "Guests park for free."),
        ("Studio 1 is on the air. Studio 2 has a desk for recording and can be switched by the engineer only.",
         "Studio 2 has a desk for recording and can be switched by the engineer only.",
         "Studio 1 has a desk for recording and can be switched by the engineer only."),
        ("Studio 2 is for recording. The edit booth has one computer and no microphone.",
         "The edit booth has one computer and no microphone.", "Studio 2 has one computer and no microphone."),
        ("Faults are reported on the day they are noticed. Repairs elsewhere need our consent before they begin.",
         "Faults are reported on the day they are noticed.", "Repairs are reported on the day they are noticed."),
    ],
    "verbs that say little blend nothing": [
        ("Oily rags go into the red bin. Glass belongs in the grey one. The grey one costs €20.",
         "Oily rags belong in the red bin.", "Oily rags cost €20."),
        ("Members may stay longer at their own expense. The treasurer pays the fares.",
         "Members may stay longer if they pay the expense.", "Members may stay longer if they pay the fares."),
    ],
    "nothing goes on from another paragraph": [
        ("Electric cars may stand at the chargers for up to four hours.\n\nThe company has two pool cars. They are"
         " reserved in the calendar.",
         "The pool cars are reserved in the calendar.", "Pool cars may stand at the chargers for up to four hours."),
    ],
    "a reason is that of what it is given for": [
        ("The cache is safe, because it deletes stale data. The cookie is safe, because browsers store the data.",
         "The cache is safe, because it deletes stale data.", "The cache is safe, because browsers store the data."),
        ("Der Kompressor läuft nur bis 19 Uhr, weil Kinder schlafen. Der Lappen gehört in den Eimer: Er kann"
         " sich entzünden.", "Der Lappen gehört in den Eimer, weil er sich entzünden kann.",
         "Der Kompressor läuft nur bis 19 Uhr, weil er sich entzünden kann."),
    ],
    "a pronoun within a sentence goes on from the one before": [
        ("After an incident put the bike in bay 10. Hang the red tag on it.",
         "After an incident hang the red tag on the bike.", "After an incident hang the red tag in bay 11."),
    ],
    "an english car gives no reason": [
        ("The car is parked in the garage. The van is washed weekly by the driver.", "The car is in the garage.",
         "The car is washed weekly."),
        ("Le jardin est fermé car il pleut. Le musée est ouvert.", "Le jardin est fermé, car il pleut.",
         "Le musée est fermé car il pleut."),
    ],
    "a noun is another one s if what is behind it says so": [
        ("The fee for adults is paid in advance. The fee for children is paid at the door.",
         "The fee for children is paid at the door.", "The fee for adults is paid at the door."),
        ("The key to the shed hangs in the hall. The key must be returned by evening.",
         "The key to the shed must be returned by evening.", "The hall must be returned by evening."),
        ("Die Gebühr für Erwachsene zahlt man vorher. Die Gebühr für Kinder zahlt man am Eingang.",
         "Die Gebühr für Kinder zahlt man am Eingang.", "Die Gebühr für Erwachsene zahlt man am Eingang."),
        ("Les commandes du matin partent le jour même. Les commandes de l'après-midi partent le lendemain.",
         "Les commandes de l'après-midi partent le lendemain.", "Les commandes du matin partent le lendemain."),
    ],
}  # fmt: skip


@pytest.mark.parametrize(("passage", "true", "false"), cases(TOLD_APART))
def test_it_tells_apart_what_is_said_and_what_is_not(passage: str, true: str, false: str) -> None:
    assert holds(true, passage)
    assert not holds(false, passage)


def test_a_list_of_what_several_sentences_say_is_no_blend() -> None:
    assert not blended("The hall measures 14 by 9 metres, the stage is 40 centimetres high.", HALL)
    assert not blended("The kitchen has a cooker and the stage a ramp.", HALL)


def test_dutch_of_parts_what_can_be_chosen() -> None:
    assert not blended("Toon een paspoort of een kaart.", "Bezoekers tonen een paspoort. Leden tonen een kaart.")


def test_what_a_heading_says_is_said_of_all_below_it() -> None:
    passage = "Garden plots are let in spring. Water is included. A shed may be two metres high."
    assert blended("In garden plots a shed may be two metres high.", passage)
    assert not blended("In garden plots a shed may be two metres high.", passage, heading="Garden plots")


def test_rows_of_a_table_are_of_one_thing() -> None:
    table = "Our prices.\n\n| Tool | Day | Week |\n|---|---|---|\n| Saw | €3 | €9 |\n| Kiln | €5 | €20 |"
    assert not blended("A kiln costs €20 for a week.", table)


@pytest.mark.parametrize(
    ("passage", "false"),
    [
        ("Dr. Kim sent the report before Dr. Lee.", "Dr. Lee sent the report before Dr. Kim."),
        ("Dr. Kim and Dr. Lee approve it if needed.", "Dr. Kim or Dr. Lee approves it if needed."),
        ("Mr. Lee pays Mr. Kim the deposit.", "Mr. Kim pays Mr. Lee the deposit."),
    ],
)
def test_a_title_ends_no_sentence(passage: str, false: str) -> None:
    assert support(passage, f"It was read. {passage}").holds
    assert not support(false, passage).holds


@pytest.mark.parametrize(
    ("sentence", "passage"),
    [
        ("The laundry card may be topped up in the portal.",
         "Payment is made by laundry card. The card is issued for 10 crowns and may be topped up in the portal."),
        ("Contoso covers dental care for staff.",
         "Contoso offers insurance. The company covers dental care for staff."),
        ("Guests may use the sauna until nine.",
         "Guests are welcome. They may use the sauna and the pool until nine."),
    ],
)  # fmt: skip
def test_what_goes_on_from_the_sentence_before_speaks_of_the_same(sentence: str, passage: str) -> None:
    assert holds(sentence, passage)


CLOSURE = (
    "The workshop closes for the two weeks that begin on the first Monday of August."
    " The lending desk opens on Saturdays only during that time."
)


@pytest.mark.parametrize(
    ("true", "false"),
    [
        ("The workshop closes for the two weeks that begin on the first Monday of August.",
         "The workshop opens on Saturdays only during the two weeks that begin on the first Monday of August."),
        ("The lending desk opens on Saturdays only during the two weeks that begin on the first Monday of August.",
         "The lending desk closes on Saturdays only during the two weeks that begin on the first Monday of August."),
    ],
)  # fmt: skip
def test_what_is_said_of_two_is_not_mixed(true: str, false: str) -> None:
    """A model of 1.5 billion parameters wrote the first."""
    assert holds(true, CLOSURE)
    assert not holds(false, CLOSURE)
