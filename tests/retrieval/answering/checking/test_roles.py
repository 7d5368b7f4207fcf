"""Who does what to whom."""

import pytest

from retrieval.answering.checking.support import support
from tests.retrieval.answering.checking.pairs import cases, holds

TOLD_APART = {
    "what belongs to one is not said of another": [
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
    "what a clause goes on with is said of the same": [
        ("The notice period is 4 weeks for tenants and 12 weeks for landlords.",
         "The notice period is 12 weeks for landlords.", "The notice period is 4 weeks for landlords."),
        ("The timeout is 30 seconds for reads and 60 seconds for writes.", "The timeout is 60 seconds for writes.",
         "The timeout is 30 seconds for writes."),
        ("The store stays open until 8 pm on weekdays and 6 pm on weekends.",
         "The store stays open until 6 pm on weekends.", "The store stays open until 8 pm on weekends."),
        ("Revenue was 5 million in 2022 and 7 million in 2023.",
         "Revenue rose from 5 million in 2022 to 7 million in 2023.", "Revenue was 7 million in 2022."),
    ],
    "two persons of one stem are two": [
        ("The employer pays for the protective boots.", "The protective boots are paid by the employer.",
         "The employee pays for the protective boots."),
        ("The franchisor trains the new staff.", "New staff are trained by the franchisor.",
         "The franchisee trains the new staff."),
        ("Der Auftragnehmer versichert die Baustelle.", "Die Baustelle versichert der Auftragnehmer.",
         "Der Auftraggeber versichert die Baustelle."),
        ("El arrendatario paga la luz y el agua.", "La luz y el agua las paga el arrendatario.",
         "El arrendador paga la luz y el agua."),
    ],
    "what one does is not said of another of whom the passage speaks": [
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
    "several words that change places say something else": [
        ("The coordinator tells the data steward when somebody leaves.",
         "When somebody leaves, the coordinator tells the data steward.",
         "The data steward tells the coordinator when somebody leaves."),
        ("Any employee who retaliates against a whistleblower will be dismissed, whatever the reason.",
         "An employee who retaliates against a whistleblower will be dismissed.",
         "A whistleblower who retaliates against an employee will be dismissed."),
        ("Smoke detectors are fitted by the landlord and tested by the tenant once a year.",
         "Once a year smoke detectors are tested by the tenant.",
         "Smoke detectors are fitted by the tenant and tested by the landlord once a year."),
    ],
    "what a conjunction parts is of two": [
        ("De baas leidt het team maar de klerk schrijft het rapport over de klanten.",
         "De klerk schrijft het rapport over de klanten.", "De baas schrijft het rapport over de klanten."),
    ],
    "what a sentence says of its subject is not said of another": [
        ("The manager approves claims up to £500, the finance director anything above.",
         "The manager approves claims up to £500.", "The finance director approves claims up to £500."),
        ("Drivers check brakes, horn and lights each morning and tell the foreman of defects.",
         "Drivers check brakes, horn and lights each morning.",
         "The foreman checks brakes, horn and lights each morning."),
        ("Filme werden nur an der Theke ausgeliehen, Bücher nur am Automaten.",
         "Filme werden nur an der Theke ausgeliehen.", "Bücher werden nur an der Theke ausgeliehen."),
        ("Acids go on the lower shelf of the cabinet, as do bases. Oils go on the upper shelf.",
         "Bases go on the lower shelf of the cabinet.", "Oils go on the lower shelf of the cabinet."),
        ("Acids go on the lower shelf of the cabinet, bases on the upper shelf.",
         "Acids go on the lower shelf of the cabinet.", "Bases go on the lower shelf of the cabinet."),
    ],
    "korean particles say who does it to whom": [
        ("고객이 직원에게 알린다.", "고객은 직원에게 알린다.", "직원이 고객에게 알린다."),
        ("고객이 직원에게 알린다.", "직원에게 고객이 알린다.", "직원은 고객에게 알린다."),
        ("세입자는 집주인을 신고한다.", "세입자가 집주인을 신고한다.", "집주인이 세입자를 신고한다."),
        ("집주인이 세입자에게 보증금을 돌려준다.", "보증금은 집주인이 세입자에게 돌려준다.",
         "세입자가 집주인에게 보증금을 돌려준다."),
        ("직원이 고객을 돕는다.", "고객은 직원이 돕는다.", "고객이 직원을 돕는다."),
    ],
}  # fmt: skip


@pytest.mark.parametrize(("passage", "true", "false"), cases(TOLD_APART))
def test_it_tells_apart_what_is_said_and_what_is_not(passage: str, true: str, false: str) -> None:
    assert holds(true, passage)
    assert not holds(false, passage)


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


def test_a_list_in_another_order_says_the_same() -> None:
    assert holds("The box has the new cards and the old keys.", "The box has the old keys and the new cards.")
    assert holds("Bring jam and bread and milk for the trip.", "Bring milk and bread and jam for the trip.")


def test_what_both_do_or_one_is_given_is_not_the_reverse_in_korean() -> None:
    assert holds("직원이 고객에게 알린다.", "고객이 직원에게 알리면 직원이 고객에게 알린다.")
    assert holds("고객이 직원에게 설명을 받는다.", "고객이 직원에게 설명을 받는다.")
    assert holds("신분증이 있으면 카드를 발급합니다.", "카드가 필요하면 신분증을 보여주고 발급합니다.")
    assert holds("고객이 직원에게 안내 설명을 받는다.", "직원이 고객에게 안내 설명을 한다.")


def test_an_english_article_is_no_verb_as_french_a_is() -> None:
    passage = "Engineering fixes the bug, and support sends a summary to the customer."
    assert holds("Support sends a summary to the customer.", passage)
    assert not holds("Engineering sends a summary to the customer.", passage)


def test_what_dutch_joins_by_of_stands_in_any_order() -> None:
    assert holds("De gids of de chauffeur krijgt de fooi.", "De chauffeur of de gids krijgt de fooi.")
