import json
import re

import pytest
from django.conf import settings

from ingestion import parsers
from ingestion.code.conditions import with_even_braces
from ingestion.code.macros import hides_types, without_macros
from ingestion.documents import BlockKind, FileLink, LinkKind, ParseError
from ingestion.parsers import PARSERS, parse, suffix
from ingestion.parsers.code import LANGUAGES
from ingestion.parsers.rst.titles import plain
from ingestion.parsers.text import looks_like_rst
from ingestion.sections import build_sections
from knowledge.texts.directives import CODE
from knowledge.texts.formats import NOTATIONS
from retrieval.notations import is_document
from tests.ingestion.small_files import GOLDEN, flat_odt, reason, repacked


def test_of_every_suffix_of_a_document_it_is_told_what_its_text_is_written_in():
    assert set(NOTATIONS) == set(PARSERS) - set(LANGUAGES)
    assert all(name.startswith(".") and name == name.lower() for name in PARSERS)


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("a/b.rst", ".rst"),
        ("a/b.rst.inc", ".rst.inc"),
        ("A.MD", ".md"),
        ("v1.2/notes.md", ".md"),
        (".md", None),
        ("a.md/b", None),
        ("a.inc", None),
        ("a.exe", None),
        ("README", ".txt"),
        ("docs/COPYING.LIB", ".txt"),
        ("LICENSE-MIT", ".txt"),
        ("Copyright", ".txt"),
        ("README.md", ".md"),
        ("readme.png", None),
        ("changelog.Debian.gz", None),
        ("README.DOC", None),
        ("readmes", None),
        ("Dockerfile.dev", ".txt"),
        ("Makefile.DOC", None),
        ("deploy/.env", None),
        ("a.R", ".r"),
    ],
)
def test_the_longest_known_suffix_chooses_the_parser(path, expected):
    assert suffix(path) == expected


@pytest.mark.parametrize(
    ("language", "endings"),
    [
        ("cpp", ".cc .cpp .cxx .hh .hpp .hxx .inl .ipp"),
        ("typescript", ".ts .mts .cts .tsx"),
        ("javascript", ".js .mjs .cjs .jsx"),
        ("php", ".php .phtml"),
        ("perl", ".pl .pm"),
        ("kotlin", ".kt .kts"),
        ("bash", ".sh .bash .zsh"),
        ("groovy", ".groovy .gradle"),
        ("elixir", ".ex .exs"),
        ("xml", ".xml .xsd .xsl .xslt .csproj .fsproj .vbproj"),
        ("ruby", ".rb .rake .gemspec .ru"),
        ("python", ".py .pyi .pyw .bzl"),
        ("erlang", ".erl .hrl"),
        ("clojure", ".clj .cljs .cljc"),
        ("fsharp", ".fs .fsi .fsx"),
        ("powershell", ".ps1 .psm1 .psd1"),
        ("json", ".json .jsonc .json5"),
        ("graphql", ".graphql .gql"),
        ("hcl", ".tf .hcl"),
    ],
)
def test_every_suffix_of_a_language_is_read_as_it(language, endings):
    assert {ending: LANGUAGES.get(suffix(f"a{ending}")) for ending in endings.split()} == dict.fromkeys(
        endings.split(), language
    )


@pytest.mark.parametrize("ending", sorted(set(LANGUAGES) - {".conf"}))  # which may be of any program
def test_every_suffix_of_a_language_is_documented_and_shown_as_code(ending):
    assert not is_document(f"a{ending}")
    assert f"`{ending}`" in (settings.BASE_DIR / "docs/formats.md").read_text()


@pytest.mark.parametrize(
    "name", ["Dockerfile.dev", "Containerfile", "GNUmakefile", "Gemfile", "Rakefile", "Jenkinsfile", "dockerfile"]
)
def test_files_that_build_are_text_by_their_name(name):
    assert suffix(f"a/{name}") == ".txt"


@pytest.mark.parametrize(
    ("data", "path", "reason"),
    [
        (b"x", "a.exe", "are not read"),
        (b"\x7fELF\x00\x01", "a.md", "binary"),
        (b"a\x00b", "a.txt", "binary"),
        (b"MZ\x00\x00text", "a.txt", "binary"),
        (bytes(range(1, 32)) * 9, "a.txt", "binary"),
        (b"{", "a.beir", "not JSON"),
        (b"[" * 100_000, "a.beir", "not JSON"),
        (b"[1]", "a.beir", "JSON object"),
        (b'{"title": 1, "text": "x"}', "a.beir", "strings"),
        (b'{"text": "\\ud800"}', "a.beir", "surrogate"),
        (b"<html>no</html>", "a.pdf", "not a PDF"),
        (b"%PDF-1.7\n1 0 obj\n<<>>\n", "a.pdf", "damaged"),
        (b"[1, 2]", "a.ipynb", "not a notebook"),
        (b'{"cells": []}', "a.ipynb", "not a notebook"),
        (b'{"cells": [{"cell_type": "markdown", "source": ""}]}', "a.ipynb", "no text"),
        (b"hello", "a.eml", "not an e-mail"),
        (b"x", "a.doc", "save it as DOCX"),
        (b"x", "a.adoc", "save it as HTML"),
        (b"x", "a.tar.gz", "only ZIP archives are unpacked: make it one"),
        (b"x", "a.xyz", "are not read"),
    ],
)
def test_what_is_not_what_its_name_says_is_refused_with_a_reason(data, path, reason):
    with pytest.raises(ParseError, match=reason) as caught:
        parse(data, path)
    assert caught.value.path == path


def test_a_file_of_too_many_headings_is_refused(monkeypatch):
    monkeypatch.setattr(parsers, "MOST_HEADINGS", 2)
    assert len(parse(b"a\n=\n" * 2, "a.md").blocks) == 2
    with pytest.raises(ParseError, match="it has more than 2 headings"):
        parse(b"a\n=\n" * 3, "a.md")


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32"])
def test_byte_order_marks_are_read_and_not_kept(encoding):
    document = parse("Größe\r\nund\rmehr".encode(encoding), "a.txt")
    assert document.text == "Größe\nund\nmehr"
    assert document.warnings == ()


def test_a_date_beyond_all_dates_leaves_the_mail_readable():
    date = "Date: Mon, 99999999999 Jan 2024 10:00:00 +0000"
    assert "Body" in parse(f"Subject: Hi\n{date}\n\nBody\n".encode(), "a.eml").text


