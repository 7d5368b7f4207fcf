"""Who calls what: known where the text says so, and a guess where it does not."""

import json

import pytest
from django.contrib.auth.models import AnonymousUser
from django.core.management import CommandError, call_command
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from knowledge.models import DocumentFile, Library, Reference, Symbol
from retrieval.code.resolution import Definition, FileCode, Mention, Sources, is_inside, module_names, resolve
from retrieval.code.symbols import NoSuchSymbol, find_symbols

FILES = {
    "src/shop/__init__.py": "from .cart import Cart\n",
    "src/shop/base.py": (
        "class Base:\n    def total(self):\n        return self.add(0)\n\n    def add(self, n):\n        pass\n"
    ),
    "src/shop/cart.py": (
        "import os\nfrom .base import Base\n\n\n"
        "def price(item):\n    '''What it costs.'''\n    return os.getenv(item)\n\n\n"
        "class Cart(Base):\n    def __init__(self):\n        self.add(1)\n\n"
        "    def pay(self):\n        return self.total() + price('a') + self.helper.price()\n"
    ),
    "src/main.py": (
        "from shop import Cart\nfrom shop.cart import price as cost\n\ncost('b')\nCart().pay()\n\n\n"
        "def run(thing):\n    Cart()\n    thing.pay()\n"
    ),
    "web/app.js": (
        "import { price } from './prices';\n\nclass Till {\n  ring(item) {\n    return price(item);\n  }\n}\n"
    ),
    "web/prices.js": "export function price(item) {\n  return 1;\n}\n",
}


@pytest.fixture
def library(indexed):
    return indexed("shop", FILES)


def calls(name: str, direction: str, depth: int = 1, user=None) -> set[tuple[str | None, str | None, str]]:
    answered = find_symbols(user, name, (), direction, depth)
    found = answered.callers if direction == "callers" else answered.callees
    return {(call.caller, call.callee, call.resolution) for call in found}


def test_a_symbol_says_what_and_where_it_is(library):
    (found,) = find_symbols(None, "Cart.pay").symbols
    assert (found.kind, found.source_file, found.line_start, found.line_end) == ("method", "src/shop/cart.py", 14, 15)
    assert found.signature == "def pay(self)"
    assert found.url == "/read/shop/src/shop/cart.py?snapshot=1&lines=14-15#L14", "at its line"
    assert {one.docstring for one in find_symbols(None, "price").symbols} == {"What it costs.", ""}


@pytest.mark.parametrize(("direction", "times"), [("", 0), ("callers", 1)])
def test_the_names_of_modules_are_read_only_where_something_is_resolved(library, direction, times):
    with CaptureQueriesContext(connection) as queries:
        find_symbols(None, "Cart.pay", (), direction)
    assert sum("SELECT DISTINCT" in query["sql"] for query in queries) == times


def test_an_answer_has_an_end_and_nothing_is_resolved_behind_it(library, monkeypatch):
    whole = find_symbols(None, "price", (), "callers")
    assert len(whole.symbols) == 2 and len(whole.callers) > 2 and not whole.cut
    monkeypatch.setattr("retrieval.code.symbols.MOST", 1)
    resolved = []
    monkeypatch.setattr("retrieval.code.symbols.resolve", lambda *asked: resolved.append(asked) or resolve(*asked))
    short = find_symbols(None, "price", (), "callers")
    assert (short.symbols, short.callers, short.cut) == (whole.symbols[:1], whole.callers[:1], True)
    assert len(resolved) <= 3
    assert find_symbols(None, "price").cut and not find_symbols(None, "Cart.pay").cut


def test_callers_are_known_by_file_and_by_import(library):
    python = {call for call in calls("price", "callers") if call[2] != "name"}
    assert python == {
        ("Cart.pay", "price", "exact"),  # the same file
        (None, "price", "import"),  # under another name
        ("Till.ring", "price", "import"),  # the JavaScript one, from its own file
    }


def test_methods_are_found_through_self_and_through_bases(library):
    assert calls("Base.total", "callers") == {("Cart.pay", "Base.total", "import")}
    assert calls("Base.add", "callers") == {
        ("Base.total", "Base.add", "exact"),
        ("Cart.__init__", "Base.add", "import"),
    }


def test_what_only_shares_a_name_is_marked_as_a_guess(library):
    assert ("run", "Cart.pay", "name") in calls("Cart.pay", "callers")
    answered = find_symbols(None, "Cart.pay", (), "callers")
    assert all(call.guess == (call.resolution == "name") for call in answered.callers)


