"""Symbols by name, with their callers or what they call, in one read of the visible snapshots."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence, Set
from dataclasses import asdict, dataclass
from functools import cache, cached_property, reduce
from itertools import islice
from operator import or_
from typing import Any

from django.db.models import F, Q, QuerySet

from knowledge.models import Reference, SnapshotFile, Symbol
from knowledge.models.library import Reader
from retrieval.results import reading_url
from retrieval.view import SearchedSnapshot, one_read

from .resolution import (
    NAME,
    PROTOTYPE,
    Definition,
    FileCode,
    Mention,
    Resolved,
    Sources,
    module_names,
    resolve,
    targets,
)
from .spelling import spellings

DEEPEST = 3
LONGEST_NAME = 500  # characters of a name that is asked for
MOST = 500  # definitions of an answer, and calls
AT_ONCE = 100  # definitions or calls whose surroundings are looked up in one statement
MOST_OFFERED = 5  # names that differ only in case
MOST_GUESSED = 5  # definitions that a name alone may mean: more say nothing
SYMBOL = (
    "file_version", "ordinal", "path", "language", "kind", "name", "qualified_name", "line_start", "line_end",
)  # fmt: skip
MENTION = ("file_version", "path", "kind", "name", "written", "target", "symbol", "line")


class NoSuchSymbol(LookupError):
    """Nothing of this name is defined in what the reader may see."""


@dataclass(frozen=True, slots=True)
class FoundSymbol:
    library: str
    source_file: str
    kind: str
    name: str
    qualified_name: str
    language: str
    line_start: int
    line_end: int
    signature: str
    docstring: str
    url: str


@dataclass(frozen=True, slots=True)
class Call:
    """`caller` calls `callee` in `source_file:line`. Null: the code at the top of a file, or what the library lacks."""

    depth: int
    caller: str | None
    callee: str | None
    written: str
    library: str
    source_file: str
    line: int
    resolution: str  # exact, import, name (a guess) or none
    guess: bool
    url: str


@dataclass(frozen=True, slots=True)
class Answered:
    name: str
    symbols: tuple[FoundSymbol, ...]
    callers: tuple[Call, ...] | None
    callees: tuple[Call, ...] | None
    cut: bool  # whether there are more than MOST of them

    def as_json(self) -> dict[str, Any]:
        return asdict(self)


def find_symbols(
    user: Reader, name: str, libraries: Sequence[str] = (), direction: str = "", depth: int = 1
) -> Answered:
    """`name` is a symbol's, or a qualified one's end (`Flask.route`), also with its module before it.

    `direction` is callers, callees, or "": neither. Raises UnknownLibrary, NoSuchSymbol.
    """
    with one_read(user, libraries) as view:
        codes = [Code(searched) for searched in view.snapshots]
        name, defined = named_so(codes, list(spellings(name)))
        found = tuple(code.found(symbol) for code, symbol in defined[:MOST])
        calls: list[Call] = []
        for code in codes:
            starts = [definition(symbol) for of, symbol in defined[:MOST] if of is code]
            if direction and starts and len(calls) <= MOST:
                follow = code.callers if direction == "callers" else code.callees
                calls += islice(follow(starts, depth), MOST + 1)
    kept = tuple(calls[:MOST])
    return Answered(
        name,
        found,
        kept if direction == "callers" else None,
        kept if direction == "callees" else None,
        cut=max(len(defined), len(calls)) > MOST,
    )


def named_so(codes: Sequence["Code"], names: Sequence[str]) -> tuple[str, list[tuple["Code", Symbol]]]:
    """The first of the names that something has, and what has it: by itself, else in the module that leads to it.

    Raises NoSuchSymbol.
    """
    for look_up in (Code.symbols_of, Code.symbols_in_modules):
        for name in names:
            if defined := [(code, symbol) for code in codes for symbol in look_up(code, name)]:
                return name, defined
    similar = sorted({name for code in codes for name in code.similar(names[-1])})[:MOST_OFFERED]
    offered = f"; there is {', '.join(similar)}" if similar else ""
    raise NoSuchSymbol(f"Nothing named “{names[0]}” is defined in what you may read{offered}")


class Code:
    """The code of one searched snapshot. What was looked up is remembered for as long as the answer takes."""

    def __init__(self, searched: SearchedSnapshot) -> None:
        self.searched = searched
        versions = SnapshotFile.objects.filter(snapshot=searched.pk, document_file__withdrawn_at__isnull=True)
        inside = Q(file_version__in=versions.values("file_version"))
        path = F("file_version__document_file__path")
        self.symbols = Symbol.objects.filter(inside).annotate(path=path).order_by("path", "ordinal")
        self.references = Reference.objects.filter(inside).annotate(path=path).order_by("path", "ordinal")
        self.names: dict[str, tuple[Definition, ...]] = {}
        self.files: dict[int, FileCode] = {}

    @cached_property
    def sources(self) -> Sources:
        """Only where something is resolved: the names of modules are read from all symbols."""
        files = self.symbols.order_by().values_list("path", "language").distinct()
        return Sources(self.named, self.in_file, cache(self.importing), module_names(files))

    def symbols_of(self, name: str) -> list[Symbol]:
        """MOST of them, and one that tells whether there are more."""
        ends = Q(qualified_name=name) | Q(qualified_name__endswith=f".{name}")
        return list(self.symbols.filter(ends, name=name.rsplit(".", 1)[-1])[: MOST + 1])

    def symbols_in_modules(self, name: str) -> list[Symbol]:
        """Of a name that leads through modules and what they hand on: `shop.cart.Cart`, `shop.Cart`."""
        if "." not in name:
            return []
        found = list(islice(dict.fromkeys(targets(name, self.sources)), MOST + 1))
        wanted = [Q(file_version=one.file, ordinal=one.ordinal) for one in found]
        return list(self.symbols.filter(reduce(or_, wanted))) if wanted else []

    def similar(self, name: str) -> set[str]:
        """Qualified names that differ from this one only in case."""
        ends = Q(qualified_name__iexact=name) | Q(qualified_name__iendswith=f".{name}")
        alike = self.symbols.filter(ends, name__iexact=name.rsplit(".", 1)[-1]).order_by()
        return set(alike.values_list("qualified_name", flat=True).distinct()[:MOST_OFFERED])

    def prepared(self, mentions: Sequence[Mention]) -> Iterator[Mention]:
        """Each in its turn; what resolving it asks for first is looked up for many at once."""
        for start in range(0, len(mentions), AT_ONCE):
            batch = mentions[start : start + AT_ONCE]
            self.load_files({mention.file for mention in batch} - self.files.keys())
            self.load_names({mention.name for mention in batch} - self.names.keys())
            yield from batch

    def named(self, name: str) -> tuple[Definition, ...]:
        self.load_names({name} - self.names.keys())
        return self.names[name]

    def load_names(self, names: Set[str]) -> None:
        if names:
            found = defaultdict(list)
            for symbol in self.symbols.filter(name__in=names):
                found[symbol.name].append(definition(symbol))
            self.names |= {name: tuple(found[name]) for name in names}

    def importing(self, name: str) -> tuple[Mention, ...]:
        return self.mentions(self.references.filter(kind="import", name=name))

    def in_file(self, file: int) -> FileCode:
        self.load_files({file} - self.files.keys())
        return self.files[file]

    def load_files(self, files: Set[int]) -> None:
        if not files:
            return
        definitions: dict[int, dict[int, Definition]] = defaultdict(dict)
        for symbol in self.symbols.filter(file_version__in=files):
            definitions[symbol.file_version_id][symbol.ordinal] = definition(symbol)
        others: dict[tuple[int, str], list[Mention]] = defaultdict(list)
        for one in self.mentions(self.references.filter(file_version__in=files, kind__in=["import", "base"])):
            others[one.file, one.kind].append(one)
        for file in files:
            imports, bases = (tuple(others[file, kind]) for kind in ("import", "base"))
            self.files[file] = FileCode(definitions[file], imports, bases)

    def mentions(self, references: QuerySet[Reference]) -> tuple[Mention, ...]:
        return tuple(Mention(*row) for row in references.values_list(*MENTION))

    def aliases(self, names: set[str]) -> set[str]:
        """What files call these that import them under other names."""
        ends = reduce(or_, (Q(target__endswith=f".{name}") for name in sorted(names)))
        return set(self.references.filter(ends, kind="import").order_by().values_list("name", flat=True)) - {"*"}

    def resolved(self, mention: Mention) -> list[Resolved]:
        found = resolve(mention, self.sources)
        return found if len(found) <= MOST_GUESSED or found[0].by != NAME else []

    def callers(self, starts: Sequence[Definition], depth: int) -> Iterator[Call]:
        """Who calls these, and who calls those: each caller once, at the least depth."""
        wave, seen = list(starts), set(starts)
        for level in range(1, depth + 1):
            reached: list[Definition] = []
            for name in sorted({one.name for one in wave}):
                targets = [one for one in wave if one.name == name]
                names = {name} | ({owner_name(one) for one in targets if one.name in CONSTRUCTORS} - {""})
                names |= self.aliases(names)
                for mention in self.prepared(self.mentions(self.references.filter(kind="call", name__in=names))):
                    found = self.resolved(mention)
                    for meant in one_each(
                        one for one in found if any(is_meant(one.definition, target) for target in targets)
                    ):
                        caller = self.around(mention)
                        yield self.call(level, caller, meant.definition, mention, meant.by)
                        reached += [caller] if caller and caller not in seen and meant.by != NAME else []
            wave = list(dict.fromkeys(reached))
            seen.update(wave)

    def callees(self, starts: Sequence[Definition], depth: int) -> Iterator[Call]:
        """What these call, and what those call. A class stands for its methods. Guesses are not followed."""
        wave, seen = list(starts), set(starts)
        for level in range(1, depth + 1):
            reached: list[Definition] = []
            for mention in self.inside(wave):
                found = self.resolved(mention)
                if not found:
                    yield self.call(level, self.around(mention), None, mention, "none")
                for meant in one_each(found):
                    yield self.call(level, self.around(mention), meant.definition, mention, meant.by)
                reached += [one.definition for one in found if one.by != NAME and one.definition not in seen]
            wave = list(dict.fromkeys(reached))
            seen.update(wave)

    def inside(self, wave: Sequence[Definition]) -> Iterator[Mention]:
        """The calls in these, each once, file by file."""
        for start in range(0, len(wave), AT_ONCE):
            batch = wave[start : start + AT_ONCE]
            calls = defaultdict(list)
            files = list(dict.fromkeys(one.file for one in batch))
            for mention in self.mentions(self.references.filter(kind="call", file_version__in=files)):
                calls[mention.file].append(mention)
            spans = {file: [(one.line_start, one.line_end) for one in batch if one.file == file] for file in files}
            within = [
                mention
                for file, lines in spans.items()
                for mention in calls[file]
                if any(start <= mention.line <= end for start, end in lines)
            ]
            yield from self.prepared(within)

    def around(self, mention: Mention) -> Definition | None:
        return None if mention.symbol is None else self.sources.in_file(mention.file).definitions.get(mention.symbol)

    def call(self, depth: int, caller: Definition | None, callee: Definition | None, mention: Mention, by: str) -> Call:
        return Call(
            depth=depth,
            caller=caller.qualified_name if caller else None,
            callee=callee.qualified_name if callee else None,
            written=mention.written,
            library=self.searched.slug,
            source_file=mention.path,
            line=mention.line,
            resolution=by,
            guess=by == NAME,
            url=self.url(mention.path, mention.line, mention.line),
        )

    def found(self, symbol: Any) -> FoundSymbol:
        copied = ("kind", "name", "qualified_name", "language", "line_start", "line_end", "signature", "docstring")
        return FoundSymbol(
            library=self.searched.slug,
            source_file=symbol.path,
            url=self.url(symbol.path, symbol.line_start, symbol.line_end),
            **{name: getattr(symbol, name) for name in copied},
        )

    def url(self, path: str, start: int, end: int) -> str:
        return reading_url(self.searched.slug, self.searched.number, path, (start, end), f"L{start}")


CONSTRUCTORS = ("__init__", "__construct", "constructor", "initialize", "init")


def owner_name(one: Definition) -> str:
    return one.owner.rpartition(".")[2]


def is_meant(found: Definition, wanted: Definition) -> bool:
    """Whoever calls a class calls its constructor."""
    if found == wanted:
        return True
    return wanted.name in CONSTRUCTORS and found.file == wanted.file and found.qualified_name == wanted.owner


def one_each(found: Iterable[Resolved]) -> list[Resolved]:
    """Of what has the same name, as overloads have, the one that has a body: the longest, or the last."""
    best: dict[str, Resolved] = {}
    for one in sorted(found, key=lambda each: (size(each.definition), each.definition.ordinal)):
        best[one.definition.qualified_name] = one
    return list(best.values())


def size(one: Definition) -> tuple[bool, int]:
    return one.kind != PROTOTYPE, one.line_end - one.line_start


def definition(symbol: Any) -> Definition:
    return Definition(symbol.file_version_id, *(getattr(symbol, name) for name in SYMBOL[1:]))
