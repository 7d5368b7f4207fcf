"""How pages show searches and answers. What is said of them anywhere: retrieval/notices.py; on any page:
knowledge/templatetags/wording.py.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import parse_qsl, urlencode

from django import template
from django.utils.html import conditional_escape, format_html
from django.utils.safestring import SafeString

from knowledge.http.unavailable import away
from knowledge.models import Answer
from knowledge.texts.analysis import IN_PAIRS, MARKS, RUN
from retrieval.filtering.names import undashed
from retrieval.notices import PROGRAMS, excerpt, notice, telling_words, written_by
from retrieval.pages.forms import SearchForm
from retrieval.preview import SIGNS, WHOLE, from_the_row, matcher, pairs, preview
from retrieval.query import LONGEST_WRITTEN, Role, parse
from retrieval.rendering.colours import coloured_piece
from retrieval.results import FacetValue, Hit, SearchedLibrary, SearchResult

PARTING = re.compile(r"(?<=\S)(?:\s+[-–—:·•|/>»«›‹]+\s+|:\s+|\s*\|\s*)(?=\S)")  # between a page's title and its site's

register = template.Library()
register.filter(away)
register.filter(excerpt)
register.filter(notice)
register.filter(written_by)

# A word of a sentence, or half of an identifier: `HttpKernel` and `http_kernel` are found by their halves, `v1.2` too.
CAPITALS = "A-Z" + "".join(filter(str.isupper, map(chr, [*range(0xC0, 0x250), *range(0x1E00, 0x1F00)])))  # Latin
BEFORE_NUMBER = rf"(?:[A-Z]+|[A-Z]?[^\W\d_A-Z{IN_PAIRS}]+)(?=\d+\.\d)"
WORD = re.compile(
    rf"{WHOLE}|{BEFORE_NUMBER}|[{CAPITALS}]+(?![^\W\d_{CAPITALS}{IN_PAIRS}]|[{MARKS}])\d*"
    rf"|[A-Z]?(?:[^\W_A-Z{IN_PAIRS}]++|[{SIGNS}]++)+|[A-Z]+"
)
JOINED = re.compile(rf"(?<![\w{MARKS}])(?>{RUN})(?>(?:-(?>{RUN}))+)")  # may be asked for as one word
BRANCH_NAMES = {
    "lexical": "words",
    "vector": "meaning",
    "hybrid": "words and meaning",
    "rerank": "reranker",
    "reranked": "words and meaning, reranked",
    "tree": "its file and section",
}


@register.filter
def called(slug: str, names: Mapping[str, str]) -> str:
    """A library's name; of one that the reader may not read any more, its slug."""
    return names.get(slug, slug)


@register.filter
def facet_label(value: FacetValue, names: Mapping[str, str]) -> str:
    return called(value.label, names) if value.filter.startswith("library:") else value.label


@register.simple_tag
def marked(text: str, query: str, language: str = "") -> SafeString:
    """`text`, escaped, with the words that the query asked for in `<mark>`: not those that say nothing in its language
    (`de`), or in any where that is not known.
    """
    wanted = telling_words(query, language)
    pieces: list[SafeString] = []
    end = 0
    for first, last in spans(text, wanted):
        pieces += [conditional_escape(text[end:first]), format_html("<mark>{}</mark>", text[first:last])]
        end = last
    return SafeString("".join([*pieces, conditional_escape(text[end:])]))


@register.filter
def coloured(hit: Hit, query: str) -> SafeString:
    """The same of the lines of a program, in its language's colours."""
    shown = excerpt(hit, query)
    return coloured_piece(shown, hit.source_file, spans(shown, telling_words(query, PROGRAMS)))


def spans(text: str, wanted: frozenset[str]) -> list[tuple[int, int]]:
    """Where the matches are; the halves of one identifier are one span."""
    found: list[tuple[int, int]] = []
    is_match = matcher(wanted)
    matches = [word.span() for word in WORD.finditer(text) if is_match(word.group())]
    matches += [whole.span() for whole in JOINED.finditer(text) if is_match(whole.group().replace("-", ""))]
    for first, last in sorted([*matches, *pairs(text, wanted)]):
        if found and text[found[-1][1] : first] in ("", "-", "_"):
            found[-1] = (found[-1][0], max(last, found[-1][1]))
        else:
            found.append((first, last))
    return found


@register.filter
def trail(breadcrumb: Any) -> list[str]:
    """The breadcrumb without the section itself, and without a title that repeats the one above it; of a page's that
    repeats its first heading, the rest: the site of “Lending — Handbook 1.2”.
    """
    first, *headings = breadcrumb or ("",)
    told = [beside(first, headings[0]), *headings[:-1]] if headings else []
    return list(dict.fromkeys(told))


def beside(title: str, heading: str) -> str:
    """What a title says before or behind the heading, where a sign parts them; else the whole title."""
    for parting in PARTING.finditer(title):
        before, behind = title[: parting.start()], title[parting.end() :]
        if heading.casefold() == before.casefold():
            return behind
        if heading.casefold() == behind.casefold():
            return before
    return title