def test_no_guess_leads_into_another_language(indexed):
    indexed(
        "mixed",
        {
            "send.py": "class Adapter:\n    def send(self):\n        pass\n\n\ndef main(a):\n    a.send()\n",
            "send.js": "class Request {\n  send() {}\n}\n\nfunction start(a) {\n  a.send();\n}\n",
            "start.ts": "function again(a: any) {\n  a.send();\n}\n",
            "page.js": "page.send();\n",
        },
    )
    assert calls("Adapter.send", "callers") == {("main", "Adapter.send", "name")}
    assert {call[0] for call in calls("Request.send", "callers")} == {"start", "again", None}


@pytest.mark.parametrize("above", ["super()", "super(Cart, self)"])
def test_what_python_calls_above_is_known_and_is_never_the_method_itself(indexed, above):
    code = (
        "class Base:\n    def pay(self):\n        pass\n\n\n"
        f"class Cart(Base):\n    def pay(self):\n        return {above}.pay()\n\n\n"
        "class Own(Thread):\n    def pay(self):\n        return super().pay()\n"
    )
    indexed("shop", {"cart.py": code})
    assert calls("Cart.pay", "callees") == {("Cart.pay", None, "none"), ("Cart.pay", "Base.pay", "exact")}
    assert ("Own.pay", "Own.pay", "name") not in calls("Own.pay", "callees")


def test_whoever_makes_an_object_calls_its_constructor(library):
    assert {call[0] for call in calls("Cart.__init__", "callers")} == {None, "run"}


def test_callees_say_what_is_known_and_what_is_not(library):
    assert calls("Cart.pay", "callees") == {
        ("Cart.pay", "Base.total", "import"),
        ("Cart.pay", "price", "exact"),
        ("Cart.pay", None, "none"),  # self.helper.price: a function is no member of something
    }
    assert (("price", None, "none")) in calls("price", "callees")  # os.getenv is not ours


def test_depth_follows_what_is_known(library):
    deep = find_symbols(None, "Cart.pay", (), "callees", 2).callees
    assert {(call.depth, call.caller, call.callee) for call in deep if call.depth == 2} == {
        (2, "Base.total", "Base.add"),
        (2, "price", None),
    }


def test_nobody_finds_the_code_of_libraries_that_are_not_theirs(indexed, library):
    indexed("closed", {"a.py": "def secret():\n    price()\n"}, access=Library.Access.GROUPS)
    with pytest.raises(NoSuchSymbol):
        find_symbols(AnonymousUser(), "secret")
    assert "secret" not in {call[0] for call in calls("price", "callers", user=AnonymousUser())}
    assert "secret" in {call[0] for call in calls("secret", "callees")}


def test_withdrawn_files_neither_call_nor_define(library):
    DocumentFile.objects.filter(path="src/shop/cart.py").update(withdrawn_at=timezone.now())
    with pytest.raises(NoSuchSymbol):
        find_symbols(None, "Cart.pay")
    assert calls("Base.add", "callers") == {("Base.total", "Base.add", "exact")}


def test_the_command_prints_and_refuses(library, capsys):
    call_command("symbols", "Cart.pay", "--callers", "--json")
    answered = json.loads(capsys.readouterr().out)
    assert answered["symbols"][0]["qualified_name"] == "Cart.pay" and answered["callees"] is None
    call_command("symbols", "Cart::pay", "--callees", "--depth", "2", "--library", "shop")
    assert "Cart.pay → Base.total  src/shop/cart.py:15  (import)" in capsys.readouterr().out
    for arguments in (["nothing"], ["\0"], ["pay", "--library", "nowhere"]):
        with pytest.raises(CommandError):
            call_command("symbols", *arguments)
    for arguments, said in (
        ([], "name a symbol$"),
        (["--library", "shop"], "name a symbol, before --library$"),
        (["pay", "--depth", "1"], "--depth goes with --callers or --callees"),
    ):
        with pytest.raises(CommandError, match=said) as refused:
            call_command("symbols", *arguments)
        assert refused.value.returncode == 2


def test_rows_come_and_go_with_their_file_version(library):
    assert Symbol.objects.filter(file_version__document_file__path="web/app.js").count() == 2
    assert Reference.objects.filter(kind="import", target="web.prices.price").exists()


def test_a_standard_module_is_not_one_of_ours_by_its_name():
    names = module_names([("src/shop/typing.py", "python"), ("src/shop/__init__.py", "python")])
    assert is_inside("shop.typing.Any", names) and not is_inside("typing.Any", names)


