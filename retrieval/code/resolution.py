"""What a name in source code refers to, as far as its text tells. Pure: rows in, candidates out.

Three degrees, of which only two are knowledge: `exact` (the same file defines it), `import` (the file imports it, or
the class that has it, or need not: it is in the same package), `name` (a guess: something of this name exists, and
nothing says that it is what is meant).
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property

EXACT, IMPORT, NAME = "exact", "import", "name"
OWN = ("self", "this", "cls", "Self", "static", "@self")
ABOVE = ("super", "parent")
DEEPEST = 6  # bases of bases, imports of imports
PROTOTYPE = "prototype"  # of C and C++, of an interface of Go: what it declares is defined elsewhere
TYPES = ("class", "interface", "trait", "struct", "enum", "type", "module", "union")
INITS = ("__init__", "index", "mod")
LIKE_JAVA = ("java", "cpp", "csharp", "kotlin", "scala", "swift")
BARE = (*LIKE_JAVA, "ruby")  # members are called by their names alone
APART = ("go", "rust", "cpp", "ruby", "csharp", "swift")  # the methods of a type may stand in several files
FOLDERS = ("go", "rust")  # these are in one folder
TOGETHER = (
    frozenset({"c", "cpp"}),
    frozenset({"javascript", "typescript"}),
    frozenset({"java", "kotlin", "scala"}),
)  # they call each other


@dataclass(frozen=True, slots=True)
class Definition:
    """A symbol of a file; `file` is any key of the file version, `path` where it is."""

    file: int
    ordinal: int
    path: str
    language: str
    kind: str
    name: str
    qualified_name: str
    line_start: int
    line_end: int

    @property
    def owner(self) -> str:
        """The qualified name of what it stands in; "" at the top."""
        return self.qualified_name.rpartition(".")[0]

    @property
    def dotted(self) -> str:
        """Its qualified name after its module's, as others import it."""
        return ".".join(filter(None, [module_of(self.path, self.language), self.qualified_name]))


@dataclass(frozen=True, slots=True)
class Mention:
    """A reference of a file."""

    file: int
    path: str
    kind: str
    name: str
    written: str
    target: str
    symbol: int | None
    line: int


@dataclass(frozen=True, slots=True)
class Resolved:
    definition: Definition
    by: str  # exact, import or name


@dataclass(frozen=True, slots=True)
class Sources:
    """Where the resolution looks things up."""

    named: Callable[[str], Iterable[Definition]]  # definitions of this name, in every searched file of one library
    in_file: Callable[[int], "FileCode"]
    importing: Callable[[str], Iterable[Mention]]  # imports under this name, in every searched file of the library
    modules: frozenset[str]  # names under which the library's own files may be imported
    members: dict[tuple[Definition, str, bool, int, int], list[Resolved]] = field(default_factory=dict)  # looked up


@dataclass(frozen=True)
class FileCode:
    """What one file defines, imports and derives from."""

    definitions: dict[int, Definition]  # by ordinal
    imports: tuple[Mention, ...]
    bases: tuple[Mention, ...]

    @cached_property
    def by_name(self) -> dict[str, Definition]:
        """The first of each qualified name; what is declared ahead of its definition is that."""
        last_first = sorted(self.definitions.values(), key=lambda one: (one.kind != PROTOTYPE, -one.ordinal))
        return {one.qualified_name: one for one in last_first}


def module_of(path: str, language: str) -> str:
    """The file's path as a module's name: a/b/__init__.py is a.b; in Go a folder is a module."""
    stem = path.rsplit(".", 1)[0] if "." in path.rsplit("/", 1)[-1] else path
    parts = stem.split("/")
    if language == "go" or parts[-1] in INITS:
        parts = parts[:-1]
    return ".".join(parts)


def ends_with(whole: str, end: str) -> bool:
    return whole == end or whole.endswith(f".{end}")


