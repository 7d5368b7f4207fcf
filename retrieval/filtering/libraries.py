"""Which libraries a query asks for, and what there is to say about those that it cannot have."""

from collections.abc import Sequence

from knowledge.models import Library
from knowledge.models.library import Reader
from retrieval.query import Query
from retrieval.view import View


def named_libraries(user: Reader, query: Query) -> tuple[str, ...]:
    """The slugs that `library:` names, as far as `user` may read them."""
    names = {name.casefold() for name in query.values("library")}
    if not names:
        return ()
    slugs = Library.objects.readable_by(user).order_by("slug").values_list("slug", flat=True)
    return tuple(slug for slug in slugs if slug.casefold() in names)


def narrowed(
    view: View, query: Query, named: Sequence[str] = (), said: Sequence[str] = ()
) -> tuple[View, tuple[str, ...]]:
    """The view's snapshots of the libraries that are asked for, and what there is to say about others.

    The view is of the libraries `named`, all of which may be read, and so may those that the query has `said`
    (`named_libraries`); of all, where there is none.
    """
    wanted, unwanted = query.values("library"), query.values("library", excluded=True)
    slugs = {searched.slug.casefold() for searched in view.snapshots}
    unbuilt = [slug for slug in named if slug.casefold() not in slugs]
    known = slugs | {slug.casefold() for slug in unbuilt}
    unchosen = {slug.casefold() for slug in said} - known
    missing = [name for name in wanted if name.casefold() not in known]
    notes = (
        *(f"Nothing of “{slug}” can be searched yet: it has no active snapshot." for slug in unbuilt),
        *(
            f"“{name}” is not among the libraries chosen."
            if name.casefold() in unchosen
            else f"There is no library “{name}” to search."
            for name in missing
        ),
    )
    chosen = {name.casefold() for name in wanted} or slugs
    chosen -= {name.casefold() for name in unwanted}
    return View(tuple(searched for searched in view.snapshots if searched.slug.casefold() in chosen)), notes
