"""A query that is one name: what is called so comes first, and what spells it so before what only shares its stem."""

import pytest

from retrieval.naming import Called, called, name_of
from retrieval.results import SearchOptions
from retrieval.search import search

METHODS = "\n".join(
    f"// {name} asks the Engine.\nfunc (engine *Engine) {name}() Engine {{\n\treturn engine.Engine()\n}}\n"
    for name in ("Run", "Stop", "Use", "Group")
)
FIELDS = "\n".join(f"\t// Field{n} is one of many things that are set.\n\tField{n} string\n" for n in range(60))
ENGINE = f"package gin\n\n// Engine is the framework's instance.\ntype Engine struct {{\n{FIELDS}}}\n\n{METHODS}"
OVERLOADS = "\n\n".join(f'@overload\ndef pipe(a{n}: A) -> B:\n    """A pipe of {n}."""' for n in range(6))
SETTINGS = """\
# Settings

## tox.ini

Where there is no pytest.ini, tox.ini is read instead of pytest.ini.

## pytest.ini

It is read first, whatever stands in it, and even where it is empty. Most people put it beside the tests of their
project, others where the packages are; markers, paths, options and much else can be named there, one a line.
"""
HOOKS = """\
# Hooks

## Options

Write pytest_addoption in a plugin: pytest_addoption is called once, and pytest_addoption adds options.

## Environment

With PYTEST_ADDOPTS one gives options that are added to those of the command line, whatever it is that starts the tests.
"""


def found(library, query: str, mode: str = "lexical") -> list[str]:
    return [hit.section_title for hit in search(None, query, SearchOptions((library.slug,), mode=mode)).hits]


@pytest.mark.parametrize("mode", ["lexical", "tree", "hybrid"])
def test_what_is_called_so_comes_first(indexed, mode):
    library = indexed("gin", {"gin.go": ENGINE, "settings.md": SETTINGS})
    assert found(library, "Engine", mode)[0] == "Engine"
    assert found(library, "Use", mode)[0] == "Engine.Use"
    assert found(library, "pytest.ini", mode)[0] == "pytest.ini"


def test_what_spells_it_so_comes_before_what_shares_its_stem(indexed):
    library = indexed("hooks", {"hooks.md": HOOKS})
    assert found(library, "PYTEST_ADDOPTS")[:2] == ["Environment", "Options"]
    assert found(library, "pytest_addoption")[:2] == ["Options", "Environment"]


@pytest.mark.parametrize(("query", "first"), [("RETURNING", "Clauses"), ("returning", "Loans"), ("RETURNS", "Loans")])
def test_a_word_in_capitals_comes_first_where_it_is_written_so(indexed, query, first):
    loans = "## Loans\n\nReturning a bike: return it, returning is free. Who returns it is returned the deposit.\n"
    clauses = f"## Clauses\n\nINSERT takes RETURNING{', and much else that is told here' * 9}.\n"
    assert found(indexed("words", {"words.md": f"# Words\n\n{loans}\n{clauses}"}), query)[0] == first


@pytest.mark.parametrize("mode", ["lexical", "hybrid", "vector"])
def test_where_a_file_of_the_name_begins_comes_first(indexed, mode):
    parts = "".join(f"## Part {n}\n\n{'Of bikes and trailers. ' * 30}\n\n" for n in range(3))
    files = {"a.md": "# Shelf\n\nSee shelf.md for more.\n", "docs/shelf.md": f"# Guide\n\nOf all.\n\n{parts}"}
    library = indexed("shop", files)
    options = SearchOptions((library.slug,), mode=mode, explain=True, facets=True, top_k=2)
    result = search(None, "shelf.md", options)

    first = result.hits[0]
    assert (first.source_file, first.line_start, first.explain.named) == ("docs/shelf.md", 3, True)
    assert len(result.hits) == 2
    assert {hit.source_file for hit in search(None, "shelf.md file:a.md", options).hits} == {"a.md"}


def test_of_many_files_of_a_name_the_beginnings_of_a_few_come_first(indexed):
    readmes = {f"{folder}/README.md": f"# {folder}\n\nOf {folder}.\n" for folder in "abcde"}
    indexed("shop", readmes | {"start.md": "# Start\n\nEvery README.md says more.\n"})
    files = [hit.source_file for hit in search(None, "README.md", SearchOptions(mode="lexical")).hits]
    assert files == ["a/README.md", "b/README.md", "c/README.md", "start.md"]


def test_overloads_do_not_stand_before_others(indexed):
    library = indexed("rx", {"pipes.py": OVERLOADS, "notes.md": "# Notes\n\nA pipe is broken.\n"})
    assert found(library, "pipe")[:2] == ["pipe", "Notes"]


LONG = "\n".join(f"    // line {n}" for n in range(50))
CLASSES = {  # two classes with one method: in a short class it has no section of its own
    "python": ("a.py", "class {}:\n    def fetch(self):\n        return 1\n"),
    "java": ("A.java", "class {} {{\n    int fetch() {{\n        return 1;\n    }}\n}}\n"),
    "long java": ("A.java", f"class {{}} {{{{\n    int fetch() {{{{\n        return 1;\n    }}}}\n{LONG}\n}}}}\n"),
    "c++": ("a.cpp", "namespace db {{\nint {}::fetch() {{\n    return 1;\n}}\n}}\n"),
    "go": ("a.go", "func (one *{}) fetch() int {{\n\treturn 1\n}}\n"),
    "php": ("a.php", "<?php\nnamespace Db;\nclass {} {{\n    function fetch() {{\n        return 1;\n    }}\n}}\n"),
    "ruby": ("a.rb", "module Db\n  class {}\n    def fetch\n      1\n    end\n  end\nend\n"),
    "javascript": ("a.js", "class {} {{\n  fetch() {{\n    return 1;\n  }}\n}}\n"),
}


