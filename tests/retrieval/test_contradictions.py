"""What has the words of a passage and says something else: exceptions, degrees, opposites, who does what."""

import pytest

from retrieval.answering.checking.support import support
from retrieval.answering.citations import best_quote
from tests.retrieval.answering_fakes import make_hit


def holds(sentence: str, passage: str) -> bool:
    """As an answer's sentence is checked: against the spans of a passage."""
    quote = best_quote(sentence, [make_hit(passage)])
    return quote is not None and quote.support.holds


@pytest.mark.parametrize(
    ("passage", "true", "false"),
    [
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
)  # fmt: skip
def test_what_is_excepted_is_not_said_of_it(passage: str, true: str, false: str) -> None:
    assert holds(true, passage)
    assert not holds(false, passage)


@pytest.mark.parametrize(
    ("passage", "true", "false"),
    [
        ("Employees may work from home on Fridays.", "Employees can work from home on Fridays.",
         "Employees must work from home on Fridays."),
        ("To reset the password, you must click Forgot. You can then choose a new one.",
         "You must click Forgot to reset the password.", "You can never click Forgot to reset the password."),
        ("Mitarbeiter dürfen freitags zu Hause arbeiten.", "Freitags dürfen Mitarbeiter zu Hause arbeiten.",
         "Mitarbeiter müssen freitags zu Hause arbeiten."),
        ("员工周五可以在家工作。", "周五员工可以在家工作。", "员工周五必须在家工作。"),
        ("Parking costs €2 per hour.", "Parking costs €2 an hour.", "Parking costs €2 per day."),
        ("The salary is paid monthly.", "The salary is paid every month.", "The salary is paid weekly."),
        ("Die Miete ist vierteljährlich fällig.", "Fällig ist die Miete vierteljährlich.",
         "Die Miete ist monatlich fällig."),
        ("The file may be up to 10 MB.", "The file may be at most 10 MB.", "The file may be at least 10 MB."),
        ("Files must not exceed 10 MB.", "Files must not exceed 10 MB.", "Files must exceed 10 MB."),
        ("No more than 10 people may enter.", "Up to 10 people may enter.", "More than 10 people may enter."),
        ("Bestellungen über 50 € sind versandkostenfrei.", "Bestellungen ab 50 € sind versandkostenfrei.",
         "Bestellungen unter 50 € sind versandkostenfrei."),
        ("Требуется не менее 10 дней.", "Не менее 10 дней требуется.", "Требуется не более 10 дней."),
    ],
)  # fmt: skip
def test_how_much_how_often_and_how_strictly_is_compared(passage: str, true: str, false: str) -> None:
    assert holds(true, passage)
    assert not holds(false, passage)


@pytest.mark.parametrize(
    ("passage", "true", "false"),
    [
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
    ],
)  # fmt: skip
def test_words_that_exclude_each_other_are_not_taken_for_each_other(passage: str, true: str, false: str) -> None:
    assert holds(true, passage)
    assert not holds(false, passage)


@pytest.mark.parametrize(
    ("passage", "true", "false"),
    [
        ("Contoso acquired Fabrikam in 2019.", "Fabrikam was acquired by Contoso in 2019.",
         "Fabrikam acquired Contoso in 2019."),
        ("Fabrikam was acquired by Contoso.", "Contoso acquired Fabrikam.", "Contoso was acquired by Fabrikam."),
        ("Der Mieter informiert den Vermieter über Schäden.", "Den Vermieter informiert der Mieter über Schäden.",
         "Der Vermieter informiert den Mieter über Schäden."),
        ("Le train va de Paris à Lyon.", "Le train va de Paris à Lyon.", "Le train va de Lyon à Paris."),
        ("Der Zug ist schneller als der Bus.", "Der Zug ist schneller als der Bus.",
         "Der Bus ist schneller als der Zug."),
        ("Access was denied to visitors.", "Visitors were denied access.", "Access was granted to visitors."),
        ("Payment is due no later than 31 May.", "Payment is due by 31 May.", "Payment is due by 30 May."),
        ("Plan A covers dental care. Plan B covers vision care.", "Plan B covers vision care.",
         "Plan A covers vision care."),
        ("Anna leads the sales team. Boris leads the support team.", "Boris leads the support team.",
         "Anna leads the support team."),
        ("Northwind Plus has many services. The plan covers dental care.", "The plan covers dental care.",
         "The plan does not cover dental care."),
        ("Class B licences allow trailers.", "Trailers are allowed by class B licences.",
         "Class C licences allow trailers."),
        ("Full-time employees get 25 days and part-time employees get 15 days of vacation.",
         "Part-time employees get 15 days of vacation.", "Full-time employees get 15 days of vacation."),
        ("- Basic: 5 users\n- Team: 20 users", "Team has 20 users.", "Team has 5 users."),
        ("| Land | Einwohner |\n|---|---|\n| Bayern | 13 Millionen |\n| Hessen | 6 Millionen |",
         "Hessen hat 6 Millionen Einwohner.", "Hessen hat 13 Millionen Einwohner."),
        ("Opened on 2024-05-01, closed on 2024-06-01.", "Opened on 2024-05-01.", "Opened on 2024-06-01."),
    ],
)  # fmt: skip
def test_what_belongs_to_one_is_not_said_of_another(passage: str, true: str, false: str) -> None:
    assert holds(true, passage)
    assert not holds(false, passage)


PRICES = "Item | Members | Guests\nTandem | 12 | 18\nCargo bike | 15 | 25"
RULED = "| Item | Members | Guests |\n|---|---|---|\n| Tandem | €12 | €18 |\n| Cargo bike | €15 | €25 |"


@pytest.mark.parametrize(
    ("passage", "true", "false"),
    [
        (RULED, "A tandem costs guests €18.", "Members pay €18 for a tandem."),
        (RULED, "Guests pay €25 for a cargo bike.", "Guests pay €18 for a cargo bike."),
        (PRICES, "Members pay 15 and guests 25 for a cargo bike.", "Members pay 25 and guests 15 for a cargo bike."),
        (PRICES, "Members and guests pay 12 and 18 for a tandem.", "Members pay 25 for a cargo bike."),
        ("| Plan | 2023 | 2024 |\n| Basic | 10 | 12 |\n| Team | 20 | 25 |", "In 2024 the Team plan costs 25.",
         "In 2023 the Team plan costs 25."),
        ("Item | Members | Guests\nRoom A | 20 | 35\nRoom B | 30 | 50", "Members pay 20 for Room A.",
         "Members pay 35 for Room A."),
        ("Trailer: Guests €6, Full deposit €40.", "A trailer costs guests €6.", "A trailer costs guests €40."),
    ],
)  # fmt: skip
def test_a_number_of_a_table_is_said_of_its_row_and_its_column(passage: str, true: str, false: str) -> None:
    assert holds(true, passage)
    assert not holds(false, passage)


def test_a_row_far_below_its_tables_head_is_read_with_it() -> None:
    rows = "\n".join(f"| Bike {letter} | {n} | {n + 30} |" for n, letter in enumerate("ABCDEFGHIJK", start=10))
    passage = f"| Item | Members | Guests |\n|---|---|---|\n{rows}"
    assert not holds("Bike K is 50 for members.", passage)
    assert not holds("Bike K: 50 (members).", passage)
    assert holds("Bike K: 20.", passage)


@pytest.mark.parametrize(
    ("passage", "true", "false"),
    [
        ("Applicants need a passport or an identity card.", "Applicants need an identity card or a passport.",
         "Applicants need a passport and an identity card."),
        ("A licence is revoked if the holder moves or dies.", "The licence is revoked if the holder moves.",
         "A licence is revoked if the holder moves and dies."),
        ("Managers and directors must both sign the contract.",
         "The contract must be signed by managers and directors.", "Managers or directors must sign the contract."),
        ("Man benötigt einen Pass oder einen Ausweis.", "Man benötigt einen Ausweis oder einen Pass.",
         "Man benötigt einen Pass und einen Ausweis."),
        ("A passport or an identity card may be shown.", "A passport and an identity card may be shown.",
         "A passport or an identity card must be shown."),
    ],
)  # fmt: skip
def test_one_of_two_is_not_both(passage: str, true: str, false: str) -> None:
    assert holds(true, passage)
    assert not holds(false, passage)


@pytest.mark.parametrize(
    ("passage", "true", "false"),
    [
        ("Overtime is paid only if it was approved in advance.", "Only overtime approved in advance is paid.",
         "Overtime is paid."),
        ("Overtime is only paid if it was approved in advance.", "Overtime approved in advance is paid.",
         "Overtime is paid."),
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
)  # fmt: skip
def test_what_holds_on_a_condition_is_not_said_without_it(passage: str, true: str, false: str) -> None:
    assert holds(true, passage)
    assert not holds(false, passage)


@pytest.mark.parametrize(
    ("passage", "true", "false"),
    [
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
)  # fmt: skip
def test_a_noun_does_not_stand_for_another(passage: str, true: str, false: str) -> None:
    assert holds(true, passage)
    assert not holds(false, passage)


@pytest.mark.parametrize(
    ("sentence", "passage"),
    [
        (
            "Rent is due on the first day of each month.",
            "Rent is due on the first day of each month, unless otherwise agreed.",
        ),
        (
            "Staff who use the hall pay a lower fee, and you'll need a pre-certification.",
            "Staff who use the hall pay a lower fee, and you’ll need a precertification.",
        ),
        (
            "You must state the type of service, and cost.",
            "You must state the type of service to be provided, and the cost of the service.",
        ),
        ("Overtime is paid.", "Overtime is paid. Travel is paid only if it was approved."),
        ("Bring a pen and paper or a laptop.", "Bring a pen and paper or a laptop; a charger is required."),
        ("Works with PostgreSQL 15.", "Works with PostgreSQL 14, 15 and 16."),
        ("The range is 10-20 °C.", "The range is 10 to 20 °C."),
        ("Ages 6-12 pay half price.", "Ages 6 to 12 pay half price."),
        ("The Pro plan is $200 yearly.", "| Plan | Yearly |\n|---|---|\n| Pro | $200 |"),
        ("Der Beitrag ist monatlich zu zahlen.", "Der Beitrag ist monatlich zu zahlen. Die Jahresrechnung folgt."),
        ("All employees get a laptop.", "Many employees work from home. All employees get a laptop."),
        ("The door locks again after 5 seconds.", "The door unlocks with the code and locks again after 5 seconds."),
    ],
)
def test_a_fair_wording_is_borne_out(sentence: str, passage: str) -> None:
    assert holds(sentence, passage)


def test_a_quotation_gives_way_to_what_is_around_it() -> None:
    passage = "Anna leads sales in Bern. Boris leads support in Bern."
    assert support("Anna leads support in Bern.", passage[:25]).holds
    assert not holds("Anna leads support in Bern.", passage)


@pytest.mark.parametrize(
    ("passage", "true", "false"),
    [
        ("The notice period is 4 weeks for tenants and 12 weeks for landlords.",
         "The notice period is 12 weeks for landlords.", "The notice period is 4 weeks for landlords."),
        ("The timeout is 30 seconds for reads and 60 seconds for writes.", "The timeout is 60 seconds for writes.",
         "The timeout is 30 seconds for writes."),
        ("The store stays open until 8 pm on weekdays and 6 pm on weekends.",
         "The store stays open until 6 pm on weekends.", "The store stays open until 8 pm on weekends."),
        ("Revenue was 5 million in 2022 and 7 million in 2023.",
         "Revenue rose from 5 million in 2022 to 7 million in 2023.", "Revenue was 7 million in 2022."),
    ],
)  # fmt: skip
def test_what_a_clause_goes_on_with_is_said_of_the_same(passage: str, true: str, false: str) -> None:
    assert holds(true, passage)
    assert not holds(false, passage)


@pytest.mark.parametrize(
    ("passage", "true", "false"),
    [
        ("The user must avoid touching the blade.", "The user must not touch the blade.",
         "The user must touch the blade."),
        ("Avoid using bleach on the surface.", "Do not use bleach on the surface.", "Use bleach on the surface."),
        ("Tenants must refrain from subletting the flat.", "Tenants must not sublet the flat.",
         "Tenants must sublet the flat."),
        ("The pump fails to start in the cold.", "The pump does not start in the cold.",
         "The pump starts in the cold."),
    ],
)  # fmt: skip
def test_what_is_avoided_is_denied(passage: str, true: str, false: str) -> None:
    assert holds(true, passage)
    assert not holds(false, passage)


@pytest.mark.parametrize(
    ("passage", "true", "false"),
    [
        ("Refunds are not possible after 30 days.", "After 30 days, refunds are not possible.",
         "After 30 days, refunds are possible."),
        ("Interns are not paid during holidays.", "During holidays, interns are not paid.",
         "During holidays, interns are paid."),
        ("Le sauna n'est pas ouvert le lundi.", "Le lundi, le sauna n'est pas ouvert.",
         "Le lundi, le sauna est ouvert."),
        ("On Sundays, the pool is open; on Mondays it is not.", "On Sundays, the pool is open.",
         "On Mondays, the pool is open."),
    ],
)  # fmt: skip
def test_what_stands_in_front_belongs_to_what_is_denied(passage: str, true: str, false: str) -> None:
    assert holds(true, passage)
    assert not holds(false, passage)


@pytest.mark.parametrize(
    ("passage", "true", "false"),
    [
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
)  # fmt: skip
def test_on_is_not_off_and_true_is_not_false(passage: str, true: str, false: str) -> None:
    assert holds(true, passage)
    assert not holds(false, passage)


@pytest.mark.parametrize(
    ("passage", "true", "false"),
    [
        ("Users should lock the screen.", "Users should lock the screen.", "Users must lock the screen."),
        ("It is recommended to restart the server.", "To restart the server is recommended.",
         "It is required to restart the server."),
        ("Nutzer sollten den Bildschirm sperren.", "Den Bildschirm sollten Nutzer sperren.",
         "Nutzer müssen den Bildschirm sperren."),
    ],
)  # fmt: skip
def test_advice_is_no_duty(passage: str, true: str, false: str) -> None:
    assert holds(true, passage)
    assert not holds(false, passage)


@pytest.mark.parametrize(
    ("passage", "true", "false"),
    [
        ("The trial lasts 10-14 days.", "The trial lasts 10 to 14 days.", "The trial lasts 12 days."),
        ("The office is open 9:00-17:00.", "The office is open from 9:00 to 17:00.", "The office is open until 16:00."),
        ("Store at 2-8 °C.", "Store at 2 to 8 °C.", "Store at 2 to 6 °C."),
        ("Die Lieferung dauert 10-12 Wochen.", "Die Lieferung dauert 10 bis 12 Wochen.",
         "Die Lieferung dauert 11 Wochen."),
        ("The contract was signed on 2024-04-03.", "The contract was signed in 2024.",
         "The contract was signed in 2023."),
        ("Call 555-1234 for help.", "For help call 555-1234.", "For help call 1234."),
    ],
)  # fmt: skip
def test_a_range_in_one_word_has_both_its_ends(passage: str, true: str, false: str) -> None:
    assert holds(true, passage)
    assert not holds(false, passage)


@pytest.mark.parametrize(
    ("passage", "true", "false"),
    [
        ("The office is closed until Monday.", "Until Monday, the office is closed.",
         "The office is closed from Monday."),
        ("Claims must be filed by 31 May.", "Claims must be filed no later than 31 May.",
         "Claims must be filed after 31 May."),
        ("Kinder bis 12 Jahre zahlen nichts.", "Nichts zahlen Kinder bis 12 Jahre.",
         "Kinder ab 12 Jahren zahlen nichts."),
        ("La oferta es válida hasta el 31 de mayo.", "Hasta el 31 de mayo la oferta es válida.",
         "La oferta es válida desde el 31 de mayo."),
        ("The offer is valid from 1 January until 31 December 2025.",
         "The offer is valid from 1 January to 31 December 2025.", "The offer is valid from 2 January."),
        ("The fee rises by 50 euros.", "By 50 euros the fee rises.", "The fee rises to 50 euros."),
        ("Die Miete steigt um 50 Euro.", "Um 50 Euro steigt die Miete.", "Die Miete steigt auf 50 Euro."),
    ],
)  # fmt: skip
def test_what_ends_there_does_not_begin_there(passage: str, true: str, false: str) -> None:
    assert holds(true, passage)
    assert not holds(false, passage)