def test_a_table_that_is_cut_off_at_the_end_of_a_file_is_read():
    assert "| a | b |" in parse(b"> | a | b |\n> |---|---|\n> ", "a.md").text


def test_another_encoding_is_guessed_and_said():
    words = "Les élèves français étudient à l'école où l'été fut très chaud. " * 5
    document = parse(words.encode("cp1252"), "a.txt")
    assert document.text == words
    assert "not UTF-8" in document.warnings[0]


def test_only_a_newline_ends_a_line():
    document = parse("one\ftwo\vthree\u2028four\x85five\n\nsix".encode(), "a.md")
    assert [(block.line_start, block.line_end) for block in document.blocks] == [(1, 1), (3, 3)]


@pytest.mark.parametrize(
    ("title", "expected"),
    [
        (r"The :class:`Symfony\\Bar` class", r"The Symfony\Bar class"),
        (":doc:`The guide </guide>`", "The guide"),
        (":class:`~django.db.models.Model` and :attr:`!x`", "Model and x"),
        ("``*literal*`` *emphasis* **strong**", "*literal* emphasis strong"),
        ("A `reference`_ and `one <https://x.y>`__ and word_", "A reference and one and word"),
        ("What |product| does [1]_", "What product does"),
        (r"1 \* 2 * 3", "1 * 2 * 3"),
        ("snake_case_ and __init__", "snake_case and __init__"),
        ("  many   spaces ", "many spaces"),
    ],
)
def test_a_title_is_read_without_its_markup(title, expected):
    assert plain(title) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Title\n=====\n\nText.", True),
        ("=====\nTitle\n=====\n\nText.", True),
        (".. _label:\n\nText.", True),
        ("Text.\n\n.. note:: x\n", True),
        ("Name  Age\n---------\nAda   36\n", False),
        ("A title too long\n====\n\nText.", False),
        ("Just text.\n\n- a list\n", False),
    ],
)
def test_a_text_file_is_rst_when_it_plainly_is(text, expected):
    assert looks_like_rst(text) is expected


def test_no_directive_reads_a_file_or_the_network():
    text = ".. include:: /etc/passwd\n\n.. raw:: html\n   :url: http://x.y\n\n.. csv-table::\n   :file: /etc/passwd\n"
    document = parse(text.encode(), "a.rst")
    assert "root" not in document.text
    assert [block.kind for block in document.blocks] == [BlockKind.TABLE]


def test_a_tables_file_is_referred_to_as_what_is_included_is():
    text = (
        ".. csv-table:: Fees,\n   each a day\n   :header-rows: 1\n   :file: ../data/fees.csv\n\n"
        ".. note::\n\n   .. csv-table::\n      :file: ../../secret.csv\n\n"
        ".. csv-table::\n\n   :file: no.csv\n"
    )
    document = parse(text.encode(), "docs/a.rst")
    assert document.links == (FileLink(LinkKind.INCLUDE, 4, "../data/fees.csv"),)
    assert document.warnings == ("line 9: csv-table of a file outside of the library: left out",)
    assert [block.kind for block in document.blocks].count(BlockKind.TABLE) == 3


@pytest.mark.parametrize("name", sorted(CODE))
def test_what_a_directive_of_code_holds_is_code(name):
    document = parse(f"Before.\n\n.. {name}::\n\n   x = *1*\n   y = 2\n\nAfter.\n".encode(), "a.rst")
    paragraph, code = BlockKind.PARAGRAPH, BlockKind.CODE
    assert [block.kind for block in document.blocks] == [paragraph, code, paragraph]


@pytest.mark.parametrize(
    "line",
    [
        ".. math:: E = mc^2",
        ".. parsed-literal:: x = *y*",
        ".. prompt:: bash $ pip install x",
        ".. productionlist:: digit: 0",
    ],
)
def test_code_that_is_all_in_its_directives_first_line_is_read(line):
    document = parse(f"Before.\n\n{line}\n\nAfter.\n".encode(), "a.rst")
    assert [(block.kind, block.line_start, block.line_end) for block in document.blocks] == [
        (BlockKind.PARAGRAPH, 1, 1),
        (BlockKind.CODE, 3, 3),
        (BlockKind.PARAGRAPH, 5, 5),
    ]


def test_code_without_content_is_nothing():
    text = ".. code-block:: python\n\n.. graphviz:: a.dot\n\n.. math::\n"
    assert parse(text.encode(), "a.rst").blocks == ()


@pytest.mark.parametrize("directive", ["automodule", "autoclass", "autofunction", "autoexception"])
def test_what_an_author_adds_to_what_is_in_the_code_is_read(directive):
    alone = f".. {directive}:: app.thing\n   :members:\n"
    assert parse(alone.encode(), "a.rst").blocks == ()
    document = parse(f"{alone}\n   Only while it is open.\n\n   .. autoattribute:: size\n".encode(), "a.rst")
    assert [(block.kind, block.line_start, block.line_end) for block in document.blocks] == [
        (BlockKind.DEFINITION, 1, 4)
    ]
    assert document.warnings == ()


@pytest.mark.parametrize(
    ("fields", "kinds"),
    [
        (":orphan:", []),
        (":orphan:\n:nosearch:", []),
        (":orphan:\n:abstract: What it says.", [BlockKind.DEFINITION]),
        (":abstract:\n   What it says.", [BlockKind.DEFINITION]),
    ],
)
def test_fields_above_the_title_are_left_out_when_all_are_empty(fields, kinds):
    document = parse(f"{fields}\n\nTitle\n=====\n".encode(), "a.rst")
    assert [block.kind for block in document.blocks] == [*kinds, BlockKind.HEADING]


def test_a_substitution_bomb_is_only_text():
    bomb = "\n".join(f".. |{n}| replace:: |{n + 1}| |{n + 1}| |{n + 1}|" for n in range(100))
    kinds = [block.kind for block in parse(f"{bomb}\n\n|0|\n".encode(), "a.rst").blocks]
    assert kinds == [*[BlockKind.DEFINITION] * 100, BlockKind.PARAGRAPH]


def test_what_a_name_stands_for_is_read():
    text = "The limit is |most|.\n\n.. |most| replace:: 50 MB\n   per file\n.. |logo| image:: logo.png\n"
    assert [(block.kind, block.line_start, block.line_end) for block in parse(text.encode(), "a.rst").blocks] == [
        (BlockKind.PARAGRAPH, 1, 1),
        (BlockKind.DEFINITION, 3, 4),
    ]


