"""Symbols of scripts that are newer than their grammar, or stand in another file's elements."""

import time

import pytest

from ingestion.code import read_code, reading
from ingestion.code.naming import split_callee
from ingestion.parsers import parse


def names(path, code):
    return [symbol.qualified_name for symbol in parse(code.encode(), path).symbols]


@pytest.mark.parametrize(
    ("code", "found"),
    [
        ("export interface Shelf<in A, out B> {\n  a: A;\n}\nfunction f() {}\n", ["Shelf", "f"]),
        ("class Shelf<in out A extends B> {\n  lend() {}\n}\n", ["Shelf", "Shelf.lend"]),
        ("type Shelf<out A = B> = A;\ninterface I<\n  out A,\n> {}\n", ["Shelf", "I"]),
        ("export type * from 'a';\nexport type * as b from 'b';\nfunction f() {}\n", ["f"]),
        ("declare function f(): import('./a').B<string>;\n", ["f"]),
        ("interface I {\n  (a: B): C\n  <A>(a: A): B\n  // b\n  <A extends B>(a: A): A\n}\nclass D {}\n", ["I", "D"]),
        ("interface I {\n  (a: B): C\n  <\n    A,\n    const B extends C\n  >(a: A): B\n}\nclass D {}\n", ["I", "D"]),
    ],
)  # fmt: skip
@pytest.mark.parametrize("path", ["a.ts", "a.d.ts", "a.tsx"])
def test_what_the_grammar_of_typescript_does_not_know_hides_nothing(path, code, found):
    assert names(path, code) == found
    assert not read_code(code, path, "typescript").has_errors


@pytest.mark.parametrize(
    "code",
    [
        "const f =\n  <A>(a: A) =>\n  <B>(b: B) => a\n",
        "const f = call(\n  a,\n  <A>(b: A) => b,\n)\n",
        "const url = 'http://a/*', text = \"in <out A>\"\n",
    ],
)
def test_a_function_with_parameters_of_types_on_a_line_of_its_own_is_what_it_is(code):
    said = f"{code}interface Shelf<out A> {{}}\n"
    assert not read_code(said, "a.ts", "typescript").has_errors
    assert names("a.ts", said)[-1] == "Shelf"


def test_a_comment_on_what_the_grammar_does_not_know_is_as_it_was_written():
    code = "/** As `Shelf<out A>`. */\ninterface Shelf<out A> {}\n"
    assert [symbol.docstring for symbol in parse(code.encode(), "a.ts").symbols] == ["As `Shelf<out A>`."]


@pytest.mark.parametrize("part", ["<out ", "<in out ", "\n <", "/*", "'\\", "import('a').a\n", ", in\n"])
def test_what_is_newer_made_to_be_slow_is_read_without_trouble(part):
    started = time.perf_counter()
    read_code(part * 20_000, "a.ts", "typescript")
    assert time.perf_counter() - started < 10


FLOW = """// @flow strict
import type {Book} from './books';

export type Props = $ReadOnly<{
  book: ?Book,
}>;

class Shelf extends Component<Props> {
  _books: Array<Book> = [];

  lend = (book: Book): void => {
    this.send(book);
  };

  back(book: Book, late: boolean = false): Promise<void> {
    return later(() => <Row book={book} />);
  }
}

export function lend(shelf: Shelf): Book {
  return shelf.lend();
}
"""


def test_javascript_with_types_of_flow_has_symbols_and_calls():
    read = parse(FLOW.encode(), "shelf.js")
    assert [(one.kind, one.qualified_name) for one in read.symbols] == [
        ("type", "Props"), ("class", "Shelf"), ("method", "Shelf.lend"), ("method", "Shelf.back"), ("function", "lend"),
    ]  # fmt: skip
    assert {one.language for one in read.symbols} == {"javascript"}
    assert {one.written for one in read.references if one.kind == "call"} >= {"this.send", "later", "Row"}


def test_javascript_with_an_error_in_it_is_not_taken_for_anything_else():
    assert names("a.js", "function f() { g( }\nclass A { b() {} }\n") == ["f", "A", "A.b"]


COMPONENT = """<!-- <script>function no() {}</script> -->
<template>
  <p @click="pay()">it's {{ total }}</p>
</template>

<script lang="ts" setup generic="T extends Record<string, string>">
import { price } from './prices'

/** What it costs. */
function pay(a: T): number {
  return price(a)
}
</script>

<script>
export const MOST = 3
</script>

<style>
.a { color: red }
</style>
"""


@pytest.mark.parametrize("path", ["Cart.vue", "Cart.svelte"])
def test_scripts_in_a_component_have_symbols_and_calls_on_their_own_lines(path):
    read = parse(COMPONENT.encode(), path)
    assert [(one.name, one.line_start, one.line_end, one.docstring, one.language) for one in read.symbols] == [
        ("pay", 10, 12, "What it costs.", "typescript"),
        ("MOST", 16, 16, "", "typescript"),
    ]
    assert [(one.kind, one.written, one.line) for one in read.references] == [
        ("import", "price", 7),
        ("call", "price", 11),
    ]
    assert (read.text, read.media_type) == (COMPONENT, f"text/x-{path.rpartition('.')[2]}")


def test_what_a_component_holds_beside_its_scripts_is_read_as_before():
    read = parse(COMPONENT.encode(), "Cart.vue")
    assert [(one.title, one.line_start) for one in read.blocks if one.title] == [("pay", 9), ("Cart.vue", 13)]
    told = "\n".join("\n".join(read.text.split("\n")[one.line_start - 1 : one.line_end]) for one in read.blocks)
    assert all(line in told for line in COMPONENT.split("\n") if line.strip("</script> "))


def test_a_component_of_options_has_its_methods():
    code = "<script>\nexport default {\n  methods: {\n    pay() { return 1 }\n  }\n}\n"
    assert names("Cart.vue", code) == ["methods.pay"]


@pytest.mark.parametrize("part", ["<script ", "<script '", "<script a='b'", "<!--", "<script>", "</script>"])
def test_elements_made_to_be_slow_are_read_without_trouble(part):
    started = time.perf_counter()
    read_code(part * 20_000, "a.vue", "vue")
    assert time.perf_counter() - started < 10


def test_each_call_of_a_chain_is_read_from_its_end(monkeypatch):
    read = []
    monkeypatch.setattr(reading, "split_callee", lambda written: read.append(len(written)) or split_callee(written))
    calls = read_code("a" + ".again(é)" * 2_000, "a.js", "javascript").references
    assert {call.written for call in calls[1:]} == {"….again"}
    assert len(calls) == 2_000
    assert max(read) < 4_000


def test_a_call_is_named_however_much_stands_before_it():
    code = "".join(f"Loan.objects.filter({'a' * length}).earliest()\n" for length in range(900))
    calls = read_code(code, "a.py", "python").references
    assert {call.name for call in calls} == {"filter", "earliest"}
    assert len(calls) == 1_800


def test_calls_on_one_line_are_told_in_their_order():
    code = "".join(f"function f{n}(){{a()}}" for n in range(50))
    assert [call.symbol for call in read_code(code, "a.js", "javascript").references] == list(range(50))
