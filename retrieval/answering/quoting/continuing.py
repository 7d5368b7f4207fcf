"""A quotation that its passage cuts off goes on in the next: a page ended below a heading, in a list, in a sentence."""

from dataclasses import replace

from retrieval.answering.citations import Quote
from retrieval.answering.quoting.clauses import clause_within
from retrieval.answering.quoting.completing import is_clause
from retrieval.answering.quoting.extracts import Extract
from retrieval.answering.quoting.layout import leads_nowhere, parts
from retrieval.answering.quoting.tables import rows_in
from retrieval.answering.quoting.widening import told_until
from retrieval.answering.sentences import Span
from retrieval.results import Hit
from retrieval.stretches import text_of


def is_cut_off(extract: Extract) -> bool:
    """Whether its passage ends with it, or with what leads nowhere: a heading, what announces, half a sentence.

    Rows of a table and clauses are whole; those of the next passage say other things.
    """
    hit, quoted = extract.quote.hit, extract.quote.span
    text, end = hit.text, quoted.end
    rows = rows_in(text, Span(0, len(text)), hit.context)
    is_one = is_clause(text, quoted) or clause_within(text, quoted.start) == quoted
    is_whole = is_one or any(row.span.start < end <= row.span.end for row in rows)
    return not is_whole and all(leads_nowhere(text, left) for left in parts(text) if left.start >= end)


def going_on(extract: Extract, following: Hit, n: int) -> tuple[Extract, ...]:
    """The extract to the end of its passage, and what belongs to it at the beginning of the next, as the nth passage;
    the extract alone where that begins with something else.
    """
    hit, begun = extract.quote.hit, extract.quote.span.start
    whole = text_of((hit, following))
    seam = len(whole) - len(following.text)  # where the next passage begins in the whole; the two may overlap
    spans = parts(whole)
    firsts = [one for one in spans if one.start <= extract.said.start < one.end or one.start == begun]
    firsts += [one for one in parts(hit.text)[-1:] if leads_nowhere(hit.text, one)]
    ends = [told_until(whole, one, [later for later in spans if later.start >= one.end]) for one in firsts]
    start, end = max(len(hit.text) - seam, 0), max(ends, default=0) - seam
    rest = following.text[start:end].lstrip() if end > start else ""
    if not rest:
        return (extract,)
    borne_out = extract.quote.support  # both are the documents' own words
    upto = replace(extract, quote=Quote(hit, Span(begun, len(hit.text.rstrip())), borne_out))
    span = Span(end - len(rest), end)
    return upto, Extract(n, Quote(following, span, borne_out), extract.value, span)
