"""Numbers with their signs, units, currencies, months and hours."""

import pytest

from knowledge.texts.words import words
from retrieval.answering.checking import quantities as amounts
from retrieval.answering.checking.quantities import quantities
from retrieval.answering.dates import MONTH, unit
from tests.retrieval.answering.checking.pairs import cases, holds

TOLD_APART = {
    "a range in one word has both its ends": [
        ("The trial lasts 10-14 days.", "The trial lasts 10 to 14 days.", "The trial lasts 12 days."),
        ("The office is open 9:00-17:00.", "The office is open from 9:00 to 17:00.", "The office is open until 16:00."),
        ("Store at 2-8 °C.", "Store at 2 to 8 °C.", "Store at 2 to 6 °C."),
        ("Die Lieferung dauert 10-12 Wochen.", "Die Lieferung dauert 10 bis 12 Wochen.",
         "Die Lieferung dauert 11 Wochen."),
        ("The contract was signed on 2024-04-03.", "The contract was signed in 2024.",
         "The contract was signed in 2023."),
        ("Call 555-1234 for help.", "For help call 555-1234.", "For help call 1234."),
    ],
    "points dates of a year and what comes first are compared": [
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
    "a date and an ordinal are one however they are written": [
        ("Meetings are held on the second floor.", "Meetings are held on the 2nd floor.",
         "Meetings are held on the 3rd floor."),
        ("Meetings are held on the 2nd floor.", "Meetings are held on the second floor.",
         "Meetings are held on the third floor."),
        ("The rent is due on the fifth of each month.", "The rent is due on the 5th of each month.",
         "The rent is due on the 6th of each month."),
        ("The rent is due on the 5th of May.", "The rent is due on 5 May.", "The rent is due on the 6th of May."),
        ("The contract was signed on 2024-04-03.", "The contract was signed on 3 April 2024.",
         "The contract was signed on 4 March 2024."),
        ("The contract was signed on 3 April 2024.", "The contract was signed on 2024-04-03.",
         "The contract was signed on 2024-03-04."),
        ("The contract was signed on 2024-04-03.", "On April 3rd, 2024 the contract was signed.",
         "The contract was signed on 3 April 2025."),
        ("Der Vertrag wurde am 2024-04-03 unterschrieben.", "Der Vertrag wurde am 3. April 2024 unterschrieben.",
         "Der Vertrag wurde am 4. April 2024 unterschrieben."),
        ("Der Vertrag wurde am 03.04.2024 unterschrieben.", "Der Vertrag wurde am 3. April 2024 unterschrieben.",
         "Der Vertrag wurde am 4. März 2024 unterschrieben."),
        ("Opened on 2024-05-01, closed on 2024-06-01.", "Opened on 1 May 2024.", "Opened on 1 June 2024."),
        ("The log is in backup-2024-04-03.tar.gz.", "The log is in backup-2024-04-03.tar.gz.",
         "The log is in backup-2024-04-04.tar.gz."),
    ],
    "cents of money alone end with a nought or without": [
        ("A ticket costs 10.5 dollars.", "A ticket costs $10.50.", "A ticket costs $10.05."),
        ("A ticket costs €10.50.", "A ticket costs 10.5 euros.", "A ticket costs 10.5 dollars."),
        ("Der Eintritt kostet 7,50 Euro.", "Der Eintritt kostet 7,5 Euro.", "Der Eintritt kostet 7,05 Euro."),
        ("Adults pay €12.50, children pay €6.50.", "Children pay 6.5 euros.", "Children pay 12.5 euros."),
        ("Version 2.10 fixes the printer.", "Version 2.10 fixes the printer.", "Version 2.1 fixes the printer."),
        ("| Plan | Price ($) |\n|---|---|\n| Basic | 9.5 |\n| Pro | 29.5 |", "The Basic plan has a price of $9.5.",
         "The Basic plan has a price of $29.50."),
        ("The budget is $1.5 million.", "The budget is $1.5 million.", "The budget is $1.50."),
    ],
    "an hour is one by either clock": [
        ("Check-in starts at 15:00.", "Check-in starts at 3 p.m.", "Check-in starts at 3 a.m."),
        ("Check-in starts at 3 p.m. Guests get a key.", "Check-in starts at 15:00.", "Check-in starts at 3:00."),
        ("If you are ill, call your manager before 9:00.", "You need to call your manager before 9 am if you are ill.",
         "You need to call your manager before 9 pm if you are ill."),
        ("The night desk opens at 00:30.", "The night desk opens at 12:30 am.", "The night desk opens at 12:30 pm."),
        ("Das Büro schließt um 20:00.", "Das Büro schließt um 20:00 Uhr.", "Das Büro schließt um 21:00 Uhr."),
        ("La oficina cierra a las 20:00.", "La oficina cierra a las 20:00 horas.",
         "La oficina cierra a las 21:00 horas."),
        ("Het kantoor sluit om 20:00.", "Het kantoor sluit om 20:00 uur.", "Het kantoor sluit om 21:00 uur."),
        ("The gate opens at 8:30.", "The gate opens at 8:30 hours.", "The gate opens at 8:30 pm."),
        ("Breakfast is served from 7 to 10 a.m.", "Breakfast is served from 7 a.m. to 10 a.m.",
         "Breakfast is served from 7 p.m. to 10 p.m."),
    ],
    "a verb is not what a number counts": [
        ("Adults: €12.50\nChildren under 12: €6\nFamilies: €30",
         "Adults pay €12.50, children under 12 pay €6, and families pay €30.",
         "Adults pay €12.50, children under 14 pay €6, and families pay €30."),
        ("Kinder unter 12 Jahren: 6 Euro Eintritt", "Kinder unter 12 zahlen 6 Euro Eintritt.",
         "Kinder unter 14 zahlen 6 Euro Eintritt."),
        ("The room is not for children under five, as the stairs have no gate.",
         "The room is not for children under five because the stairs have no gate.",
         "The room is not for children under six because the stairs have no gate."),
    ],
    "an hour a grade and an adverb count nothing": [
        ("Pupils of 16 and 17 need a letter and never close up alone.", "Pupils aged 16 and 17 never close up alone.",
         "Pupils aged 16 and 18 never close up alone."),
        ("Guests may swim alone until 20:00, and after that time in pairs.",
         "After 20:00 guests may swim only in pairs.",
         "After 21:00 guests may swim only in pairs."),
        ("The film lasts 1:30 hours.", "It lasts 1:30 hours.", "The film lasts 1:30 minutes."),
        ("For severity 2 a review of incidents is optional.", "A review is optional for severity 2 incidents.",
         "A review is optional for severity 3 incidents."),
    ],
    "numbers are read in scripts without spaces": [
        ("保修期为3年。", "保修期为3年。", "保修期为5年。"),
        ("保修期为3年。", "保修期是 3 年。", "保修期为3个月。"),
        ("料金は月額980円です。", "料金は月額980円。", "料金は月額9800円です。"),
        ("会议于2023年8月9日召开。", "会议于2023年8月9日召开。", "会议于2024年5月1日召开。"),
        ("반품은 약14일 이내에 가능합니다.", "반품은 14일 이내에 가능합니다.", "반품은 약30일 이내에 가능합니다."),
        ("반품은 약14일 이내에 가능합니다.", "반품은 14일 이내에 가능합니다.", "반품은 약14주 이내에 가능합니다."),
        ("儿童票价5元，成人票价10元。", "成人票价10元，儿童票价5元。", "成人票价5元，儿童票价10元。"),
        ("返品は、30日以内に限り可能です。", "返品は 30日以内に可能です。", "返品は、30時間以内に可能です。"),
        ("重さは5キログラムです。", "重さは５キログラムです。", "重さは5ミリグラムです。"),
        ("由 William Hampson于 1895年开发。", "William Hampson于1895年开发。", "William Hampson于1896年开发。"),
    ],
    "signs units currencies and months go with their number": [
        ("Store it at -20 °C.", "It is stored at −20 °C.", "Store it at 20 °C."),
        ("Store the sealed samples at −20 °C.", "The sealed samples are stored at minus 20 °C.",
         "Store the sealed samples at 20 °C."),
        ("Lagern Sie es bei –20 °C.", "Bei -20 °C lagern Sie es.", "Lagern Sie es bei 20 °C."),
        ("请在零下20度保存样品。", "请在-20度保存样品。", "请在20度保存样品。"),
        ("Store it at 5-10 °C.", "Store it at 5-10 °C.", "Store it at -10 °C."),
        ("- 20 boxes are stored.", "20 boxes are stored.", "-20 boxes are stored."),
        ("Bake the risen bread at 180 °C.", "The risen bread bakes at 180 degrees.",
         "Bake the risen bread at 180 °F."),
        ("Se hornea el pan a 180 ºC.", "Se hornea el pan a 180 grados.", "Se hornea el pan a 180 °F."),
        ("The folding table weighs 5 kg.", "The folding table weighs 5kg.", "The folding table weighs 5 g."),
        ("It weighs 5 g.", "It weighs 5 g.", "It weighs 5 l."),
        ("Вес составляет 5 кг.", "Вес составляет 5 кг.", "Вес составляет 5 г"),
        ("A visit costs €30.", "A visit costs 30 euros.", "A visit costs $30."),
        ("A visit costs €30.", "A visit costs 30 €.", "A visit costs 30%."),
        ("Ein Besuch kostet 30 Euro.", "Ein Besuch kostet 30 €.", "Ein Besuch kostet 30 $."),
        ("A visit costs 30 dollars.", "A visit costs $30.", "A visit costs £30."),
        ("A visit costs $30. All prices are in dollars.", "A visit costs 30 dollars.", "A visit costs 30 euros."),
        ("The bridge costs 30 million US dollars.", "The bridge costs $30 million.", "The bridge costs $30 billion."),
        ("El puente costó 30 millones de euros.", "El puente costó 30 millones de euros.",
         "El puente costó 30 millones de dólares."),
        ("Thirty percent of the members voted.", "30% of the members voted.", "$30 of the members voted."),
        ("El 30 por ciento de los socios votó.", "El 30 % de los socios votó.", "El 30 € de los socios votó."),
        ("30 Prozent der Mitglieder stimmten zu.", "30 % der Mitglieder stimmten zu.",
         "30 ‰ der Mitglieder stimmten zu."),
        ("An old leak was fixed in v2.4.", "An old leak was fixed in version 2.4.", "An old leak was fixed in v2.1."),
        ("It was sold in Q3 2024.", "It was sold in Q3 2024.", "It was sold in Q4 2024."),
        ("La oferta termina el 3 de junio.", "La oferta termina el 3 de junio.", "La oferta termina el 3 de mayo."),
        ("A oferta termina em 3 de junho.", "A oferta termina em 3 de junho.", "A oferta termina em 3 de maio."),
        ("L'offre prend fin le 1er juin.", "L'offre prend fin le 1er juin.", "L'offre prend fin le 1er mai."),
        ("Die Frist endet am 3. Juni.", "Am 3. Juni endet die Frist.", "Die Frist endet am 3. Mai."),
        ("Die Frist endet am 3. Okt. 2024.", "Die Frist endet am 3. Oktober 2024.", "Die Frist endet am 3. Mai 2024."),
        ("Срок истекает 3 июня.", "Срок истекает 3 июня.", "Срок истекает 3 мая."),
        ("The deadline is May 3, 2024.", "The deadline is 3 May 2024.", "The deadline is 3 June 2024."),
        ("Im Juni prüft Frau Weber die Anträge.", "Frau Weber prüft die Anträge.", "Frau Schmidt prüft die Anträge."),
        ("Im Juni prüft Frau Weber die Anträge.", "Die Anträge prüft im Juni Frau Weber.",
         "Im Mai prüft Frau Weber die Anträge."),
        ("Le tarif est de 1 000 euros.", "Le tarif est de 1000 euros.", "Le tarif est de 100 euros."),
        ("Le tarif est de 1\u202f300 euros.", "Le tarif est de 1300 €.", "Le tarif est de 300 euros."),
        ("Le tarif est de 1 300 euros.", "Le tarif est de 1\u00a0300 euros.", "Le tarif est de 300 euros."),
        ("Copay 20 300 500 coinsurance", "The coinsurance copay is 300.", "The coinsurance copay is 301."),
        ("The bridge costs $30 million.", "The bridge costs $30 million.", "The bridge costs $30."),
        ("The bridge costs 30 million euros.", "The bridge costs 30 million euros.", "The bridge costs 30 euros."),
        ("Die Brücke kostet 30 Mio. Euro.", "Die Brücke kostet 30 Mio. Euro.", "Die Brücke kostet 30 Euro."),
        ("The idle session ends after 500 ms.", "The idle session ends after 500 milliseconds.",
         "The idle session ends after 500 minutes."),
        ("The parcel may weigh 5 kg.", "The parcel may weigh 5 kilograms.", "The parcel may weigh 5 grams."),
        ("The deadline is 30 June 2024.", "The deadline is June 30th, 2024.", "The deadline is June 29th, 2024."),
        ("Take .5 mg a day.", "Take 0.5 mg a day.", "Take 5 mg a day."),
        ("The entry fee is CHF 20.", "The entry fee is 20 CHF.", "The entry fee is 20 EUR."),
        ("A visit costs €30.", "A visit costs EUR 30.", "A visit costs CHF 30."),
        ("A ticket costs SEK 120.", "A ticket costs 120 SEK.", "A ticket costs 120 NOK."),
        ("Die Gebühr beträgt Fr. 20.– pro Jahr.", "Die Gebühr beträgt 20 Franken pro Jahr.",
         "Die Gebühr beträgt 20 Euro pro Jahr."),
        ("The house costs CHF 2 million.", "The house costs 2 million francs.", "The house costs CHF 2."),
    ],
}  # fmt: skip


@pytest.mark.parametrize(("passage", "true", "false"), cases(TOLD_APART))
def test_it_tells_apart_what_is_said_and_what_is_not(passage: str, true: str, false: str) -> None:
    assert holds(true, passage)
    assert not holds(false, passage)


def test_what_says_where_is_no_unit() -> None:
    passage = "Outside office hours the emergency service is reached at extension 99."
    assert holds("The emergency service is reached at extension 99 outside office hours.", passage)
    assert not holds("The emergency service is reached at extension 98 outside office hours.", passage)


def test_numbers_are_compared_in_one_spelling() -> None:
    assert holds("It costs 1.500 euros.", "It costs 1,500 euros.")
    assert not holds("It costs 15.00 euros.", "It costs 1,500 euros.")
    assert holds("The rate is 3,5 percent.", "The rate is 3.5 percent.")


def test_a_name_with_a_number_is_one_name() -> None:
    passage = "In 2006 Internet2 announced a partnership."
    assert holds("The consortium Internet2 announced a partnership in 2006.", passage)
    assert not holds("In 2006 Internet3 announced a partnership.", passage)
    assert holds("The graph is kept in Neo4j today.", "The graph is kept in Neo4j today.")
    assert not holds("The graph is kept in Neo4m today.", "The graph is kept in Neo4j today.")


@pytest.mark.parametrize(
    ("sentence", "passage"),
    [
        ("Section 3 may apply to 5 cats.", "Section 3 may apply to 5 cats."),
        ("Il a élu 30 d'entre eux en 1992.", "En 1992, il en a élu 30 d'entre eux."),
        ("Das gilt seit 300 v. Chr. in Rom.", "In Rom gilt das seit 300 vor Christus."),
        ("The 3-D model is new.", "A 3-D model is new."),
        ("В 862 г. основан первый город.", "Первый город основан в 862 году."),
        ("COVID-19 spread in 2020.", "In 2020 COVID-19 spread."),
        ("Pages 3–20 tell it.", "Pages 3 to 20 tell it."),
        ("A visit costs 30 US dollars.", "A visit costs 30 US dollars."),
        ("The rebate is -20%.", "The rebate is -20 %."),
    ],
)
def test_what_only_looks_like_a_sign_or_a_unit_is_none(sentence: str, passage: str) -> None:
    assert holds(sentence, passage)


def test_what_a_number_counts_is_the_same_whatever_the_order_of_sets() -> None:
    assert quantities("返品は 30日以内に限り、30 dark-blue boxes") == ("30", "30 日", "30 dark")


def test_a_price_lists_words_are_read_once_however_many_its_amounts(monkeypatch):
    asked = []
    monkeypatch.setattr(amounts, "words", lambda text: asked.append(text) or words(text))
    prices = "\n".join(f"| Part {n} | ${n}.50 |" for n in range(10, 60))
    assert {"10.50 $", "59.50 dollar"} <= amounts.known_quantities(f"Prices in dollars:\n{prices}")
    assert len(asked) == 1


@pytest.mark.parametrize(
    ("passage", "true", "false"),
    [
        ("Studenci otrzymują zniżkę 20%.", "Studenci mają zniżkę 20%.", "Studenci mają zniżkę 30%."),
        ("Goście mają wstęp do 20 maja.", "Do 20 maja goście mają wstęp.", "Goście mają wstęp do 20 czerwca."),
        ("Basen jest czynny od maja.", "Od maja basen jest czynny.", "Basen jest czynny od czerwca."),
        ("Studenci mają 20 dni urlopu.", "Studenci otrzymują 20 dni urlopu.", "Studenci otrzymują urlop od 20 maja."),
    ],
)  # fmt: skip
def test_polish_they_have_is_no_month(passage: str, true: str, false: str) -> None:
    assert holds(true, passage)
    assert not holds(false, passage)
    assert unit("mają") == "" and unit("maja") == MONTH