@pytest.mark.parametrize(
    ("options", "is_read"),
    [
        ("   :width: 90%\n   :alt: Wiring: red to L1,\n     blue to N\n", True),
        ("   :width: 90%\n", False),
        ("   :alt: a.png\n", False),
        ("   :alt: Build passes\n   :target: https://ci.example.org\n", False),
    ],
)
def test_a_picture_is_read_where_a_text_stands_for_it(options, is_read):
    count = options.count("\n")
    blocks = parse(f"One.\n\n.. image:: a.png\n{options}\nTwo.\n".encode(), "a.rst").blocks
    assert [(block.kind, block.line_start, block.line_end) for block in blocks[1:-1]] == (
        [(BlockKind.PARAGRAPH, 3, 3 + count)] if is_read else []
    )


def test_terms_of_a_glossary_that_share_a_definition_stand_with_it():
    glossary = (
        ".. glossary::\n\n   hub\n   node\n      A place.\n\n   run\n      A trip.\n   end\n   stop\n      The last.\n"
    )
    blocks = parse(f"{glossary}\n   left\n   over\n\none\ntwo\n   No glossary.\n".encode(), "a.rst").blocks
    assert [(block.kind, block.line_start, block.line_end) for block in blocks] == [
        (BlockKind.DEFINITION, 3, 11),
        (BlockKind.PARAGRAPH, 13, 14),
        (BlockKind.PARAGRAPH, 16, 17),
        (BlockKind.PARAGRAPH, 18, 18),
    ]


def test_problems_are_counted_as_warnings():
    document = parse(b"A long title\n=====\n\n=== ===\na   b\n\nText.\n", "a.rst")
    assert document.warnings == ("line 1: the title's underline is too short", "line 4: the table has no bottom border")


def test_a_corpus_document_has_its_title_on_line_one():
    document = parse(json.dumps({"title": "T", "text": "a\r\nb\n\nc"}).encode(), "1.beir")
    assert document.text == "T\n\na\nb\n\nc"
    assert [(block.kind, block.line_start, block.line_end) for block in document.blocks] == [
        (BlockKind.HEADING, 1, 1),
        (BlockKind.PARAGRAPH, 3, 4),
        (BlockKind.PARAGRAPH, 6, 6),
    ]


def test_methods_of_a_long_class_are_symbols_of_their_own():
    methods = "".join(f"    def m{n}(self):\n{'        pass' + chr(10)}\n" for n in range(20))
    document = parse(f"class Big:\n{methods}".encode(), "a.py")
    titles = [block.title for block in document.blocks if block.kind is BlockKind.HEADING]
    assert titles == ["Big", *(f"Big.m{n}" for n in range(20))]


@pytest.mark.parametrize(
    ("path", "code", "expected"),
    [
        ("a.rs", "impl Cat {\n  fn new() {}\n}\nimpl<T> Dog<T> {\n  fn new() {}\n}\n", ["Cat.new", "Dog.new"]),
        ("a.go", "func (s *Shelf) Lend() {\n}\n\nfunc Open() {\n}\n", ["Shelf.Lend", "Open"]),
        ("a.cpp", "n::Cat::~Cat() {}\nbool Cat<T>::operator==(int a) {}\n", ["Cat.~Cat", "Cat.operator=="]),
        ("a.cpp", "namespace n {\nstd::string f(a::B b = C::d()) {}\nint Cat::len() {}\n}\n", ["f", "Cat.len"]),
        ("a.js", "Shelf.prototype.lend = function () {}\nexports.go = () => A.prototype\n", ["Shelf.lend", "go"]),
        ("a.php", "<?php\nnamespace A;\n\nfunction f() {}\n", ["f"]),
        ("a.rs", f"trait Cat {{\n{'  // one' + chr(10)}{chr(10) * 50}  fn len() {{}}\n}}\n", ["Cat", "Cat.len"]),
    ],
)
def test_a_method_that_stands_outside_its_type_is_named_with_it(path, code, expected):
    titles = [block.title for block in parse(code.encode(), path).blocks if block.kind is BlockKind.HEADING]
    assert [title for title in titles if title != path] == expected


def placed(text: str, path: str) -> list[tuple[str, str]]:
    """Breadcrumb and lines of every section."""
    sections = build_sections(parse(text.encode(), path))
    return [(" > ".join(one.breadcrumb), f"{one.line_start}-{one.line_end}") for one in sections]


def test_code_after_a_definition_is_of_what_that_stands_in():
    python = "import a\n\ndef f():\n    pass\n\n# a note\n\ndef g():\n    pass\n\nNAMES = {\n    f: g,\n}\n"
    assert placed(python, "a.py") == [("a.py", "1-2"), ("a.py > f", "3-7"), ("a.py > g", "8-10"), ("a.py", "11-13")]

    header = "#ifndef A\n\nstruct p {\n  int x;\n};\n\nint put(int);\n#define B 1\n\nenum e { C };\n\n#endif\n"
    parts = [("a.h", "1-2"), ("a.h > p", "3-6"), ("a.h", "7-9"), ("a.h > e", "10-12")]
    assert placed(header, "a.h") == parts, "what only closes stays where it is"


@pytest.mark.parametrize("comment", ["/* Puts it\n   there.  */", "/*\nPuts it there.\n*/", "/**\n * Puts it.\n */"])
def test_the_comment_above_a_definition_is_whole_whatever_its_lines_begin_with(comment):
    text = f"int a(void)\n{{\n}}\n\n{comment}\nint put(void)\n{{\n}}\n"
    last = text.count("\n")
    assert placed(text, "a.c") == [("a.c > a", "1-4"), ("a.c > put", f"5-{last}")]


def test_a_comment_that_documents_may_stand_above_a_blank_line():
    head = "/** Licence. */\n\nfunction first() {}\n\n/* Sums. */\n\nfunction second() {}\n\n"
    exported = "/** Adds. */\n\nexports.add = function () {};\n\n/** Takes. */\n\nexports.take = function () {};\n"
    document = parse(f"{head}{exported}".encode(), "a.js")
    assert [symbol.docstring for symbol in document.symbols] == ["", "", "Adds.", "Takes."]
    opened = [block.line_start for block in document.blocks if block.kind is BlockKind.HEADING]
    assert opened == [3, 7, 9, 13]


def test_a_comment_on_what_is_closed_opens_no_section():
    text = "namespace app {\nint put() {\n  return 1;\n}  // put\n\n}  // namespace app\n"
    assert placed(text, "a.cpp") == [("a.cpp", "1-1"), ("a.cpp > put", "2-6")]


