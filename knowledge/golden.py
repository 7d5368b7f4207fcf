"""Golden questions as JSON lines, as `evaluate --questions` reads them. Pure: checked here, whoever wrote them."""

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from knowledge.numbers import LARGEST

LONGEST_ID = 200
LONGEST_KIND = 40


@dataclass(frozen=True, slots=True)
class Gold:
    """A place that answers: a file, and in it lines, a page, characters, the section at an anchor, or all of it.

    Lines and pages count from 1, both ends in; characters from 0, without the end, as a chunk's do.
    """

    file: str
    lines: tuple[int, int] | None = None
    page: int | None = None
    characters: tuple[int, int] | None = None
    anchor: str | None = None

    def as_json(self) -> dict[str, Any]:
        place: dict[str, Any] = {"file": self.file}
        if self.lines:
            place |= {"line_start": self.lines[0], "line_end": self.lines[1]}
        elif self.page is not None:
            place["page"] = self.page
        elif self.characters:
            place |= {"start": self.characters[0], "end": self.characters[1]}
        elif self.anchor is not None:
            place["anchor"] = self.anchor
        return place

    def __str__(self) -> str:
        if self.lines:
            first, last = self.lines
            return f"{self.file}:{first}–{last}" if last != first else f"{self.file}:{first}"
        if self.page is not None:
            return f"{self.file}, page {self.page}"
        if self.characters:
            return f"{self.file}, characters {self.characters[0]}–{self.characters[1]}"
        return f"{self.file}#{self.anchor}" if self.anchor is not None else self.file


@dataclass(frozen=True, slots=True)
class Question:
    id: str
    text: str
    gold: tuple[Gold, ...]
    kind: str = ""

    def as_json(self) -> dict[str, Any]:
        kind = {"kind": self.kind} if self.kind else {}
        return {"id": self.id, **kind, "question": self.text, "gold": [place.as_json() for place in self.gold]}


def read_gold(entry: Any) -> Gold:
    """A place from JSON; keys that it doesn't know are left out, and so are those after the first that counts.

    Raises ValueError.
    """
    if not isinstance(entry, Mapping):
        raise ValueError(f"a gold place is an object with a file, not {shown(entry)}")
    file = said(entry, "file")
    lines = span(entry, "line_start", "line_end", least=1)
    characters = span(entry, "start", "end", least=0)
    if characters and characters[0] == characters[1]:
        raise ValueError(f"start and end of {file}: no character lies between them")
    page = None if entry.get("page") is None else whole(entry, "page", least=1)
    anchor = None if entry.get("anchor") is None else said(entry, "anchor")
    if lines:
        return Gold(file, lines=lines)
    if page is not None:
        return Gold(file, page=page)
    return Gold(file, characters=characters) if characters else Gold(file, anchor=anchor)


def read_places(value: Any) -> tuple[Gold, ...]:
    """The places of a question, each once. Raises ValueError."""
    if not isinstance(value, list) or not value:
        raise ValueError("gold is a list of at least one place")
    return tuple(dict.fromkeys(read_gold(entry) for entry in value))


def read_question(row: Any) -> Question:
    """One that says too little alone (`needs_context`) is asked with its category in front. Raises ValueError."""
    if not isinstance(row, Mapping):
        raise ValueError(f"a question is an object with id, question and gold, not {shown(row)}")
    text = said(row, "question")
    if row.get("needs_context"):
        text = f"{said(row, 'category')}: {text}"
    identifier, kind = read_id(row), row.get("kind") or ""
    if not isinstance(kind, str) or len(kind) > LONGEST_KIND:
        raise ValueError(f"kind is a string of at most {LONGEST_KIND} characters")
    return Question(identifier, text, read_places(row.get("gold")), plain(kind))


def read_unanswerable(row: Any) -> Question:
    """One without gold: what the documents do not answer. Raises ValueError."""
    if not isinstance(row, Mapping):
        raise ValueError(f"a question is an object with id and question, not {shown(row)}")
    return Question(read_id(row), said(row, "question"), ())


def read_id(row: Mapping[str, Any]) -> str:
    identifier = row.get("id")
    if isinstance(identifier, bool) or not isinstance(identifier, str | int) or identifier == "":
        raise ValueError(f"id is a string or a number, not {shown(identifier)}")
    if len(str(identifier)) > LONGEST_ID:
        raise ValueError(f"id is longer than {LONGEST_ID} characters")
    return plain(str(identifier))


def read_json_lines(text: str, name: str, read: Callable[[Any], Question] = read_question) -> list[Question]:
    """Raises ValueError that names the line: of `name` if it is no question, or if its id was there before."""
    questions = []
    for number, line in json_lines(text):
        try:
            questions.append(read(json.loads(line)))
        except (json.JSONDecodeError, RecursionError) as error:
            raise ValueError(f"{name}:{number}: this line is no JSON") from error
        except ValueError as error:
            raise ValueError(f"{name}:{number}: {error}") from error
    check_ids(questions, name)
    return questions


def check_ids(questions: Iterable[Question], name: str) -> None:
    """Raises ValueError where two have the same."""
    if twice := [found for found, times in Counter(question.id for question in questions).items() if times > 1]:
        raise ValueError(f"{name}: more than one question is called {twice[0]}")


def json_lines(text: str) -> Iterator[tuple[int, str]]:
    """The lines that hold something, with their numbers. Other line separators than newlines stand inside of JSON."""
    return ((number, line) for number, line in enumerate(text.split("\n"), start=1) if line.strip())


def as_json_lines(questions: Iterable[Question]) -> str:
    return "".join(f"{json.dumps(question.as_json(), ensure_ascii=False)}\n" for question in questions)


def span(entry: Mapping[str, Any], first: str, last: str, least: int) -> tuple[int, int] | None:
    if entry.get(first) is None and entry.get(last) is None:
        return None
    start, end = whole(entry, first, least), whole(entry, last, least)
    if end < start:
        raise ValueError(f"{last} {end} lies before {first} {start}")
    return start, end


def whole(entry: Mapping[str, Any], key: str, least: int) -> int:
    value = entry.get(key)
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= LARGEST:
        raise ValueError(f"{key} is a whole number from {least} on, not {shown(value)}")
    return value


def said(entry: Mapping[str, Any], key: str) -> str:
    value = entry.get(key)
    if not isinstance(value, str) or not value.strip():
        raise ValueError(f"{key} is missing or empty" if value in (None, "") else f"{key} is text, not {shown(value)}")
    return plain(value)


def plain(text: str) -> str:
    """Postgres keeps neither NUL nor lone surrogates. Raises ValueError."""
    if "\0" in text or any("\ud800" <= character <= "\udfff" for character in text):
        raise ValueError("text holds a NUL or half a character")
    return text


def shown(value: Any) -> str:
    return "nothing" if value is None else repr(value)[:60]
