"""Sentences, their citations, and the quotes that bear them out."""

import random
from itertools import pairwise

import pytest

from retrieval.answering.checking.negations import denies
from retrieval.answering.checking.support import support
from retrieval.answering.citations import Quote, best_quote, check, extracted
from retrieval.answering.marks import cited_numbers, without_marks
from retrieval.answering.quoting.layout import LISTED
from retrieval.answering.sentences import Span, is_claim, sentence_spans
from retrieval.answering.typesetting import before_mark, unwrapped
from retrieval.pages.transcript import Said, shown
from tests.retrieval.answering_fakes import make_hit


def sentences(text: str) -> list[str]:
    return [text[span.start : span.end] for span in sentence_spans(text)]


def test_full_stops_inside_numbers_names_and_abbreviations_end_nothing() -> None:
    text = "Version 3.5 reads config.yaml, e.g. in Dr. Smith's folder (cf. Fig. 2). J. Doe wrote it."
    assert sentences(text) == [text[:-16].strip(), "J. Doe wrote it."]


def test_code_blocks_are_whole_without_the_marks_behind_them() -> None:
    code = "a:\n      - 1\n\n    # b\n    c..."
    text = f"Write this::\n\n    {code} [1]\n\nThen go on. [2]"
    assert sentences(text) == ["Write this::", code, "[1]", "Then go on. [2]"]
    assert cited_numbers(text) == (1, 2)


@pytest.mark.parametrize(("text", "between"), [("Run::\n\n    ls -l", "\n\n"), ("It is so.", " ")])
def test_a_mark_is_no_part_of_code(text: str, between: str) -> None:
    assert before_mark(text) == between


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("Die Frist endet am 3. Mai 2024. [1]", 1),
        ("Das gilt ab dem 1. Januar 2024. Danach gilt es nicht.", 2),
        ("Es entstand im 19. Jahrhundert. Das war früh.", 2),
        ("Das ist die 2. Auflage.", 1),
        ("Es kostet 5 Mio. Euro. Das ist viel.", 2),
        ("Vive en EE. UU. desde 1990.", 1),
        ("See No. 5 and Vol. 3 there.", 1),
        ("It is not so? No. It is.", 3),
        ("It was opened in 2024. The next one follows.", 2),
        ("That is step 3. Open it. May I ask? I am 25. My name is Ann.", 5),
        ("Es endet am 3.", 1),
        ("Sie kam am 3. März. Er kam am 31. Dezember.", 2),
    ],
)
def test_full_stops_behind_ordinals_and_before_numbers_end_nothing(text: str, count: int) -> None:
    assert len(sentences(text)) == count


@pytest.mark.parametrize(
    "text",
    [
        "Der Preis ist inkl. Frühstück, ggf. Mittagessen, lt. Vertrag.",
        "Vgl. Anlage 3; Hauptstr. 12, Tel. (030) 4711, Mind. 12 Zeichen, max. 150 €, bei Dipl.-Ing. Meier.",
        "Voir Mme. Durand, bd. Voltaire, chap. 3, tél. +33 1 23 45.",
        "En caso de avería llame a la ext. 4711, tel. 912 345 678, o vea la pág. 3.",
        "Pregunte Ud. María a la Dra. Ibáñez en la Av. Diagonal 5.",
        "Il sig. Rossi risponde, pag. 4.",
        "Zie blz. 12 en art. 3.",
        "Biblioteka przy ul. Długiej 5 jest otwarta w godz. 9:00–19:00.",
        "См. стр. 5, ул. Ленина 3.",
    ],
)
def test_abbreviations_of_other_languages_end_nothing(text: str) -> None:
    assert sentences(text) == [text]


