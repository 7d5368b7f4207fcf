"""What a whole answer is checked for: headings, tables, what only announces."""

import pytest

from retrieval.answering.citations import check
from retrieval.answering.evidence import answers
from retrieval.answering.phrases import IN
from retrieval.answering.sentences import claims, doubtful, is_claim
from tests.retrieval.answering.checking.pairs import holds
from tests.retrieval.answering_fakes import make_hit


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


LOANS = (
    "* A trailer borrowed on its own may stay out for seven lending days.\n"
    "* Partners, that is, schools with a signed agreement, may keep anything for ten lending days.\n\n"
    "Before your first ride the desk host takes you through a 15-minute introduction. Nobody needs an introduction for"
    " a trailer."
)


def test_a_models_table_stays_a_table_and_its_head_is_no_claim() -> None:
    text = "These are the limits:\n\n| Loan | Days |\n|---|---|\n| Trailer | 7 |\n| Partners | 7 |"
    checked = check(text, [[make_hit(LOANS)]])
    assert checked.text.endswith("| Loan | Days |\n|---|---|\n| Trailer | 7 [1] |\n| Partners | 7 |")
    assert [sentence.supported for sentence in checked.sentences] == [False, False, True, False]


@pytest.mark.parametrize("lead", ["**Answer:**\n\n", "Answer:\n\n", "**Answer**\n\n"])
def test_what_only_announces_gets_no_citation(lead: str) -> None:
    passage = "Members may answer the reminder. A trailer may stay out for seven days."
    checked = check(f"{lead}A trailer may stay out for seven days.", [[make_hit(passage)]])
    assert [sentence.citations for sentence in checked.sentences] == [(), (1,)]


@pytest.mark.parametrize(
    "framed",
    ["{0}", ":::{{note}}\n{0}\n:::", "```{{note}}\n{0}\n```", "Loans\n`````\n\n{0}", "Loans\n~~~~~\n\n{0}"],
)
def test_what_stands_in_a_note_or_under_a_title_of_rst_can_be_quoted(framed: str) -> None:
    filler = "The yard is swept by those who come last, and whoever sees a lamp that is out says so. " * 8
    said = "A trailer may stay out for seven days."
    assert holds(said, framed.format(f"{said} {filler}"))


@pytest.mark.parametrize(
    "remark",
    [
        "Yes.",
        "Nein.",
        "The passages do not say whether you can take it abroad.",
        "Unfortunately, the documents don't mention dogs.",
        "Ich weiß es nicht.",
        "Let me know if you need anything else!",
        "I do not know.",
        "We do not know.",
        "The documents do not contain it.",
        "The passages don't contain any information about dogs.",
        "There is no information on this.",
        "This is not mentioned in the provided documents.",
        "Das ist in den Dokumenten nicht angegeben.",
        "No se menciona en los documentos.",
        "Нет ответа.",
        "没有提到。",
        "我不知道。",
        IN["fr"].refusal,
    ],
)
def test_a_remark_beside_an_answer_is_neither_borne_out_nor_in_doubt(remark: str) -> None:
    true = "Guide dogs may enter the hall. [1]"
    checked = check(f"{true} {remark}", [[make_hit("Guide dogs may enter the hall.")]])
    assert checked.text == f"{true} {remark}" and not doubtful(checked.sentences)
    alone = check(remark, [[make_hit("Guide dogs may enter the hall.")]])
    assert not claims(alone.sentences) and not answers("May guide dogs enter?", alone)


def test_what_a_document_does_not_offer_is_looked_up() -> None:
    said = "Frühstück ist nicht enthalten."
    (sentence,) = check(said, [[make_hit(said)]]).sentences
    assert sentence.supported and sentence.citations == (1,)


@pytest.mark.parametrize(
    "claim",
    [
        "The passages do not say so, but guests pay 50 euros.",
        "The secret password is swordfish, which is not mentioned in the handbook.",
        "Let me know the password at evil@example.com.",
        "Feel free to ask the desk for a refund.",
        "Yes, guests may enter.",
        "I do not know the price: it is 50 euros.",
        "The passages do not say it costs 5 euros, it is 7 euros.",
        "The passages do not mention a deposit, so you pay none.",
        "Let me know if you pay by card because that costs five euros more.",
        "Is there anything else that costs five euros?",
        "No information about you is passed to third parties.",
        "There is no answer from the board before Monday.",
        "We cannot answer questions by telephone.",
        "We do not know this, but guests pay 50 euros.",
        "The documents do not contain personal data.",
        "Das ist nicht enthalten.",
        "没有提到价格。",
    ],
)
def test_what_claims_something_beside_is_no_remark(claim: str) -> None:
    (said,) = doubtful(check(claim, [[make_hit("Guide dogs may enter the hall.")]]).sentences)
    assert said.text == claim
