"""Asking on the chat page."""

import json
from collections.abc import Iterator

from django.test import Client

from knowledge.models import Answer

QUESTION = "For up to how many days can you borrow a cargo bike?"


def ask(client: Client, question: str = QUESTION, **data: object) -> Answer:
    response = client.post("/chat", {"q": question, **data})
    assert response.status_code == 302, response.content.decode()
    return Answer.objects.get(pk=response.headers["Location"].rpartition("#Answer")[2])


def follow_up(client: Client, row: Answer, question: str, **data: object) -> Answer:
    return ask(client, question, conversation=row.conversation_id, **data)


def page(client: Client, row: Answer) -> str:
    response = client.get(f"/chat/{row.pk}")
    assert response.status_code == 200
    return response.content.decode()


def events(client: Client, row: Answer, seen: str = "") -> Iterator[tuple[str, str, dict]]:
    headers = {"Last-Event-ID": seen} if seen else {}
    response = client.get(f"/chat/{row.pk}/events", headers=headers)
    for block in response.streaming_content:
        lines = dict(line.split(": ", 1) for line in block.decode().strip().split("\n") if ": " in line)
        if "event" in lines:
            yield lines["event"], lines.get("id", ""), json.loads(lines["data"])
