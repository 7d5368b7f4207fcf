"""Pairs of sentences about one passage, the one fair and the other false, as an answer's sentences are checked."""

import pytest

from retrieval.answering.checking.support import support
from retrieval.answering.citations import best_quote, check
from retrieval.answering.sentences import is_claim
from tests.retrieval.answering_fakes import make_hit


def holds(sentence: str, passage: str) -> bool:
    quote = best_quote(sentence, [make_hit(passage)])
    return quote is not None and quote.support.holds


@pytest.mark.parametrize(
    ("passage", "true", "false"),
    [
        ("The employer pays for the protective boots.", "The protective boots are paid by the employer.",
         "The employee pays for the protective boots."),
        ("The franchisor trains the new staff.", "New staff are trained by the franchisor.",
         "The franchisee trains the new staff."),
        ("Der Auftragnehmer versichert die Baustelle.", "Die Baustelle versichert der Auftragnehmer.",
         "Der Auftraggeber versichert die Baustelle."),
        ("El arrendatario paga la luz y el agua.", "La luz y el agua las paga el arrendatario.",
         "El arrendador paga la luz y el agua."),
    ],
)  # fmt: skip
def test_two_persons_of_one_stem_are_two(passage: str, true: str, false: str) -> None:
    assert holds(true, passage)
    assert not holds(false, passage)


@pytest.mark.parametrize(
    ("passage", "true", "false"),
    [
        ("The fleet steward examines the bike within two days. The treasurer informs the insurer within three days.",
         "The fleet steward examines the bike within two days.", "The treasurer examines the bike within two days."),
        ("Adults required by the ratios are admitted free of charge. Additional adults pay the concession price.",
         "Adults required by the ratios are admitted free of charge.",
         "Additional adults are admitted free of charge."),
        ("Studio 1 is on the air. Studio 2 has a desk for recording and can be switched by the engineer only.",
         "Studio 2 has a desk for recording and can be switched by the engineer only.",
         "Studio 1 has a desk for recording and can be switched by the engineer only."),
        ("Studio 2 is for recording. The edit booth has one computer and no microphone.",
         "The edit booth has one computer and no microphone.", "Studio 2 has one computer and no microphone."),
        ("Faults are reported on the day they are noticed. Repairs elsewhere need our consent before they begin.",
         "Faults are reported on the day they are noticed.", "Repairs are reported on the day they are noticed."),
    ],
)  # fmt: skip
def test_what_one_sentence_says_is_not_said_of_what_another_speaks_of(passage: str, true: str, false: str) -> None:
    assert holds(true, passage)
    assert not holds(false, passage)


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


def test_what_says_where_is_no_unit() -> None:
    passage = "Outside office hours the emergency service is reached at extension 99."
    assert holds("The emergency service is reached at extension 99 outside office hours.", passage)
    assert not holds("The emergency service is reached at extension 98 outside office hours.", passage)


def test_what_excludes_a_word_in_another_sentence_is_not_beside_it() -> None:
    museum = "The museum is closed on Mondays. From Tuesday to Sunday it is open from 10 to 17."
    assert holds("The museum is open from Tuesday to Sunday from 10 to 17.", museum)
    assert not holds("The museum is open on Mondays.", museum)


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


@pytest.mark.parametrize(
    ("sentence", "passage"),
    [
        ("They sent the keys and kept the deposit.", "The keys are sent; the deposit they keep."),
        ("You make the payment and choose a seat.", "After the payment is made, a seat is chosen."),
        ("The rent is due in January.", "In January the rent has to be paid."),
        ("Once opened, the tin is kept in the fridge.", "Keep the opened tin in the fridge."),
        ("Adults take the tablet two times a day.", "Adults take the tablet twice a day."),
        ("Le tarif réduit est très simple.", "Le tarif réduit est simple."),
    ],
)
def test_forms_of_a_word_meet_and_no_word_is_a_foreign_numeral(sentence: str, passage: str) -> None:
    assert holds(sentence, passage)


@pytest.mark.parametrize(
    ("passage", "false"),
    [
        ("Adults take the tablet twice a day.", "Adults take the tablet once a day."),
        ("Adults take the tablet twice a day.", "Adults take the tablet three times a day."),
        ("Zweimal täglich eine Tablette einnehmen.", "Dreimal täglich eine Tablette einnehmen."),
    ],
)
def test_how_many_times_is_compared(passage: str, false: str) -> None:
    assert holds(passage, passage)
    assert not holds(false, passage)