@pytest.mark.parametrize(
    "text",
    [
        "Keep that in mind. Then go on.",
        "Set it to the max. Then save.",
        "It returns a str. Then print it.",
        "Put it into the ul. Then close it.",
        "Check the sig. Then unpack it.",
        "N'est pas reconnu comme tel. Il faut attendre.",
        "Det är vad den består av. Sedan är den klar.",
    ],
)
def test_words_that_are_abbreviations_elsewhere_end_sentences(text: str) -> None:
    assert len(sentences(text)) == 2


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("Acme Corp.  is liable.", ["Acme Corp.  is liable."]),
        ("Acme Corp.\n    is liable.", ["Acme Corp.\n    is liable."]),
        ("Acme pays the damage.  It pays at once.", ["Acme pays the damage.", "It pays at once."]),
        ("Acme pays.\n\n\nit is liable.", ["Acme pays.", "it is liable."]),
    ],
)
def test_no_amount_of_white_space_ends_a_sentence_before_a_small_letter(text: str, said: list[str]) -> None:
    assert sentences(text) == said


def test_code_blocks_lists_and_headings_stay_whole() -> None:
    code = "```python\nprint('a. b.')\n\nx = 1\n```"
    text = f"Do this:\n\n{code}\n\n- First thing\n- Second thing.\n\n1. One.\n2. Two"
    assert sentences(text) == ["Do this:", code, "- First thing", "- Second thing.", "1. One.", "2. Two"]


def test_a_code_block_that_is_cut_off_runs_to_the_end() -> None:
    assert sentences("```npm i``` installs it. Then start it.") == ["```npm i``` installs it.", "Then start it."]
    assert sentences("````\n```\na. B\n```\n````\nEnd. Yes.") == ["````\n```\na. B\n```\n````", "End.", "Yes."]
    assert sentences("See:\n\n```\na. B. c\nD.") == ["See:", "```\na. B. c\nD."]


def test_lines_wrapped_at_a_width_are_one_sentence() -> None:
    assert sentences("The quick\nbrown fox. It\njumps.") == ["The quick\nbrown fox.", "It\njumps."]


def test_marks_after_the_full_stop_belong_to_their_sentence() -> None:
    assert sentences("One is so. [1] Two is so.[2][3]\nThree [4].") == [
        "One is so. [1]",
        "Two is so.[2][3]",
        "Three [4].",
    ]


def test_other_scripts_have_their_own_full_stops() -> None:
    assert sentences("这是一。这是二！ほら。") == ["这是一。", "这是二！", "ほら。"]
    assert sentences("هل هذا سؤال؟ نعم.") == ["هل هذا سؤال؟", "نعم."]
    assert sentences("यह एक है। यह दो है।") == ["यह एक है।", "यह दो है।"]


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("a [1]", (1,)),
        ("a [1, 2]", (1, 2)),
        ("[2][1][2]", (2, 1)),
        ("a[0]=[x] [1.5] [1234]", ()),
        ("none", ()),
        ("Use `a [1]` or ``a ` [2] b`` [3] now [4].", (3, 4)),
    ],
)
def test_citation_numbers_are_read_in_every_spelling(text: str, numbers: tuple[int, ...]) -> None:
    assert cited_numbers(text) == numbers


@pytest.mark.parametrize(
    ("text", "bare", "numbers"),
    [
        ("Use `sys.argv[1]` to get it [2].", "Use `sys.argv[1]` to get it.", (2,)),
        ("Use sys.argv[1] to get it.[2][3]", "Use sys.argv[1] to get it.", (2, 3)),
        ("Read items[0].", "Read items[0].", ()),
        ("```py\na = items[0]\nb = [1, 2]\n``` [1]", "```py\na = items[0]\nb = [1, 2]\n```", (1,)),
        ("It costs 30 euros[1].", "It costs 30 euros.", (1,)),
        ("Es kostet 30 €[1].", "Es kostet 30 €.", (1,)),
        ("It is so (by law)[1, 2].\nAnd so[3]", "It is so (by law).\nAnd so", (1, 2, 3)),
        ("保修期为3年[1]，不含电池[2]。", "保修期为3年，不含电池。", (1, 2)),
        ("Run `make` [1], then “go”[2].", "Run `make`, then “go”.", (1, 2)),
        ("[1] It is so.", "It is so.", (1,)),
        ("Cookies are signed[1], and keys rotate[2].", "Cookies are signed, and keys rotate.", (1, 2)),
        ("Cookies are signed[1]; keys rotate.", "Cookies are signed; keys rotate.", (1,)),
    ],
)
def test_indexes_of_code_are_no_citations(text: str, bare: str, numbers: tuple[int, ...]) -> None:
    assert (without_marks(text), cited_numbers(text)) == (bare, numbers)


