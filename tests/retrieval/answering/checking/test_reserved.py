"""What a passage reserves for some, “only managers can approve”, held against sentences that say it of others."""

import pytest

from tests.retrieval.answering.checking.pairs import holds


@pytest.mark.parametrize(
    ("passage", "true", "false"),
    [
        ("Only the director may sign contracts.", "Contracts are signed by the director.",
         "The deputy may sign contracts."),
        ("Only the director may sign contracts.", "Only the director may sign contracts.",
         "Anyone may sign contracts."),
        ("Only a manager can approve invoices.", "A manager can approve invoices.",
         "An employee can approve invoices."),
        ("Only managers can approve leave requests in the portal.", "Managers can approve leave requests.",
         "Employees can approve leave requests in the portal."),
        ("Only administrators can delete a library.", "Admins can delete a library.", "You can delete a library."),
        ("Only members who have paid can vote.", "Members who have paid can vote.", "Guests can vote."),
        ("Only members receive a discount.", "Members receive a discount.", "Guests receive a discount."),
        ("Administrators only can delete libraries.", "Administrators can delete libraries.",
         "Editors can delete libraries."),
        ("Refunds are only available to members.", "Members can get refunds, which are available to them.",
         "Refunds are available to guests."),
        ("A library can be deleted only by administrators.", "An administrator can delete a library.",
         "A library can be deleted by editors."),
        ("Guests may use the pool, but only members may use the sauna.", "Guests may use the pool.",
         "Guests may use the sauna."),
        ("Nur Mitglieder dürfen die Sauna nutzen.", "Mitglieder dürfen die Sauna nutzen.",
         "Gäste dürfen die Sauna nutzen."),
        ("Bibliotheken können nur von Administratoren gelöscht werden.",
         "Ein Administrator kann Bibliotheken löschen.", "Bibliotheken können von Redakteuren gelöscht werden."),
        ("Der Raum ist nur für Mitglieder zugänglich.", "Für Mitglieder ist der Raum zugänglich.",
         "Der Raum ist für Gäste zugänglich."),
        ("Seuls les membres peuvent utiliser le sauna.", "Les membres peuvent utiliser le sauna.",
         "Les visiteurs peuvent utiliser le sauna."),
        ("Le sauna est accessible uniquement aux membres.", "Le sauna est accessible aux membres.",
         "Le sauna est accessible aux visiteurs."),
        ("Solo los socios pueden usar la sauna.", "Los socios pueden usar la sauna.",
         "Los visitantes pueden usar la sauna."),
    ],
)  # fmt: skip
def test_what_only_some_may_do_is_not_said_of_others(passage: str, true: str, false: str) -> None:
    assert holds(true, passage)
    assert not holds(false, passage)


@pytest.mark.parametrize(
    ("passage", "true"),
    [
        ("Only the director may sign contracts. The deputy may sign contracts below 100 euros.",
         "The deputy may sign contracts below 100 euros."),
        ("Not only members may use the sauna; guests may use it on Sundays.", "Guests may use the sauna on Sundays."),
        ("The only person who may sign contracts is the director.", "The director may sign contracts."),
        ("Only members may use the sauna. Use of the sauna costs 5 euros.", "The use of the sauna costs 5 euros."),
        ("A library can be deleted only by administrators.", "A library can be deleted."),
        ("The room can only be booked for two hours.", "You can book the room for 2 hours."),
        ("Only use approved chargers.", "Approved chargers must be used."),
        ("Only the first 10 entries are shown.", "The first 10 entries are shown."),
        ("Only residents may park here. A permit costs 30 euros.", "A permit costs 30 euros."),
    ],
)  # fmt: skip
def test_only_reserves_nothing_else(passage: str, true: str) -> None:
    assert holds(true, passage)
