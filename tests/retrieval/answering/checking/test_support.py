"""The check whether a passage bears a sentence out."""

import pytest

from retrieval.answering.checking.support import lacking, support
from retrieval.answering.evidence import share
from tests.retrieval.answering.checking.pairs import cases, holds

PASSAGE = (
    "Sessions expire after 30 minutes. "
    "The `session.gc_maxlifetime` option sets this in config/packages/framework.yaml. "
    "Northwind Health pays up to 1,500 dollars. Cookies are not stored on the server. "
    'The manual says "never share your signing key".'
)


def says(sentence: str, passage: str = PASSAGE, heading: str = "") -> bool:
    return support(sentence, passage, heading).holds


@pytest.mark.parametrize(
    "sentence",
    [
        "Sessions expire after 30 minutes.",
        "A session expires after 30 minutes [1].",
        "Set the option `session.gc_maxlifetime`.",
        "Northwind Health pays 1500 dollars.",
        "Cookies aren't stored on the server.",
        "The manual: “never share your signing key”.",
    ],
)
def test_what_the_passage_says_is_supported_in_other_forms_of_its_words(sentence: str) -> None:
    span = next((part for part in PASSAGE.split(". ") if support(sentence, part).holds), None)
    assert span or says(sentence)


@pytest.mark.parametrize(
    ("sentence", "missing"),
    [
        ("Sessions expire after 45 minutes.", "45"),
        ("Sessions expire after 30 seconds.", "30 second"),
        ("The `session.cookie_lifetime` option sets this.", "session.cookie_lifetime"),
        ("Set it in config/packages/security.yaml, in framework packages.", "config/packages/security.yaml"),
        ("Sessions expire with Contoso after 30 minutes.", "Contoso"),
        ('The manual says "always share your signing key".', "always share your signing key"),
    ],
)
def test_what_can_be_copied_wrongly_must_be_there_literally(sentence: str, missing: str) -> None:
    found = support(sentence, PASSAGE)
    assert missing in found.missing
    assert not found.holds


def test_a_negation_must_be_on_both_sides() -> None:
    assert support("Cookies are stored on the server.", "Cookies are not stored on the server.").negation_differs
    assert support("Sessions never expire after 30 minutes.", "Sessions expire after 30 minutes.").negation_differs
    assert says("Das Formular ist nicht gültig.", "Ein Formular ohne Siegel ist nicht gültig.")
    assert not says("Das Formular ist gültig.", "Das Formular ist nicht gültig.")
    assert not says("文書は公開されています。", "文書は公開されていない。")
    can, cannot = "휴가는 온라인으로 신청할 수 있습니다.", "휴가는 온라인으로 신청할 수 없습니다."
    assert says(can, can) and says(cannot, cannot) and not (says(can, cannot) or says(cannot, can))
    assert not says("주차장은 손님에게 무료입니다.", "주차장은 손님에게 무료가 아닙니다.")


def test_a_negation_elsewhere_in_the_passage_does_no_harm() -> None:
    assert says("Sessions expire after 30 minutes.", "Sessions expire after 30 minutes. Never share the key.")


def test_a_negation_of_something_else_is_no_support() -> None:
    passage = "The plan has a yearly deductible. It does not pay for glasses."
    assert not says("The plan does not have a yearly deductible.", passage)


def test_words_from_elsewhere_are_not_support() -> None:
    assert not says("Bananas ripen faster beside apples.")


def test_a_name_may_stand_in_the_heading() -> None:
    passage = "The plan covers hearing aids."
    assert not says("In Northwind Standard the plan covers hearing aids.", passage)
    assert says("In Northwind Standard the plan covers hearing aids.", passage, "Northwind Standard › Hearing")


@pytest.mark.parametrize("sentence", ["", "...", "Is it stored on the server?", "the server of " * 30])
def test_what_says_nothing_is_not_supported(sentence: str) -> None:
    assert not says(sentence, PASSAGE + " " + "the server of " * 3)