def called_on_self(classes: dict[str, list[str]], *imports: str) -> tuple[list[str], int]:
    """What `self.x` means in the first of these classes (with their bases), and how often a file was looked into."""
    definitions = {n: Definition(1, n, "m.py", "python", "class", name, name, n, n) for n, name in enumerate(classes)}
    bases = [
        Mention(1, "m.py", "base", base.rpartition(".")[2], base, "", n, n)
        for n, named in enumerate(classes.values())
        for base in named
    ]
    imported = [Mention(1, "m.py", "import", name, name, f"m.{name}", None, 1) for name in imports]
    code, looked = FileCode(definitions, tuple(imported), tuple(bases)), []
    sources = Sources(
        lambda name: [one for one in definitions.values() if one.name == name],
        lambda file: looked.append(file) or code,
        lambda name: [one for one in imported if one.name == name],
        module_names([("m.py", "python")]),
    )
    found = resolve(Mention(1, "m.py", "call", "x", "self.x", "", 0, 1), sources)
    return [one.definition.qualified_name for one in found], len(looked)


def test_classes_that_all_derive_from_all_of_the_next_layer_are_each_looked_through_once():
    layers = [[f"C{layer}{n}" for n in range(3)] for layer in range(6)]
    classes = {name: below for above, below in zip(layers, [*layers[1:], []], strict=True) for name in above}
    found, looked = called_on_self(classes)
    assert found == [] and looked <= len(classes) + 1


def test_a_base_that_is_named_through_its_own_class_ends():
    assert called_on_self({"B": ["B.C"]}, "B")[0] == []
    assert called_on_self({"B": ["B.C", "D.E"], "D": ["B.C", "D.E"]}, "B", "D")[0] == []


def test_a_name_may_stand_behind_the_library(library, capsys):
    call_command("symbols", "--library", "shop", "Cart.pay")
    assert "Cart.pay" in capsys.readouterr().out
    with pytest.raises(CommandError, match="name a symbol"):
        call_command("symbols", "--library", "shop")


@pytest.mark.parametrize("direction", ["callers", "callees"])
def test_many_definitions_are_few_statements(indexed, direction):
    text = "def helper{0}():\n    pass\n\n\ndef run():\n    helper{0}()\n\n\nrun()\n"
    indexed("many", {f"m{number}.py": text.format(number) for number in range(60)})
    with CaptureQueriesContext(connection) as asked:
        answered = find_symbols(None, "run", (), direction)
    assert len(answered.symbols) == len(answered.callers or answered.callees) == 60
    assert len(asked) < 30


C_FILES = {
    "include/shelf.h": "int lend(int book);\nint lost(int book);\n#define MOST(a) (a)\n",
    "src/lend.c": "int lend(int book);\n\nint lend(int book) {\n  return count(book);\n}\n",
    "src/main.c": '#include "shelf.h"\n\nint main(void) {\n  return lend(1) + lost(MOST(2));\n}\n',
}


def test_a_prototype_stands_for_what_defines_it(indexed):
    indexed("shelf", C_FILES)
    assert calls("main", "callees") == {
        ("main", "lend", "import"),
        ("main", "lost", "import"),
        ("main", "MOST", "import"),
    }
    assert ("lend", None, "none") in calls("main", "callees", depth=2), "into the definition"
    assert calls("lend", "callers") == {("main", "lend", "import")}
    found = find_symbols(AnonymousUser(), "lend").symbols
    assert [(one.kind, one.source_file) for one in found] == [
        ("prototype", "include/shelf.h"), ("prototype", "src/lend.c"), ("function", "src/lend.c"),
    ]  # fmt: skip


GO_FILES = {
    "cache/cache.go": "package cache\n\ntype Cache interface {\n\tGet(k string) int\n\tDrop()\n}\n",
    "cache/lru.go": "package cache\n\nfunc (l *LRU) Get(k string) int {\n\treturn 1\n}\n",
    "main.go": "package main\n\nfunc main() {\n\tc.Get(1)\n\tc.Drop()\n}\n",
}


def test_a_call_is_a_guess_at_a_method_before_it_is_one_at_an_interface(indexed):
    indexed("cache", GO_FILES)
    assert {one.qualified_name for one in find_symbols(None, "Get").symbols} == {"Cache.Get", "LRU.Get"}
    assert calls("main", "callees") == {("main", "LRU.Get", "name"), ("main", "Cache.Drop", "name")}


