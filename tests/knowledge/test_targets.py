"""Where links lead, which no page shows."""

import pytest

from knowledge.texts.comments import without
from knowledge.texts.targets import targets


@pytest.mark.parametrize(
    ("text", "path", "shown"),
    [
        ("See `Nix`_.\n\n.. _Nix: https://nixos.org\n.. _a b: https://x.org\n\nThen.", "a.rst", "See `Nix`_.\n\nThen."),
        (".. _long name:\n   https://x.org\n\nThen.", "a.txt", "Then."),
        (".. _ns:name:\n\nThen.", "a.rst", "Then."),
        ("So::\n\n   .. _Nix: https://nixos.org\n", "a.rst", None),
        (".. note:: Then.", "a.rst", None),
        ("See [Nix].\n\n[Nix]: https://nixos.org 'Nix'\n[b]: <u v>\n\nThen.", "a.md", "See [Nix].\n\nThen."),
        ("It is told\n[here]: there", "a.md", None),
        ("[^1]: there", "a.md", None),
        ("```\n[a]: b\n```", "a.md", None),
        ("[a]: b", "a.html", None),
    ],
)
def test_targets_of_links_are_not_shown(text: str, path: str, shown: str | None) -> None:
    assert without(text, targets(text, path)) == (text if shown is None else shown)


def test_a_target_within_another_is_a_part_of_it() -> None:
    assert targets(".. _a:\n   .. _b:\n\nThen.", "a.rst") == ((0, 18),)