def test_code_that_ends_with_a_comment_is_no_comment():
    text = "/* a */\nint x; /* b */\nint put(void) { return 1; }\n"
    assert placed(text, "a.c") == [("a.c", "1-2"), ("a.c > put", "3-3")]


@pytest.mark.parametrize(
    ("header", "titles"),
    [
        ("namespace app {\n\nclass Queue : public Base {\n  int n;\n};\n\n}\n", ["Queue"]),
        ("template <typename T>\nstruct Pair {\n  T a;\n};\n", ["Pair"]),
        ('#ifdef __cplusplus\nextern "C" {\n#endif\nstruct pair {\n  int class;\n};\n', ["pair"]),
    ],
)
def test_a_header_of_cpp_is_read_as_cpp(header, titles):
    assert [symbol.name for symbol in parse(header.encode(), "a.h").symbols] == titles


def test_what_stands_between_the_methods_of_a_long_class_is_of_the_class():
    methods = [f"  m{n}() {{\n{'    a()' + chr(10)}    b()\n  }}\n" for n in range(12)]
    after = "  static {\n    c()\n  }\n  last() {\n  }\n}\n/**\n * it\n */\nmodule.exports = Big\n"
    text = f"class Big {{\n{''.join(methods)}{after}"
    sections = placed(text, "a.js")
    assert sections[0] == ("a.js > Big", "1-1") and sections[12] == ("a.js > Big > Big.m11", "46-49")
    assert sections[13:] == [("a.js > Big", "50-52"), ("a.js > Big > Big.last", "53-55"), ("a.js", "56-59")]


def test_fields_between_methods_stand_below_their_class_and_so_do_the_methods_after_them():
    members = [f"  int f{n} = {n};\n  void m{n}() {{\n    a();\n    b();\n  }}\n" for n in range(15)]
    sections = build_sections(parse(f"class A {{\n{''.join(members)}}}\n".encode(), "A.java"))
    top, *below = sections
    assert (top.title, top.parent, top.level) == ("A", None, 1)
    assert {(one.parent, one.level) for one in below} == {(0, 2)}
    assert {one.breadcrumb[1:] for one in below} == {("A",), *(("A", f"A.m{n}") for n in range(15))}


def test_what_is_called_end_is_code():
    functions = "def f():\n    pass\n\nend{}\n\ndef g():\n    pass\n"
    for code in (" = compute()", "(1)", "[0] = 1", ": int = 1"):
        assert [crumb for crumb, _ in placed(functions.format(code), "a.py")] == ["a.py > f", "a.py", "a.py > g"]
    ruby = "module A\n  def f\n  end\nend # of it\n\ndef g\nend if true\n"
    assert "a.rb" not in [crumb for crumb, _ in placed(ruby, "a.rb")]


def test_python_with_errors_in_it_still_names_what_it_can():
    document = parse(b"def first(:\n    pass\n\ndef second():\n\n    pass\n", "a.py")
    assert "second" in [block.title for block in document.blocks]


@pytest.mark.parametrize(
    ("path", "code"),
    [
        ("dist/app.min.js", "function f(){}"),
        ("theme.min.css", "a{}"),
        ("dist/app.js", "/* Shop 1.0 */\n" + "function f(){};" * 400),
    ],
)
def test_what_was_minified_is_rejected_as_such(path, code):
    with pytest.raises(ParseError, match="it is minified"):
        parse(code.encode(), path)


def test_a_long_line_does_not_reject_a_script_nor_data():
    script = "const ICON = '" + "a" * 6_000 + "';\n" + "function f() {}\n" * 500
    assert parse(script.encode(), "a.js").symbols
    assert parse(b'{"a": "' + b"a" * 6_000 + b'"}', "a.json").blocks


def test_what_an_error_in_the_syntax_of_python_swallowed_is_warned_of():
    document = parse(b"def first()\n    pass\n\nclass Later:\n    def go(self):\n        pass\n", "a.py")
    assert document.warnings == ("behind an error in its syntax these are no symbols: Later (line 4)",)
    assert parse(b"def first(:\n    pass\n\nclass Later:\n    pass\n", "a.py").warnings == ()
    assert parse(b"def first():\n    '''\nclass Later\n'''\n", "a.py").warnings == ()


@pytest.mark.parametrize("magic", ["# frozen_string_literal: true", "#!/usr/bin/ruby\n# -*- coding: utf-8 -*-"])
def test_what_tells_ruby_something_is_no_docstring(magic):
    assert parse(f"{magic}\nmodule Shop\nend\n".encode(), "a.rb").symbols[0].docstring == ""
    assert parse(f"{magic}\n# Sells.\nmodule Shop\nend\n".encode(), "a.rb").symbols[0].docstring == "Sells."


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("options.rst", "--abc, " * 3_000 + "x\n y"),
        ("rules.rst", "=== ===\n" + "=" * 100_000 + "x\n"),
        ("tables.rst", "=== ===\n\n" * 10_000),
        ("deep.rst", "\n\n".join(" " * depth + "- a" for depth in range(1_000))),
        ("title.rst", "**a " * 30_000 + "\n" + "=" * 200_000),
        ("label.rst", ".. _" + "a:" * 100_000),
        ("anchors.md", "# " + "<a " * 50_000),
        ("links.md", "# " + "[a](" * 50_000),
        ("quotes.md", "> " * 5_000 + "a"),
        ("spaces.md", "---\ntitle: a" + " " * 100_000 + "b\n---\n"),
        ("brackets.py", "(" * 100_000),
        ("deep.js", "x = " + "{a: () => 1,\nb: " * 2_000 + "1" + "}" * 2_000),
        ("minus.py", "x = " + "-" * 100_000 + "1"),
    ],
)
def test_text_made_to_be_slow_is_read_without_trouble(path, text):
    assert parse(text.encode(), path).text == text


