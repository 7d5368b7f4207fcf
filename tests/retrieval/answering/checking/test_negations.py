"""What is denied, and what only seems to be."""

import pytest

from retrieval.answering.checking.support import support
from tests.retrieval.answering.checking.pairs import cases, holds

TOLD_APART = {
    "what is avoided is denied": [
        ("The user must avoid touching the blade.", "The user must not touch the blade.",
         "The user must touch the blade."),
        ("Avoid using bleach on the surface.", "Do not use bleach on the surface.", "Use bleach on the surface."),
        ("Tenants must refrain from subletting the flat.", "Tenants must not sublet the flat.",
         "Tenants must sublet the flat."),
        ("The pump fails to start in the cold.", "The pump does not start in the cold.",
         "The pump starts in the cold."),
    ],
    "what stands in front belongs to what is denied": [
        ("Refunds are not possible after 30 days.", "After 30 days, refunds are not possible.",
         "After 30 days, refunds are possible."),
        ("Interns are not paid during holidays.", "During holidays, interns are not paid.",
         "During holidays, interns are paid."),
        ("Le sauna n'est pas ouvert le lundi.", "Le lundi, le sauna n'est pas ouvert.",
         "Le lundi, le sauna est ouvert."),
        ("On Sundays, the pool is open; on Mondays it is not.", "On Sundays, the pool is open.",
         "On Mondays, the pool is open."),
    ],
    "an apostrophe uses up no reach of a negation": [
        ("Évitez d'utiliser de l'eau de Javel sur la surface.", "N'utilisez pas d'eau de Javel sur la surface.",
         "Utilisez de l'eau de Javel sur la surface."),
        ("Évitez d'ouvrir l'une des fenêtres la nuit.", "La nuit, évitez d'ouvrir l'une des fenêtres.",
         "Ouvrez l'une des fenêtres la nuit."),
        ("N'utilisez pas d'alcool. Utilisez de l'eau tiède.", "Utilisez de l'eau tiède.", "Utilisez de l'alcool."),
    ],
    "what a denial leaves out may be said": [
        ("On Sundays, the pool is open; on Mondays it is not.", "On Mondays, the pool is not open.",
         "On Sundays, the pool is not open."),
        ("On Sundays, the pool is open; on Mondays it is not.", "On Sundays, the pool is open.",
         "On Mondays, the pool is open."),
        ("Samstags ist das Bad geöffnet, sonntags nicht.", "Sonntags ist das Bad nicht geöffnet.",
         "Samstags ist das Bad nicht geöffnet."),
    ],
    "the month of may denies nothing": [
        ("Der Schlüssel ist bis zum 31. Mai zurückzugeben.", "Der Schlüssel muss bis zum 31. Mai zurückgegeben werden.",
         "Der Schlüssel muss nicht bis zum 31. Mai zurückgegeben werden."),
        ("Le toit sera réparé en mai.", "En mai, le toit sera réparé.", "Le toit ne sera pas réparé en mai."),
        ("Non aprire mai il coperchio.", "Il coperchio non si deve aprire mai.", "Il coperchio si deve aprire."),
    ],
    "what is not allowed is forbidden": [
        ("Smoking is not permitted anywhere in the building.", "Smoking is prohibited in the building.",
         "Smoking is permitted in the building."),
        ("Smoking is prohibited on the terrace.", "No, you are not allowed to smoke on the terrace.",
         "Yes, you are allowed to smoke on the terrace."),
        ("Glass bottles are forbidden at the pool.", "You may not bring glass bottles to the pool.",
         "You may bring glass bottles to the pool."),
        ("Parking is forbidden in front of the gate.", "Do not park in front of the gate.",
         "Park in front of the gate."),
        ("Hunde sind im Garten verboten.", "Hunde sind im Garten nicht erlaubt.", "Hunde sind im Garten erlaubt."),
        ("Guests are not permitted to use the kitchen but may use the garden.", "Guests may use the garden.",
         "Guests may use the kitchen."),
        ("Smoking is prohibited in the hall and allowed on the terrace.", "Smoking is allowed on the terrace.",
         "Smoking is allowed in the hall."),
        ("Cats are welcome. Dogs are prohibited.", "Cats are welcome.", "Cats are prohibited."),
    ],
    "what is denied is compared clause by clause": [
        ("You need not register, but you must pay.", "You must pay, but you need not register.",
         "You need not pay, but you must register."),
        ("Accidents are covered, illness is not.", "Illness is not covered, accidents are covered.",
         "Illness is covered, accidents are not."),
        ("Adults may drink, children may not drink.", "Children may not drink.",
         "Children may drink, adults may not drink."),
        ("Refunds are not possible and cancellations are possible.", "Cancellations are possible.",
         "Cancellations are not possible and refunds are possible."),
        ("Dogs that are not leashed may enter.", "Dogs may enter that are not leashed.",
         "Dogs that are leashed may not enter."),
        ("Neither dogs nor cats are allowed in the hall.", "Dogs are not allowed in the hall.",
         "Dogs and cats are allowed in the hall."),
        ("The plan excludes glasses and hearing aids.", "The plan does not cover glasses.", "The plan covers glasses."),
        ("Hearing aids are not excluded from the plan.", "Hearing aids are not excluded.",
         "Hearing aids are excluded."),
        ("Members are prohibited from smoking in the hall.", "In the hall members are prohibited from smoking.",
         "Members may be smoking in the hall."),
        ("L'entrée n'est plus gratuite le dimanche.", "Le dimanche, l'entrée n'est plus gratuite.",
         "L'entrée est gratuite le dimanche."),
        ("Weder Hunde noch Katzen dürfen in die Halle.", "Weder Hunde noch Katzen dürfen in die Halle.",
         "Hunde dürfen in die Halle."),
        ("Niemand darf die Halle betreten.", "Niemand darf die Halle betreten.", "Jeder darf die Halle betreten."),
        ("Nichts wird im Lager verkauft.", "Im Lager wird nichts verkauft.", "Alles wird im Lager verkauft."),
        ("Keines der Geräte ist versichert.", "Keines der Geräte ist versichert.", "Jedes der Geräte ist versichert."),
        ("Los perros tampoco entran en la sala.", "Los perros no entran en la sala.", "Los perros entran en la sala."),
        ("Nadie entra en la sala grande.", "Nadie entra en la sala grande.", "Juan entra en la sala grande."),
        ("Niente viene rimborsato ai soci.", "Ai soci niente viene rimborsato.", "Tutto viene rimborsato ai soci."),
        ("Возврат билетов невозможен.", "Возврат билетов невозможен.", "Возврат билетов возможен."),
        ("Вход с собаками в зал запрещён.", "В зал вход с собаками запрещён.", "Вход с собаками в зал разрешён."),
        ("Dogs are only allowed in carriers.", "No, dogs are only allowed in carriers.",
         "Dogs are not allowed in carriers."),
        ("Nein, Hunde sind in der Halle erlaubt.", "Hunde sind in der Halle erlaubt.",
         "Hunde sind in der Halle nicht erlaubt."),
        ("Sí, los perros entran en la sala.", "Sí: los perros entran en la sala.",
         "No, los perros no entran en la sala."),
        ("Subletting is forbidden without consent.", "Without consent subletting is forbidden.",
         "Subletting is not forbidden."),
        ("Non-emergency transport is covered.", "Non-emergency transport is covered.",
         "Emergency transport is covered."),
        ("小狗可以进入大厅，小猫不可以进入大厅。", "小猫不可以进入大厅。",
         "小猫可以进入大厅，小狗不可以进入大厅。"),
        ("The old plan is no longer available.", "The old plan is no longer available.",
         "The old plan is available."),
        ("The old plan is available.", "The old plan is available.", "The old plan is no longer available."),
        ("Der alte Tarif ist nicht mehr verfügbar.", "Der alte Tarif ist nicht mehr verfügbar.",
         "Der alte Tarif ist verfügbar."),
        ("There are no more seats.", "There are no more seats.", "There are more seats."),
        ("It is not for those who are in the office.", "It is not for those who are in the office.",
         "It is for those who are in the office."),
        ("لا يسمح بدخول الكلاب إلى القاعة.", "لا يسمح بدخول الكلاب إلى القاعة.", "يسمح بدخول الكلاب إلى القاعة."),
    ],
    "portuguese no is in the": [
        ("O jardim da associação fica no parque.", "O jardim da associação fica dentro do parque.",
         "O jardim da associação não fica no parque."),
        ("Um grupo tem no máximo 10 pessoas.", "Um grupo tem até 10 pessoas.", "Um grupo não tem 10 pessoas."),
        ("No se puede nadar en el lago.", "En el lago no se puede nadar.", "En el lago se puede nadar."),
    ],
    "there is none in polish": [
        ("Przy hotelu brak miejsc parkingowych.", "Nie ma miejsc parkingowych przy hotelu.",
         "Przy hotelu są miejsca parkingowe."),
        ("Nie ma miejsc parkingowych.", "Brak miejsc parkingowych.", "Są miejsca parkingowe."),
        ("Przy hotelu są miejsca parkingowe.", "Miejsca parkingowe są przy hotelu.",
         "Nie ma miejsc parkingowych przy hotelu."),
        ("Pokój nie ma okna.", "Okna pokój nie ma.", "Pokój ma okna."),
        ("De oorlog brak uit in 1940.", "In 1940 brak de oorlog uit.", "De oorlog brak niet uit in 1940."),  # broke
    ],
    "what denies in another language denies nothing": [
        ("Employers pay NI and pension contributions for all staff.",
         "Employers pay pension contributions for all staff.", "Employers pay no pension contributions for all staff."),
        ("NIC and pension contributions are paid by the company.", "The company pays NIC and pension.",
         "The company does not pay NIC and pension."),
        ("Managers' rooms are booked by PAs for all managers.", "PAs book the rooms for all managers.",
         "PAs do not book the rooms for all managers."),
        ("Arbeitgeber zahlen NI und Beiträge zur Rente für alle Beschäftigten.",
         "Arbeitgeber zahlen Beiträge zur Rente für alle Beschäftigten.",
         "Arbeitgeber zahlen keine Beiträge zur Rente für alle Beschäftigten."),
    ],
    "italian si ends no denial": [
        ("Le biciclette non si prestano ai minori, si prestano agli adulti.", "Le biciclette si prestano agli adulti.",
         "Le biciclette si prestano ai minori."),
        ("I cani in biblioteca non si ammettono, in giardino si ammettono.", "I cani in giardino si ammettono.",
         "I cani in biblioteca si ammettono."),
    ],
    "what is between two is of one clause": [
        ("Hedges are not cut between 1 March and 31 May, because of nesting birds.",
         "Between 1 March and 31 May hedges are not cut.", "Between 1 March and 31 May hedges are cut."),
        ("Hedges are not cut between 1 March and 31 May.",
         "Between 1 March and 31 May, hedges are not cut.", "Between 1 March and 31 May, hedges are cut."),
        ("Zwischen dem 1. März und dem 31. Mai wird die Hecke nicht geschnitten.",
         "Die Hecke wird zwischen dem 1. März und dem 31. Mai nicht geschnitten.",
         "Die Hecke wird zwischen dem 1. März und dem 31. Mai geschnitten."),
        ("La piscine n'est pas ouverte entre midi et deux heures.",
         "Entre midi et deux heures, la piscine n'est pas ouverte.",
         "Entre midi et deux heures, la piscine est ouverte."),
        ("La sala no se alquila entre julio y agosto.", "Entre julio y agosto no se alquila la sala.",
         "Entre julio y agosto se alquila la sala."),
    ],
}  # fmt: skip