@pytest.mark.parametrize(
    ("passage", "true", "false"),
    [
        ("A landlord may raise the rent in May. The rise must not exceed 20 percent.",
         "In May a landlord may raise the rent.", "A landlord must raise the rent in May."),
        ("Guests must leave the room by noon.", "Guests have to leave the room by noon.",
         "Guests may leave the room by noon."),
        ("If you need help with the form, you can ask the office for guidance.",
         "If help with the form is needed, the office can give guidance.",
         "You must ask the office for guidance with the form."),
        ("A deposit is required for bikes. A helmet is optional for bikes.", "For bikes a deposit is required.",
         "For bikes a helmet is required."),
    ],
)  # fmt: skip
def test_what_may_be_done_is_no_duty_whatever_stands_beside_it(passage: str, true: str, false: str) -> None:
    assert holds(true, passage)
    assert not holds(false, passage)


@pytest.mark.parametrize(
    ("passage", "true", "false"),
    [
        ("The shop is open from Tuesday to Friday. It is closed on public holidays.",
         "The shop is closed on public holidays.", "The shop is open on public holidays."),
        ("Some members pay by card. Dues are collected in May.", "Some members pay by card.",
         "Most members pay by card."),
        ("Encrypted backups are kept for a year. Unencrypted backups are deleted at once.",
         "Unencrypted backups are deleted at once.", "Encrypted backups are deleted at once."),
    ],
)  # fmt: skip
def test_the_nearer_of_two_opposites_counts(passage: str, true: str, false: str) -> None:
    assert holds(true, passage)
    assert not holds(false, passage)


@pytest.mark.parametrize(
    ("passage", "true", "false"),
    [
        ("The support rate rose by 3 percentage points in May.", "In May the support rate rose by 3 percentage points.",
         "The support rate rose by 3 percent in May."),
        ("Entries open on 3 April 2025 and close on 28 April 2025.", "Entries close on 28 April 2025.",
         "Entries open on 28 April 2025."),
        ("Stop the server, copy the folder, and then start the server.", "Copy the folder before starting the server.",
         "Start the server before you copy the folder."),
        ("The chair signs the letter after the clerk has checked the address.",
         "After the clerk has checked the address, the chair signs the letter.",
         "The clerk signs the letter after the chair has checked the address."),
    ],
)  # fmt: skip
def test_points_dates_of_a_year_and_what_comes_first_are_compared(passage: str, true: str, false: str) -> None:
    assert holds(true, passage)
    assert not holds(false, passage)


@pytest.mark.parametrize(
    ("passage", "true", "false"),
    [
        ("Ms Weber reported on the roof. Mr Lang presented the figures.", "Mr Lang presented the figures.",
         "Ms Weber presented the figures."),
        ("Readers can borrow ten books. Only librarians can renew a loan by phone.",
         "Readers can borrow ten books.", "Readers can renew a loan by phone."),
        ("The coach plans the season and the captain leads the warm-up.", "The captain leads the warm-up.",
         "The coach leads the warm-up."),
        ("The buyer checks the goods on delivery. The seller pays the return freight.",
         "The seller pays the return freight.", "The buyer pays the return freight."),
        ("Contoso sells insurance. The company pays the return freight.", "Contoso pays the return freight.",
         "Contoso does not pay the return freight."),
        ("Anna and Boris lead the evening course.", "Anna leads the evening course.",
         "Anna does not lead the evening course."),
    ],
)  # fmt: skip
def test_what_one_does_is_not_said_of_another_of_whom_the_passage_speaks(passage: str, true: str, false: str) -> None:
    assert holds(true, passage)
    assert not holds(false, passage)


@pytest.mark.parametrize(
    ("passage", "true", "false"),
    [
        ("The council will vote on the plan in May.", "In May the council is going to vote on the plan.",
         "The council voted on the plan in May."),
        ("The lift was repaired in autumn.", "In autumn the lift has been repaired.",
         "The lift will be repaired in autumn."),
        ("Das Dach wird im Mai saniert.", "Im Mai wird das Dach saniert.", "Das Dach wurde im Mai saniert."),
        ("Le toit sera réparé en automne.", "En automne le toit sera réparé.", "Le toit a été réparé en automne."),
    ],
)  # fmt: skip
def test_what_will_be_is_not_what_was(passage: str, true: str, false: str) -> None:
    assert holds(true, passage)
    assert not holds(false, passage)


@pytest.mark.parametrize(
    ("passage", "true", "false"),
    [
        ("Helmets are worn in all halls except the store and the kitchen.",
         "Helmets are worn in all halls except the store and the kitchen.", "Helmets are worn in the kitchen."),
        ("Only members who have paid their dues can vote.", "Members who have paid their dues can vote.",
         "All members can vote."),
    ],
)  # fmt: skip
def test_every_exception_counts_and_all_may_is_all(passage: str, true: str, false: str) -> None:
    assert holds(true, passage)
    assert not holds(false, passage)