PACKAGE = {
    "shop/cart.go": "package shop\n\nfunc (c *Cart) Pay() int {\n\treturn c.total() + price(c)\n}\n",
    "shop/total.go": (
        "package shop\n\nfunc (it Cart) total() int {\n\treturn it.tax(1)\n}\n\n"
        "func (Cart) tax(n int) int {\n\treturn n\n}\n\n"
        "func price(c *Cart) int {\n\treturn 1\n}\n\nvar least = price(nil)\n"
    ),
    "till/till.go": (
        "package till\n\nfunc (c *Cart) total() int {\n"
        "\tfor _, c := range others {\n\t\tc.total()\n\t}\n\treturn price(c)\n}\n"
    ),
}


def test_a_method_of_go_knows_its_own_type_and_code_the_other_files_of_its_folder(indexed):
    indexed("shop", PACKAGE)
    assert calls("Cart.Pay", "callees", depth=2) == {
        ("Cart.Pay", "Cart.total", "import"),
        ("Cart.Pay", "price", "import"),
        ("Cart.total", "Cart.tax", "exact"),
    }
    assert calls("price", "callers") == {
        ("Cart.Pay", "price", "import"),
        (None, "price", "exact"),
        ("Cart.total", "price", "name"),  # of another folder
    }


def test_a_variable_of_go_that_has_the_receivers_name_is_none(indexed):
    indexed("shop", PACKAGE)
    found = find_symbols(None, "Cart.total", (), "callers").callers
    inside = [(one.written, one.resolution) for one in found if one.source_file == "till/till.go"]
    assert inside == [("c.total", "name")]