@pytest.mark.parametrize(("passage", "true", "false"), cases(TOLD_APART))
def test_it_tells_apart_what_is_said_and_what_is_not(passage: str, true: str, false: str) -> None:
    assert holds(true, passage)
    assert not holds(false, passage)


@pytest.mark.parametrize(
    ("sentence", "passage"),
    [
        ("Hearing aids are not included.", "The plan does not include glasses, lenses, or hearing aids."),
        ("The plan does not cover lenses.", "The plan does not cover glasses and lenses."),
        ("Refunds are not possible.", "No refunds are possible."),
        ("The plan, which does not cover glasses, pays 30 dollars for visits.",
         "The plan, which does not cover glasses, pays 30 dollars for visits."),
        ("The plan pays 30 dollars for visits.", "The plan, which does not cover glasses, pays 30 dollars for visits."),
        ("In Northwind Standard glasses are not rented.", "The plan does not rent glasses in Northwind Standard."),
        ("Het abonnement geldt niet op zondag en kost € 30.", "Het abonnement kost € 30 en geldt niet op zondag."),
        ("Die Gebühr wird nicht erstattet.", "Die Gebühr wird bei Rücktritt nicht erstattet, aber verrechnet."),
        ("If a receipt is missing, costs are not refunded.", "Costs are not refunded if a receipt is missing."),
        ("The bank charges no fee.", "The bank does not charge a fee."),
        ("Le magasin est ouvert le lundi.", "Le magasin n'est ouvert que le lundi."),
        ("这款产品非常适合儿童使用。", "这款产品适合儿童使用。"),
        ("Payment is due by 31 May.", "Payment is due no later than 31 May."),
        ("Working without gloves is prohibited.", "Working is prohibited without gloves."),
        ("Weapons are prohibited.", "Weapons, alcohol and drugs are prohibited."),
        ("The range is from 10 °C to 40 °C.", "The range is 10–40 °C."),
        ("The discount is 10% to 20%.", "The discount is 10 to 20 per cent."),
        ("The device has 230 V and weighs 500 g.", "The device has 230 volts and weighs 500 grams."),
        ("For non-emergency appointments they offer ground transportation, and medical transportation by train.",
         "It includes non-emergency medical transportation to appointments by ground, and they offer transportation by "
         "train."),
    ],
)  # fmt: skip
def test_a_denial_may_be_said_in_other_words(sentence: str, passage: str) -> None:
    assert holds(sentence, passage)