@pytest.mark.parametrize(
    ("passage", "true", "false"),
    [
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
)  # fmt: skip
def test_all_but_some_is_not_all(passage: str, true: str, false: str) -> None:
    assert holds(true, passage)
    assert not holds(false, passage)


@pytest.mark.parametrize(
    ("passage", "true", "false"),
    [
        ("Goods can be returned within 14 days.", "Within 14 days goods can be returned.",
         "Goods can be returned after 14 days."),
        ("Goods can be returned after 14 days.", "After 14 days goods can be returned.",
         "Goods can be returned within 14 days."),
        ("The refund is paid within 14 days after the return.", "The refund is paid within 14 days of the return.",
         "The refund is paid after the first 14 days."),
        ("Sessions are kept for at most 30 minutes and then expire.", "Sessions expire after 30 minutes.",
         "Sessions are kept for at least 30 minutes."),
        ("Die Ware kann binnen 14 Tagen nach dem Kauf zurückgegeben werden.",
         "Die Ware kann innerhalb von 14 Tagen nach dem Kauf zurückgegeben werden.",
         "Die Ware kann nach 14 Tagen zurückgegeben werden."),
        ("The older model has a red lamp, the newer model a blue one.", "The newer model has a blue lamp.",
         "The newer model has a red lamp."),
        ("Die älteren Geräte haben eine rote Lampe.", "Eine rote Lampe haben die älteren Geräte.",
         "Die neueren Geräte haben eine rote Lampe."),
        ("Members pay half the fee.", "Half the fee is paid by members.", "Members pay double the fee."),
        ("Half board in a double room is 80 euros.", "In a double room half board is 80 euros.",
         "Double board in a half room is 80 euros."),
        ("Mitglieder zahlen den halben Preis.", "Den halben Preis zahlen Mitglieder.",
         "Mitglieder zahlen den doppelten Preis."),
    ],
)  # fmt: skip
def test_within_is_not_after_older_not_newer_half_not_double(passage: str, true: str, false: str) -> None:
    assert holds(true, passage)
    assert not holds(false, passage)


@pytest.mark.parametrize(
    ("passage", "true", "false"),
    [
        ("You may carry over up to 5 days of leave.", "You may carry over 5 days of leave.",
         "You may carry over more than 5 days of leave."),
        ("Up to 5 unused days are rolled over.", "We roll over 5 unused days.", "Over 5 unused days are rolled over."),
        ("At most 3 days are taken over into the next year.", "You take over 3 days into the next year.",
         "Over 3 days are taken into the next year."),
        ("Files under 5 MB are accepted.", "Accepted are files under 5 MB.", "Files over 5 MB are accepted."),
    ],
)  # fmt: skip
def test_what_is_carried_over_is_not_more_than_that(passage: str, true: str, false: str) -> None:
    assert holds(true, passage)
    assert not holds(false, passage)


@pytest.mark.parametrize(
    ("passage", "true", "false"),
    [
        ("You have **30** days or 40 weeks.", "You have 30 days.", "You have 40 days."),
        ("Return it in `30` days.", "Return it in 30 days.", "Return it in 40 days."),
        ("Return it in <b>30</b> days.", "Return it in 30 days.", "Return it in 30 weeks."),
        ("Return it in thirty (30) days.", "Return it in 30 days.", "Return it in 31 days."),
        ("Return it in 7 (seven) days.", "Return it in 7 days.", "Return it in 8 days."),
        ("Return it in 30 (31) days.", "Return it in 30 (31) days.", "Return it in 30 days."),
        ("Die Frist beträgt vierzehn (14) Tage.", "Die Frist beträgt 14 Tage.", "Die Frist beträgt 14 Wochen."),
        ("Die Kaution beträgt 1.200,00 Euro.", "Die Kaution beträgt 1.200 Euro.", "Die Kaution beträgt 120 Euro."),
        ("The deposit is $1,200.00.", "The deposit is $1,200.", "The deposit is $1,200,000."),
        ("The deposit is $1,200,000.00.", "The deposit is $1,200,000.", "The deposit is $1,200."),
        ("The shop opens at 09:00.", "The shop opens at 9:00.", "The shop opens at 9:30."),
        ("The shop opens at 9:00.", "The shop opens at 09:00.", "The shop opens at 19:00."),
        ("The deposit is at most **30** euros.", "The deposit is at most 30 euros.",
         "The deposit is at least 30 euros."),
        ("The deposit is under $1,200.00.", "The deposit is under $1,200.", "The deposit is over $1,200."),
        ("Plan | Fee\nBasic | $1,200.00\nPro | $2,400.00", "The Basic plan has a fee of $1,200.",
         "The Basic plan has a fee of $2,400."),
        ("The plate measures 2*3* 4 metres.", "The plate measures 4 metres.", "The plate measures 23 metres."),
    ],
)  # fmt: skip
def test_a_number_is_one_however_it_is_written(passage: str, true: str, false: str) -> None:
    assert holds(true, passage)
    assert not holds(false, passage)


DUTIES = "Post | Signs | Answers to\nDesk lead | Rotas | Floor head\nFloor head | Orders | Director"


@pytest.mark.parametrize(
    ("true", "false"),
    [
        ("The desk lead signs rotas.", "The desk lead signs orders."),
        ("The floor head signs orders and answers to the director.", "The desk lead answers to the director."),
    ],
)
def test_a_word_of_a_table_is_said_of_its_row(true: str, false: str) -> None:
    assert holds(true, DUTIES)
    assert not holds(false, DUTIES)


PLANS = """| Plan | Users | Storage (GB) | Price (€ per month) | Discount % |
|---|---|---|---|---|
| Basic | 5 | 20 | 9 | 0 |
| Team | 25 | 100 | 49 | 10 |
"""


@pytest.mark.parametrize(
    ("true", "false"),
    [
        ("The Basic plan has 5 users.", "The Basic plan has 25 users."),
        ("The Basic plan has 5 users.", "The Basic plan has 20 users."),
        ("The Team plan includes 100 GB.", "The Basic plan includes 100 GB."),
        ("The Team plan has 25 users and 100 GB of storage.", "The Team plan has 100 users and 25 GB of storage."),
        ("The Basic plan costs €9 per month.", "The Team plan costs €9 per month."),
        ("The Team plan has a 10 % discount.", "The Team plan has a 25 % discount."),
    ],
)
def test_a_number_of_a_table_has_the_unit_of_its_column(true: str, false: str) -> None:
    head, rows = PLANS[: PLANS.index("| Basic")], PLANS[PLANS.index("| Basic") :]
    assert holds(true, PLANS) and support(true, rows, head=head).holds
    assert not holds(false, PLANS) and not support(false, rows, head=head).holds


@pytest.mark.parametrize(
    ("passage", "true", "false"),
    [
        ("The monthly fee is 12 euros and falls due in advance.", "The monthly fee of 12 euros falls due in advance.",
         "The monthly bonus is 12 euros and falls due in advance."),
        ("Members pay the joining fee in May by bank transfer.", "Members pay the joining fee by bank transfer in May.",
         "Members pay the joining fine in May by bank transfer."),
        ("The new tenant pays the deposit in May.", "The new tenant bears the deposit in May.",
         "The new tenant does not pay the deposit in May."),
    ],
)  # fmt: skip
def test_a_noun_with_its_adjective_does_not_stand_for_another(passage: str, true: str, false: str) -> None:
    assert holds(true, passage)
    assert not holds(false, passage)


@pytest.mark.parametrize(
    ("passage", "true", "false"),
    [
        ("Évitez d'utiliser de l'eau de Javel sur la surface.", "N'utilisez pas d'eau de Javel sur la surface.",
         "Utilisez de l'eau de Javel sur la surface."),
        ("Évitez d'ouvrir l'une des fenêtres la nuit.", "La nuit, évitez d'ouvrir l'une des fenêtres.",
         "Ouvrez l'une des fenêtres la nuit."),
        ("N'utilisez pas d'alcool. Utilisez de l'eau tiède.", "Utilisez de l'eau tiède.", "Utilisez de l'alcool."),
    ],
)  # fmt: skip
def test_an_apostrophe_uses_up_no_reach_of_a_negation(passage: str, true: str, false: str) -> None:
    assert holds(true, passage)
    assert not holds(false, passage)


def test_a_heading_is_neither_borne_out_nor_in_doubt() -> None:
    passage = "Exceptions\n\nGuide dogs may enter the hall. Anna Keller keeps the keys."
    checked = check("Exceptions\n\n**Who keeps what**\n\nGuide dogs may enter the hall. [1]", [[make_hit(passage)]])
    assert [(said.text, said.supported) for said in checked.sentences] == [
        ("Exceptions", False),
        ("**Who keeps what**", False),
        ("Guide dogs may enter the hall.", True),
    ]
    assert [is_claim(said.text, bool(said.citations)) for said in checked.sentences] == [False, False, True]
    assert checked.text.startswith("Exceptions\n\n**Who keeps what**\n\n")
    name = check("Anna Keller [1]\n\nGuide dogs may not enter the hall. [1]", [[make_hit(passage)]]).sentences
    assert [said.supported for said in name] == [True, False] and is_claim(name[0].text, cited=True)
    assert check("Anna Keller", [[make_hit(passage)]]).sentences[0].supported
    for claim in ("- a passport", "30 days", "Dogs may enter.", "**Dogs may enter.**", "Fee | Guests", "`make`"):
        assert is_claim(claim)