@pytest.mark.parametrize(
    ("path", "code", "names"),
    [
        ("lib.rs", "mod a;\npub mod b;\nfn f() {}\nmod c { fn g() {} }\n", ["f", "c.g"]),
        ("a.rs", "impl<T> Tell for Shelf<Vec<Option<T>>> { fn tell(&self) {} }\n", ["Shelf.tell"]),
        ("a.rs", "impl<'a> T for &'a mut Dog<T> { fn a() {} }\nimpl T for &Cat { fn b() {} }\n", ["Dog.a", "Cat.b"]),
        ("a.rs", "impl dyn Tell + Send { fn a() {} }\nimpl T for Box<A + B> { fn b() {} }\n", ["Tell.a", "Box.b"]),
        ("a.cpp", "template <class T> int Shelf<std::vector<T>>::size() { return 1; }\n", ["Shelf.size"]),
        ("a.go", "package a\n\nfunc (s *Stack[T]) Push(x T) {}\n", ["Stack.Push"]),
        ("a.c", "typedef struct { int a; } Shelf;\ntypedef enum { A } Kind;\n", ["Shelf", "Kind"]),
        ("a.c", "int (*pick(int x))(int) { return 0; }\nint (plain)(void) { return 0; }\n", ["pick", "plain"]),
        ("a.js", "class A {\n  close = () => {};\n  size = 3;\n}\n", ["A", "A.close"]),
        ("a.js", "exports.lend = function () {};\nmodule.exports.back = (x) => x;\n", ["lend", "back"]),
        ("a.js", "Shelf.prototype.lend = function () {};\nmodule.exports = () => 1;\n", ["Shelf.lend"]),
        ("a.js", "window.open = () => {};\nbutton.onclick = () => {};\nfunction f() {}\n", ["open", "f"]),
        ("a.js", "Emitter.prototype.once = function () {};\nexports.only = () => {};\n", ["Emitter.once", "only"]),
        ("a.js", "function send() {\n  request.onload = () => {};\n}\n", ["send"]),
        ("a.ts", "class A {\n  private close = (e: Event) => {};\n}\n", ["A", "A.close"]),
        ("a.c", "int lend(int a);\nstatic char *(name)(void);\nint (*hook)(int);\nint n;\n", ["lend", "name"]),
        ("a.c", "int f(void) { int inner(int); return 0; }\ntypedef int (*callback)(int);\n", ["f"]),
        ("a.h", "#ifndef A_H\n#define A_H\n#define MOST 10\n#define BIG(a) \\\n (a)\n#endif\n", ["MOST", "BIG"]),
        ("a.h", '#ifdef __cplusplus\nextern "C" {\n#endif\nint lend(void);\n', ["lend"]),
        ("a.cpp", "class A { A(); virtual int f() = 0; int (*g)(int); int &r(); };\n", ["A", "A.A", "A.f", "A.r"]),
        (
            "a.rb",
            'class A\n  define_method(:lend) { 1 }\n  define_method "due?" do 1 end\nend\n',
            ["A", "A.lend", "A.due?"],
        ),
        ("a.rb", "class A\n  define_method(name) { 1 }\n  lend(:a)\nend\n", ["A"]),
        ("a.rb", "class A\n  alias renew lend\n  alias :a? :b?\n  alias $a $b\nend\n", ["A", "A.renew", "A.a?"]),
        ("a.rb", "class A\n  alias_method :renew, :lend\n  alias_method name, :b\nend\n", ["A", "A.renew"]),
        ("a.d.ts", "export declare function lend(): void;\ninterface I { back(): void }\n", ["lend", "I", "I.back"]),
        (
            "a.rb",
            "class A\n  def add!; end\n  def <=>(o) = 1\n  def [](i) = 1\nend\n",
            ["A", "A.add!", "A.<=>", "A.[]"],
        ),
        ("a.rb", "class A::B\n  def name=(n)\n  end\n  def save; end\nend\n", ["A.B", "A.B.name=", "A.B.save"]),
        ("a.cpp", "struct P { P *operator ->(); operator bool() const; };\n", ["P", "P.operator->", "P.operator bool"]),
        ("a.cpp", "n::P<int>::operator bool() { return 1; }\nint f<int>(int a) {}\n", ["n.P.operator bool", "f"]),
        ("a.cpp", "bool P<int>::operator!=(P) {}\nint P::operator<=>(P) {}\n", ["P.operator!=", "P.operator<=>"]),
        (
            "a.js",
            "function $(a) {}\nclass A { #b() {} [Symbol.iterator]() {} }\n",
            ["$", "A", "A.b", "A.Symbol.iterator"],
        ),
    ],
)
def test_symbols_have_the_names_by_which_they_are_known(path, code, names):
    assert [symbol.qualified_name for symbol in parse(code.encode(), path).symbols] == names


@pytest.mark.parametrize(
    ("code", "found"),
    [
        ("int f(void) {\n#ifdef X\n  if (a) {\n#else\n  if (b) {\n#endif\n    c();\n  }\n}\n", ["int f(void) 1-9"]),
        ("#ifdef X\nint f(int a) {\n#else\nint f(long a) {\n#endif\n  c();\n}\n", ["int f(int a) 2-7"]),
        ("static int\n#if X\nf(int a)\n#elif Y\ng(int a)\n#else\nh()\n#endif\n{\n}\n", ["static int f(int a) 1-10"]),
        ("#if X\nint f() {\n}\n#else\nint g() { /* { */\n}\n#endif\n", ["int f() 2-3", "int g() 5-6"]),
        ("#if X\nint f() { c('{', \"{\");\n#if Y\n  d();\n#endif\n#else\nint h() {\n#endif\n}\n", ["int f() 2-9"]),
    ],
)
@pytest.mark.parametrize("path", ["a.c", "a.cpp"])
def test_a_function_under_a_condition_is_a_symbol_and_so_is_what_stands_behind_it(path, code, found):
    symbols = parse(f"{code}int last(void) {{ return 1; }}\n".encode(), path).symbols
    places = [f"{each.signature} {each.line_start}-{each.line_end}" for each in symbols if each.kind == "function"]
    last = code.count("\n") + 1
    assert places == [*found, f"int last(void) {last}-{last}"]


@pytest.mark.parametrize("part", [b"/* ", b'\\"', b"\\'", b"#if a\n", b"#else\n", b"#if a\n{\n#else\n"])
def test_conditions_made_to_be_slow_are_read_without_trouble(part):
    assert with_even_braces(part * 100_000) == part * 100_000


