"""Fields that several forms have."""

import json
import re
import shlex
from typing import Any

from django import forms

TO_BE_QUOTED = re.compile(r"""[\s'"\\]""")


class PatternsField(forms.CharField):
    """Glob patterns, with blanks between them; one with a blank in it stands in quotation marks. A list of them is
    taken as JSON, too."""

    def clean(self, value: Any) -> list[str]:
        return patterns(super().clean(value))

    def prepare_value(self, value: Any) -> Any:
        if not isinstance(value, list):
            return value
        return " ".join(shlex.quote(one) if TO_BE_QUOTED.search(one) else one for one in map(str, value))

    def has_changed(self, initial: Any, data: Any) -> bool:
        return self.listed(initial) != self.listed(data)

    def listed(self, value: Any) -> Any:
        """What is stored, or what was sent; that as it is where it can't be read."""
        try:
            return value if isinstance(value, list) else self.clean(value)
        except forms.ValidationError:
            return value


def patterns(text: str) -> list[str]:
    """Raises ValidationError."""
    found = as_json(text)
    try:
        if found is None:
            return shlex.split(text)
        "".join(found).encode()
        if not any("\0" in one for one in found):
            return found
    except UnicodeEncodeError:
        pass
    except ValueError as error:
        raise forms.ValidationError("A pattern with a blank or an apostrophe stands in quotation marks.") from error
    raise forms.ValidationError("A pattern holds neither a NUL nor half a character.")


def as_json(text: str) -> list[str] | None:
    """None: it is no list of patterns in JSON; brackets are also what patterns are made of."""
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, list) and all(isinstance(one, str) for one in found) else None