@pytest.mark.parametrize("place", ["museo", "sol", "banco"])
def test_a_noun_with_the_stem_of_a_modal_verb_is_compared(place: str) -> None:
    passage = f"El parque no abre los lunes, pero el {place} abre los lunes."
    assert holds(f"El {place} abre los lunes, pero el parque no abre los lunes.", passage)
    assert not holds(f"El {place} no abre los lunes.", passage)


@pytest.mark.parametrize(
    ("passage", "false"),
    [("Rauchen verboten", "Rauchen erlaubt"), ("Accès interdit", "Accès libre"), ("Sin gluten", "Gluten"),
     ("Bez psów", "Psy"), ("Вход запрещён", "Вход")],
)  # fmt: skip
def test_a_text_too_short_to_tell_its_language_denies_as_in_any(passage: str, false: str) -> None:
    assert holds(passage, f"{passage}.")
    assert not holds(false, passage)


@pytest.mark.parametrize(
    ("passage", "true", "false"),
    [
        ("Tools are not lent to children. They are lent to adults.", "Tools are lent to adults.",
         "Tools are not lent to adults."),
        ("Tools are not lent to children; they are lent to adults.", "Tools are not lent to children.",
         "Tools are not lent to adults."),
        ("Tools are not lent to children but to adults.", "Tools are lent to adults.", "Tools are not lent to adults."),
        ("Keys are not handed to visitors, only to tenants.", "Keys are handed to tenants.",
         "Keys are not handed to tenants."),
        ("Keys are not handed to visitors, but only to tenants.", "Keys are not handed to visitors.",
         "Keys are not handed to tenants."),
        ("Les outils ne sont pas prêtés aux enfants, mais aux adultes.", "Les outils sont prêtés aux adultes.",
         "Les outils ne sont pas prêtés aux adultes."),
        ("The shop does not sell bread. It sells cakes.", "The shop sells cakes.", "The shop does not sell cakes."),
    ],
)  # fmt: skip
def test_what_is_denied_of_one_thing_is_not_denied_of_the_other(passage: str, true: str, false: str) -> None:
    assert support(true, passage).holds
    assert not support(false, passage).holds


@pytest.mark.parametrize(
    "passage", ["Dogs are not allowed in the hall but cats are.", "Dogs are not allowed in the hall but in the garden."]
)
def test_what_is_said_of_another_is_not_said_of_the_first(passage: str) -> None:
    assert not holds("Dogs are allowed in the hall.", passage)
