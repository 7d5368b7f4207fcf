"""What is read of languages that say at the head of a line what they declare: what it is, and where it ends."""

import time

import pytest

from ingestion.code import read_code
from ingestion.documents import BlockKind
from ingestion.parsers.code import language_of, parse

POSTGRES = """\
-- Who has lent what.
CREATE TABLE IF NOT EXISTS shop.loans (
    id bigint PRIMARY KEY,  -- the ; number
    note text DEFAULT 'create table a (b); it''s'
);
CREATE UNIQUE INDEX ON shop.loans (note);
create index loans_by_note on shop.loans (note);
/* CREATE TABLE old (a int); */
CREATE OR REPLACE FUNCTION shop.lend(book int) RETURNS void AS $$
BEGIN
    CREATE TEMP TABLE held (a int);
END;
$$ LANGUAGE plpgsql;
CREATE TRIGGER lent AFTER INSERT ON shop.loans EXECUTE FUNCTION shop.lend();
CREATE MATERIALIZED VIEW late AS SELECT 1;
"""
MYSQL = """\
--
-- Table structure for table `loans`
--

DROP TABLE IF EXISTS `loans`;
/*!40101 SET character_set_client = utf8 */;
CREATE TABLE `loans` (
  `id` int
) ENGINE=InnoDB;
DELIMITER $$
CREATE DEFINER=`root`@`%` PROCEDURE `lend`(IN n INT)
BEGIN
  UPDATE loans SET a = 1;
  SELECT 1;
END $$
DELIMITER ;
"""
SQL_SERVER = """\
CREATE TABLE [dbo].[loans] (
    [id] int
)
GO
CREATE OR ALTER PROCEDURE [dbo].[lend] @book int AS
BEGIN
    SELECT 1;
END
GO
"""
PROTOBUF = """\
syntax = "proto3";
package shop.v1;
/*
message Old {
*/
// A book
// that is lent.
message Book {
  enum Kind {
    A = 0;
  }
  string name = 1;
}
service Desk {
  rpc Lend(Book) returns (Book);
  rpc Find (stream Book)
      returns (Book) {}
}
"""
GRAPHQL = '''\
"""
type of a book
"""
type Book implements Node & Thing
  @key(fields: "id") {
  id: ID!
}
scalar Date
union Found = Book | Date
extend type Query {
  books: [Book]
}
'''
TERRAFORM = """\
# Where books are kept.
resource "aws_s3_bucket" "books" {
  bucket = var.name
  dynamic "rule" {
    for_each = 1
  }
}
variable "name" {}
data "aws_region" "here" {}
module "desk" {
  source = "./desk"
}
"""
POWERSHELL = """\
<#
function Old {
#>
function Get-Book
{
    param([string]$Name)
    if ($Name) {
        $Name
    }
}
function global:Set-Book([string]$Name) { $Name }
class Shelf : Thing {
    [int]$Size
}
"""
PERL = """\
package Shop::Book;
use strict;
# Lends it.
sub lend {
    my ($self) = @_;
}
sub late;
sub name { shift->{name} }
package Shop::Desk {
    sub open { 1 }
}
=head1 SYNOPSIS

    sub example {
    }

=cut
sub last_one
{
    1;
}
"""
ELIXIR = '''\
defmodule Shop.Book do
  @doc """
      def example(a) do
  """
  def lend(nil), do: nil
  def lend(book) do
    book
  end

  defp late?(book), do: book
end
'''
R = """\
#' Lends it.
lend <- function(book,
                 days = 3) {
  book
}
print.book = function(x) x
"""
FISH = """\
function lend --argument book
    echo $book
end
"""