@pytest.mark.parametrize(
    ("sentence", "passage"),
    [
        ("Der Vertrag wurde 1992 unterzeichnet.", "1992 unterzeichneten beide Seiten den Vertrag."),
        ("Договор подписали в 1992 году.", "В 1992 году был подписан договор."),
        ("合同于一九九二年签署。", "双方的合同于一九九二年签署。"),
        ("وُقّع العقد في عام ١٩٩٢.", "وقع الطرفان العقد عام 1992."),
        ("Le traité a été signé.", "Le traite est signé à Paris."),
    ],
)
def test_inflections_and_scripts_are_understood(sentence: str, passage: str) -> None:
    assert says(sentence, passage)


@pytest.mark.parametrize(
    ("asked", "written"),
    [
        ("Lodz", "Łódź"),
        ("Sorensen", "Sørensen"),
        ("Muller", "Müller"),
        ("Mueller", "Müller"),
        ("Müller", "Mueller"),
        ("Bjoern", "Björn"),
    ],
)
def test_a_name_is_the_same_however_its_letters_are_written(asked: str, written: str) -> None:
    assert lacking(f"When does Mr {asked} open the workshop?", f"Mr {written} opens the workshop at nine.") == ()


def test_what_a_question_names_and_no_text_has_is_told() -> None:
    assert lacking("How does Northwind Platinum treat `foo_bar`?", PASSAGE) == ("foo_bar", "Platinum")


PRICES = """Tool | Half day | Full day | Weekend | Deposit
Floor sander | €28 | €45 | €80 | €150
Mini digger | €110 | €180 | €320 | €500"""


def test_a_table_bears_itself_out_and_each_of_its_rows() -> None:
    assert says(PRICES, PRICES) and says(f"Prices:\n\n{PRICES}", f"Prices:\n\n{PRICES}")
    assert says(PRICES.split("\n")[1], PRICES)
    assert not says("Floor sander | €110 | €45 | €80 | €150", PRICES)


def test_single_digits_ask_nothing() -> None:
    assert share("' OR 1=1 --", "return (day.month, day.day) <= (1, 2)") == 0
    assert share("What about 42?", "It is 42.") == 1


@pytest.mark.parametrize(
    "question",
    [
        "Wann muss ich die Reisekostenabrechnung einreichen?",
        "Bis wann soll die Reisekostenabrechnung eingereicht werden?",
    ],
)
def test_words_that_only_ask_are_not_looked_for_in_what_answers(question: str) -> None:
    assert share(question, "Die Reisekostenabrechnung ist zwei Wochen nach der Rückkehr einzureichen.") == 1
    assert share("Kiedy mogę odebrać kartę?", "Kartę można odebrać w piątek.") == 1


def test_a_word_of_many_parts_is_looked_through_once():
    """Each part that could be read in two ways would double the time: this would not end."""
    assert "late-returns/fees.py" in lacking(f"Is a{'-a' * 60} in late-returns/fees.py?", "Nothing.")
    assert not lacking("Name:" + "-" * 400, "Nothing.")


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