def test_code_of_an_answer_is_shown_as_it_was_written() -> None:
    code = "```\nfirst = items[0]\nsecond = items[7]\n```"
    text = f"Use `sys.argv[1]` to get the first argument [1].\n\n{code}"
    checked = check(text, [[make_hit(f"Use `sys.argv[1]` to get the first argument.\n\n{code}")]])
    assert checked.text == f"{text} [1]"
    assert [said.text for said in checked.sentences] == ["Use `sys.argv[1]` to get the first argument.", code]
    assert all(said.supported for said in checked.sentences) and checked.invented == 0
    assert not support("Use `sys.argv[2]` to get the first argument.", text).holds


def test_spans_cover_every_text_in_order() -> None:
    dice = random.Random(7)
    for _ in range(300):
        text = "".join(
            dice.choice(["a", " ", ". ", "\n", "```\n", "[1]", "。", "é", "3.5", "- ", "e.g. ", "\u202e", "ש"])
            for _ in range(40)
        )
        spans = sentence_spans(text)
        assert "".join(sentences(text)).split() == [] or "".join("".join(sentences(text)).split()) == "".join(
            text.split()
        )
        assert all(a.end <= b.start for a, b in pairwise(spans))


TEXT = "Sessions are kept in files.\nThey expire after 30 minutes.\n\nCookies are signed.\nKeys rotate every day."


def test_a_quote_is_the_smallest_span_and_knows_its_lines() -> None:
    quote = best_quote("Cookies are signed.", [make_hit(TEXT)])
    assert quote is not None
    citation = quote.citation(1)
    assert (citation.quote, citation.verified) == ("Cookies are signed.", True)
    assert (citation.line_start, citation.line_end) == (13, 13)


def test_a_quote_spans_neighbouring_sentences_where_one_is_not_enough() -> None:
    quote = best_quote("Sessions are kept in files and expire after 30 minutes.", [make_hit(TEXT)])
    assert quote is not None
    assert quote.text == "Sessions are kept in files.\nThey expire after 30 minutes."
    assert (quote.citation(1).line_start, quote.citation(1).line_end) == (10, 11)


def test_every_quote_is_a_substring_of_its_chunk_and_its_lines_lie_inside() -> None:
    hit = make_hit(TEXT + "\n\u202e עברית ועוד עברית.\nعربي هنا. 日本語です。", line_start=3, line_end=9)
    for sentence in ("עברית ועוד", "عربي هنا", "日本語です", "Nothing of the kind", "Keys rotate every day"):
        quote = best_quote(sentence, [hit])
        assert quote is not None
        citation = quote.citation(1)
        assert citation.quote in hit.text
        assert hit.line_start <= citation.line_start <= citation.line_end <= hit.line_end


def test_a_row_with_a_bar_in_a_cell_is_quoted_word_for_word_and_bears_out_what_it_shows() -> None:
    text = "Name | Command | Port\nWatcher | ps aux\xa0| grep x | 80\nLister | ls | 81"
    (citation,) = check("The watcher runs `ps aux | grep x` on port 80 [1].", [[make_hit(text)]]).citations
    assert citation.verified and "ps aux\xa0| grep x" in citation.quote and citation.quote in text


def test_a_citation_that_is_right_is_left_where_it_is() -> None:
    checked = check("Cookies are signed [1].", [[make_hit(TEXT)]])
    assert checked.text == "Cookies are signed [1]."
    assert checked.sentences[0].supported
    assert checked.citations[0].verified


def test_a_passage_that_does_not_exist_is_taken_out_and_counted() -> None:
    checked = check("Cookies are signed [1][7]. Keys rotate every day [9].", [[make_hit(TEXT)]])
    assert checked.invented == 2
    assert checked.text == "Cookies are signed. [1] Keys rotate every day. [1]"


def test_a_sentence_without_citation_gets_the_passage_that_bears_it_out() -> None:
    checked = check("Cookies are signed.", [[make_hit("Nothing about it.")], [make_hit(TEXT)]])
    assert checked.sentences[0].citations == (2,)
    assert checked.text == "Cookies are signed. [2]"


