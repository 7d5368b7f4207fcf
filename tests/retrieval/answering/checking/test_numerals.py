"""Numbers written in words: they are read as digits, and held against those of a passage."""

import pytest

from retrieval.answering.checking.numerals import in_digits
from tests.retrieval.answering.checking.pairs import cases, holds


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("twenty-one people", "21 people"),
        ("two hundred and fifty euros", "250 euros"),
        ("three hundred thousand", "300000"),
        ("two thousand five hundred", "2500"),
        ("fifteen hundred seats", "1500 seats"),
        ("a hundred seats", "100 seats"),
        ("between five and ten", "between 5 and 10"),
        ("several hundred people", "several 100 people"),
        ("fünfunddreißig Tage", "35 tage"),
        ("zweihundertfünfzig Euro", "250 euro"),
        ("dreitausend Euro", "3000 euro"),
        ("vingt et un jours", "21 jours"),
        ("quatre-vingt-dix-sept jours", "97 jours"),
        ("deux cent cinquante euros", "250 euros"),
        ("treinta y cinco días", "35 dias"),
        ("doscientos cincuenta euros", "250 euros"),
        ("dos mil quinientos euros", "2500 euros"),
        ("six cents", "6 cents"),
        ("dix pour cent", "10 pour cent"),
        ("1.5 thousand", "1.5 thousand"),
        ("thirty-five (35) days", "35 days"),
    ],
)
def test_numerals_are_read_as_digits(text: str, said: str) -> None:
    assert in_digits(text) == said


TOLD_APART = {
    "a number in words is held against one in digits": [
        ("Employees get twenty-five days of leave.", "Employees get 25 days of leave.",
         "Employees get thirty-five days of leave."),
        ("The notice period is 25 days.", "The notice period is twenty-five days.",
         "The notice period is twenty-one days."),
        ("The plan covers 70 percent of the costs.", "The plan covers seventy percent of the costs.",
         "The plan covers eighty percent of the costs."),
        ("Die Frist beträgt 25 Tage.", "Die Frist beträgt fünfundzwanzig Tage.",
         "Die Frist beträgt fünfunddreißig Tage."),
        ("Die Kaution beträgt 200 Euro.", "Die Kaution beträgt zweihundert Euro.",
         "Die Kaution beträgt dreihundert Euro."),
        ("Le délai est de vingt-cinq jours.", "Le délai est de 25 jours.", "Le délai est de trente-cinq jours."),
        ("El plazo es de treinta y cinco días.", "El plazo es de 35 días.", "El plazo es de 30 días."),
        ("A deposit of two hundred euros is due.", "A deposit of 200 euros is due.", "A deposit of 2100 euros is due."),
        ("A deposit of five hundred euros is due.", "A deposit of €500 is due.", "A deposit of 5,100 euros is due."),
        ("The notice period is one month.", "The notice period is 1 month.", "The notice period is 1 week."),
    ],
    "a number is one however it is written": [
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
    "a single period is one of what it is said of": [
        ("Books are lent for four weeks, films for one week.", "Films are lent for one week.",
         "Films are lent for four weeks."),
        ("Bücher werden für vier Wochen ausgeliehen, Filme für eine Woche.",
         "Bücher werden für vier Wochen ausgeliehen.",
         "Filme werden für vier Wochen ausgeliehen."),
        ("Les livres sont prêtés pour quatre semaines, les films pour une semaine.",
         "Les films sont prêtés pour une semaine.", "Les films sont prêtés pour quatre semaines."),
        ("Los libros se prestan por cuatro semanas, las películas por una semana.",
         "Las películas se prestan por una semana.", "Las películas se prestan por cuatro semanas."),
    ],
}  # fmt: skip


@pytest.mark.parametrize(("passage", "true", "false"), cases(TOLD_APART))
def test_it_tells_apart_what_is_said_and_what_is_not(passage: str, true: str, false: str) -> None:
    assert holds(true, passage)
    assert not holds(false, passage)


def test_numerals_of_chinese_and_japanese_count_before_what_they_count() -> None:
    assert in_digits("十二月三十一日，二十人，三名") == in_digits("12月31日，20人，3名")
    assert in_digits("十分, 第三天, 一个, 百二十日") == "十分, 第三天, 一个, 百二十日"