TOLD_APART = {
    "a quotation gives way to a sentence that is nearer and says else": [
        ("Django does not provide automatic purging of expired sessions. Therefore, it is your job to purge expired"
         " sessions on a regular basis. Django provides a command for this purpose.",
         "Django does not provide automatic purging of expired sessions.",
         "Django provides automatic purging of expired sessions."),
        ("Hotel stays are booked by the travel desk, not by employees. Employees may extend a trip.",
         "Hotel stays are booked by the travel desk.", "Hotel stays are booked by employees."),
        ("The insurer does not pay, and you owe the full damage, if\n\n* the bike was closed with the frame lock only;",
         "If the bike was closed with the frame lock only, you owe the full damage.",
         "If the bike was closed with the chain only, you owe the full damage."),
    ],
    "a source that is named first is no claim": [
        ("Employees are entitled to 28 days of paid leave per year.",
         "According to the handbook, employees receive 28 days of paid leave each year.",
         "According to the handbook, employees receive 29 days of paid leave each year."),
        ("Der Vorstand tagt jährlich.", "Laut Handbuch tagt der Vorstand jährlich.",
         "Laut Handbuch tagt der Vorstand monatlich."),
        ("The tenant pays the deposit in May.", "Based on the contract, the tenant pays the deposit in May.",
         "According to the Contoso handbook, the tenant pays the deposit in May."),
    ],
    "true and false in other words": [
        ("Animals are not admitted, except assistance dogs.", "Assistance dogs are admitted.",
         "Assistance dogs are not admitted."),
        ("Dogs are forbidden except assistance dogs.", "Assistance dogs are allowed.",
         "Assistance dogs are forbidden."),
        ("Animals are admitted, except dogs.", "Dogs are not admitted.", "Dogs are admitted."),
        ("No se admiten animales, salvo perros guía.", "Se admiten perros guía.", "No se admiten perros guía."),
        ("Les animaux ne sont pas admis, à l'exception des chiens d'assistance.", "Les chiens d'assistance sont admis.",
         "Les chiens d'assistance ne sont pas admis."),
        ("Brandschutzhelfer im 1. Stock ist Herr Müller, im 2. Stock Frau Groß.",
         "Frau Groß ist Brandschutzhelferin im 2. Stock.", "Frau Groß ist Brandschutzhelfer im 1. Stock."),
        ("Hotels werden bis 95 € pro Nacht erstattet, in Großstädten (z. B. München) bis 130 €.",
         "In München werden Hotels bis 130 € erstattet.", "In München werden Hotels bis 95 € pro Nacht erstattet."),
        ("L'hôtel est remboursé jusqu'à 110 € à Paris et 90 € ailleurs.",
         "À Paris, l'hôtel est remboursé jusqu'à 110 €.", "À Paris, l'hôtel est remboursé jusqu'à 90 €."),
        ("A lunch costs €6.80, for trainees €4.20, for guests €9.50.", "A lunch costs €9.50 for guests.",
         "A lunch costs €9.50 for trainees."),
        ("The laundry rooms may be used daily from 07:00 to 21:00, on Sundays and holidays from 10:00 to 18:00.",
         "On Sundays the laundry rooms may be used from 10:00 to 18:00.",
         "On Sundays the laundry rooms may be used from 07:00 to 21:00."),
        ("Das Haus ist montags bis freitags von 8:00 bis 20:00 Uhr geöffnet, samstags von 9:00 bis 14:00 Uhr.",
         "Das Haus ist samstags von 9:00 bis 14:00 Uhr geöffnet.",
         "Das Haus ist samstags von 8:00 bis 20:00 Uhr geöffnet."),
        ("The house is open from Monday to Friday from 8 to 20. It is closed on Sunday and on holidays.",
         "The house is closed on Sunday.", "The house is open on Sunday."),
        ("Il est interdit de fumer dans les locaux. Il est permis de fumer uniquement dans la cour.",
         "Il est permis de fumer uniquement dans la cour.", "Il est permis de fumer dans les locaux."),
        ("Dienstreisen müssen vorab genehmigt werden.", "Dienstreisen müssen vorher genehmigt werden.",
         "Dienstreisen müssen nachträglich genehmigt werden."),
        ("La présence au bureau est obligatoire le mardi.", "Le mardi, la présence au bureau est obligatoire.",
         "La présence au bureau est facultative le mardi."),
        ("Se permite teletrabajar dos días por semana.", "Se permite teletrabajar dos días.",
         "Se debe teletrabajar dos días por semana."),
        ("La biblioteca abre los lunes.", "La biblioteca abre los lunes.", "La biblioteca cierra los lunes."),
        ("Eine Kopie kostet 0,30 €.", "Eine Kopie kostet 30 Cent.", "Eine Kopie kostet 3 Cent."),
        ("Das Büro ist bis 14:00 Uhr besetzt.", "Das Büro ist bis 14 Uhr besetzt.", "Das Büro ist bis 15 Uhr besetzt."),
        ("Die Endreinigung ist im Preis nicht enthalten.", "Die Endreinigung ist nicht im Preis enthalten.",
         "Die Endreinigung ist im Preis enthalten."),
        ("En cas d'incendie, n'utilisez pas les ascenseurs.",
         "En cas d'incendie, il ne faut pas utiliser les ascenseurs.", "En cas d'incendie, utilisez les ascenseurs."),
    ],
}  # fmt: skip


@pytest.mark.parametrize(("passage", "true", "false"), cases(TOLD_APART))
def test_it_tells_apart_what_is_said_and_what_is_not(passage: str, true: str, false: str) -> None:
    assert holds(true, passage)
    assert not holds(false, passage)


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