@pytest.mark.parametrize(("mark", "invented"), [(" [2]", 0), (" [1]", 1), (" [9]", 1), ("", 0), (" [1][9]", 2)])
def test_a_true_sentence_has_one_verdict_whatever_number_it_cites(mark: str, invented: int) -> None:
    checked = check(f"Cookies are signed{mark}.", [[make_hit("Nothing about it.")], [make_hit(TEXT)]])
    assert [(said.citations, said.supported) for said in checked.sentences] == [((2,), True)]
    assert [(citation.n, citation.verified) for citation in checked.citations] == [(2, True)]
    assert "[1]" not in checked.text and "[9]" not in checked.text and checked.invented == invented


def test_a_sentence_that_nothing_bears_out_is_marked_and_gets_no_citation() -> None:
    checked = check("Cookies are signed [1]. Elephants invented them.", [[make_hit(TEXT)]])
    assert [sentence.supported for sentence in checked.sentences] == [True, False]
    assert checked.sentences[1].citations == ()


def test_a_cited_passage_that_does_not_bear_the_sentence_out_is_shown_as_unverified() -> None:
    checked = check("Cookies are baked for 45 minutes [1].", [[make_hit(TEXT)]])
    assert not checked.sentences[0].supported
    assert [citation.verified for citation in checked.citations] == [False]


def test_the_best_quote_of_a_passage_cited_twice_is_kept() -> None:
    checked = check("Keys rotate every 9 days [1]. Cookies are signed [1].", [[make_hit(TEXT)]])
    assert [citation.quote for citation in checked.citations] == ["Cookies are signed."]


def test_a_sentence_of_two_passages_other_chunks_keeps_both_quotations() -> None:
    price, weight = "The cargo bike costs 12 euros a day.", "The tandem weighs 25 kilograms with its basket."
    about = ["The shop opens at nine.", "The cellar floods in spring."]
    texts = [[price, weight], about]
    passages = [[make_hit(text, chunk_id=10 * n + i) for i, text in enumerate(each)] for n, each in enumerate(texts)]
    checked = check(f"{price[:-1]} [1][2]. {weight[:-1]} and the cellar floods [1][2].", passages)
    quotes = {citation.n: citation.quote for citation in checked.citations}
    assert [said.citations for said in checked.sentences] == [(1, 2), (3, 4)]
    assert quotes[1] == price and {quotes[3], quotes[4]} == {weight, about[1]}
    assert checked.sentences[1].supported


def test_an_empty_answer_and_an_empty_chunk_are_survived() -> None:
    assert check("", [[make_hit(TEXT)]]).sentences == ()
    assert not check("Cookies are signed [1].", [[make_hit("")]]).sentences[0].supported


def test_what_is_said_twice_is_said_once() -> None:
    checked = check("- Cookies are signed.\n- Cookies are signed [1].\nKeys rotate every day.", [[make_hit(TEXT)]])
    assert checked.text == "- Cookies are signed. [1]\nKeys rotate every day. [1]"


def test_a_citation_behind_a_german_date_stands_once() -> None:
    checked = check("Die Frist endet am 3. Mai 2024. [1]", [[make_hit("Die Frist endet am 3. Mai 2024.")]])
    assert checked.text == "Die Frist endet am 3. Mai 2024. [1]"
    assert [citation.quote for citation in checked.citations] == ["Die Frist endet am 3. Mai 2024."]


@pytest.mark.parametrize(
    "said", ["- Keys rotate every day.\n- Cookies are signed.", "Keys rotate every day:\n```\nCookies are signed.\n```"]
)
@pytest.mark.parametrize("mark", ["\n\n[1]", "\n[1].", "\n[1]\n[9]"])
def test_a_mark_that_stands_alone_belongs_to_the_sentence_before_it(said: str, mark: str) -> None:
    checked = check(said + mark, [[make_hit(TEXT)]])
    assert len(checked.sentences) == 2 and checked.sentences[1].citations == (1,)
    assert checked.sentences[1].supported and checked.invented == mark.count("9")