def resolve(mention: Mention, sources: Sources) -> list[Resolved]:
    """What a call may mean, the surest only: when something is known, nothing is guessed.

    A prototype stands for what defines it, where the library has that.
    """
    found = list(dict.fromkeys(one for each in surest(mention, sources) for one in defining(each, sources)))
    known = {one.definition for one in found if one.definition.kind != PROTOTYPE}
    names = {one.qualified_name for one in known}
    return [one for one in found if one.definition in known or one.definition.qualified_name not in names]


def defining(found: Resolved, sources: Sources) -> list[Resolved]:
    """Of a prototype the one definition of its name, or several guesses; else what was found."""
    one = found.definition
    if one.kind != PROTOTYPE:
        return [found]
    others = [other for other in sources.named(one.name) if defines(other, one)]
    return [Resolved(other, found.by if len(others) == 1 else NAME) for other in others] or [found]


def defines(one: Definition, prototype: Definition) -> bool:
    same = one.qualified_name == prototype.qualified_name and one.language in ("c", "cpp")
    return same and one.kind in ("function", "method")


def surest(mention: Mention, sources: Sources) -> list[Resolved]:
    code = sources.in_file(mention.file)
    first, _, rest = mention.written.partition(".")
    owner = enclosing_type(code, mention.symbol, sources)
    if first in (*OWN, *ABOVE):
        if rest == mention.name and (found := own_member(code, mention, owner, sources)):
            return found
    elif first != "…":
        known = said(code, mention, owner, sources)
        if known is not None:
            return known
    named = [one for one in sources.named(mention.name) if plausible(one, mention) and may_call(code, mention, one)]
    guesses = [one for one in named if first not in ABOVE or not is_own(one, owner)]
    methods = [one for one in guesses if one.kind != PROTOTYPE or one.language != "go"]
    return [Resolved(one, NAME) for one in methods or guesses]


def plausible(one: Definition, mention: Mention) -> bool:
    """Whether a guess is worth making: what is written with an owner is no function, and the reverse but in Ruby."""
    is_member = one.kind in ("method", "constructor") or (one.kind == PROTOTYPE and one.owner != "")
    return is_member == ("." in mention.written) or one.kind in TYPES or one.language == "ruby"


def may_call(code: FileCode, mention: Mention, one: Definition) -> bool:
    """Whether code of that language can mean it; of a file that defines nothing only the suffix tells the language."""
    language = language_of(code)
    if not language:
        return mention.path.rpartition(".")[2] == one.path.rpartition(".")[2]
    return language == one.language or any({language, one.language} <= both for both in TOGETHER)


def is_own(one: Definition, owner: Definition | None) -> bool:
    """Whether it is a member of this class."""
    return owner is not None and (one.file, one.owner) == (owner.file, owner.qualified_name)


def language_of(code: FileCode) -> str:
    """ "" for a file that defines nothing."""
    return next((each.language for each in code.definitions.values()), "")


def symbol_at(code: FileCode, ordinal: int | None) -> Definition | None:
    return code.definitions.get(ordinal) if ordinal is not None else None


def enclosing_type(code: FileCode, ordinal: int | None, sources: Sources) -> Definition | None:
    """The class that a symbol is in, or is; of a method of C++ also one that a header defines."""
    here = symbol_at(code, ordinal)
    while here is not None and here.kind not in TYPES:
        outer = code.by_name.get(here.owner) if here.owner else None
        here = outer or (declared_elsewhere(here, sources) if here.owner and here.language == "cpp" else None)
    return here


def declared_elsewhere(method: Definition, sources: Sources) -> Definition | None:
    """The one class of C++ that it can belong to."""
    named = sources.named(method.owner.rpartition(".")[2])
    found = [one for one in named if one.qualified_name == method.owner and one.kind in TYPES]
    return found[0] if len(found) == 1 else None


