"""Search in code: only its chunks, and by the vectors of a model for code where one is configured."""

from dataclasses import replace

from retrieval.filtering.columns import Mask
from retrieval.filtering.fields import matching
from retrieval.query_vector import QueryVector
from retrieval.view import View


def in_its_space(
    view: View, embedded: QueryVector | None, as_code: QueryVector | None
) -> tuple[View, QueryVector | None]:
    """The view by the vectors of its code, if every searched snapshot has those of this model; else as it is."""
    if as_code is None or any(searched.code_space_id != as_code.space for searched in view.snapshots):
        return view, embedded
    snapshots = tuple(
        replace(
            searched,
            space_id=searched.code_space_id or searched.space_id,
            dimension=searched.code_dimension or searched.dimension,
            summarised=False,
            in_parts=False,
        )
        for searched in view.snapshots
    )
    return View(snapshots), as_code


def only(view: View) -> Mask:
    """By position, whether a chunk is code."""
    return matching(view, "kind", ("code",))
