import re

import pytest

from ingestion.chunking import chunk, embedding_text, hash_of, told, told_by_hash
from ingestion.chunking.embedding import LONGEST_BREADCRUMB, estimate
from ingestion.chunking.tables import bounded, header
from ingestion.parsers import parse
from ingestion.sections import build_sections
from knowledge.texts.formats import Notation


class Counter:
    """Counts words and marks, and how often it was asked."""

    def __init__(self):
        self.calls = 0

    def __call__(self, texts):
        self.calls += 1
        return [len(re.findall(r"\w+|[^\w\s]", text)) for text in texts]


def chunks_of(text, path="a.md", count=None, **limits):
    document = parse(text.encode(), path)
    return chunk(document, build_sections(document), count or Counter(), **limits)


def words(count, word="word"):
    return " ".join([word] * count)


def test_small_blocks_of_a_section_are_one_chunk_counted_in_one_call():
    count = Counter()
    (found,) = chunks_of("# Title\n\nOne.\n\nTwo.\n\n```php\necho 3;\n```\n\n", count=count)
    assert found.text == "One.\n\nTwo.\n\n```php\necho 3;\n```"
    assert (found.line_start, found.line_end, count.calls) == (3, 9, 1)


def test_sections_are_never_mixed():
    assert [found.text for found in chunks_of("# A\n\nOne.\n\n# B\n\nTwo.\n")] == ["One.", "Two."]


def test_a_section_with_nothing_but_a_heading_is_found_by_it_or_by_what_stands_below_it():
    assert [found.text for found in chunks_of("# A\n\nText.\n\n## B\n")] == ["Text.", "## B"]
    assert [found.text for found in chunks_of("# A\n\n## B\n\nText.\n")] == ["Text."]
    assert [found.text for found in chunks_of("# A\n\n## B\n")] == ["## B"]


def test_a_code_block_that_fits_is_never_torn():
    code = "```\n" + "\n\n".join(["a b c"] * 10) + "\n```"
    found = chunks_of(f"{words(20)}\n\n{code}\n\n{words(20)}\n", budget=40)
    assert code in [each.text for each in found]


def test_the_sentence_before_a_code_block_goes_with_it():
    found = chunks_of(f"{words(15)}\n\nLike this:\n\n```\n{words(12)}\n```\n", budget=30)
    assert [each.text.split("\n")[0] for each in found] == [words(15), "Like this:"]


@pytest.mark.parametrize(
    ("line", "leads"),
    [("   Severity levels", True), ("It is so.", False), ("情况就是这样。", False), ("- Severity", False)],
)
def test_a_line_that_looks_like_a_heading_in_plain_text_goes_with_what_is_below_it(line, leads):
    found = chunks_of(f"{words(15)}.\n\n{line}\n\n{words(18)}.\n", "a.txt", budget=22)
    assert [line in each.text for each in found] == [not leads, leads]


@pytest.mark.parametrize(
    ("sentence", "stop"),
    [("Sentence 1 has seven words in it.", "."), ("यह घर मेरा नहीं है।", "।"), ("هل هذا بيت كبير وقديم جدا؟", "؟")],
)
def test_an_over_long_paragraph_is_cut_at_sentences(sentence, stop):
    text = " ".join([sentence] * 9)
    found = chunks_of(text, budget=30)
    assert len(found) > 1
    assert all(each.text.endswith(stop) and each.tokens <= 30 for each in found)
    assert " ".join(each.text for each in found) == text


def test_what_is_said_between_marks_of_speech_stays_between_them():
    assert {each.text for each in chunks_of("「はい。」" * 9, budget=5)} == {"「はい。」"}