OWN_CALLS = {  # files, and what `pay` calls beside others of the same names
    "java": (
        {
            "Cart.java": "package a;\nclass Cart extends Base {\n  void pay() { add(); Item.make(); }\n}\n",
            "Base.java": "package a;\nclass Base { void add() {} }\n",
            "Item.java": "package a;\nclass Item { static void make() {} }\n",
            "b/Item.java": "package b;\nclass Item { static void make() {} void add() {} }\n",
        },
        {("a.Base.add", "import"), ("a.Item.make", "import")},
    ),
    "php": (
        {
            "Cart.php": (
                "<?php\nnamespace A;\nclass Cart extends Base {\n  use Taxes;\n  function pay() {\n"
                "    $this->add();\n    $this->tax();\n    parent::add();\n    new Item();\n  }\n}\n"
            ),
            "Base.php": "<?php\nnamespace A;\nclass Base { function add() {} }\ntrait Taxes { function tax() {} }\n",
            "Item.php": "<?php\nnamespace A;\nclass Item {}\n",
            "B.php": "<?php\nnamespace B;\nclass Item { function add() {} function tax() {} }\n",
        },
        {("A.Base.add", "import"), ("A.Taxes.tax", "import"), ("A.Item", "import")},
    ),
    "cpp": (
        {
            "cart.h": (
                "namespace a {\nclass Base { int add(); };\nclass Cart : public Base { int pay(); int tax(); };\n"
                "class Item { int add(); int tax(); };\n}\n"
            ),
            "cart.cpp": "int a::Cart::pay() {\n  add();\n  return this->tax();\n}\n",
            "tax.cpp": "int a::Cart::tax() { return 1; }\nint a::Base::add() { return 1; }\nint tax() { return 1; }\n",
        },
        {("a.Base.add", "import"), ("a.Cart.tax", "import")},
    ),
    "ruby": (
        {
            "cart.rb": "class Cart < Base\n  def pay\n    tax(1) + add(1) + mix(1)\n  end\n  def tax(n); end\nend\n",
            "base.rb": "class Base\n  def add(n); end\nend\nmodule Mixed\n  def mix(n); end\nend\n",
            "item.rb": "class Item\n  def tax(n); end\n  def add(n); end\nend\n",
        },
        {("Cart.tax", "exact"), ("Base.add", "import"), ("Mixed.mix", "name")},
    ),
    "rust": (
        {
            "src/cart.rs": "impl Cart {\n  fn pay(&self) { self.tax(); self.add(); }\n  fn tax(&self) {}\n}\n",
            "src/add.rs": "impl Cart { fn add(&self) {} }\nimpl Item { fn tax(&self) {} fn add(&self) {} }\n",
        },
        {("Cart.tax", "exact"), ("Cart.add", "import")},
    ),
    "javascript": (
        {
            "cart.js": "const cart = { pay() { return this.tax(); }, tax() {} };\nclass Item { tax() {} }\n",
        },
        {("cart.tax", "exact")},
    ),
    "csharp": (
        {
            "Cart.cs": (
                "namespace A.B;\npartial class Cart : Base {\n"
                "  void Pay() { pay(); }\n  void pay() { Add(); Item.Make(); this.Tax(); base.Add(); }\n}\n"
            ),
            "Tax.cs": "namespace A.B { partial class Cart { void Tax() {} } }\n",
            "Base.cs": "namespace A { class Base { void Add() {} } class Item { static void Make() {} } }\n",
            "Other.cs": "namespace C { class Item { static void Make() {} void Add() {} void Tax() {} } }\n",
        },
        {("A.Base.Add", "import"), ("A.Item.Make", "import"), ("A.B.Cart.Tax", "import")},
    ),
    "kotlin": (
        {
            "Cart.kt": (
                "package a\n\nimport b.Shelf as Rack\n\n"
                "class Cart : Base() {\n  fun pay() {\n    add()\n    make()\n    Rack()\n  }\n}\n"
            ),
            "Base.kt": "package a\n\nopen class Base {\n  fun add() {}\n}\n\nfun make() {}\n",
            "b/Shelf.kt": "package b\n\nclass Shelf\n\nfun make() {}\n",
        },
        {("a.Base.add", "import"), ("a.make", "import"), ("b.Shelf", "import")},
    ),
    "swift": (
        {
            "Cart.swift": "class Cart: Base {\n  func pay() { self.tax(); add(); make() }\n}\n",
            "Tax.swift": "extension Cart {\n  func tax() {}\n}\n",
            "Base.swift": "class Base {\n  func add() {}\n}\nfunc make() {}\nclass Item { func tax() {} }\n",
        },
        {("Cart.tax", "import"), ("Base.add", "import"), ("make", "import")},
    ),
    "scala": (
        {
            "Cart.scala": (
                "package a\nimport b.{Shelf => Rack}\n"
                "class Cart extends Base {\n  def pay() = { add(); Item.make(); new Rack[Int](1) }\n}\n"
            ),
            "Base.scala": "package a\nclass Base { def add() = 1 }\nobject Item { def make() = 1 }\n",
            "b/Shelf.scala": "package b\nclass Shelf[T](most: Int)\nobject Item { def make() = 1 }\n",
        },
        {("a.Base.add", "import"), ("a.Item.make", "import"), ("b.Shelf", "import")},
    ),
    "lua": (
        {
            "cart.lua": "local M = {}\nfunction M:pay() self:tax() end\nfunction M.tax() end\n",
            "item.lua": "local N = {}\nfunction N.tax() end\n",
        },
        {("M.tax", "exact")},
    ),
    "bash": (
        {
            "bin/pay.sh": '. "$(dirname "$0")/tax.sh"\npay() {\n  add 1\n}\n',
            "bin/tax.sh": "add() { true; }\n",
            "other/item.sh": "add() { true; }\n",
        },
        {("add", "import")},
    ),
}


@pytest.mark.parametrize("language", OWN_CALLS)
def test_a_class_knows_its_own_members_and_its_neighbours(indexed, language):
    files, expected = OWN_CALLS[language]
    indexed("own", files)
    assert {(callee, by) for _, callee, by in calls("pay", "callees")} == expected


def test_what_several_files_of_a_namespace_have_is_a_guess(indexed):
    item = "namespace a { int add() { return 1; } }\n"
    indexed("twice", {"a.cpp": item, "b.cpp": item, "c.cpp": "namespace a { int pay() { return add(); } }\n"})
    assert calls("pay", "callees") == {("a.pay", "a.add", "name")}


def test_a_function_within_a_method_is_no_member(indexed):
    code = "class Cart(Thread):\n    def pay(self):\n        def get():\n            return self.get()\n"
    indexed("within", {"cart.py": code})
    assert ("Cart.pay.get", "Cart.pay.get", "exact") not in calls("get", "callees")


TOLD = {
    "app/rack.rb": "class Cart\n  def add!\n  end\n  def <=>(other)\n  end\nend\n",
    "rack/rack.go": "package rack\n\nfunc (r *Rack[T]) Put(x T) {\n}\n\nfunc Map() {\n}\n",
    "src/gauge.rs": "impl Gauge {\n  fn new() {}\n}\nmacro_rules! gauge { () => {} }\n",
    "src/matrix.cpp": "int Matrix<bool>::map() { return 1; }\nint *Matrix<bool>::operator->() { return 0; }\n",
    "web/card.js": "export function UserCard() {}\n",
}


