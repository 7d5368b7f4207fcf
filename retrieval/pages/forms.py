"""What a reader may ask for, on the pages. Only libraries that the reader may read can be chosen."""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

from django import forms
from django.contrib.auth.models import User
from django.db.models import QuerySet
from django.urls import reverse
from django.utils.html import format_html
from django.utils.http import urlencode

from knowledge.models import Answer, Conversation, Library
from knowledge.models.library import Reader
from knowledge.numbers import LARGEST
from retrieval.answering.ledger import MOST_PINNED, Asking
from retrieval.answering.revocation import is_wording_open
from retrieval.query import MAX_CHARACTERS, clean
from retrieval.results import MOST_SHOWN, SearchOptions
from retrieval.why_not import LONGEST

MODES = {"hybrid": "Words and meaning", "lexical": "Words", "vector": "Meaning", "tree": "Sections", "code": "Code"}
TYPED = 800  # characters that a box takes whose text is sent in the address: 9 bytes each at most, of a server's 8,190


GONE = (
    "This conversation cannot be gone on with: your session has ended, or it is not there any more. "
    "Sign in again to go on with it, or ask anew here."
)
SIGNED_OUT = (
    "You are not signed in any more, and only what is open to everyone would be asked. "
    '<a href="{}?{}">Sign in again</a> to ask as before, or ask here all the same.'
)
TOO_LONG = "This question has %(show_value)d characters; at most %(limit_value)d are taken."
LONG = "%(show_value)d, of at most %(limit_value)d characters."
NO_NUMBER = ("invalid", "min_value", "max_value")  # what may be wrong with one
NO_LIBRARY = "There is no library “%(value)s” that you may search."


class OptionsForm(forms.Form):
    """Where and how to search; everything is optional. A library that may not be read is not among the choices."""

    typed = TYPED
    library = forms.MultipleChoiceField(required=False, error_messages={"invalid_choice": NO_LIBRARY})
    mode = forms.ChoiceField(
        choices=list(MODES.items()),
        required=False,
        error_messages={"invalid_choice": "“%(value)s” is no way of searching."},
    )
    snapshot = forms.IntegerField(
        min_value=1,
        max_value=LARGEST,
        required=False,
        error_messages=dict.fromkeys(NO_NUMBER, "That is no number of a snapshot."),
    )
    top_k = forms.IntegerField(
        min_value=1,
        max_value=MOST_SHOWN,
        required=False,
        error_messages=dict.fromkeys(NO_NUMBER, f"top_k, how many passages are shown, is from 1 to {MOST_SHOWN}."),
    )

    def __init__(self, user: Reader, data: Any = None, **kwargs: Any) -> None:
        super().__init__(data, **kwargs)
        readable = list(Library.objects.readable_by(user).select_related("active_snapshot"))
        self.libraries = [library for library in readable if library.active_snapshot]
        self.empty = {library.slug: library.name for library in readable if not library.active_snapshot}
        self.libraries_field.choices = [(library.slug, library.name) for library in readable]

    @property
    def libraries_field(self) -> forms.MultipleChoiceField:
        field = self.fields["library"]
        assert isinstance(field, forms.MultipleChoiceField)  # noqa: S101
        return field

    def searched(self) -> list[Library]:
        """The libraries that are chosen, or those that are searched where none is."""
        chosen = self["library"].value() or ()
        return [one for one in self.libraries if (one.slug in chosen if chosen else one.kind != Library.Kind.CORPUS)]

    def clean_library(self) -> list[str]:
        slugs: list[str] = self.cleaned_data["library"]
        if closed := list(self.closed(slugs)):
            raise forms.ValidationError(closed)
        return slugs

    def closed(self, slugs: Iterable[str]) -> Iterator[str]:
        """Why these libraries cannot be searched, of each that cannot."""
        known = {library.slug for library in self.libraries}
        for slug in slugs:
            if slug in self.empty:
                yield f"Nothing of “{self.empty[slug]}” can be searched yet."
            elif slug not in known:
                yield NO_LIBRARY % {"value": slug}

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
            top_k=values["top_k"],
            snapshot=values["snapshot"],
        )


class SearchForm(OptionsForm):
    q = forms.CharField(required=False, max_length=MAX_CHARACTERS, error_messages={"max_length": "The words: " + LONG})
    explain = forms.IntegerField(  # the hit that is opened
        min_value=1,
        max_value=LARGEST,
        required=False,
        error_messages=dict.fromkeys(NO_NUMBER, "explain, the passage that is explained, is a number from 1."),
    )
    why_not = forms.CharField(
        required=False, max_length=LONGEST, error_messages={"max_length": "The path of the document: " + LONG}
    )
    snapshot_of = forms.CharField(required=False)  # the library whose snapshot it is: none of another one is meant

    def clean(self) -> dict[str, Any]:
        values = self.cleaned_data
        if values.get("snapshot_of") and values.get("library") != [values["snapshot_of"]]:
            values["snapshot"] = None
        return super().clean()

    def older(self) -> Library | None:
        """The library of which a snapshot is searched that is not the active one."""
        number, chosen = self.cleaned_data.get("snapshot"), self.cleaned_data.get("library")
        for library in self.libraries:
            if number and chosen == [library.slug] and library.active_snapshot:
                return library if library.active_snapshot.number != number else None
        return None

    def options(self) -> SearchOptions:
        values = self.cleaned_data
        return replace(super().options(), explain=bool(values["explain"]), why_not=values["why_not"])