def test_marks_alone_say_nothing() -> None:
    assert check("[1]", [[make_hit(TEXT)]]).sentences == ()
    assert [said.text for said in check("[1]\n\nKeys rotate every day.", [[make_hit(TEXT)]]).sentences] == [
        "Keys rotate every day."
    ]
    assert not is_claim("") and not is_claim("Source:")


def test_a_loop_is_shown_once() -> None:
    assert check("It opens. It waits. It closes. " * 5 + "It opens.", []).text == "It opens. It waits. It closes."


@pytest.mark.parametrize(
    "text",
    [
        "1. Open.\n2. Press the red button.\n3. Wait one minute.\n4. Press the red button.\n5. Close.",
        "1. Drücken.\n2. Drücken.\n3. Schließen.",
        "Open it. Press the button. Wait. Press the button. Close it.",
        "打开。按下按钮。等待。按下按钮。关闭。",
        "```\nmake\n```\nThen again:\n```\nmake\n```",
    ],
)
def test_a_step_that_comes_twice_stays(text: str) -> None:
    assert check(text, []).text == text


@pytest.mark.parametrize("mark", ["-", "*", "+", "•", "‣", "●", "▪", "·", "1.", "123)", "#.", "#)"])
def test_a_lists_mark_is_one_wherever_an_answer_is_read(mark: str) -> None:
    said = "Keys rotate every nine days."
    item = f"{mark} {said}"
    assert check(f"{said}\n{item}", []).text == (f"{said}\n{item}" if mark[0].isdigit() else said)
    assert unwrapped(f"They\nrotate.\n{item}") == f"They rotate.\n{item}"
    assert support(item, said).holds and LISTED.match(item)
    block = shown([Said(item, True, False, ())])
    assert (block.kind, block.sentences[0].text) == ("item", said)
    assert sentences(f"Do so:\n{mark} One thing\n{mark} Two things")[1:] == [f"{mark} One thing", f"{mark} Two things"]


@pytest.mark.parametrize(
    "text",
    [
        "| Code | Meaning |\n|------|---------|\n| P01  | no paper |",
        "| Code |\n|---|\n| P01 |",
        "+------+----------+\n| P01  | no paper |\n+------+----------+",
        "====  ========\nCode  Meaning\n====  ========\nP01   no paper\n====  ========",
        ".. list-table:: Codes\n:header-rows: 1\n\n   * - Code\n     - Meaning\n   * - P01\n     - no paper",
        ".. list-table:: Bulbs\n   :header-rows: 1\n   :widths: 10 20\n\n   * - Code\n     - Watt\n   * - B1\n     - 5",
        ".. csv-table:: Bulbs\n   :header: Code, Watt\n\n   B1, 5\n   B2, 7",
        ".. image:: bulb.png\n   :alt: A bulb",
        "#. Call us.\n#. Report it.",
        ":Guests: 30 days\n:Members: 60 days",
        "> [!NOTE]\n> Wear shoes.",
        "To build it::\n\n   make\n   make install",
        "def reset(pump):\n    pump.stop()\n    if pump.stuck:\n        return False\n\n    pump.start()",
        "server {\n    listen 80;\n    root /srv;\n}",
        "web:\n    image: x\n    ports:\n        - 80",
        "    def read_gauge(port):\n        with open(port) as gauge:\n            return float(gauge.read())",
        "    server {\n        listen 80;\n    }",
        "    class Gauge:\n        def read(self):\n            return self.value\n\n"
        "        def reset(self):\n            self.value = 0",
    ],
)
def test_lines_that_stand_for_themselves_are_not_joined(text: str) -> None:
    assert unwrapped(text) == text
    assert unwrapped(f"They are\nlent.\n\n{text}") == f"They are lent.\n\n{text}"


def test_lines_of_a_program_stay_as_they_are() -> None:
    text = "def reset(pump):\n    pump.stop()\n    pump.start()"
    quote = Quote(make_hit(text, source_file="pump.py"), Span(0, len(text)), support(text, text))
    assert extracted({1: quote}).text == f"{text} [1]"


def test_a_term_stands_above_what_is_said_of_it() -> None:
    said = "Wear\n   Closed\n   shoes.\nRest\n    In the\n    shade."
    assert unwrapped(said) == "Wear\nClosed shoes.\nRest\nIn the shade."
    assert unwrapped("closed\n   shoes", column=3) == "closed shoes"
    assert unwrapped("Opening hours:\n    Nine to\n    five.") == "Opening hours:\nNine to five."


