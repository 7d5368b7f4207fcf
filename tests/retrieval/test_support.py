"""The check whether a passage bears a sentence out."""

import pytest

from retrieval.answering.evidence import share
from retrieval.answering.support import lacking, support
from retrieval.answering.words import language_of, terms

PASSAGE = (
    "Sessions expire after 30 minutes. "
    "The `session.gc_maxlifetime` option sets this in config/packages/framework.yaml. "
    "Northwind Health pays up to 1,500 dollars. Cookies are not stored on the server. "
    'The manual says "never share your signing key".'
)


def holds(sentence: str, passage: str = PASSAGE, heading: str = "") -> bool:
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
    assert span or holds(sentence)


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
    assert holds("Das Formular ist nicht gültig.", "Ein Formular ohne Siegel ist nicht gültig.")
    assert not holds("Das Formular ist gültig.", "Das Formular ist nicht gültig.")
    assert not holds("文書は公開されています。", "文書は公開されていない。")


def test_a_negation_elsewhere_in_the_passage_does_no_harm() -> None:
    assert holds("Sessions expire after 30 minutes.", "Sessions expire after 30 minutes. Never share the key.")


def test_a_negation_of_something_else_is_no_support() -> None:
    passage = "The plan has a yearly deductible. It does not pay for glasses."
    assert not holds("The plan does not have a yearly deductible.", passage)


def test_words_from_elsewhere_are_not_support() -> None:
    assert not holds("Bananas ripen faster beside apples.")


def test_a_name_may_stand_in_the_heading() -> None:
    passage = "The plan covers hearing aids."
    assert not holds("In Northwind Standard the plan covers hearing aids.", passage)
    assert holds("In Northwind Standard the plan covers hearing aids.", passage, "Northwind Standard › Hearing")


@pytest.mark.parametrize("sentence", ["", "...", "Is it stored on the server?", "the server of " * 30])
def test_what_says_nothing_is_not_supported(sentence: str) -> None:
    assert not holds(sentence, PASSAGE + " " + "the server of " * 3)


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
    assert holds(sentence, passage)


def test_numbers_are_compared_in_one_spelling() -> None:
    assert holds("It costs 1.500 euros.", "It costs 1,500 euros.")
    assert not holds("It costs 15.00 euros.", "It costs 1,500 euros.")
    assert holds("The rate is 3,5 percent.", "The rate is 3.5 percent.")


def test_what_a_question_names_and_no_text_has_is_told() -> None:
    assert lacking("How does Northwind Platinum treat `foo_bar`?", PASSAGE) == ("foo_bar", "Platinum")


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("How do I reset the password?", "en"),
        ("Comment réinitialiser le mot de passe ?", "fr"),
        ("Wie setze ich das Passwort zurück?", "de"),
        ("¿Cómo se cambia la contraseña?", "es"),
        ("Come si cambia la password di questo utente?", "it"),
        ("Hoe kan ik het wachtwoord wijzigen?", "nl"),
        ("Como é que mudo a palavra-passe do utilizador?", "pt"),
        ("Как сменить пароль?", "ru"),
        ("如何重置密码？", "zh"),
        ("パスワードを変更するには？", "ja"),
        ("كيف أغير كلمة المرور؟", "ar"),
        ("symfony console", "en"),
        ("", "en"),
    ],
)
def test_the_language_of_a_question_is_guessed(text: str, language: str) -> None:
    assert language_of(text) == language


def test_terms_meet_across_inflections() -> None:
    assert terms("configured") == terms("configuration") == terms("configures")
    assert terms("in the of") == set()


@pytest.mark.parametrize(
    ("passage", "true", "false"),
    [
        ("Approve the claim before you pay the invoice.", "You approve the claim before you pay the invoice.",
         "You pay the invoice before you approve the claim."),
        ("For out-of-network services copayments are higher than for in-network services.",
         "Copayments for out-of-network services are higher than for in-network services.",
         "Copayments for in-network services are higher than for out-of-network services."),
        ("Approve the claim before you pay the invoice.", "You pay the invoice after you approve the claim.",
         "You approve the claim after you pay the invoice."),
        ("The new policy replaces the old handbook.", "The new policy replaces the old handbook.",
         "The old handbook replaces the new policy."),
        ("Copy the file from the server to the laptop.", "The file is copied to the laptop.",
         "Copy the file from the laptop to the server."),
        ("A password has at least twelve characters.", "A password has at least 12 characters.",
         "A password has at most twelve characters."),
        ("The cache is enabled in production.", "The cache is enabled in production.",
         "The cache is disabled in production."),
        ("A bike can be borrowed for up to three days.", "A bike can be borrowed for up to 3 days.",
         "A bike can be borrowed for up to nine days."),
        ("A primary visit costs $20, and a specialist visit costs $45.", "A specialist visit costs $45.",
         "A specialist visit costs $20."),
        ("The plan does not cover cosmetic surgery.", "The plan does not cover cosmetic surgery.",
         "The plan covers cosmetic surgery."),
    ],
)  # fmt: skip
def test_the_same_words_the_other_way_round_are_not_borne_out(passage: str, true: str, false: str) -> None:
    assert support(true, passage).holds
    assert not support(false, passage).holds


def test_letters_of_an_address_are_no_language() -> None:
    assert language_of("http://example.org/a?b=c&d=e#f") == "en"


def test_single_digits_ask_nothing() -> None:
    assert share("' OR 1=1 --", "return (day.month, day.day) <= (1, 2)") == 0
    assert share("What about 42?", "It is 42.") == 1


def test_a_word_of_many_parts_is_looked_through_once():
    """Each part that could be read in two ways would double the time: this would not end."""
    assert "late-returns/fees.py" in lacking(f"Is a{'-a' * 60} in late-returns/fees.py?", "Nothing.")
    assert not lacking("Name:" + "-" * 400, "Nothing.")
