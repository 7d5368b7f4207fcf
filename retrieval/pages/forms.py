"""What a reader may ask for, on the pages. Only libraries that the reader may read can be chosen."""

from dataclasses import replace
from typing import Any

from django import forms

from knowledge.models import Library
from knowledge.models.library import Reader
from retrieval.query import MAX_CHARACTERS, clean
from retrieval.results import SearchOptions
from retrieval.why_not import LONGEST

MODES = {"hybrid": "Words and meaning", "lexical": "Words", "vector": "Meaning", "tree": "Sections", "code": "Code"}
LARGEST = 2**31 - 1


class OptionsForm(forms.Form):
    """Where and how to search; everything is optional. A library that may not be read is not among the choices."""

    library = forms.MultipleChoiceField(required=False)
    mode = forms.ChoiceField(choices=list(MODES.items()), required=False)
    snapshot = forms.IntegerField(min_value=1, max_value=LARGEST, required=False)
    top_k = forms.IntegerField(min_value=1, max_value=50, required=False)

    def __init__(self, user: Reader, data: Any = None, **kwargs: Any) -> None:
        super().__init__(data, **kwargs)
        readable = Library.objects.readable_by(user).filter(active_snapshot__isnull=False)
        self.libraries = list(readable.select_related("active_snapshot"))
        self.libraries_field.choices = [(library.slug, library.name) for library in self.libraries]

    @property
    def libraries_field(self) -> forms.MultipleChoiceField:
        field = self.fields["library"]
        assert isinstance(field, forms.MultipleChoiceField)  # noqa: S101
        return field

    def clean(self) -> dict[str, Any]:
        values = super().clean() or {}
        if values.get("snapshot") and len(values.get("library", ())) != 1:
            self.add_error("snapshot", "Choose one library to search an older snapshot of it.")
        return values

    def options(self) -> SearchOptions:
        values = self.cleaned_data
        return SearchOptions(
            libraries=tuple(values["library"]),
            mode=values["mode"] or "hybrid",
            top_k=values["top_k"] or 10,
            snapshot=values["snapshot"],
        )


class SearchForm(OptionsForm):
    q = forms.CharField(required=False, max_length=MAX_CHARACTERS)
    explain = forms.IntegerField(min_value=1, max_value=LARGEST, required=False)  # the hit that is opened
    why_not = forms.CharField(required=False, max_length=LONGEST)

    def options(self) -> SearchOptions:
        values = self.cleaned_data
        return replace(super().options(), explain=bool(values["explain"]), why_not=values["why_not"])


class GoldenForm(forms.Form):
    """A question, and the chunk of the hit that answers it."""

    q = forms.CharField(max_length=MAX_CHARACTERS)
    chunk = forms.IntegerField(min_value=1, max_value=2**63 - 1)

    def clean_q(self) -> str:
        if not (question := clean(self.cleaned_data["q"])):
            raise forms.ValidationError("Write a question first.")
        return question


class AskForm(OptionsForm):
    q = forms.CharField(max_length=MAX_CHARACTERS, error_messages={"required": "Write a question first."})
