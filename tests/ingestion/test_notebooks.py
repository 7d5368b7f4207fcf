"""What notebooks may be like, and what is read of them."""

import json

import pytest

from ingestion.documents import BlockKind
from ingestion.parsers import parse


def test_a_notebook_shows_what_went_wrong_and_no_pictures_and_no_tracebacks():
    wrong = {"output_type": "error", "ename": "ZeroDivisionError", "evalue": "\x1b[31mby zero", "traceback": ["boom"]}
    outputs = [
        {"output_type": "error", "traceback": ["boom"]},
        wrong,
        {"output_type": "x", "data": {"image/png": "AAAA"}},
    ]
    notebook = {"cells": [{"cell_type": "code", "source": "1/0", "outputs": outputs}]}
    document = parse(json.dumps(notebook).encode(), "a.ipynb")

    assert document.text == "```python\n1/0\n```\n\n```text\nZeroDivisionError: by zero\n```\n"
    assert document.blocks[0].language == "python"


@pytest.mark.parametrize(
    ("data", "read"),
    [
        (
            {"text/plain": "<IPython.core.display.Markdown object>", "text/markdown": ["## Sum\n", "*7*"]},
            "## Sum\n*7*\n",
        ),
        ({"text/plain": "7", "text/markdown": ""}, "```text\n7\n```\n"),
        ({"text/plain": "<pkg.Model object at 0x7f00ab>"}, ""),
        ({"text/plain": "<IPython.core.display.HTML object>", "text/html": "<b>7</b>"}, ""),
        ({"text/plain": "\n   a  b\n0  1  2\n"}, "```text\n   a  b\n0  1  2\n```\n"),
        ({"text/plain": "[<pkg.Model object at 0x7f00ab>]"}, ""),
        ({"text/plain": "[<matplotlib.lines.Line2D at 0x7f>,\n <matplotlib.lines.Line2D at 0x8f>]"}, ""),
        ({"text/plain": "<Figure size 640x480 with 1 Axes>"}, ""),
        ({"text/plain": "<Axes: title={'center': 'Tides > 3'}, xlabel='day'>"}, ""),
        ({"text/plain": "<BarContainer object of 3 artists>"}, ""),
        ({"text/plain": "<b>"}, "```text\n<b>\n```\n"),
        ({"text/plain": "[<Axes: >, 7]"}, "```text\n[<Axes: >, 7]\n```\n"),
    ],
)
def test_a_result_is_read_as_it_was_shown(data, read):
    cell = {"cell_type": "code", "source": "x", "outputs": [{"output_type": "display_data", "data": data}]}
    text = parse(json.dumps({"cells": [cell]}).encode(), "a.ipynb").text
    assert text.removeprefix("```python\nx\n```\n").lstrip("\n") == read


def test_what_a_notebook_of_version_3_printed_is_read():
    outputs = [
        {"output_type": "pyout", "prompt_number": 1, "text": ["7\n"], "html": "<b>7</b>"},
        {"output_type": "stream", "stream": "stdout", "text": "red"},
        {"output_type": "display_data", "png": "AAAA", "text": "<matplotlib.figure.Figure at 0x7f00ab>"},
        {"output_type": "pyerr", "ename": "KeyError", "evalue": "x", "traceback": ["boom"]},
    ]
    sheet = {"cells": [{"cell_type": "code", "input": "x", "outputs": outputs}]}
    text = parse(json.dumps({"nbformat": 3, "worksheets": [sheet]}).encode(), "a.ipynb").text
    fenced = [f"```{written}\n```" for written in ("python\nx", "text\n7", "text\nred", "text\nKeyError: x")]
    assert text == "\n\n".join(fenced) + "\n"


@pytest.mark.parametrize("opened", ["```python\nx = 1", "<!-- to do", "<pre>\nx"])
def test_what_a_cell_of_a_notebook_leaves_open_ends_with_it(opened):
    cells = [{"cell_type": "markdown", "source": source} for source in (opened, "# Next\n\nHello.")]
    document = parse(json.dumps({"cells": cells}).encode(), "a.ipynb")

    assert [block.title for block in document.blocks if block.kind is BlockKind.HEADING] == ["Next"]
    assert document.title == "Next" and document.text == f"{opened}\n\n# Next\n\nHello.\n"
    assert document.text.split("\n")[document.blocks[-1].line_start - 1] == "Hello."


def test_what_a_notebook_printed_is_read_as_it_was_seen():
    printed = "\x1b[1;31mred\x1b[0m\r\n 10%|#    |\r100%|#####|\r\nend\n"
    outputs = [{"output_type": "stream", "text": printed}, {"data": {"text/plain": ["\x1b[32m7\x1b[39m"]}}]
    notebook = {"cells": [{"cell_type": "code", "source": "", "outputs": outputs}]}
    assert parse(json.dumps(notebook).encode(), "a.ipynb").text == (
        "```text\nred\n100%|#####|\nend\n```\n\n```text\n7\n```\n"
    )


@pytest.mark.parametrize(("kind", "titles"), [("markdown", ["Oil: daily", "Lathe"]), ("raw", ["Lathe"])])
def test_only_a_raw_cell_is_the_front_matter_of_a_notebook(kind, titles):
    cells = [
        {"cell_type": kind, "source": "---\nOil: daily\n---"},
        {"cell_type": "markdown", "source": "# Lathe\n\n---"},
    ]
    document = parse(json.dumps({"cells": cells}).encode(), "a.ipynb")
    assert [block.title for block in document.blocks] == titles
