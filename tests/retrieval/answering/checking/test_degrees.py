"""How much, how often, how strictly, and when at the latest."""

from itertools import product

import pytest

from retrieval.answering.checking.support import support
from tests.retrieval.answering.checking.pairs import cases, holds

TOLD_APART = {
    "how much how often and how strictly is compared": [
        ("Employees may work from home on Fridays.", "Employees can work from home on Fridays.",
         "Employees must work from home on Fridays."),
        ("To reset the password, you must click Forgot. You can then choose a new one.",
         "You must click Forgot to reset the password.", "You can never click Forgot to reset the password."),
        ("Mitarbeiter dürfen freitags zu Hause arbeiten.", "Freitags dürfen Mitarbeiter zu Hause arbeiten.",
         "Mitarbeiter müssen freitags zu Hause arbeiten."),
        ("员工周五可以在家工作。", "周五员工可以在家工作。", "员工周五必须在家工作。"),
        ("Parking costs €2 per hour.", "Parking costs €2 an hour.", "Parking costs €2 per day."),
        ("The salary is paid monthly.", "The salary is paid every month.", "The salary is paid weekly."),
        ("We guarantee an availability of 99 percent per month.",
         "Per month we guarantee an availability of 99 percent.",
         "We guarantee an availability of 99 percent per year."),
        ("We guarantee 99 percent per calendar month.", "Per month we guarantee 99 percent.",
         "We guarantee 99 percent per year."),
        ("Die Gebühr beträgt 2 € pro Kalendermonat.", "Pro Kalendermonat beträgt die Gebühr 2 €.",
         "Die Gebühr beträgt 2 € pro Jahr."),
        ("La cotisation est de 10 € par mois pendant un an.", "Pendant un an, la cotisation est de 10 € par mois.",
         "La cotisation est de 10 € par semaine."),
        ("L'assurance est due chaque mois, l'abonnement par an.", "L'abonnement est dû par an.",
         "L'abonnement est dû par semaine."),
        ("Die Miete ist vierteljährlich fällig.", "Fällig ist die Miete vierteljährlich.",
         "Die Miete ist monatlich fällig."),
        ("The file may be up to 10 MB.", "The file may be at most 10 MB.", "The file may be at least 10 MB."),
        ("Files must not exceed 10 MB.", "Files must not exceed 10 MB.", "Files must exceed 10 MB."),
        ("No more than 10 people may enter.", "Up to 10 people may enter.", "More than 10 people may enter."),
        ("Bestellungen über 50 € sind versandkostenfrei.", "Bestellungen ab 50 € sind versandkostenfrei.",
         "Bestellungen unter 50 € sind versandkostenfrei."),
        ("Требуется не менее 10 дней.", "Не менее 10 дней требуется.", "Требуется не более 10 дней."),
    ],
    "advice is no duty": [
        ("Users should lock the screen.", "Users should lock the screen.", "Users must lock the screen."),
        ("It is recommended to restart the server.", "To restart the server is recommended.",
         "It is required to restart the server."),
        ("Nutzer sollten den Bildschirm sperren.", "Den Bildschirm sollten Nutzer sperren.",
         "Nutzer müssen den Bildschirm sperren."),
        ("Las gafas son obligatorias; la bata se recomienda.", "Las gafas son obligatorias.",
         "La bata es obligatoria."),
        ("Geschlossene Schuhe sind Pflicht, ein Kittel wird empfohlen.", "Ein Kittel wird empfohlen.",
         "Ein Kittel ist Pflicht."),
    ],
    "what ends there does not begin there": [
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
    "what may be done is no duty whatever stands beside it": [
        ("A landlord may raise the rent in May. The rise must not exceed 20 percent.",
         "In May a landlord may raise the rent.", "A landlord must raise the rent in May."),
        ("Guests must leave the room by noon.", "Guests have to leave the room by noon.",
         "Guests may leave the room by noon."),
        ("If you need help with the form, you can ask the office for guidance.",
         "If help with the form is needed, the office can give guidance.",
         "You must ask the office for guidance with the form."),
        ("A deposit is required for bikes. A helmet is optional for bikes.", "For bikes a deposit is required.",
         "For bikes a helmet is required."),
        ("A member who has not paid for a year can be expelled by the board.",
         "The board can expel a member who has not paid for a year.",
         "A member who has not paid for a year must be expelled by the board."),
        ("The bank must not charge a fee for it.", "The bank may not charge a fee for it.",
         "The bank may charge a fee for it."),
    ],
    "within is not after older not newer half not double": [
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
    "what is carried over is not more than that": [
        ("You may carry over up to 5 days of leave.", "You may carry over 5 days of leave.",
         "You may carry over more than 5 days of leave."),
        ("Up to 5 unused days are rolled over.", "We roll over 5 unused days.", "Over 5 unused days are rolled over."),
        ("At most 3 days are taken over into the next year.", "You take over 3 days into the next year.",
         "Over 3 days are taken into the next year."),
        ("Files under 5 MB are accepted.", "Accepted are files under 5 MB.", "Files over 5 MB are accepted."),
    ],
}  # fmt: skip


@pytest.mark.parametrize(("passage", "true", "false"), cases(TOLD_APART))
def test_it_tells_apart_what_is_said_and_what_is_not(passage: str, true: str, false: str) -> None:
    assert holds(true, passage)
    assert not holds(false, passage)


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
    ("sentence", "wordings", "other"),
    [
        ("You may borrow a bike for {} three days.",
         ("at most", "no more than", "not more than", "up to", "maximum of", "a maximum of"), "at least"),
        ("You may borrow a bike for {} three days.",
         ("at least", "no less than", "not less than", "minimum of", "a minimum of"), "at most"),
        ("Mitglieder dürfen das Rad für {} 3 Tage leihen.", ("höchstens", "maximal", "bis zu", "nicht mehr als"),
         "mindestens"),
        ("Les membres peuvent emprunter le vélo pour {} 3 jours.", ("au plus", "au maximum", "jusqu'à"), "au moins"),
        ("Los socios pueden llevarse la bicicleta por {} 3 días.",
         ("como máximo", "a lo sumo", "hasta", "no más de"), "al menos"),
        ("Un gruppo ha {} 10 persone.", ("al massimo", "non più di"), "almeno"),
        ("Een groep heeft {} 10 personen.", ("hoogstens", "niet meer dan"), "minstens"),
        ("Um grupo tem {} 10 pessoas.", ("no máximo", "até", "não mais de"), "pelo menos"),
        ("Grupa liczy {} 10 osób.", ("co najwyżej", "maksymalnie", "nie więcej niż"), "co najmniej"),
        ("В группе {} 10 человек.", ("не более", "не больше", "максимум"), "не менее"),
    ],
)  # fmt: skip
def test_a_bound_is_one_however_it_is_worded(sentence: str, wordings: tuple[str, ...], other: str) -> None:
    said = [sentence.format(bound) for bound in wordings]
    assert all(holds(one, passage) for one in said for passage in said)
    assert not any(holds(sentence.format(other), passage) for passage in said)


def test_twelve_months_are_a_year() -> None:
    passage = "Membership costs €30 for twelve months, or €12 for people under 26."
    assert holds("Membership costs €30 per year.", passage)
    assert holds("The membership fee is €30 a year.", passage)
    assert not holds("Membership costs €30 per month.", passage)


@pytest.mark.parametrize(
    ("denied", "said"),
    [
        ("Submit it no later than 31 May.", "Submit it later than 31 May."),
        ("Guests stay no longer than three nights.", "Guests stay longer than three nights."),
        ("Claims must be filed no later than Friday.", "Claims must be filed later than Friday."),
        ("No more than two dogs may enter.", "More than two dogs may enter."),
        ("Abgabe nicht später als 31. Mai.", "Abgabe später als 31. Mai."),
        ("Die Gäste bleiben nicht länger als drei Nächte.", "Die Gäste bleiben länger als drei Nächte."),
        ("Das Formular ist nicht später als Freitag abzugeben.", "Das Formular ist später als Freitag abzugeben."),
        ("Niet later dan 31 mei inleveren.", "Later dan 31 mei inleveren."),
        ("Gasten blijven niet langer dan 3 nachten.", "Gasten blijven langer dan 3 nachten."),
        ("No más de dos perros entran.", "Más de dos perros entran."),
        ("Entregar no más tarde del viernes.", "Entregar más tarde del viernes."),
        ("Si consegna non più tardi delle 18.", "Si consegna più tardi delle 18."),
        ("Gli ospiti restano non più di tre notti.", "Gli ospiti restano più di tre notti."),
        ("Entregar não mais tarde que sexta-feira.", "Entregar mais tarde que sexta-feira."),
        ("Entram não mais de dois cães.", "Entram mais de dois cães."),
        ("Oddać nie później niż 31 maja.", "Oddać później niż 31 maja."),
        ("Goście zostają nie dłużej niż trzy noce.", "Goście zostają dłużej niż trzy noce."),
        ("Сдать не позднее 31 мая.", "Сдать позднее 31 мая."),
        ("Сдать не позднее пятницы.", "Сдать позднее пятницы."),
        ("Гости остаются не более трёх ночей.", "Гости остаются более трёх ночей."),
        ("À rendre pas plus tard que le 31 mai.", "À rendre plus tard que le 31 mai."),
        ("Les clients ne restent pas plus de trois nuits.", "Les clients restent plus de trois nuits."),
        ("提交不晚于5月31日。", "提交晚于5月31日。"),
        ("客人停留不超过三晚。", "客人停留超过三晚。"),
        ("5月31日より遅くない日に提出。", "5月31日より遅い日に提出。"),
        ("宿泊は三泊を超えません。", "宿泊は三泊を超えます。"),
        ("يسلم الطلب في موعد لا يتجاوز 31 مايو.", "يسلم الطلب في موعد يتجاوز 31 مايو."),
        ("لا يبقى الضيوف أكثر من ثلاث ليال.", "يبقى الضيوف أكثر من ثلاث ليال."),
        ("لا يدخل أكثر من كلبين.", "يدخل أكثر من كلبين."),
    ],
)  # fmt: skip
def test_a_bound_is_not_borne_out_by_its_denial_nor_bears_it_out(denied: str, said: str) -> None:
    assert holds(denied, denied) and holds(said, said)
    assert not holds(said, denied)
    assert not holds(denied, said)


@pytest.mark.parametrize(
    ("sentence", "passage"),
    [
        ("Book at least 3 days before arrival.", "Book no later than 3 days before arrival."),
        ("Guests stay at most 3 nights.", "Guests stay no longer than 3 nights."),
        ("Gäste bleiben höchstens 3 Nächte.", "Gäste bleiben nicht länger als 3 Nächte."),
        ("Сдать до 31 мая.", "Сдать не позднее 31 мая."),
    ],
)
def test_a_denied_bound_may_be_said_in_other_words(sentence: str, passage: str) -> None:
    assert holds(sentence, passage)
    assert holds(passage, sentence)


BOUNDED = {  # what is said, at least and at most
    "en": "The trailer holds {} 40 kg.;at least/a minimum of/min./no less than/not less than/more than/over"
    ";at most/a maximum of/max./no more than/not more than/up to/less than/not exceeding/not over",
    "de": "Der Anhänger trägt {} 40 kg.;mindestens/mind./wenigstens/nicht weniger als/mehr als/minimal/über"
    ";höchstens/max./maximal/nicht mehr als/bis zu/weniger als/allenfalls/nicht über",
    "fr": "La remorque porte {} 40 kg.;au moins/au minimum/min./plus de/pas moins de"
    ";au plus/au maximum/max./moins de/pas plus de/jusqu'à",
    "es": "El remolque lleva {} 40 kg.;al menos/como mínimo/mín./por lo menos/más de/no menos de"
    ";como máximo/máx./a lo sumo/menos de/no más de/hasta",
    "it": "Il rimorchio porta {} 40 kg.;almeno/minimo/min./più di/non meno di"
    ";al massimo/massimo/max./meno di/non più di/fino a",
    "nl": "De aanhanger draagt {} 40 kg.;minstens/minimaal/min./ten minste/meer dan/niet minder dan"
    ";hoogstens/maximaal/max./minder dan/niet meer dan/tot",
    "pt": "O reboque leva {} 40 kg.;pelo menos/no mínimo/mín./mais de/não menos de"
    ";no máximo/máx./menos de/até/não mais de",
    "pl": "Przyczepa unosi {} 40 kg.;co najmniej/min./przynajmniej/minimum/ponad/nie mniej niż"
    ";co najwyżej/maks./maksymalnie/do/nie więcej niż",
    "ru": "Прицеп везёт {} 40 кг.;минимум/не менее/свыше/более;максимум/не более/до/менее",
}


@pytest.mark.parametrize(
    ("frame", "one", "other"),
    [
        (frame, *pair)
        for said in BOUNDED.values()
        for frame, least, most in [said.split(";")]
        for one, other in product(least.split("/"), most.split("/"))
        for pair in ((one, other), (other, one))
    ],
)
def test_at_least_is_not_at_most_however_it_is_said(frame: str, one: str, other: str) -> None:
    assert not support(frame.format(one), frame.format(other)).holds


@pytest.mark.parametrize(
    ("sentence", "passage"),
    [
        ("The category 5 cable is 40 m long.", "The cable of category 5 is at least 40 m long."),
        ("Do 10 push-ups to warm up.", "At least 10 push-ups are needed to warm up."),
        ("A total 40 members may vote.", "A total of 40 members may vote."),
        ("The test takes 30 min. 40 members take part.", "The test takes 30 min. 40 members take part."),
    ],
)
def test_part_of_a_word_and_another_languages_bound_nothing(sentence: str, passage: str) -> None:
    assert support(sentence, passage).holds


@pytest.mark.parametrize(
    ("frame", "ends", "begins"),
    [
        ("Return the key {} 9 May.", "before/until/by/prior to/no later than", "after/from/following/no earlier than"),
        ("Geben Sie den Schlüssel {} 9. Mai zurück.", "vor dem/bis zum/bis", "nach dem/ab dem"),
        ("Lever de sleutel {} 9 mei in.", "voor/tot/uiterlijk", "na/vanaf/sinds"),
        ("Rendez la clé {} 9 mai.", "avant le/jusqu'au/d'ici le", "après le/dès le/à partir du/depuis le"),
        ("Devuelva la llave {} 9 de mayo.", "antes del/hasta el", "después del/desde el/a partir del"),
        ("Restituisca la chiave {} 9 maggio.", "prima del/fino al/entro il", "dopo il/dal/a partire dal"),
        ("Devolva a chave {} 9 de maio.", "antes de/até", "depois de/após/desde/a partir de"),
        ("Zwróć klucz {} 9 maja.", "przed/do", "po/od"),
        ("Верните ключ {} 9 мая.", "до", "после/с"),
    ],
)
def test_what_ends_does_not_begin(frame: str, ends: str, begins: str) -> None:
    for one, other in product(ends.split("/"), begins.split("/")):
        assert not support(frame.format(one), frame.format(other)).holds, (one, other)
        assert not support(frame.format(other), frame.format(one)).holds, (other, one)


@pytest.mark.parametrize(
    ("frame", "may", "must"),
    [
        ("Members {} wear a badge.", "may/can/are allowed to/are free to/might", "must/have to/need to/are obliged to"),
        ("Les membres {} porter un badge.", "peuvent/pourront/sont autorisés à", "doivent/devront/sont tenus de"),
        ("Mitglieder {} ein Abzeichen tragen.", "dürfen/können/könnten", "müssen"),
        ("Los socios {} llevar una insignia.", "pueden/podrán", "deben/deberán/tienen que/han de"),
        ("I soci {} portare un distintivo.", "possono/potranno", "devono/dovranno/sono tenuti a"),
        ("Leden {} een badge dragen.", "mogen/kunnen", "moeten/zijn verplicht"),
        ("Os membros {} usar um crachá.", "podem/poderão", "devem/deverão/têm de/têm que"),
        ("Członkowie {} nosić odznakę.", "mogą", "muszą"),
    ],
)
def test_what_may_be_done_is_no_duty_however_it_is_said(frame: str, may: str, must: str) -> None:
    for permitted, duty in product(may.split("/"), must.split("/")):
        assert not support(frame.format(duty), frame.format(permitted)).holds, (permitted, duty)


@pytest.mark.parametrize(
    ("passage", "false"),
    [("Leden moeten een badge dragen.", "Leden mogen een badge dragen."),
     ("Mitglieder müssen ein Abzeichen tragen.", "Mitglieder dürfen ein Abzeichen tragen."),
     ("Members need to wear a badge.", "Members may wear a badge."),
     ("Members have to wear a badge.", "Members are free to wear a badge.")],
)  # fmt: skip
def test_a_duty_is_no_permission(passage: str, false: str) -> None:
    assert not support(false, passage).holds


def test_what_comes_then_begins_where_the_other_ends() -> None:
    passage = "Der Kompressor läuft nur bis 19 Uhr. Danach benutzen Sie bitte die Standpumpe."
    assert support("Nach 19 Uhr benutzen Sie bitte die Standpumpe.", passage).holds