@register.filter
def shortened(text: str, length: int) -> str:
    """At most `length` characters, cut between two words."""
    return text if len(text) <= length else f"{text[:length].rpartition(' ')[0] or text[:length]} …"


@register.filter
def around(source: Any, question: str) -> str:
    """Where what is shown of a source has most of a question's words."""
    return preview(from_the_row(source.shown, question) if source.kind == "table" else source.shown, question)


@register.filter
def milliseconds(value: float | None) -> str:
    if value is None:
        return ""
    return f"{value / 1000:.1f} s" if value >= 1000 else f"{value:.0f} ms"


@register.filter
def branch_name(name: str) -> str:
    return BRANCH_NAMES.get(name, name)


@register.filter
def correction(corrected: Mapping[str, str]) -> str:
    """What was searched for beside the words that no passage holds."""
    missing, found = [f"“{word}”" for word in corrected], [f"“{word}”" for word in corrected.values()]
    verb = "was" if len(found) == 1 else "were"
    return f"Nothing says {' or '.join(missing)}, so {' and '.join(found)} {verb} searched for, too."


@register.filter
def found_by(ranks: dict[str, int | None]) -> str:
    """Why a hit is here: its place in each branch's ranking."""
    return ", ".join(f"{branch_name(name)} #{place}" for name, place in ranks.items() if place)


@register.filter
def ranks(parts: Sequence[Hit]) -> str:
    """`3 and 5`, `3, 5 and 8`."""
    *first, last = [str(hit.rank) for hit in parts]
    return f"{', '.join(first)} and {last}" if first else last


@register.filter
def chips(form: SearchForm, result: SearchResult) -> list[tuple[str, str]]:
    """What the query says beside words, as it says it, with the query string of the same search without it."""
    query, kept = parse(form.cleaned_data["q"]), result.understood.exclusions
    operators = [term for term in query.operators if term.role is not Role.EXCLUSION or term.value in kept]
    return [(term.written, asking(form, query.without(term))) for term in operators]


@register.filter
def asking(form: SearchForm, words: str | None = None) -> str:
    """The search as a query string: the same places, and the same words or these."""
    return urlencode(asked(form) | ({} if words is None else {"q": words}), doseq=True)


@register.filter
def search_for(answer: Answer, words: str) -> str:
    """The search for a question's words, where its answer was looked for, as a query string; empty where they are as
    many as are pasted.
    """
    if len(words) > LONGEST_WRITTEN:
        return ""
    return urlencode({"q": words, "library": answer.options.get("library", [])}, doseq=True)


@register.filter
def fields(form: SearchForm) -> list[tuple[str, str]]:
    """The search as names and values of a form's fields."""
    return parse_qsl(asking(form))


@register.filter
def without(form: SearchForm, names: str) -> str:
    """The search as a query string, but for these of what was asked: names apart by spaces."""
    return urlencode({name: value for name, value in asked(form).items() if name not in names.split()}, doseq=True)


@register.filter
def narrowing(form: SearchForm, written: str) -> str:
    """The same search with one more filter; empty where the query would be too long to hold filters.

    It stands first: an open quote in the words would swallow it. Beside it a dash that is searched for would exclude.
    """
    query = form.cleaned_data["q"].strip()
    narrower = f"{written} {' '.join(undashed(parse(query))) or query}"
    return asking(form, narrower) if len(narrower) <= LONGEST_WRITTEN else ""


@register.filter
def libraries_found(result: SearchResult) -> list[SearchedLibrary]:
    """Those of the searched libraries that the hits are from."""
    found = {hit.library for hit in result.hits}
    return [library for library in result.libraries if library.slug in found]


@register.filter
def explaining(form: SearchForm, rank: int) -> str:
    """The address of the same search with the explanations, the one of the hit at `rank` open."""
    return urlencode(shown(form) | {"explain": rank}, doseq=True)


@register.filter
def showing(form: SearchForm, most: int) -> str:
    """The address of the same search with so many hits."""
    return urlencode(asked(form) | {"top_k": most}, doseq=True)


@register.filter
def hidden(form: SearchForm) -> list[tuple[str, list[Any]]]:
    """What was asked, as the fields of another form: names and their values."""
    return [(name, value if isinstance(value, list) else [value]) for name, value in shown(form).items()]


def shown(form: SearchForm) -> dict[str, Any]:
    """What was asked, and how many hits are shown where it was said."""
    most = form.cleaned_data["top_k"]
    return asked(form) | ({"top_k": most} if most else {})


def asked(form: SearchForm) -> dict[str, Any]:
    """What was asked, by field."""
    names = ("q", "library", "mode", "snapshot")
    return {name: form.cleaned_data[name] for name in names if form.cleaned_data.get(name)}


@register.filter
def signed(difference: float) -> str:
    """`+0.012`, with a true minus."""
    return f"{difference:+.3f}".replace("-", "−")


@register.filter
def places(ranks: tuple[int | None, ...] | None) -> str:
    """At which ranks a question's places were found: `1, 4, –`."""
    found = [str(rank) if rank else "–" for rank in ranks or ()]
    return ", ".join(found[:5]) + (" …" if len(found) > 5 else "")
