"""Where the links of a document lead in its snapshot. What is not there, or was withdrawn, is no link: nothing tells
whether it exists.
"""

import re
from collections import Counter
from collections.abc import Collection, Sequence
from itertools import islice
from posixpath import splitext
from urllib.parse import quote, unquote

from django.db.models import Q, TextField, Value
from django.db.models.functions import Replace
from django.urls import reverse

from knowledge.inclusions import visible, visible_among
from knowledge.models import Section, SnapshotFile
from knowledge.texts.file_links import DOCUMENTS, candidates, named
from retrieval.rendering.document_lines import SHOWN, WORDLESS, addresses, links, notes
from retrieval.rendering.inline import Named

MOST = 500  # of a page, the first; each may be one of several files
ELSEWHERE = re.compile(r"[a-zA-Z][\w+.-]*:|//")  # an address with its scheme, or with its host
LINE = re.compile(r"L(\d{1,9})\b")  # as hosts of code have it: `#L10-L20`
FILES = ("address", "doc")


def leads(member: SnapshotFile, parts: Sequence[Section], shown: range) -> dict[Named, str]:
    """What links of the lines that are shown name → its address here."""
    text = member.file_version.text
    found = links(text, member.document_file.path, shown)
    known = addresses(text) if found else {}
    all_meant = ((each, what_is_meant(each, known)) for each in found)
    meant = dict(islice((one for one in all_meant if may_be_here(one[1])), MOST))
    if not meant:
        return {}
    places = [(part.line_start, part) for part in reversed(parts)]
    aliases = {bare(name): in_place(member, line, name, shown) for line, part in places for name in part.aliases}
    anchors = {bare(part.anchor): in_place(member, line, part.anchor, shown) for line, part in places}
    below = {name: in_place(member, line, f"L{line}", shown) for name, line in notes(text).items()}
    labels = {said for kind, said in meant.values() if kind == "ref" and bare(said) not in aliases}
    files = of_files(member, {said for kind, said in meant.values() if kind in FILES})
    sections = aliases | anchors
    labelled = anchors | of_labels(member, labels) | aliases  # a heading of the page itself only where no label is
    defined = {"address": files, "doc": files, "note": below}
    to = {
        each: defined[kind].get(said) if kind in defined else (labelled if kind == "ref" else sections).get(bare(said))
        for each, (kind, said) in meant.items()
    }
    return {each: address for each, address in to.items() if address}


def what_is_meant(link: Named, known: dict[str, str]) -> Named:
    """An address, where the link gives it or the text has it elsewhere, or the name of a section."""
    kind, said = link
    if kind in ("name", "label", "alone") and (address := known.get(" ".join(said.lower().split()))):
        kind, said = "address", address
    return ("name", unquote(said[1:])) if kind == "address" and said.startswith("#") else (kind, said)


def may_be_here(meant: Named) -> bool:
    kind, said = meant
    return kind != "alone" and not (kind == "address" and ELSEWHERE.match(said))


def bare(name: str) -> str:
    """However it is written: `How long`, `how_long` and `how-long` are one."""
    return WORDLESS.sub("", name.lower())


def hyphened(names: Collection[str]) -> list[str]:
    """As anchors and aliases are written."""
    return sorted({"-".join(filter(None, WORDLESS.split(name.lower()))) for name in names})


def in_place(member: SnapshotFile, line: int, anchor: str, shown: range) -> str:
    return f"#{quote(anchor)}" if line in shown else address_of(member, "", anchor, line)


def address_of(member: SnapshotFile, path: str, anchor: str, line: int = 0) -> str:
    """Of a file of the snapshot, "" for the page's own; `line` is where the anchor is, which may be in a later part."""
    page = reverse("read", args=[member.snapshot.library.slug, path]) if path else ""
    start = f"&from={line}" if line > SHOWN or not path else ""
    return f"{page}?snapshot={member.snapshot.number}{start}{'#' if anchor else ''}{quote(anchor)}"


def of_files(member: SnapshotFile, written: Collection[str]) -> dict[str, str]:
    found = files_meant(member, written)
    anchors = {each: anchor for each in found if (anchor := unquote(each.partition("#")[2]).replace("\0", ""))}
    there = of_anchors(member, {found[each] for each in anchors}, set(anchors.values()))
    lines = {each: (f"L{line[1]}", int(line[1])) for each, anchor in anchors.items() if (line := LINE.match(anchor))}
    at = {each: there.get((found[each], bare(anchor))) or lines.get(each) for each, anchor in anchors.items()}
    return {each: address_of(member, path, *(at.get(each) or ("", 0))) for each, path in found.items()}


def files_meant(member: SnapshotFile, written: Collection[str]) -> dict[str, str]:
    """What is written → the path of the file, of those that are there."""
    own = member.document_file.path
    paths = {each: unquote(re.split(r"[#?]", each)[0]) for each in written}
    paths = {each: path for each, path in paths.items() if path and "\0" not in path}
    if not paths:
        return {}
    places = {place for path in paths.values() for name in names(path) for place in candidates(own, name)}
    possible = {f"{place}{suffix}" for place in places for suffix in ("", *DOCUMENTS)}
    known = visible_among(member, possible)
    meant = ((each, (named(own, name, known) for name in names(path))) for each, path in paths.items())
    return {each: file for each, files in meant if (file := next(filter(None, files), ""))}


def names(path: str) -> tuple[str, ...]:
    """What may be meant: the file, the one that a page is made from, or what a folder is about."""
    stem, suffix = splitext(path)
    if suffix:
        return (path, stem) if suffix == ".html" else (path,)
    return path, f"{path}/index", f"{path}/README"


def of_anchors(
    member: SnapshotFile, paths: Collection[str], anchors: Collection[str]
) -> dict[tuple[str, str], tuple[str, int]]:
    """Path and bare anchor → the anchor as it is there, and its line. Some write `nodejs` for the heading Node.js."""
    if not anchors:
        return {}
    files = visible(member).filter(document_file__path__in=paths)
    joined = {each for anchor in anchors for each in (bare(anchor), anchor.lower().replace("-", ""))}
    sections = Section.objects.filter(file_version__memberships__in=files)
    sections = sections.annotate(joined=Replace("anchor", Value("-"), output_field=TextField()))
    rows = sections.filter(Q(joined__in=joined) | Q(aliases__overlap=hyphened(anchors))).values_list(
        "file_version__document_file__path", "aliases", "anchor", "line_start"
    )
    all_names = ((path, name, line) for path, aliases, anchor, line in rows.reverse() for name in (*aliases, anchor))
    return {(path, bare(name)): (name, line) for path, name, line in all_names}  # the first keeps it


def of_labels(member: SnapshotFile, labels: Collection[str]) -> dict[str, str]:
    """Those of other files, which name their sections across the snapshot. A label that reads as its section's title
    does is no alias of it: one section alone must be called so.
    """
    if not labels:
        return {}
    wanted = hyphened(labels)
    sections = Section.objects.filter(file_version__memberships__in=visible(member))
    rows = sections.filter(Q(aliases__overlap=wanted) | Q(anchor__in=wanted)).values_list(
        "aliases", "anchor", "file_version__document_file__path", "line_start"
    )
    titles = Counter(anchor for _, anchor, _, _ in rows)
    found: dict[str, str] = {}
    for aliases, anchor, path, line in rows:
        if anchor in wanted and titles[anchor] == 1 and path != member.document_file.path:
            found.setdefault(bare(anchor), address_of(member, path, anchor, line))
        found |= {bare(alias): address_of(member, path, alias, line) for alias in aliases if alias in wanted}
    return found