@pytest.mark.parametrize(
    ("path", "code", "symbols"),
    [
        (
            "a.hpp",
            "class Q_WIDGETS_EXPORT Widget : public Base {\n  Q_OBJECT\n  Q_PROPERTY(bool on READ isOn NOTIFY on)\n"
            "public slots:\n  void show();\nsignals:\n  void on();\n};\n",
            ["class Widget", "prototype Widget.show", "prototype Widget.on"],
        ),
        ("a.hpp", "class MY_API Fin final : public Plain {\n  int a();\n};\n", ["class Fin", "prototype Fin.a"]),
        ("a.hpp", "class EXPORT_API Dec final {\n  int a();\n};\n", ["class Dec", "prototype Dec.a"]),
        (
            "a.hpp",
            "JSON_NAMESPACE_BEGIN\n\nJSON_TEMPLATE\nclass json // any value\n    : public ::detail::base<T>\n"
            "{\n  JSON_NONNULL\n  static int get() { return 1; }\n};\n",
            ["class json", "method json.get"],
        ),
        ("a.hpp", "struct API(1) A { int a; };\nenum class API B : int { C };\n", ["struct A", "enum B"]),
        ("a.hpp", "MY_API std::string lend(int a);\n", ["prototype lend"]),
        ("a.h", "ZEXTERN int ZEXPORT inflate OF((z_streamp strm, int flush));\n", ["prototype inflate"]),
        (
            "a.h",
            "MY_API shelf_t MY_CALL\n  lend (int book);\nMY_API hall_t *MY_CALL enter(void);\n",
            ["prototype lend", "prototype enter"],
        ),
        ("a.h", "struct A { enum KIND kind : KIND_BITS; };\nBOOL lend(A a);\n", ["struct A", "prototype lend"]),
        ("a.h", "BEGIN_DECLS\n#define LEAST 1\nstruct a { int b; };\n", ["constant LEAST", "struct a"]),
    ],
)
def test_macros_hide_neither_types_nor_functions(path, code, symbols):
    found = parse(code.encode(), path).symbols
    assert [f"{symbol.kind} {symbol.qualified_name}" for symbol in found] == symbols


@pytest.mark.parametrize("before", ["constexpr", "unsigned", "volatile", "register", "thread_local"])
def test_a_type_in_capitals_is_no_macro(before):
    code = f"BEGIN_DECLS\nstruct a {{ int b; }};\n{before} DWORD flags(int a) {{ return 1; }}\n"
    assert [each.signature for each in parse(code.encode(), "a.hpp").symbols] == [
        "struct a",
        f"{before} DWORD flags(int a)",
    ]


def test_macros_stay_where_more_is_lost_without_them(monkeypatch):
    code = "struct a { int b; }; }\n" + "".join(f"int lend{number}(int book);\n" for number in range(200))
    monkeypatch.setattr("ingestion.code.parsing.without_macros", lambda source: source.replace(b";", b"("))
    assert len(parse(code.encode(), "a.h").symbols) == 201


def test_a_type_behind_a_macro_keeps_its_comment():
    (symbol,) = parse(b"BEGIN_DECLS\n\n/* Holds books. */\nstruct shelf { int a; };\n", "a.h").symbols
    assert (symbol.docstring, symbol.line_start) == ("Holds books.", 4)


@pytest.mark.parametrize(
    "part",
    ["class A_B x : ", "class A_B x<", "struct AB a::", "class A_B(", "x A_B((", "int AB f", "CODE(A, 1)\n", "A\n"],
)
def test_macros_made_to_be_slow_are_read_without_trouble(part):
    source = part.encode() * 5_000
    assert not hides_types(source) and without_macros(source) == source


@pytest.mark.parametrize(
    ("path", "code", "kind", "name"),
    [
        ("a.rs", "fn f() { collect::<Vec<u8>>(1); }\n", "call", "collect"),
        ("a.java", "class A extends B<Map<String, T>> {}\n", "base", "B"),
        ("a.cpp", "class A : public Base<std::vector<int>> {};\n", "base", "Base"),
        ("a.py", "class A(Generic[T]): pass\n", "base", "Generic"),
    ],
)
def test_what_has_parameters_of_types_is_referred_to_by_its_name(path, code, kind, name):
    assert (kind, name) in [(one.kind, one.written) for one in parse(code.encode(), path).references]


@pytest.mark.parametrize(
    ("path", "code", "names"),
    [
        ("a.jsx", "const Card = React.memo(() => 1);\nconst n = rows.map((row) => 1);\n", ["Card"]),
        ("a.tsx", "export const Card = memo(forwardRef<A, B>(function Card(a) {}));\n", ["Card"]),
        ("a.js", "class A {\n  lend = debounce(() => 1, 10);\n}\n", ["A", "A.lend"]),
        ("a.js", "const api = { get: () => 1, users: { put() {} }, size: 1 };\n", ["api.get", "api.users.put"]),
        ("a.js", "module.exports = { lend: function () {}, 'give-back': () => 1 };\n", ["lend", "give-back"]),
        ("a.js", "const Shelf = Model.extend({ lend: function () {}, a: 1 });\nvar a = extend();\n", ["Shelf.lend"]),
        ("a.ts", "export default defineComponent({ methods: { pay() {} } });\n", ["methods.pay"]),
        ("a.ts", "export default { methods: { pay: async () => 1 } } as Options;\n", ["methods.pay"]),
        ("a.js", "send({ done: () => 1, failed() {} });\n", ["failed"]),
        ("a.js", "const a = { n: send({ done: () => 1 }), b: () => 1 };\n", ["a.b"]),
        ("a.py", "square = lambda a: a\nsort(key=lambda a: a)\na.b = lambda: 1\n", ["square"]),
    ],
)
def test_functions_that_are_given_a_name_are_symbols(path, code, names):
    assert [symbol.qualified_name for symbol in parse(code.encode(), path).symbols] == names


