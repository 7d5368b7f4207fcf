"""What is read of languages by the types of nodes alone: what is defined, what it belongs to, and what is called."""

import time

import pytest

from ingestion.code import read_code
from ingestion.parsers.code import language_of

CSHARP = """\
using System.Text;
using J = Newtonsoft.Json;

namespace Shop.Carts
{
    /// <summary>Holds books.</summary>
    [Serializable]
    public partial class Cart<T> : Base<T>, IDisposable where T : new()
    {
        /// How many at most.
        public const int MostBooks = 3;
        private int count = 0;
        public int Count { get; private set; }
        public Cart(int most) : base(most) { Fill(); }
        public async Task<int> LendAsync<K>(K book) => await _store.LendAsync<K>(book);
        void IDisposable.Dispose() { base.Close(); this.Close(); shelf?.Tidy(); new Shelf<int>(1); }
    }
    public record struct Point(int X, int Y);
    public interface ICart { void Go(); }
    delegate void Listener(int what);
}
"""
KOTLIN = """\
package shop.carts

import a.b.Shelf as Rack
import a.b.*

/** Holds books. */
@Serializable
data class Cart<T>(val most: Int) : Base<T>(most), Closeable {
    private val held = 3
    val count: Int
        get() = books.size
    override suspend fun lend(book: T): Int = store.lend(book)
    companion object {
        const val MOST = 3
        fun make(): Cart = Cart(1)
    }
    enum class Kind {
        A, B;
        fun next() {
            this.go()
        }
    }
}
interface Shape
object Single : Base() {
    fun go() {
        super.go()
        run { tidy() }
    }
}
fun String?.twice(): String {
    val inner = 3
    return this + this
}
typealias Listener = (Int) -> Unit
"""
SWIFT = """\
import Foundation
/// Holds books.
public final class Cart<T>: Base, Closeable {
    var held = 3
    var count: Int { books.count }
    init(most: Int) { super.init(); self.fill() }
    func lend(_ book: T) async throws -> Int { return try await store.lend(book) }
}
struct Point: Codable { let x: Int }
protocol Shape { func area() -> Double }
extension Cart: Hashable { func hash(into h: inout Hasher) { h.combine(1) } }
typealias Listener = (Int) -> Void
let MOST = 3
"""
SCALA = """\
package shop.carts
import a.b.{Shelf, Rack => Case}
import c.d._

/** Holds books. */
case class Cart[T](most: Int) extends Base[T](most) with Closeable {
  def lend(book: T): Int = store.lend[Int](book)
  private object Inner { def go() = { super.go(); new Shelf[Int](1) } }
}
sealed trait Shape { def area: Double }
object Cart { def apply() = new Cart(1) }
"""
LUA = """\
local M = {}
local json = require("cjson.safe")
--- Lends a book.
function M.lend(book) return M.find(book) end
function M:go(where) self:lend(where) end
local function tidy() end
local later = function() return tidy() end
M.after = function() json.encode(1) end
M.count = 3
"""
BASH = """\
#!/bin/bash
source "$(dirname "$0")/lib/shelves.sh"
# Lends a book.
lend() {
  tidy "$1"
}
function tidy { echo hi; }
"""


