"""What a query's filters, phrases and exclusions leave of a view: a mask over its positions, for both branches."""

import time

import numpy as np

from retrieval.query import Query, Role
from retrieval.view import View

from . import phrases as in_quotes
from .columns import Mask
from .fields import MASKS, matching, unknown

UNSAID = "No passage was found to say “{}” word for word. Without the quotes these words are searched for in any order."


def allowed(
    view: View, query: Query, notes: list[str], phrases: bool = True, within: Mask | None = None
) -> Mask | None:
    """By position, whether a chunk may be found: one of those `within`, or of all. `within` itself when nothing is
    asked but words. `notes` says what was not done.

    Without `phrases` a quote's words are words. Fields come first: of a quote not everything may be read.
    """
    asked = [term for term in query.operators if term.field != "library" and (phrases or term.role is not Role.PHRASE)]
    if not asked:
        return within
    mask = np.ones(view.offsets[-1], np.bool_) if within is None else within.copy()
    for field in MASKS:
        if values := query.values(field):
            mask &= matching(view, field, values)
        if values := query.values(field, excluded=True):
            mask &= ~matching(view, field, values)
    fields, until = mask.copy(), time.monotonic() + in_quotes.MAY_TAKE
    for term in asked:
        if not term.field and (holders := in_quotes.saying(view, term, fields, notes, until)) is not None:
            mask &= ~holders if term.excluded else holders
            if term.role is Role.PHRASE and fields.any() and not holders.any():
                notes.append(UNSAID.format(term.value))
    notes += unknown(view, query)
    return mask