def test_a_section_that_runs_on_is_cut_into_longer_chunks():
    sentences = [f"Sentence {number} has seven words in it." for number in range(60)]
    short, long = " ".join(sentences[:12]), " ".join(sentences)
    found = chunks_of(f"# Short\n\n{short}\n\n# Long\n\n{long}\n", budget=40)
    most = {section: max(each.tokens for each in found if each.section == section) for section in (0, 1)}
    assert most[0] <= 40 < most[1] <= 50

    limited = chunks_of(f"# Long\n\n{long}\n", budget=40, limit=44)
    assert max(each.tokens for each in limited) <= 44


def test_over_long_code_is_cut_at_blank_lines():
    functions = "\n\n".join(f"def f{number}():\n    return {words(8, 'x')}" for number in range(6))
    found = chunks_of(f"```python\n{functions}\n```", budget=40)
    assert all(each.text.lstrip("`python\n").startswith("def") for each in found)
    assert {each.language for each in found} == {"python"}


@pytest.mark.parametrize(("path", "fence"), [("a.md", "```"), ("a.cs", "")])
def test_over_long_code_is_cut_at_the_outermost_blank_lines_first(path, fence):
    inside = f"        {words(6, 'a')};\n\n        {words(6, 'b')};\n\n"
    methods = [f"    int M{number}()\n    {{\n{inside}    }}" for number in range(6)]
    code = "class A\n{\n" + "\n\n".join(methods) + "\n\n}"
    found = chunks_of(f"{fence}\n{code}\n{fence}", path=path, budget=45)
    assert len(found) > 2
    assert all(any(method in each.text for each in found) for method in methods)


def test_code_that_is_indented_ever_deeper_is_cut_in_few_calls():
    count = Counter()
    chunks_of("\n\n".join(" " * depth + words(3) for depth in range(300)), path="a.rb", count=count, budget=20)
    assert count.calls < 12


@pytest.mark.parametrize("mark", ["-", "(a)", "#."])
def test_an_over_long_list_is_cut_at_items(mark):
    items = "\n".join(
        f"{mark} item {number} of the list,\n{' ' * len(mark)} {words(number % 9)}" for number in range(20)
    )
    found = chunks_of(items, path="a.rst", budget=30)
    assert len(found) > 1 and all(each.text.startswith(f"{mark} item") for each in found)


def test_an_over_long_table_is_cut_at_rows_and_each_later_piece_knows_the_header():
    rows = "\n".join(f"| name {number} | {number} |" for number in range(30))
    first, *others = chunks_of(f"| Name | Number |\n|---|---|\n{rows}\n", budget=60)
    assert first.context == ""
    assert {each.context for each in others} == {"Name | Number"}
    assert all(each.text.startswith("| name") and each.kind == "table" for each in others)


def test_the_pieces_of_a_wide_table_repeat_no_more_of_its_header_than_they_hold():
    heads, row = [f"Column {number}" for number in range(1_000)], ",".join(["7"] * 1_000)
    first, *others = chunks_of("\n".join([",".join(heads), *[row] * 5]), path="wide.csv")
    (context,) = {each.context for each in others if each.context}
    assert first.context == "" and len(context) <= 2_001
    *whole, last = context.split(" | ")
    assert whole == heads[: len(whole)] and last == "…"
    long = bounded("x" * 5_000)
    assert bounded("x" * 2_000) == "x" * 2_000 and long == "x" * 2_000 + "…"


