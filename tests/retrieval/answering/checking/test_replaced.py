"""A word in the place of another."""

import pytest

from tests.retrieval.answering.checking.pairs import cases, holds

TOLD_APART = {
    "a noun does not stand for another": [
        ("The kit contains a hammer, a saw, two clamps and a spirit level.", "The kit contains a saw and a hammer.",
         "The kit contains a hammer, a drill, two clamps and a spirit level."),
        ("The plan covers glasses, lenses, and hearing aids.", "The plan covers eyeglasses, lenses and hearing aids.",
         "The plan covers glasses, dentures, and hearing aids."),
        ("The tenant must repair small damage himself.", "Small damage must be repaired by the tenant himself.",
         "The landlord must repair small damage himself."),
        ("The course takes place in the morning in room 12.", "In the morning the course takes place in room 12.",
         "The course takes place in the evening in room 12."),
        ("The board approves the budget. The treasurer prepares the annual report.",
         "The treasurer prepares the annual report.", "The board prepares the annual report."),
        ("Parking is free for members; guests pay €3 an hour.", "Guests pay €3 an hour for parking.",
         "Parking is free for guests."),
        ("Staff must submit the form to the manager.", "Staff must submit the form to their manager.",
         "Staff must submit the form to the doctor."),
        ("Contoso offers insurance. The company covers dental care for staff.",
         "Contoso covers dental care for staff.", "The company covers dental care for visitors."),
    ],
    "a noun with its adjective does not stand for another": [
        ("The monthly fee is 12 euros and falls due in advance.", "The monthly fee of 12 euros falls due in advance.",
         "The monthly bonus is 12 euros and falls due in advance."),
        ("Members pay the joining fee in May by bank transfer.", "Members pay the joining fee by bank transfer in May.",
         "Members pay the joining fine in May by bank transfer."),
        ("The new tenant pays the deposit in May.", "The new tenant bears the deposit in May.",
         "The new tenant does not pay the deposit in May."),
    ],
}  # fmt: skip


@pytest.mark.parametrize(("passage", "true", "false"), cases(TOLD_APART))
def test_it_tells_apart_what_is_said_and_what_is_not(passage: str, true: str, false: str) -> None:
    assert holds(true, passage)
    assert not holds(false, passage)
