"""The messages that ask a model to answer from passages. The wording is a file; its hash is kept with every answer."""

import re
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path

from retrieval.answering.passages import Passage

VERSION = "answer_v1"
WORDING = (Path(__file__).parent / "prompts" / f"{VERSION}.txt").read_text(encoding="utf-8")
PROMPT_HASH = sha256(WORDING.encode()).hexdigest()
SYSTEM, _, TEMPLATE = (part.strip("\n") for part in WORDING.partition("\n---\n"))

# Marks of chat templates: llama.cpp reads them as such wherever they stand, so a document could speak as the system.
TEMPLATE_MARK = re.compile(r"<\||\|>|</?(?:s|bos|eos|start_of_turn|end_of_turn|think|tool_call)>|\[/?INST\]")
NUMBERED = re.compile(r"\[(\d{1,3}(?:\s*,\s*\d{1,3})*)\]")  # a document's own footnotes must not pass for citations
QUESTION_LINE = re.compile(r"^(?=(?:Question|Answer) ?:)", re.MULTILINE | re.IGNORECASE)


def messages(question: str, passages: Sequence[Passage]) -> list[dict[str, str]]:
    """System and user message. What never changes stands first, so that the server's prompt cache holds it."""
    shown = "\n\n".join(f"[{passage.n}] {harmless(passage.heading)}\n{harmless(passage.text)}" for passage in passages)
    asked = harmless(" ".join(question.split()))
    slots = {"{passages}": shown, "{question}": asked}
    content = re.sub(r"\{passages\}|\{question\}", lambda slot: slots[slot[0]], TEMPLATE)
    return [{"role": "system", "content": SYSTEM}, {"role": "user", "content": content}]


def harmless(text: str) -> str:
    """Text of a document or a user that can neither end its place in the prompt nor look like part of it."""
    text = TEMPLATE_MARK.sub(lambda mark: f"{mark[0][0]} {mark[0][1:]}", text)
    return QUESTION_LINE.sub("> ", NUMBERED.sub(r"(\1)", text))
