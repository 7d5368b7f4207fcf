"""What holds on a condition."""

import pytest

from tests.retrieval.answering.checking.pairs import cases, holds

TOLD_APART = {
    "what holds on a condition is not said without it": [
        ("Overtime is paid only if it was approved in advance.", "Only overtime approved in advance is paid.",
         "Overtime is paid."),
        ("Overtime is only paid if it was approved in advance.", "Overtime approved in advance is paid.",
         "Overtime is paid."),
        ("Refunds are paid to customers only if the receipt is kept.", "If the receipt is kept, refunds are paid.",
         "So refunds are paid to customers."),
        ("Visitors may enter the lab only when accompanied by staff.",
         "When accompanied by staff, visitors may enter the lab.", "Visitors may enter the lab."),
        ("The warranty applies unless the seal is broken.", "Unless the seal is broken, the warranty applies.",
         "The warranty applies."),
        ("Der Antrag wird nur bewilligt, wenn ein Beleg vorliegt.",
         "Liegt ein Beleg vor, so wird der Antrag bewilligt.", "Der Antrag wird bewilligt."),
        ("Die Gebühr wird erstattet, sofern ein Arztzeugnis vorliegt.",
         "Die Gebühr wird mit Arztzeugnis erstattet.", "Die Gebühr wird erstattet."),
        ("La caution est rendue seulement si la salle est propre.", "Si la salle est propre, la caution est rendue.",
         "La caution est rendue."),
        ("Volunteers who have served five years receive a medal.",
         "Volunteers receive a medal if they have served five years.", "All volunteers receive a medal."),
    ],
    "a plain condition is not left out": [
        ("All customer data must be destroyed securely when no longer needed.",
         "When no longer needed, all customer data must be destroyed securely.",
         "All customer data must be destroyed securely."),
        ("The identity of the reporter is kept confidential to the extent permitted by law.",
         "The identity of the reporter is kept confidential as permitted by law.",
         "The identity of the reporter is kept confidential."),
        ("Hunde sind willkommen, wenn sie angeleint sind.", "Hunde sind angeleint willkommen.",
         "Hunde sind willkommen."),
    ],
}  # fmt: skip


@pytest.mark.parametrize(("passage", "true", "false"), cases(TOLD_APART))
def test_it_tells_apart_what_is_said_and_what_is_not(passage: str, true: str, false: str) -> None:
    assert holds(true, passage)
    assert not holds(false, passage)


def test_what_another_sentence_says_plainly_needs_no_condition() -> None:
    passage = "The insurer pays for repairs if the driver was careful. The insurer pays for all repairs to windows."
    assert holds("The insurer pays for repairs to windows.", passage)
