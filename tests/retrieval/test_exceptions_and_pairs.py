"""What is excepted of what is denied, which number is of what, and opposites: in four languages."""

import pytest

from retrieval.answering.citations import best_quote
from tests.retrieval.answering_fakes import make_hit


def borne_out(sentence: str, passage: str) -> bool:
    quote = best_quote(sentence, [make_hit(passage)])
    return quote is not None and quote.support.holds


@pytest.mark.parametrize(
    ("passage", "true", "false"),
    [
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
)  # fmt: skip
def test_true_and_false_in_other_words(passage: str, true: str, false: str) -> None:
    assert borne_out(true, passage)
    assert not borne_out(false, passage)