@pytest.mark.parametrize(
    ("path", "code", "symbols"),
    [
        ("a.py", "MOST = 1\nleast = 2\ndef f():\n    B = 1\n", ["constant MOST", "function f"]),
        ("a.py", "class A:\n    MOST: int = 1\n", ["class A", "constant A.MOST"]),
        (
            "a.rb",
            "class A\n  MOST = 1\n  Pair = Struct.new(:a)\nend\n",
            ["class A", "constant A.MOST", "constant A.Pair"],
        ),
        ("a.php", "<?php\nconst A = 1;\nclass C { const B = 2; }\n", ["constant A", "class C", "constant C.B"]),
        ("A.java", "class A { static final int B = f(1); int c = 1; }\n", ["class A", "constant A.B"]),
        ("A.java", "interface A { int B = 1; }\n", ["interface A", "constant A.B"]),
        ("a.go", "package a\nconst (\n\tA = iota\n\tb\n)\ntype C = int\n", ["constant A", "constant b", "alias C"]),
        ("a.go", "package a\nfunc f() {\n\tconst g = 1\n}\n", ["function f"]),
        (
            "a.go",
            "type Cache interface {\n\tio.Reader\n\tGet(k string) int\n}\nvar a interface{ Put() }\n",
            ["type Cache", "prototype Cache.Get"],
        ),
        ("a.rs", "const A: u8 = 1;\nstatic B: u8 = 1;\ntype C = u8;\n", ["constant A", "constant B", "alias C"]),
        ("a.rs", "impl A { const B: u8 = 1; }\nconst _: () = f();\n", ["constant A.B"]),
        ("a.c", "typedef struct ring { int a; } ring_t;\n", ["alias ring_t", "struct ring"]),
        ("a.c", "typedef struct ring { int a; } ring;\ntypedef int size;\n", ["struct ring", "alias size"]),
        ("a.cpp", "class A { using B = int; };\n", ["class A", "alias A.B"]),
        (
            "a.ts",
            "const MOST = 1, least = 2;\nclass A { static B = 1; }\n",
            ["constant MOST", "class A", "constant A.B"],
        ),
        (
            "a.ts",
            "export const a = z.object({}), b: C = 1;\nexport let c;\n",
            ["constant a", "constant b", "constant c"],
        ),
        ("a.d.ts", "export declare const lend: (a: A) => B;\ndeclare const c: D;\n", ["constant lend"]),
        ("a.js", "export const useStore = create((set) => 1);\nexport default a;\n", ["constant useStore"]),
        ("a.js", "export function f() {\n  const inner = 1;\n}\n", ["function f"]),
        ("a.js", "const API = require('./api');\nfunction f() { const A = 1; }\n", ["function f"]),
    ],
)
def test_constants_and_other_names_of_types_are_symbols(path, code, symbols):
    found = parse(code.encode(), path).symbols
    assert [f"{symbol.kind} {symbol.qualified_name}" for symbol in found] == symbols


def test_constants_and_other_names_of_types_open_no_section():
    assert placed("MOST = [\n    1,\n]\n\n\ndef f():\n    pass\n", "a.py") == [("a.py", "1-5"), ("a.py > f", "6-7")]
    text = "/* a ring */\ntypedef struct ring {\n  int a;\n} ring_t;\n\ntypedef int size;\n"
    assert placed(text, "a.c") == [("a.c > ring", "1-5"), ("a.c", "6-6")]


def test_a_constant_has_the_comment_above_it():
    found = parse(
        b"package a\n\n// At most.\nconst A = 1\n\nconst (\n\t// At least.\n\tB = 1\n\tC = 2\n)\n", "a.go"
    ).symbols
    assert [(one.docstring, one.line_start, one.line_end) for one in found] == [
        ("At most.", 4, 4), ("At least.", 8, 8), ("", 9, 9),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("code", "docstring"),
    [
        ("//! The crate.\n\npub fn start() {}\n", ""),
        ("//! The crate.\npub fn start() {}\n", ""),
        ("/*! The crate. */\npub fn start() {}\n", ""),
        ("/// Of nothing.\n\npub fn start() {}\n", ""),
        ("//! The crate.\n\n/// Starts.\n/// Soon.\npub fn start() {}\n", "Starts.\nSoon."),
    ],
)
def test_a_comment_on_the_file_is_not_that_of_its_first_function_in_rust(code, docstring):
    (symbol,) = parse(code.encode(), "lib.rs").symbols
    assert symbol.docstring == docstring
    (symbol,) = parse(b"//! Starts.\nint start();\n", "a.hpp").symbols
    assert symbol.docstring == "Starts."


def test_a_method_of_an_interface_of_go_says_what_it_is():
    code = "type Cache interface {\n\t// Get reads.\n\tGet(\n\t\tk string,\n\t) (int, error)\n\tPut() // it\n}\n"
    symbols = parse(code.encode(), "a.go").symbols[1:]
    assert [(one.docstring, one.signature, one.line_start, one.line_end) for one in symbols] == [
        ("Get reads.", "Get( k string, ) (int, error)", 3, 5),
        ("", "Put()", 6, 6),
    ]


@pytest.mark.parametrize(
    ("path", "code", "docstring", "signature"),
    [
        ("a.go", "// Server serves.\ntype Server struct {\n\tmu int\n}\n", "Server serves.", "type Server struct"),
        ("a.go", "// ID names.\ntype ID = string\n", "ID names.", "type ID = string"),
        ("a.go", "type (\n\t// A is.\n\tA struct{}\n)\n", "A is.", "type A struct{}"),
        ("a.rs", "/// Foo is.\n#[derive(Debug)]\npub struct Foo { a: u32 }\n", "Foo is.", "pub struct Foo"),
        ("a.rs", "/// Runs.\n#[a]\n#[b(\n  c,\n)]\n/// It.\nasync fn run() {}\n", "Runs.\nIt.", "async fn run()"),
    ],
)
def test_a_type_of_go_and_what_has_attributes_in_rust_have_the_comment_above(path, code, docstring, signature):
    (symbol,) = parse(code.encode(), path).symbols
    assert (symbol.docstring, symbol.signature) == (docstring, signature)


@pytest.mark.parametrize(
    ("path", "code", "name"),
    [
        ("a.rb", "cart.add!(1)\n", "cart.add!"),
        ("a.js", "class A { go() { this.#b(); } }\n", "this.b"),
        ("a.js", "$get(1)\n", "$get"),
        ("a.ts", "a!.b!();\n", "a.b"),
        ("a.php", "<?php $this->a->b();\n", "this.a.b"),
        ("a.jsx", "const a = <div><Card size={1} /></div>;\n", "Card"),
        ("a.tsx", "const a = <Menu.Item>b</Menu.Item>;\n", "Menu.Item"),
        ("a.js", "const a = <><Card>b</Card></>;\n", "Card"),
    ],
)
def test_what_is_called_is_written_as_it_is_named(path, code, name):
    assert [one.written for one in parse(code.encode(), path).references] == [name]


def test_super_is_an_owner_in_python_and_a_call_in_ruby():
    written = {path: [one.written for one in parse(b"super(1).go(2)\n", path).references] for path in ("a.py", "a.rb")}
    assert written == {"a.py": ["super", "super.go"], "a.rb": ["super", "….go"]}