@pytest.mark.parametrize(
    ("table", "expected"),
    [
        ("=== ===\nA   B C\n=== ===\n1   2\n=== ===", "A | B C"),
        ("=== ===\n1   2\n=== ===", ""),
        ("+---+---+\n| A | B |\n+===+===+\n| 1 | 2 |\n+---+---+", "A | B"),
        ("| A | B |\n|:--|--:|\n| 1 | 2 |", "A | B"),
        (".. list-table::\n   :header-rows: 1\n\n   * - A\n     - B\n   * - 1\n     - 2", "A | B"),
        ("+---+---+\n| A | B |\n| a | b |\n+===+===+\n| 1 | 2 |\n+---+---+", "A a | B b"),
        ("+---+---+\n| 1 | 2 |\n+---+---+\n| 3 | 4 |\n+---+---+", ""),
        ("==== =====\nA    B\n==== =====\n1    2\n==== =====", "A | B"),
        ("| A | a \\| b |\n|---|---|\n| 1 | 2 |", "A | a\xa0| b"),
        ("|   | B |\n|---|---|\n| 1 | 2 |", " | B"),
        ('.. csv-table::\n   :header: "A", B\n\n   1, 2', "A | B"),
        ('.. csv-table::\n   :header-rows: 1\n   :delim: ;\n\n   "A"; B, C\n   1; 2', "A | B, C"),
        (".. csv-table::\n   :header-rows: 1\n   :file: a.csv\n", ""),
        ("```{list-table} T\n:header-rows: 1\n\n* - A\n  - B\n* - 1\n  - 2\n```", "A | B"),
        ("```{list-table}\n:header-rows: 1\n* - A\n  - B\n* - 1\n  - 2\n```", "A | B"),
        ("```{csv-table}\n:header-rows: 1\n\nA, B\n1, 2\n```", "A | B"),
        ("```{csv-table}\n:header: A, B\n\n1, 2\n```", "A | B"),
        ("~~~{table} T\n:align: left\n\n| A | B |\n|---|---|\n| 1 | 2 |\n~~~", "A | B"),
        ("```{table}\n" * 2_000, ""),
        (".. table::\n\n" * 2_000, ""),
        ("> | A | B |\n> |---|---|\n> | 1 | 2 |", "A | B"),
        (" >> A | B\n >> --|--\n >> 1 | 2", "A | B"),
        ("no table", ""),
    ],
)
def test_the_header_row_of_a_table(table, expected):
    assert header(table) == expected


def test_one_endless_line_is_cut_in_few_calls():
    count = Counter()
    found = chunks_of("a,b;" * 20_000, path="one_line.rb", count=count, budget=100)
    assert max(each.tokens for each in found) <= 100
    assert count.calls < 12


def test_a_visible_character_is_never_torn():
    family = "👩🏽\u200d👩\u200d👧e\u0301"
    found = chunks_of(family * 400, path="a.txt", budget=50)
    assert len(found) > 1
    assert not any(re.match("[\u200d\u0301🏽]", each.text) or each.text.endswith("\u200d") for each in found)


def test_a_small_last_chunk_joins_the_one_before():
    (found,) = chunks_of(f"{words(38)}\n\n{words(4)}\n", budget=40, limit=50)
    assert found.tokens == 42
    assert len(chunks_of(f"{words(38)}\n\n{words(4)}\n", budget=40, limit=41)) == 2


def test_overlap_repeats_the_end_of_the_chunk_before():
    text = f"{words(20, 'a')}\n\n{words(10, 'b')}\n\n{words(25, 'c')}\n"
    first, second = chunks_of(text, budget=30, overlap=12)
    assert first.text.endswith(words(10, "b"))
    assert second.text == f"{words(10, 'b')}\n\n{words(25, 'c')}"
    assert second.tokens == 35


def test_overlap_repeats_sentences_of_a_long_paragraph():
    text = f"{words(20, 'a')}. B {words(5, 'b')}.\n\n{words(25, 'c')}\n"
    _, second = chunks_of(text, budget=30, overlap=10)
    assert second.text.startswith("B b b")


def test_no_chunk_is_longer_than_the_limit_even_if_the_budget_is():
    assert max(each.tokens for each in chunks_of(words(500), budget=300, limit=100)) <= 100


def test_a_function_is_retrieved_with_its_signature():
    found = chunks_of("import os\n\n\n@cache\ndef run(a):\n    return a\n", path="x/run.py")
    assert [each.text for each in found] == ["import os", "@cache\ndef run(a):\n    return a"]


def test_an_empty_file_has_no_chunks():
    count = Counter()
    assert chunks_of("", count=count) == ()
    assert count.calls == 0


