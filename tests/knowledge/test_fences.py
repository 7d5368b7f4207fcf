"""Which lines of Markdown are code."""

import pytest

from knowledge.texts.fences import Standing, standings


@pytest.mark.parametrize(
    ("text", "marks"),
    [
        ("a\n```\nb\n```\nc", "-=#=-"),
        ("````\n```\n````\na", "=#=-"),
        ("```\n~~~\n```", "=#="),
        ("```python\na\n``` not\n```\nb", "=##=-"),
        ("> ```\n> a\n> ```\nb", "=#=-"),
        ("```{note}\na\n```\nb", "<->-"),
        ("````{note}\n```\na\n```\n````\nb", "<=#=>-"),
        ("```{code-block} python\na\n```\nb", "=#=-"),
        ("Title\n~~~~~\na", "---"),
        ("~~~~~\nTitle\n~~~~~\na", "----"),
        ("a `b` ```c```", "-"),
        ("```\na", "=#"),
    ],
)
def test_each_line_stands_in_code_or_in_text(text: str, marks: str) -> None:
    shown = dict(zip(Standing, "-#=<>", strict=True))  # text, code, fence, opens, closes
    assert "".join(shown[standing] for standing in standings(text.split("\n"))) == marks