@pytest.mark.parametrize(
    ("asked", "found"),
    [
        ("src.shop.cart.Cart.pay", "Cart.pay"),
        ("shop.Cart", "Cart"),  # handed on by the package
        ("cart.price", "price"),
        ("Cart#pay()", "Cart.pay"),
        ("self.pay", "Cart.pay"),
        ("Cart#add!", "Cart.add!"),
        ("Cart#<=>", "Cart.<=>"),
        ("main.Map", "Map"),
        ("rack.Map", "Map"),
        ("(*Rack).Put", "Rack.Put"),
        ("Rack[T].Put", "Rack.Put"),
        ("crate::Gauge::new", "Gauge.new"),
        ("crate::gauge::Gauge::new", "Gauge.new"),
        ("gauge!", "gauge"),
        ("Matrix<bool>::map", "Matrix.map"),
        ("Matrix<bool>::operator ->", "Matrix.operator->"),
    ],
)
def test_names_are_understood_as_developers_write_them(indexed, library, asked, found):
    indexed("told", TOLD)
    assert [one.qualified_name for one in find_symbols(None, asked).symbols] == [found]


def test_what_differs_only_in_case_is_offered(indexed):
    indexed("told", TOLD)
    with pytest.raises(NoSuchSymbol, match="there is UserCard"):
        find_symbols(None, "usercard")
    with pytest.raises(NoSuchSymbol, match=r"you may read$"):
        find_symbols(None, "card")


def test_nobody_is_offered_the_names_of_libraries_that_are_not_theirs(indexed):
    indexed("closed", TOLD, access=Library.Access.GROUPS)
    with pytest.raises(NoSuchSymbol, match=r"you may read$"):
        find_symbols(AnonymousUser(), "usercard")


OVERLOADED = {
    "parse.ts": (
        "export function parse(a: string): void;\nexport function parse(a: number): void;\n"
        "export function parse(a: any) {\n  read(a);\n}\nfunction read(a: any) {}\n"
    ),
    "main.ts": "import { parse } from './parse';\n\nfunction main() {\n  parse(1);\n}\n",
}


def test_a_call_of_what_is_overloaded_is_listed_once(indexed):
    indexed("over", OVERLOADED)
    (caller,) = find_symbols(None, "parse", (), "callers").callers
    assert (caller.caller, caller.callee, caller.line) == ("main", "parse", 4)
    callees = find_symbols(None, "main", (), "callees", 2).callees
    assert [(one.caller, one.callee, one.depth) for one in callees] == [("main", "parse", 1), ("parse", "read", 2)]


def test_calls_between_components_and_scripts_are_known(indexed):
    files = {
        "web/Cart.vue": "<script setup>\nimport { price } from './prices'\nfunction pay() {\n  price(1)\n}\n",
        "web/Till.svelte": "<script module>\nexport function ring() {}\n</script>\n",
        "web/prices.js": "import { ring } from './Till.svelte'\nexport function price(item) {\n  ring()\n}\n",
    }
    indexed("components", files)
    (caller,) = find_symbols(None, "price", (), "callers").callers
    assert (caller.source_file, caller.caller, caller.line, caller.resolution) == ("web/Cart.vue", "pay", 4, "import")
    (callee,) = find_symbols(None, "price", (), "callees").callees
    assert (callee.callee, callee.resolution) == ("ring", "import")


def test_calls_in_a_class_and_in_its_constructor_are_listed_once(indexed):
    indexed("java", {"Cart.java": "class Cart {\n  Cart() {\n    add();\n  }\n  void add() {}\n}\n"})
    assert [one.line for one in find_symbols(None, "Cart", (), "callees").callees] == [3]


def test_what_is_declared_without_a_grammar_is_found_as_it_is_written(indexed):
    files = {
        "schema.sql": "CREATE TABLE shop.loans (id int);\n",
        "main.tf": 'resource "aws_s3_bucket" "books" {\n}\n',
        "desk.ps1": "function Get-Book {\n}\n",
        "Book.pm": "package Shop::Book;\nsub lend {\n}\n",
    }
    indexed("declared", files)

    for name in ("shop.loans", "loans", "aws_s3_bucket.books", "Get-Book", "Shop::Book::lend"):
        assert len(find_symbols(None, name).symbols) == 1, name