@pytest.mark.parametrize(
    ("path", "code", "symbols"),
    [
        (
            "a.sql",
            POSTGRES,
            [
                ("table", "shop.loans", 2, 5),
                ("index", "loans_by_note", 7, 7),
                ("function", "shop.lend", 9, 13),
                ("trigger", "lent", 14, 14),
                ("materialized view", "late", 15, 15),
            ],
        ),
        ("dump.sql", MYSQL, [("table", "loans", 5, 9), ("procedure", "lend", 11, 15)]),
        ("b.sql", SQL_SERVER, [("table", "dbo.loans", 1, 3), ("procedure", "dbo.lend", 5, 8)]),
        (
            "a.proto",
            PROTOBUF,
            [
                ("message", "shop.v1.Book", 8, 13),
                ("enum", "shop.v1.Book.Kind", 9, 11),
                ("service", "shop.v1.Desk", 14, 18),
                ("method", "shop.v1.Desk.Lend", 15, 15),
                ("method", "shop.v1.Desk.Find", 16, 17),
            ],
        ),
        (
            "a.graphql",
            GRAPHQL,
            [
                ("type", "Book", 4, 7),
                ("scalar", "Date", 8, 8),
                ("union", "Found", 9, 9),
                ("type", "Query", 10, 12),
            ],
        ),
        (
            "a.tf",
            TERRAFORM,
            [
                ("resource", "aws_s3_bucket.books", 2, 7),
                ("variable", "var.name", 8, 8),
                ("data", "data.aws_region.here", 9, 9),
                ("module", "module.desk", 10, 12),
            ],
        ),
        (
            "a.ps1",
            POWERSHELL,
            [("function", "Get-Book", 4, 10), ("function", "Set-Book", 11, 11), ("class", "Shelf", 12, 14)],
        ),
        (
            "a.pm",
            PERL,
            [
                ("function", "Shop.Book.lend", 4, 6),
                ("function", "Shop.Book.name", 8, 8),
                ("function", "Shop.Desk.open", 10, 10),
                ("function", "Shop.Desk.last_one", 18, 21),
            ],
        ),
        (
            "a.ex",
            ELIXIR,
            [
                ("module", "Shop.Book", 1, 11),
                ("function", "Shop.Book.lend", 5, 8),
                ("function", "Shop.Book.late?", 10, 10),
            ],
        ),
        ("a.R", R, [("function", "lend", 2, 5), ("function", "print.book", 6, 6)]),
        ("a.fish", FISH, [("function", "lend", 1, 3)]),
    ],
)
def test_what_is_declared_has_a_kind_a_name_and_an_end(path, code, symbols):
    read = read_code(code, path, language_of(path, code)).symbols

    assert [(one.kind, one.qualified_name, one.line_start, one.line_end) for one in read] == symbols
    assert [one.ordinal for one in read] == [*range(len(read))] and not any("." in one.name for one in read)


@pytest.mark.parametrize(
    ("path", "code", "signature", "docstring"),
    [
        ("a.sql", POSTGRES, "CREATE TABLE IF NOT EXISTS shop.loans", "Who has lent what."),
        ("dump.sql", MYSQL, "CREATE TABLE `loans`", "Table structure for table `loans`"),
        ("a.proto", PROTOBUF, "message Book", "A book\nthat is lent."),
        ("a.tf", TERRAFORM, 'resource "aws_s3_bucket" "books"', "Where books are kept."),
        ("a.R", R, "lend <- function(book,", "Lends it."),
    ],
)
def test_the_first_declaration_has_its_first_line_and_the_comment_above(path, code, signature, docstring):
    first, *_ = read_code(code, path, language_of(path, code)).symbols

    assert (first.signature, first.docstring) == (signature, docstring)


def test_a_section_of_a_dump_begins_with_the_comment_above_a_blank_line():
    headings = [block for block in parse(MYSQL.encode(), "dump.sql").blocks if block.kind is BlockKind.HEADING]

    assert [(block.title, block.line_start) for block in headings if block.title != "dump.sql"] == [
        ("loans", 1),
        ("lend", 11),
    ]


@pytest.mark.parametrize(
    ("path", "code"),
    [
        ("a.proto", "/*\n" * 50_000),
        ("a.proto", "\n".join(f"{' ' * n}message a{n} {{" for n in range(1_000))),
        ("a.sql", "'" * 100_000),
        ("a.sql", "$a$" * 100_000),
        ("a.sql", "create function a() begin\n" * 10_000),
        ("a.graphql", '"""\n' * 50_001),
    ],
)
def test_what_is_no_program_takes_no_long_time(path, code):
    started = time.process_time()
    read_code(code, path, language_of(path, code))

    assert time.process_time() - started < 5
