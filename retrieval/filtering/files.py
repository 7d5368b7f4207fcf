"""A query that is a file's name: what a file is called is no word of its passages, so they need not be found by it."""

import re
from collections.abc import Iterator, Sequence

from django.db.models import Exists, OuterRef, Q

from knowledge.models import DocumentFile, SnapshotFile
from retrieval.facets import quoted
from retrieval.query import TRAILING, Query, Role, Term
from retrieval.view import View

from .fields import GLOB, matching

NAME = re.compile(r'[^"]{0,250}\w\.[^\W\d_]\w{0,9}')  # `a.md`, `docs/a b.md`; not 3.11


def listing(view: View, asked: Query, notes: list[str]) -> Query | None:
    """The query that lists what stands in a file here, where its name is all that is asked for, but for a library and
    what is not wanted.
    """
    beside = [term for term in asked.terms if term.field == "library" or term.excluded]
    said = [term for term in asked.terms if term not in beside]
    name = name_of(said)
    if not NAME.fullmatch(name) or not (paths := paths_of(view, name)):
        return None
    of_file = Term(Role.FILTER, f"file:{quoted(name)}", name, "file")
    files = f"a file here, {paths[0]}" if len(paths) == 1 else "several files here"
    notes.append(f"“{name}” is the name of {files}: {of_file.written} shows what stands there.")
    left = [term for term in asked.terms if term is said[0] or term in beside]
    return Query(tuple(of_file if term is said[0] else term for term in left))


def unnamed(view: View, asked: Query) -> Iterator[str]:
    """A sentence for each value of `file:` that names nothing of what is searched."""
    for term in asked.filters:
        if term.field == "file" and not (term.excluded or matching(view, "file", [term.value]).any()):
            wider = f"*{term.value}*"
            is_part = not GLOB.search(term.value) and matching(view, "file", [wider]).any()
            partly = f" file:{quoted(wider)} finds what holds it in its path." if is_part else ""
            as_words = "" if term.quoted else f' "{term.written}" looks for these words instead.'
            yield f"Nothing here is of a file “{term.value}”.{partly}{as_words}"


def name_of(said: Sequence[Term]) -> str:
    """What these may be as a file's name: words, the first of which may stand behind `file:`; or a name with spaces in
    quotes.
    """
    words = " ".join(term.value for term in said).rstrip(TRAILING)
    roles = [term.role for term in said]
    if roles == [Role.PHRASE]:
        return words if " " in words else ""
    is_cut = len(said) > 1 and said[0].field == "file" and not (said[0].excluded or said[0].quoted)
    return words if all(role is Role.WORD for role in roles[is_cut:]) else ""


def paths_of(view: View, name: str) -> list[str]:
    """Of two files in the view, at most, that are called so."""
    held = SnapshotFile.objects.filter(document_file=OuterRef("pk"), snapshot__in=[one.pk for one in view.snapshots])
    files = DocumentFile.objects.filter(are_called(name), Exists(held), withdrawn_at=None)
    return list(files.order_by("path").values_list("path", flat=True)[:2])


def are_called(name: str) -> Q:
    """The files of this name, or this path, in any case. An index of trigrams has them: no library is gone through."""
    is_whole = Q(path__iexact=name.removeprefix("/"))
    return is_whole if name.startswith("/") else is_whole | Q(path__iendswith=f"/{name}")