@pytest.mark.parametrize(
    ("above", "source_file", "told"),
    [
        ("Show more.\n\n    ", "gpu.html", "    [gpu]\n    careful=50\n\nIt is a percentage."),
        ("    ", "gpu.md", "    [gpu]\n    careful=50\n\nIt is a percentage."),
        ("It is\n    ", "gpu.md", "[gpu] careful=50\n\nIt is a percentage."),
        ("Show more.\n\n    ", "gpu.txt", "[gpu] careful=50\n\nIt is a percentage."),  # all of it may stand in
    ],
)
def test_code_that_begins_a_quotation_keeps_its_lines(above: str, source_file: str, told: str) -> None:
    text = f"{above}[gpu]\n    careful=50\n\nIt is a\npercentage."
    quote = Quote(make_hit(text, source_file=source_file), Span(len(above), len(text)), support(text, text))
    assert quote.told == told


def test_what_an_item_holds_is_code_only_further_in_than_its_text() -> None:
    said = "1. Do it,\n\n    so that\n    it holds:\n\n       make\n       make install"
    assert unwrapped(said) == "1. Do it,\n\nso that it holds:\n\n       make\n       make install"
    assert unwrapped("Do it:\n\n\tmake\n\tmake install") == "Do it:\n\n\tmake\n\tmake install"


def test_code_that_begins_within_an_indented_line_stays() -> None:
    assert unwrapped("server {\n        listen 80;\n    }\nIt\nlistens.", column=4) == (
        "server {\n        listen 80;\n    }\nIt listens."
    )


@pytest.mark.parametrize(
    ("text", "between"), [("| A | B |\n|---|---|\n| 1 | 2 |", "\n\n"), ("```\nmake\n```", "\n\n"), ("It is lent.", " ")]
)
def test_a_mark_is_no_cell_of_the_table_before_it(text: str, between: str) -> None:
    quote = Quote(make_hit(text), Span(0, len(text)), support(text, text))
    assert extracted({1: quote}).text == f"{text}{between}[1]"


def test_what_stands_twice_for_two_things_is_no_loop() -> None:
    text = "Plan A:\n- 5 users\n- 10 GB\n\nPlan B:\n- 5 users\n- 10 GB"
    assert check(text, [[make_hit(text)]]).text.replace(" [1]", "") == text
    looping = "It closes at six. It opens at nine. " * 3
    assert check(looping, [[make_hit(looping)]]).text.count("six") == 1


@pytest.mark.parametrize("said", ["It lies in [0, 100] percent.", "See [1](guide.md) for more.", "    a = [99]"])
def test_brackets_of_other_things_are_no_citations(said: str) -> None:
    assert without_marks(said).strip() == said.strip() and not cited_numbers(said)


def test_a_long_list_keeps_nobody_busy() -> None:
    assert not denies("a and " * 8_000, "b")


def test_items_within_items_stay_as_far_in():
    nested = "- use this if:\n  - you have\n    a key\n  - or none\n- else"
    assert unwrapped(nested) == "- use this if:\n  - you have a key\n  - or none\n- else"
    assert unwrapped("Use it if:\n    - one\n      - two") == "Use it if:\n- one\n  - two"


def test_a_script_without_a_mark_can_be_copied():
    script = "## It goes\n## for good\napt purge saw\napt clean"
    assert unwrapped(f"Then run:\n\n{script}\n\nDone\nnow.") == f"Then run:\n\n{script}\n\nDone now."
    for whole in ("# Set it\nFOO=bar\nBAR=foo", "#!/usr/bin/env python\nFOO = 1\nBAR = 2", "$ apt list\nListing\nDone"):
        assert unwrapped(whole) == whole


def test_text_directly_below_a_heading_is_no_script():
    assert unwrapped("# Title\nText below it that is\nwrapped.") == "# Title\nText below it that is wrapped."
    assert unwrapped("# Title\n## Part\n- one that is\n  wrapped") == "# Title\n## Part\n- one that is wrapped"
