"""What is asked where something was pasted beside it."""

from unittest.mock import Mock

import pytest

from retrieval.answering import pasted
from retrieval.answering.pasted import asked_in

QUESTION = "What is API_BASE_URL?"
CODE = 'const Loans = () => {\n  if (failed) {\n    return <p className="error">{problem}</p>;\n  }\n};'
TRACE = (
    "Traceback (most recent call last):\n"
    '  File "/srv/app/py/tricky.py", line 36, in roll\n    raise FluxError("flux")\n'
    "tricky.FluxError: flux"
)


@pytest.mark.parametrize(
    "text",
    [
        f"```jsx\n{CODE}\n```\n\n{QUESTION}",
        f"{QUESTION}\n~~~\n{CODE}\n~~~",
        f"{QUESTION} ```jsx\n{CODE}```",
        f"{QUESTION}\n```jsx\n{CODE}",
        f"```jsx\r\n{CODE}\r\n```\r\n\r\n{QUESTION}",
        f"I look at this component:\n\n```jsx\n{CODE}\n```\n{QUESTION}",
        f"I look at this component.\n\n```jsx\n{CODE}\n```\n{QUESTION}",
        f'<file path="app/Loans.jsx">\n{CODE}\n</file>\n{QUESTION}',
        f"<file>a</file>\n{QUESTION}",
        f"<div>\n<div>\n{CODE}\n</div>\n</div> {QUESTION}",
        f"<user_query>\n{QUESTION}\n</user_query>\n<open_files>\na.py\nb.py\n</open_files>",
        f"{TRACE}\n\n{QUESTION}",
    ],
)
def test_what_stands_beside_pasted_code_is_asked(text):
    assert asked_in(text) == QUESTION


@pytest.mark.parametrize(
    "text",
    [
        QUESTION,
        f"It fails since May.\n\n{QUESTION}",
        f"```jsx\n{CODE}\n```",
        TRACE,
        f"```\n{TRACE}\n```\nWhy does this fail?",
        "What does ```make``` do?",
        "<b>What</b> is the deposit?",
        "<Suspense> and </Suspense>: what are they for?",
        "How do I use <details>\nmore\n</details>?",
        "<ul>\nWhat is the deposit?",
    ],
)
def test_what_holds_no_question_beside_something_pasted_stays_as_it_is(text):
    assert asked_in(text) == text


def test_what_a_question_refers_to_stays_with_it():
    asked = asked_in(f"The client fails since May.\n\n```jsx\n{CODE}\n```\n\nIs that because of API_BASE_URL?")
    assert asked == "The client fails since May.\n\nIs that because of API_BASE_URL?"


@pytest.mark.parametrize("text", ["<a>\n" * 2000, "\n".join(f"<a{n}>" for n in range(1300)), "```" * 2600])
def test_what_never_closes_is_no_paste(text):
    assert asked_in(text) == text


def test_every_tag_is_visited_once(monkeypatch):
    scan = Mock(wraps=pasted.TAG)
    monkeypatch.setattr(pasted, "TAG", scan)
    text = "\n".join(f"<a{n}>" for n in range(1300))
    assert asked_in(text) == text and scan.finditer.call_count == 1


STORY = (
    "I moved here with my family last month. My neighbour told me about your association, and in the summer holidays"
    " we would like to take trips along the river."
)
BORROW = "How long can you borrow a cargo bike?"


@pytest.mark.parametrize(
    "text",
    [
        f"Hello! {BORROW}",
        f"Good morning, thanks a lot for your help yesterday. {BORROW}",
        f"{STORY} {BORROW}",
        f"Hello. {STORY}\n\n{BORROW}",
        f"Use the following context to answer.\n\nContext: Muniment is a tool.\n\nQuestion: {BORROW}",
        f"Context: the workshop is open.\n**Question:** {BORROW}\nAnswer:",
        f"Use these pieces of context.\n\nUser question: {BORROW}\nHelpful Answer:",
        f"### Question:\n{BORROW}\n### Response:",
        f"Context: {'The workshop is open. ' * 40}\n\n{BORROW}",
    ],
)
def test_what_is_asked_behind_a_story_or_a_context_is_asked(text):
    assert asked_in(text) == BORROW


@pytest.mark.parametrize(
    "text",
    [
        f"I am a student. {BORROW}",
        f"Hello, the door of my flat is stuck. {BORROW}",
        f"{STORY} What does it cost there?",
        f"{STORY} And on Sundays?",
        "The router FritzBox 7590 blinks red since yesterday evening when I updated its firmware to the newest release."
        " How can I reset the device safely again?",
        "I get the error ORA-12541 each morning when the nightly jobs of our warehouse begin to run. How can I fix the"
        " broken connection problem?",
        "List all the steps that are needed to install the agent on a new server of ours in the other building."
        " Which network ports must be open?",
        "What does this line in the FAQ mean?\n\nQuestion: Can I return it?\nYes, within 14 days.",
        "How does the form of the survey work? It has fields such as\nQuestion: your favourite colour\nfor each row.",
        f"{BORROW} {STORY}",
        "Question: What is X?\nAnswer: It is Y.\n\nWhat does that mean for a loan of the trailer?",
        "Hello!",
    ],
)
def test_what_belongs_to_a_question_stays_with_it(text):
    assert asked_in(text) == text