def own_member(code: FileCode, mention: Mention, owner: Definition | None, sources: Sources) -> list[Resolved]:
    """What is called through `self`, or through what is above it."""
    is_above = mention.written.partition(".")[0] in ABOVE
    if owner and (found := in_type(owner, mention.name, sources, own=not is_above)):
        return [replace(one, by=one.by if owner.file == mention.file else IMPORT) for one in found]
    here = symbol_at(code, mention.symbol)
    member = code.by_name.get(f"{here.owner}.{mention.name}") if here and not owner else None
    if member and not is_above:  # of an object, or of a type that stands in another file
        return [Resolved(member, EXACT)]
    return [] if is_above else beside(code, mention, sources)


def said(
    code: FileCode, mention: Mention, owner: Definition | None, sources: Sources, nested: int = 0
) -> list[Resolved] | None:
    """What a name means by what the code says: a call in `owner`, or a base, of which there is none.

    None where it says nothing; empty where an import leads out.
    """
    if found := in_this_file(code, mention):
        return found
    is_bare = owner is not None and owner.language in BARE and "." not in mention.written
    if is_bare and (found := own_member(code, mention, owner, sources)):
        return found
    imported = by_import(code, mention.written, sources, nested)
    return (beside(code, mention, sources) or None) if imported is None else imported


def in_this_file(code: FileCode, mention: Mention) -> list[Resolved]:
    """What the name means where it stands: the nearest definition around it, or one at the file's top."""
    here = symbol_at(code, mention.symbol)
    scope = here.qualified_name if here else ""
    by_name = code.by_name
    while True:
        wanted = f"{scope}.{mention.written}" if scope else mention.written
        found = by_name.get(wanted)
        if found and (found.owner == "" or by_name.get(found.owner) is None or may_see(by_name, scope, mention)):
            return [Resolved(found, EXACT)]
        if not scope:
            return []
        scope = scope.rpartition(".")[0]


def beside(code: FileCode, mention: Mention, sources: Sources) -> list[Resolved]:
    """What is meant in another file that need not be imported: in one folder of Go, or in one namespace.

    Nothing where several files have it, but in Go: there they are for several systems.
    """
    language, first = language_of(code), mention.written.partition(".")[0]
    written = mention.written.removeprefix(f"{first}.") if first in OWN else mention.written
    for scope in scopes(code, mention, language):
        wanted = f"{scope}.{written}" if scope else written
        named = [one for one in sources.named(mention.name) if (one.language, one.qualified_name) == (language, wanted)]
        found = [one for one in named if language not in FOLDERS or folder(one.path) == folder(mention.path)]
        methods = [one for one in found if one.kind != PROTOTYPE] or found
        if found and (language == "go" or len({one.file for one in methods}) == 1):
            return [Resolved(one, EXACT if one.file == mention.file else IMPORT) for one in methods]
    return []


def scopes(code: FileCode, mention: Mention, language: str) -> Iterator[str]:
    """The names, the nearest first, below which others may have what is meant; "" for the top."""
    here = symbol_at(code, mention.symbol)
    scope = here.qualified_name if here else ""
    if mention.written.partition(".")[0] in OWN:
        if here and here.owner and language in APART:
            yield here.owner
    elif language in ("java", "php", "kotlin", "scala"):  # packages are not in each other
        while scope in code.by_name:
            scope = scope.rpartition(".")[0]
        yield from filter(None, [scope])
    elif language in ("cpp", "csharp", "swift") or (language == "ruby" and mention.written[0].isupper()):
        while scope:
            yield scope
            scope = scope.rpartition(".")[0]
        if mention.kind == "base" or language != "cpp":  # in C++ `T::a()` is often of any type T
            yield ""
    elif language == "go":
        yield ""


def folder(path: str) -> str:
    return path.rpartition("/")[0]


def may_see(by_name: dict[str, Definition], scope: str, mention: Mention) -> bool:
    """A bare name does not reach the members of the class around it in Python and its like; a qualified one does."""
    around = by_name.get(scope)
    return "." in mention.written or around is None or around.kind not in TYPES or around.language in LIKE_JAVA