@pytest.mark.parametrize(
    ("path", "code", "signature"),
    [
        ("a.c", "int lend(const char *name,\n         int days);\n", "int lend(const char *name, int days);"),
        ("a.c", "char *\nlend (int book)\n{\n}\n", "char * lend (int book)"),
        ("a.h", "char *\nlend (int book);\n", "char * lend (int book);"),
        ("a.ts", "declare function lend(\n  a: A): void;\n", "function lend( a: A): void;"),
        ("a.go", "func Lend(a int,\n\tb int) int\n", "func Lend(a int, b int) int"),
        ("a.h", "#define LEND(a) \\\n  (a)\n", "#define LEND(a) \\"),
    ],
)
def test_a_signature_without_a_body_is_whole(path, code, signature):
    (symbol,) = parse(code.encode(), path).symbols
    assert symbol.signature == signature


@pytest.mark.parametrize(
    ("path", "code", "signature"),
    [
        ("a.ts", "interface A {\n  lend<T>(\n    a: T,\n  ): T;\n}\n", "lend<T>( a: T, ): T"),
        ("a.ts", "abstract class A {\n  abstract lend(\n    a: A): void;\n}\n", "abstract lend( a: A): void"),
        ("A.java", "interface A {\n  int lend(int a,\n    int b);\n}\n", "int lend(int a, int b);"),
        ("a.rs", "trait A {\n  fn lend(\n    &self) -> u8;\n}\n", "fn lend( &self) -> u8;"),
    ],
)
def test_a_member_without_a_body_has_its_whole_signature(path, code, signature):
    assert parse(code.encode(), path).symbols[1].signature == signature


@pytest.mark.parametrize(
    ("path", "code", "signature"),
    [
        ("a.py", "def g(a, b):\n    # why this is so\n    return {}\n", "def g(a, b)"),
        ("a.py", "class K:  # the K class\n    # x\n    y = 1\n", "class K"),
        ("a.py", "def g(\n    a: str = '#',  # the first\n    b,\n):\n    pass\n", "def g( a: str = '#', b, )"),
        ("a.c", "int f(int a, /* nobody's */\n      int b) // here\n{\n}\n", "int f(int a, int b)"),
        ("a.h", "int f(int a, /* nobody's */\n      int b);\n", "int f(int a, int b);"),
        ("a.js", "const f = (a /* one */, b) => {};\n", "f = (a , b) =>"),
        ("a.go", "type Server struct { // of pages\n}\n", "type Server struct"),
    ],
)
def test_a_signature_has_no_comments(path, code, signature):
    (symbol,) = parse(code.encode(), path).symbols
    assert symbol.signature == signature


def test_a_struct_that_only_its_typedef_names_has_the_comment_above_and_a_signature():
    (symbol,) = parse(b"/** Holds books. */\ntypedef struct {\n  int a;\n} Shelf;\n", "a.c").symbols
    assert (symbol.docstring, symbol.signature, symbol.line_end) == ("Holds books.", "struct Shelf", 4)


def test_a_header_is_cut_at_what_it_explains_and_not_at_each_line_that_it_lists():
    header = """#define MOST 10
#define LEAST 1

/** Lends a book. */
int lend(int book);
int back(int book);

/** Says who. */
char *who(int book);
"""
    parts = [("lend.h", "1-3"), ("lend.h > lend", "4-5"), ("lend.h", "6-7"), ("lend.h > who", "8-9")]
    assert placed(header, "lend.h") == parts
    assert placed("#define MOST 10\nint back(int book);\n", "lend.h") == [("lend.h", "1-2")]


@pytest.mark.parametrize(
    ("code", "imports"),
    [
        ('const fs = require("fs");\n', [("fs", "fs")]),
        (
            "const { read, write: put, size = 1 } = require('./io.js');\n",
            [("put", "src.io.write"), ("read", "src.io.read"), ("size", "src.io.size")],
        ),
        ("var thing = require('../a').thing;\n", [("thing", "a.thing")]),
        ("const lazy = await import('./c.js');\n", [("lazy", "src.c")]),
        ("const a = required('./c'), b = require(name);\nrequire('d');\n", []),
    ],
)
def test_what_a_script_requires_is_imported(code, imports):
    found = [(one.name, one.target) for one in parse(code.encode(), "src/a.js").references if one.kind == "import"]
    assert found == imports


def test_words_that_a_manual_page_breaks_are_whole():
    text = "NAME\n   At mid\u2010\n   night it runs, in sub-direc\u2010\n   tories, in the sub-\n   sections."
    assert parse(text.encode(), "at.txt").text == (
        "NAME\n   At midnight\n   it runs, in sub-directories,\n   in the sub-\n   sections."
    )
    assert "midnight" in parse(("At mid\u2010\n  night.\n" * 5).encode(), "at.txt").text


@pytest.mark.parametrize("compound", ["NAME\na copy\u2010on\u2010\nwrite file", "a well\u2010\nknown file"])
def test_compounds_that_end_a_line_keep_their_hyphen(compound):
    assert parse(compound.encode(), "at.txt").text == compound


@pytest.mark.parametrize(
    ("name", "kind", "path"),
    [
        ("docx", b"ms-word.document.macroEnabled.main", "a.docm"),
        ("docx", b"openxmlformats-officedocument.wordprocessingml.template.main", "a.dotx"),
        ("docx", b"ms-word.template.macroEnabledTemplate.main", "a.dotm"),
        ("pptx", b"ms-powerpoint.presentation.macroEnabled.main", "a.pptm"),
    ],
)
def test_documents_with_macros_and_templates_are_read_as_the_others(name, kind, path):
    [original, *_] = sorted((GOLDEN / name / "in").iterdir())
    main = re.compile(rb"vnd\.openxmlformats-officedocument\.\w+\.(?:document|presentation)\.main")
    data = repacked(original, lambda part, content: main.sub(b"vnd." + kind, content) if "Types" in part else content)
    assert data != original.read_bytes()
    assert parse(data, path).text == parse(original.read_bytes(), original.name).text


def test_templates_of_odt_and_odt_in_one_file_are_read_as_the_others():
    [original, *_] = sorted((GOLDEN / "odt" / "in").glob("*.odt"))
    assert parse(original.read_bytes(), "a.ott").text == parse(original.read_bytes(), "a.odt").text
    assert parse(flat_odt("<text:p>Oil it.</text:p>"), "a.fodt").text == "Oil it.\n"


@pytest.mark.parametrize("path", ["a.md", "a.pdf", "a.docx", "a.csv"])
def test_a_pointer_of_git_lfs_is_no_content(path):
    pointer = f"version https://git-lfs.github.com/spec/v1\noid sha256:{'0' * 64}\nsize 12345\n".encode()
    assert "Git LFS" in reason(pointer, path)
    assert parse(b"# " + pointer, "a.md").blocks