def test_what_is_embedded_is_the_path_the_context_and_the_text():
    assert embedding_text(("Guide", "Limits"), "10", "Name | Value") == "Guide > Limits\nName | Value\n10"
    assert embedding_text((), "10") == "10"


def test_a_long_path_keeps_its_last_titles():
    path = embedding_text(["word " * 60, "Second", "word " * 20, "Last"], "").split(" > ")
    assert path[-1] == "Last"
    assert len(path) == 3
    assert estimate(embedding_text(["word " * 500], "")) <= LONGEST_BREADCRUMB


GRID = "\n".join(["+--------+--------+", "| Day    | Opens  |", "+========+========+"]) + "".join(
    f"\n| day {day}  | {day} am   |\n+--------+--------+" for day in range(1, 8)
)


def test_a_table_is_as_long_as_what_it_says():
    (table,) = chunks_of(f"Days\n====\n\n{GRID}\n", path="a.rst", budget=60)
    assert table.text == GRID and table.tokens <= 60 < Counter()([GRID])[0]
    assert len(chunks_of(f"```\n{GRID}\n```\n", budget=60)) > 1  # code says its marks


def test_what_is_embedded_has_no_markup_unless_the_hash_is_of_it():
    assert "day 1: Opens 1 am." in told(GRID) and "+" not in told(GRID)
    as_told, as_it_stands = hash_of(("Days",), told(GRID)), hash_of(("Days",), GRID)
    assert told_by_hash(("Days",), GRID, "", as_told) == told(GRID)
    assert told_by_hash(("Days",), GRID, "", as_it_stands) == GRID
    assert told_by_hash(("Days",), GRID, "", b"another") is None


def test_each_row_of_a_sheet_is_embedded_with_the_heads_of_its_columns_in_later_pieces_too():
    rows = "\n".join(f"Person {number},Sales,{2000 + number}" for number in range(40))
    first, *others = chunks_of(f"Name,Office,Extension\n{rows}\n", path="phones.csv", budget=60)
    assert first.told.startswith("Person 0: Office Sales, Extension 2000.\n")
    assert others and all(
        line.endswith(".") and ": Office Sales, Ext" in line for one in others for line in one.told.split("\n")
    )
    assert [one.tokens for one in others] == Counter()([one.told for one in others])
    last = others[-1]
    assert told_by_hash((), last.text, last.context, hash_of((), last.told, last.context)) == last.told


def test_a_grid_is_not_torn_within_what_spans_several_rows():
    head = "+------+------------+\n| Bike | Price      |\n|      +-----+------+\n|      | day | week |"
    rows = "\n+======+=====+======+" + "".join(
        f"\n| no {n} | €{n}  | €{n}0  |\n|      +-----+------+\n|      | €{n}  | €{n}5  |\n+------+-----+------+"
        for n in range(1, 9)
    )
    first, *others = chunks_of(f"Prices\n======\n\n{head}{rows}\n", path="a.rst", budget=60)
    assert first.told == "no 1: Price day €1, Price week €10.\nno 1: Price day €1, Price week €15."
    assert others[0].told.startswith("no 2: €2, €20.\nno 2: €2, €25.\nno 3: €3, €30.")
    assert {one.context for one in others} == {"Bike | Price day | Price week"}


def test_of_a_grid_without_a_head_no_row_names_the_columns_of_later_pieces():
    rule = "+---------+-------+\n"
    rows = "".join(f"| Bike {n} | {n} EUR |\n{rule}" for n in range(10, 40))
    _, *others = chunks_of(f"Prices\n======\n\n{rule}{rows}", path="a.rst", budget=60)
    assert others and {one.context for one in others} == {""}


def test_a_bar_in_the_name_of_a_column_parts_no_cells_in_later_pieces():
    rows = "".join(f"| -{letter} | {at} |\n" for at, letter in enumerate("abcdefghijklmnop"))
    _, *others = chunks_of(f"| Flag | on \\| off |\n| --- | --- |\n{rows}", budget=60)
    assert others and others[-1].told.endswith("-p: on | off 15.")