def by_import(code: FileCode, written: str, sources: Sources, nested: int = 0) -> list[Resolved] | None:
    """None where no import says anything; empty where one leads out of the library."""
    first, _, rest = written.partition(".")
    for mention in code.imports:
        if mention.name == first:
            target = ".".join(filter(None, [mention.target, rest]))
            found = [Resolved(one, IMPORT) for one in targets(target, sources, nested=nested)]
            return None if not found and is_inside(target, sources.modules) else found
    name = written.rsplit(".", 1)[-1]
    for mention in code.imports:
        if mention.name == "*" and "." not in written:
            found = [Resolved(one, IMPORT) for one in targets(f"{mention.target}.{name}", sources, nested=nested)]
            if found:
                return found
    return None


def module_names(paths: Iterable[tuple[str, str]]) -> frozenset[str]:
    """Under which names files (path, language) are imported: their dotted paths, and the ends of these.

    The last part by itself names a package, but hardly a module: `typing` is not a/typing.py.
    """
    names: set[str] = set()
    for path, language in paths:
        parts = module_of(path, language).split(".")
        is_package = language == "go" or path.rsplit("/", 1)[-1].split(".", 1)[0] in INITS
        names.update(".".join(parts[start:]) for start in range(len(parts) - (0 if is_package else 1)))
        names.add(".".join(parts))
    return frozenset(names)


def is_inside(target: str, modules: frozenset[str]) -> bool:
    """Whether a dotted path leads to one of the library's own modules, or into it."""
    parts = target.split(".")
    return any(".".join(parts[:end]) in modules for end in range(1, len(parts) + 1))


def targets(target: str, sources: Sources, depth: int = 0, nested: int = 0) -> Iterator[Definition]:
    """The definitions that a dotted path names, through what packages import to hand on.

    `nested` counts the classes whose bases are being named: `class A(B.Base)`, where B derives from `C.Base`.
    """
    module, _, name = target.rpartition(".")
    found = [
        one for one in sources.named(name) if ends_with(one.dotted, target) or ends_with(one.qualified_name, target)
    ]
    found = [one for one in found if module or not one.owner]
    if found:
        yield from found
        return
    if depth < DEEPEST and module:
        for one in sources.named(module.rpartition(".")[2]):  # a member of a class that is imported
            if one.kind in TYPES and ends_with(one.dotted, module):
                if nested < DEEPEST:
                    yield from (found.definition for found in in_type(one, name, sources, nested=nested + 1))
                return
        for handed_on in sources.importing(name):
            if handed_on.target != target and ends_with(module_of(handed_on.path, "python"), module):
                yield from targets(handed_on.target, sources, depth + 1, nested)
                return


def in_type(
    owner: Definition, name: str, sources: Sources, own: bool = True, depth: int = 0, nested: int = 0
) -> list[Resolved]:
    """The member of a class, or of the first of its bases that has one.

    Each class is looked through once for a name: where several derive from several, its ways double with every layer.
    """
    key = owner, name, own, depth, nested
    if key not in sources.members:
        sources.members[key] = member_of(*key, sources)
    return sources.members[key]


def member_of(owner: Definition, name: str, own: bool, depth: int, nested: int, sources: Sources) -> list[Resolved]:
    code = sources.in_file(owner.file)
    if own and (found := code.by_name.get(f"{owner.qualified_name}.{name}")):
        return [Resolved(found, EXACT)]
    if depth >= DEEPEST:
        return []
    for base in code.bases:
        if base.symbol != owner.ordinal:
            continue
        for resolved in said(code, base, None, sources, nested) or ():
            if resolved.definition == owner:
                continue
            if above := in_type(resolved.definition, name, sources, True, depth + 1, nested):
                by = EXACT if EXACT == resolved.by == above[0].by else IMPORT
                return [Resolved(above[0].definition, by)]
    return []