@pytest.mark.parametrize("language", CLASSES)
def test_a_method_of_a_class_comes_first_of_those_called_alike(indexed, language):
    path, code = CLASSES[language]
    files = {f"{name.lower()}/{path}": code.format(name) for name in ("Cursor", "Table", "Row")}
    says = "# Fetching\n\nTable fetch: call fetch of a Table, Table.fetch. Row fetch, Cursor fetch.\n"
    options = SearchOptions((indexed("db", files | {f"{n}.md": says for n in range(3)}).slug,), mode="lexical")

    for written in ("Table.fetch", "Table::fetch", "Table#fetch()", "Table->fetch()", r"Db\Table::fetch"):
        assert search(None, written, options).hits[0].source_file == f"table/{path}", written


def test_a_name_below_the_name_of_what_it_belongs_to_comes_first(indexed):
    files = {
        "start.md": "# Start\n\nCall db.cursor.open: with db.cursor open a path, db.cursor.open(path).\n",
        "cursor.md": "# db.cursor\n\nOf cursors.\n\n## open(path)\n\nOpens what is there.\n",
        "table.md": "# db.table\n\nOf tables.\n\n## open(path)\n\nOpens what is there.\n",
    }
    options = SearchOptions((indexed("db", files).slug,), mode="lexical")
    for written in ("db.cursor.open", "cursor.open()", "db::cursor::open"):
        assert search(None, written, options).hits[0].source_file == "cursor.md", written


def test_of_a_word_in_small_letters_the_best_that_is_called_so_comes_first(indexed):
    chapter = "# Guide\n\n## 3. Lending\n\nLending a bike: the lending desk lends it for three days. Lending is free.\n"
    library = indexed("lend", {"guide.md": chapter, "code.py": "def lending():\n    return 1\n"})
    assert found(library, "lending")[0] == "3. Lending"


def test_a_word_of_documents_brings_no_function_first(indexed):
    handbook = (
        "# Prices\n\n## Getting it back\n\nThe deposit is handed back. A deposit by card is released. Deposit desk.\n"
    )
    words = " ".join(f"word{n}" for n in range(80))
    code = f'def deposit():\n    """{words}"""\n'
    library = indexed("lend", {"prices.md": handbook, "prices.py": code})
    assert found(library, "deposit")[0] == "Getting it back"
    only_code = indexed("code", {"prices.py": code + "\n\ndef other():\n    return deposit() + deposit()\n"})
    assert found(only_code, "deposit")[0] == "deposit"


def test_why_not_tells_what_a_name_displaced(indexed):
    words = " ".join(f"word{n}" for n in range(80))
    code = f'class Lending:\n    """{words}"""\n'
    library = indexed("lend", {"code.py": code, "desk.md": "# Desk\n\nLending, lending, lending.\n"})
    options = SearchOptions((library.slug,), mode="lexical", top_k=1, why_not="desk.md")
    result = search(None, "Lending", options)
    assert result.hits[0].section_title == "Lending"
    assert result.why_not[0].reason.endswith("what is called so, or spells it so, comes before it.")


def test_several_words_are_no_name(indexed):
    library = indexed("gin", {"gin.go": ENGINE})
    hits = search(None, "Engine instance", SearchOptions((library.slug,), mode="lexical", explain=True)).hits
    assert hits and not any(hit.explain.named for hit in hits)


def test_it_is_explained(indexed):
    library = indexed("gin", {"gin.go": ENGINE})
    first, *others = search(None, "Engine", SearchOptions((library.slug,), mode="lexical", explain=True)).hits
    assert first.explain.named and not any(hit.explain.named for hit in others)


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Engine", "Engine"),
        ("useRouter()", "useRouter"),
        ("`pytest.ini`", "pytest.ini"),
        ("A::run", "A::run"),
        ("deposit?", "deposit"),
        ("two words", ""),
        ("12.50", ""),
        ("--", ""),
        ("", ""),
    ],
)
def test_names(text, name):
    assert name_of(text) == name


@pytest.mark.parametrize(
    ("title", "name", "how"),
    [
        ("JSON", "JSON", Called.SO),
        ("`useRouter()`", "useRouter", Called.SO),
        ("Context.JSON", "JSON", Called.WITHIN_SOMETHING),
        ("Doctest", "doctest", Called.SO),  # as people type
        ("ENGINE", "Engine", Called.IN_OTHER_CAPITALS),
        ("App::run", "Run", Called.WITHIN_SOMETHING_IN_OTHER_CAPITALS),
        ("JSON and XML", "JSON", Called.OTHERWISE),
        ("IndentedJSON", "JSON", Called.OTHERWISE),
        ("3. Lending", "Lending", Called.SO),
        ("1.2 Installation", "Installation", Called.SO),
        ("Chapter 1: Lending", "Lending", Called.SO),
        ("render(self, x)", "render", Called.SO),
        ("See example.com", "com", Called.OTHERWISE),
        ("Python 3.x", "x", Called.OTHERWISE),
        ("App.run", "App::run", Called.SO),
        ("Cart.add", "Cart#Add", Called.IN_OTHER_CAPITALS),
        ("gin.Context.JSON", "Context.JSON", Called.WITHIN_SOMETHING),
        ("Kernel.handle", r"App\Http\Kernel::handle", Called.WITHIN_SOMETHING),
        ("dumps", "json.dumps", Called.OTHERWISE),
        ("Other.JSON", "Context.JSON", Called.OTHERWISE),
    ],
)
def test_titles(title, name, how):
    assert called(title, name) is how