PLANS = "    | Plan | Storage | Users |\n    |---|---|---|\n" + "".join(
    f"    | Plan{n} | {n} GB | {n} seats |\n" for n in range(40)
)


@pytest.mark.parametrize("holder", ["!!! note\n\n", '=== "Linux"\n\n', "10. Choose a plan:\n\n"])
def test_the_rows_of_an_indented_table_are_told_with_their_columns_in_later_pieces_too(holder):
    (*_, last) = chunks_of(f"{holder}{PLANS}", budget=300)
    assert last.context == "Plan | Storage | Users" and last.text.startswith("    | Plan")
    assert all(re.fullmatch(r"(Plan\d+): Storage \d+ GB, Users \d+ seats\.", row) for row in last.told.split("\n"))


@pytest.mark.parametrize(
    ("path", "head", "row"),
    [
        ("a.rst", ".. csv-table:: All\n   :header-rows: 1\n\n   Opt, Meaning\n", '   "--o{n}", "what, {n}"\n'),
        (
            "a.md",
            "```{{list-table}}\n:header-rows: 1\n\n* - Opt\n  - Meaning\n",
            "* - --o{n}\n  - what option {n} does\n",
        ),
        ("a.md", "> | Opt | Meaning |\n> |---|---|\n", "> | --o{n} | what option {n} does |\n"),
    ],
)
def test_later_pieces_of_any_notation_of_tables_know_the_header(path, head, row):
    _, *others = chunks_of(head.format() + "".join(row.format(n=n) for n in range(20)), path=path, budget=90)
    assert others and {each.context for each in others} == {"Opt | Meaning"}


def test_a_table_in_a_quotation_is_told_row_by_row():
    quoted = "> | Tool | Fee |\n> |---|---|\n> | Saw | €4 |\n> | Kiln | €9 |\n"
    assert told(quoted, notation=Notation.MARKDOWN) == "Saw: Fee €4.\nKiln: Fee €9."
    assert told("> | Kiln | €9 |", notation=Notation.MARKDOWN, context="Tool | Fee") == "Kiln: Fee €9."
    assert told("> ```\n> | a |\n> ```", notation=Notation.MARKDOWN) == "> | a |"


def test_no_row_of_an_indented_grid_is_taken_for_the_head_of_the_others():
    grid = "\n".join(f"   {line}" for line in GRID.split("\n"))
    _, second, *_ = chunks_of(f".. note::\n\n{grid}\n", path="a.rst", budget=30)
    assert re.match(r"day (\d): \1 am\.\n", second.told) and second.context == "Day | Opens"


def test_html_is_markup_in_markdown_and_elsewhere_what_is_said():
    text = "Press <kbd>C</kbd> &amp; go.\n"
    (chunk_of_markdown,), (chunk_of_rst,) = chunks_of(text, path="a.md"), chunks_of(text, path="a.rst")
    assert (chunk_of_markdown.told, chunk_of_rst.told) == ("Press C & go.", text.strip())
    for found in (chunk_of_markdown, chunk_of_rst):
        assert told_by_hash((), found.text, "", hash_of((), found.told)) == found.told


def test_code_and_what_is_nothing_but_markup_are_embedded_as_they_stand():
    (code,) = chunks_of("# a\nx = f(**b)\n", path="a.py")
    assert code.told == code.text and "**b" in code.told
    (mixed,) = chunks_of("Say **this**:\n\n```\nls\n```\n")
    assert mixed.told == "Say this:\n\nls"
    assert told("====") == "===="


def test_plain_text_is_embedded_as_it_stands():
    text = 'def area(*sides):\n    # of a `Box`\n    """\n    **No** more."""\n'
    assert [each.told for each in chunks_of(text, "a.txt")] == [text.rstrip("\n")]
    assert [each.told for each in chunks_of("*Not* more.\n", "a.md")] == ["Not more."]
