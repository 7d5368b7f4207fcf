"""Two settings of retrieval side by side: what each finds, and how ranks move from one to the other."""

from dataclasses import dataclass
from typing import Any

from django import forms
from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import render

from knowledge.access import Act, keeps_questions_in, may, may_anywhere
from knowledge.http.methods import require_safe
from knowledge.models import LearntFusion, Library
from retrieval.pages.forms import MODES, OptionsForm
from retrieval.pages.search import found
from retrieval.query import MAX_CHARACTERS
from retrieval.results import Hit, SearchOptions, SearchResult
from retrieval.retrieval_settings import DEFAULT, NAMES, RetrievalSettings

SIDES = {"a": "First", "b": "Second"}
KNOBS = {  # as the page calls them
    "mode": "mode",
    "fusion": "joined by",
    "lexical_weight": "weight of words",
    "rrf_k": "evenness of ranks",
    "depth": "candidates",
    "diversity": "diversity",
}
BEGINS = {"a": "hybrid", "b": "lexical"}  # each side's mode until another is chosen
ROW = 104  # height of a row of the drawing, which is 100 wide: in the style sheet 5.2rem, and 5rem
FUSIONS = {"scores": "Scores", "rrf": "Ranks (RRF)"}


class PlaygroundForm(OptionsForm):
    """A query, where to search, and the knobs of each side: `a_mode`, `b_mode`, …"""

    q = forms.CharField(required=False, max_length=MAX_CHARACTERS)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for side, title in SIDES.items():
            self.fields |= {
                f"{side}_mode": forms.ChoiceField(choices=list(MODES.items()), required=False),
                f"{side}_fusion": forms.ChoiceField(choices=list(FUSIONS.items()), required=False),
                f"{side}_lexical_weight": forms.FloatField(min_value=0, max_value=10, required=False),
                f"{side}_rrf_k": forms.IntegerField(min_value=1, max_value=1000, required=False),
                f"{side}_depth": forms.IntegerField(min_value=10, max_value=1000, required=False),
                f"{side}_diversity": forms.FloatField(min_value=0, max_value=5, required=False),
                f"{side}_rerank": forms.BooleanField(required=False),
            }
            for name, label in KNOBS.items():
                self.fields[f"{side}_{name}"].label = f"{title} setting, {label}"

    def side(self, side: str) -> SearchOptions:
        values = self.cleaned_data
        return SearchOptions(
            libraries=tuple(values["library"]),
            mode=values[f"{side}_mode"] or BEGINS[side],
            snapshot=values["snapshot"],
            fusion=values[f"{side}_fusion"] or None,
            lexical_weight=values[f"{side}_lexical_weight"],
            rrf_k=values[f"{side}_rrf_k"],
            depth=values[f"{side}_depth"],
            diversity=values[f"{side}_diversity"],
            rerank=None if self.reranks(side) else False,
            remembered=False,
        )

    @property
    def tuned(self) -> Library | None:
        """The one library whose settings are tried; None where several are searched."""
        asked = self.data.getlist("library") if isinstance(self.data, QueryDict) else []
        chosen = [library for library in self.libraries if not asked or library.slug in asked]
        return chosen[0] if len(chosen) == 1 else None

    @property
    def faults(self) -> list[str]:
        """What is wrong, of a knob with its name."""
        knobs = {f"{side}_{name}" for side in SIDES for name in KNOBS}
        return [
            f"{self.fields[name].label}: {error}" if name in knobs else str(error)
            for name, errors in self.errors.items()
            for error in errors
        ]

    @property
    def own(self) -> RetrievalSettings:
        return RetrievalSettings.of(self.tuned) if self.tuned else DEFAULT

    def reranks(self, side: str) -> bool:
        """An empty box is sent as nothing: whether the side was sent at all, its mode says."""
        return bool(self.data.get(f"{side}_rerank")) if f"{side}_mode" in self.data else self.own.rerank


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
    if form.tuned:
        context["learnt"] = LearntFusion.objects.used_by(form.tuned.active_snapshot)
    if form.tuned and may(request.user, Act.MANAGE, form.tuned):
        context["settable"] = form.tuned
    if form.is_valid() and form.cleaned_data["q"].strip():
        first, second = (found(request.user, form.cleaned_data["q"], form.side(side)) for side in SIDES)
        context |= {"first": first, "second": second, "placed": placed(first, second), "lines": lines(first, second)}
        context["height"] = ROW * max(len(first.hits), len(second.hits), 1)
        context["keeps"] = () if form.cleaned_data["snapshot"] else keeps_questions_in(request.user)
    return render(request, "playground.html", context, status=400 if form.errors else 200)


def knobs(form: PlaygroundForm) -> list[dict[str, Any]]:
    """Each side's fields as they were sent, else as the library is set; the second begins with words alone."""
    begun = {name: getattr(form.own, name) for name in NAMES if name not in ("rerank", "top_k")}
    sides = []
    for side in SIDES:
        values = {name: form.data.get(f"{side}_{name}") or value for name, value in begun.items()}
        values["rerank"] = form.reranks(side)
        mode = form.data.get(f"{side}_mode") or BEGINS[side]
        tried = [(name, str(value).lower()) for name, value in values.items()]  # as a form of settings takes them
        sides.append({"side": side, "mode": mode, "tried": tried, **values})
    return sides


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