@pytest.mark.parametrize(
    ("path", "code", "symbols"),
    [
        (
            "Cart.cs",
            CSHARP,
            "class Shop.Carts.Cart, constant Shop.Carts.Cart.MostBooks, property Shop.Carts.Cart.Count, "
            "constructor Shop.Carts.Cart.Cart, method Shop.Carts.Cart.LendAsync, method Shop.Carts.Cart.Dispose, "
            "class Shop.Carts.Point, interface Shop.Carts.ICart, method Shop.Carts.ICart.Go, alias Shop.Carts.Listener",
        ),
        (
            "Cart.kt",
            KOTLIN,
            "class shop.carts.Cart, property shop.carts.Cart.count, method shop.carts.Cart.lend, "
            "property shop.carts.Cart.MOST, method shop.carts.Cart.make, enum shop.carts.Cart.Kind, "
            "method shop.carts.Cart.Kind.next, interface shop.carts.Shape, class shop.carts.Single, "
            "method shop.carts.Single.go, method shop.carts.String.twice, alias shop.carts.Listener",
        ),
        (
            "Cart.swift",
            SWIFT,
            "class Cart, property Cart.count, constructor Cart.init, method Cart.lend, struct Point, interface Shape, "
            "method Shape.area, method Cart.hash, alias Listener, property MOST",
        ),
        (
            "Cart.scala",
            SCALA,
            "class shop.carts.Cart, method shop.carts.Cart.lend, module shop.carts.Cart.Inner, "
            "method shop.carts.Cart.Inner.go, trait shop.carts.Shape, method shop.carts.Shape.area, "
            "module shop.carts.Cart, method shop.carts.Cart.apply",
        ),
        ("cart.lua", LUA, "method M.lend, method M.go, function tidy, function later, method M.after"),
        ("cart.sh", BASH, "function lend, function tidy"),
    ],
)
def test_what_is_defined_has_a_kind_and_the_name_of_what_it_belongs_to(path, code, symbols):
    found = read_code(code, path, language_of(path, code))
    assert ", ".join(f"{one.kind} {one.qualified_name}" for one in found.symbols) == symbols
    assert not found.has_errors


@pytest.mark.parametrize(
    ("path", "code", "signature", "docstring"),
    [
        (
            "Cart.cs",
            CSHARP,
            "[Serializable] public partial class Cart<T> : Base<T>, IDisposable where T : new()",
            "<summary>Holds books.</summary>",
        ),
        (
            "Cart.kt",
            KOTLIN,
            "@Serializable data class Cart<T>(val most: Int) : Base<T>(most), Closeable",
            "Holds books.",
        ),
        ("Cart.swift", SWIFT, "public final class Cart<T>: Base, Closeable", "Holds books."),
        ("Cart.scala", SCALA, "case class Cart[T](most: Int) extends Base[T](most) with Closeable", "Holds books."),
        ("cart.lua", LUA, "function M.lend(book)", "Lends a book."),
        ("cart.sh", BASH, "lend()", "Lends a book."),
    ],
)
def test_the_first_definition_has_its_signature_without_its_body_and_the_comment_above(
    path, code, signature, docstring
):
    first = read_code(code, path, language_of(path, code)).symbols[0]
    assert (first.signature, first.docstring) == (signature, docstring)


@pytest.mark.parametrize(
    ("path", "code", "calls", "imports", "bases"),
    [
        (
            "Cart.cs",
            CSHARP,
            "Fill _store.LendAsync Shelf shelf.Tidy super.Close this.Close",
            {"*": "System.Text", "J": "Newtonsoft.Json"},
            "Base IDisposable",
        ),
        (
            "Cart.kt",
            KOTLIN,
            "store.lend Cart this.go super.go run tidy",
            {"Rack": "a.b.Shelf", "*": "a.b"},
            "Base Closeable Base",
        ),
        (
            "Cart.swift",
            SWIFT,
            "self.fill super.init store.lend h.combine",
            {},
            "Base Closeable Codable Hashable",
        ),
        (
            "Cart.scala",
            SCALA,
            "store.lend Shelf super.go Cart",
            {"Shelf": "a.b.Shelf", "Case": "a.b.Rack", "*": "c.d"},
            "Base Closeable",
        ),
        ("cart.lua", LUA, "require M.find self.lend tidy json.encode", {"json": "cjson.safe"}, ""),
        ("cart.sh", BASH, "dirname source tidy echo", {"*": "shelves"}, ""),
    ],
)
def test_calls_imports_and_bases_are_kept_as_they_are_written(path, code, calls, imports, bases):
    found = read_code(code, path, language_of(path, code)).references
    assert [one.written for one in found if one.kind == "call"] == calls.split()
    assert {one.name: one.target for one in found if one.kind == "import"} == imports
    assert [one.written for one in found if one.kind == "base"] == bases.split()


def test_the_fields_of_a_long_class_are_each_looked_at_by_themselves():
    code = "class A {\n" + "".join(f"  int field{n} = {n};\n" for n in range(6000)) + "}\n"
    began = time.monotonic()
    assert [symbol.name for symbol in read_code(code, "a.cs", "csharp").symbols] == ["A"]
    assert time.monotonic() - began < 5  # three times as long where each looked through all
