"""Two settings of retrieval side by side: what each finds, and how ranks move from one to the other."""

from dataclasses import dataclass
from typing import Any

from django import forms
from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from knowledge.access import Act, may_anywhere
from knowledge.models import may_keep_questions
from retrieval import search as searching
from retrieval.pages.forms import MODES, OptionsForm
from retrieval.query import MAX_CHARACTERS
from retrieval.results import Hit, SearchOptions, SearchResult

SIDES = ("a", "b")
ROW = 64  # height of a row of the drawing, in its own units
FUSIONS = {"scores": "Scores", "rrf": "Ranks (RRF)"}


class PlaygroundForm(OptionsForm):
    """A query, where to search, and the knobs of each side: `a_mode`, `b_mode`, …"""

    q = forms.CharField(required=False, max_length=MAX_CHARACTERS)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for side in SIDES:
            self.fields |= {
                f"{side}_mode": forms.ChoiceField(choices=list(MODES.items()), required=False),
                f"{side}_fusion": forms.ChoiceField(choices=list(FUSIONS.items()), required=False),
                f"{side}_lexical_weight": forms.FloatField(min_value=0, max_value=10, required=False),
                f"{side}_rrf_k": forms.IntegerField(min_value=1, max_value=1000, required=False),
                f"{side}_depth": forms.IntegerField(min_value=10, max_value=1000, required=False),
                f"{side}_rerank": forms.BooleanField(required=False),
            }

    def side(self, side: str) -> SearchOptions:
        values, default = self.cleaned_data, SearchOptions()
        weight = values[f"{side}_lexical_weight"]
        return SearchOptions(
            libraries=tuple(values["library"]),
            mode=values[f"{side}_mode"] or default.mode,
            snapshot=values["snapshot"],
            fusion=values[f"{side}_fusion"] or default.fusion,
            lexical_weight=default.lexical_weight if weight is None else weight,
            rrf_k=values[f"{side}_rrf_k"] or default.rrf_k,
            depth=values[f"{side}_depth"] or default.depth,
            rerank=bool(values[f"{side}_rerank"]),
            remembered=False,
        )


@dataclass(frozen=True, slots=True)
class Placed:
    """A hit of the second setting, and its rank in the first: None where that did not find it."""

    hit: Hit
    before: int | None

    @property
    def moved(self) -> str:
        if self.before is None:
            return "new"
        up = self.before - self.hit.rank
        return f"↑ {up}" if up > 0 else f"↓ {-up}" if up < 0 else "="


@login_required
@require_safe
def playground(request: HttpRequest) -> HttpResponse:
    if not may_anywhere(request.user, Act.INSPECT):
        raise PermissionDenied
    form = PlaygroundForm(request.user, request.GET)
    context: dict[str, Any] = {"form": form, "modes": MODES, "fusions": FUSIONS, "knobs": knobs(form)}
    if form.is_valid() and form.cleaned_data["q"].strip():
        first, second = (searching.search(request.user, form.cleaned_data["q"], form.side(side)) for side in SIDES)
        context |= {"first": first, "second": second, "placed": placed(first, second), "lines": lines(first, second)}
        context["height"] = ROW * max(len(first.hits), len(second.hits), 1)
        context["may_keep"] = may_keep_questions(request.user) and not form.cleaned_data["snapshot"]
    return render(request, "playground.html", context, status=400 if form.errors else 200)


def knobs(form: PlaygroundForm) -> list[dict[str, Any]]:
    """Each side's fields as they were sent, else as they are by default; the second begins with words alone."""
    fallback = {"fusion": "scores", "lexical_weight": 1, "rrf_k": 60, "depth": 200, "rerank": False}
    modes = {"a": "hybrid", "b": "lexical"}
    return [
        {"side": side, "mode": form.data.get(f"{side}_mode") or modes[side]}
        | {name: form.data.get(f"{side}_{name}") or value for name, value in fallback.items()}
        for side in SIDES
    ]


def placed(first: SearchResult, second: SearchResult) -> list[Placed]:
    ranks = {hit.chunk_id: hit.rank for hit in first.hits}
    return [Placed(hit, ranks.get(hit.chunk_id)) for hit in second.hits]


def lines(first: SearchResult, second: SearchResult) -> list[tuple[int, int, str]]:
    """From a hit's height on the left to its height on the right, and whether it rose, fell or stayed."""
    found = []
    for one in placed(first, second):
        if one.before is not None:
            kind = "rose" if one.hit.rank < one.before else "fell" if one.hit.rank > one.before else "stayed"
            found.append((ROW * one.before - ROW // 2, ROW * one.hit.rank - ROW // 2, kind))
    return found