class QuestionForm(forms.Form):
    """Whose question is clean, and then not empty."""

    def clean_q(self) -> str:
        if not (question := clean(self.cleaned_data["q"])):
            raise forms.ValidationError("Write a question first.")
        return question


class GoldenForm(QuestionForm):
    """A question, and the chunk of the hit that answers it."""

    q = forms.CharField(max_length=MAX_CHARACTERS)
    chunk = forms.IntegerField(min_value=1, max_value=2**63 - 1)


class AskForm(QuestionForm, OptionsForm):
    """A question, in one of the reader's own conversations or a new one."""

    q = forms.CharField(  # its box cuts nothing: what was pasted is whole, or refused
        max_length=MAX_CHARACTERS, error_messages={"required": "Write a question first.", "max_length": TOO_LONG}
    )
    conversation = forms.ModelChoiceField(
        Conversation.objects.none(), required=False, error_messages={"invalid_choice": GONE}
    )
    standalone = forms.CharField(required=False, max_length=MAX_CHARACTERS)
    only = forms.CharField(required=False, max_length=LONGEST)  # globs of paths, apart by white space
    reader = forms.CharField(required=False)  # whom the form was shown to, if they were signed in

    def __init__(self, user: Reader, own: QuerySet[Conversation], data: Any = None, **kwargs: Any) -> None:
        super().__init__(user, data, **kwargs)
        field = self.fields["conversation"]
        assert isinstance(field, forms.ModelChoiceField)  # noqa: S101
        field.queryset = own
        self.is_signed_in = isinstance(user, User)

    def clean(self) -> dict[str, Any]:
        """What the documents for everyone do not say is not taken for what those behind the log-in do not."""
        values = super().clean()
        if values.get("reader") and not self.is_signed_in and "conversation" not in self.errors:
            self.add_error(None, format_html(SIGNED_OUT, reverse("login"), urlencode({"next": self.address(values)})))
        return values

    def address(self, values: dict[str, Any]) -> str:
        """Of this form with what was filled in, unless that is too long for one."""
        kept = {name: values[name] for name in ("q", "library", "mode", "only") if values.get(name)}
        asked = urlencode(kept, doseq=True)
        return f"{reverse('chat')}?{asked}" if len(asked) < TYPED * 2 else reverse("chat")

    def clean_q(self) -> str:
        """As it was written: where pasted code begins and ends, its lines tell."""
        super().clean_q()
        return str(self.cleaned_data["q"]).strip().replace("\r\n", "\n")

    def globs(self) -> tuple[str, ...]:
        return tuple(self.cleaned_data["only"].split())


class AgainForm(forms.Form):
    """What is to be different when a question is asked again."""

    standalone = forms.CharField(required=False, max_length=MAX_CHARACTERS)
    pin = forms.IntegerField(required=False, min_value=1, max_value=2**63 - 1)
    exclude = forms.IntegerField(required=False, min_value=1, max_value=2**63 - 1)
    restore = forms.BooleanField(required=False)  # what was left out is read again

    def asking(self, row: Answer, user: Reader) -> Asking:
        values = self.cleaned_data
        pinned, excluded = row.options.get("pinned", []), row.options.get("excluded", [])
        if values["restore"]:
            excluded = []
        if pin := values["pin"]:
            pinned, excluded = [pin, *(one for one in pinned if one != pin)], [one for one in excluded if one != pin]
        if out := values["exclude"]:
            pinned, excluded = [one for one in pinned if one != out], [*excluded, out]
        return Asking(
            via="page",
            conversation=row.conversation,
            standalone=clean(values["standalone"]) or (row.standalone if is_wording_open(row, user) else ""),
            files=tuple(row.options.get("files", [])),
            pinned=tuple(pinned[:MOST_PINNED]),
            excluded=tuple(dict.fromkeys(excluded))[-MOST_PINNED:],
            replaces=row,
        )

    def options(self, row: Answer) -> SearchOptions:
        asked = row.options
        return SearchOptions(
            tuple(asked.get("library", [])), asked.get("mode") or "hybrid", snapshot=asked.get("snapshot")
        )


class FeedbackForm(forms.Form):
    verdict = forms.ChoiceField(choices=[("good", "good"), ("bad", "bad"), ("none", "none")])
    remark = forms.CharField(required=False, max_length=1000)

    def liked(self) -> bool | None:
        return {"good": True, "bad": False}.get(self.cleaned_data["verdict"])
