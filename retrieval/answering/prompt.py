"""The messages that ask a model. The wordings are files; one hash of all of them is kept with every answer."""

import re
from collections.abc import Mapping, Sequence
from hashlib import sha256
from pathlib import Path

from retrieval.answering.followups.followup import Turn
from retrieval.answering.marks import defused
from retrieval.answering.passages import Passage

FOLDER = Path(__file__).parent / "prompts"
VERSION = "answer_v2"
WORDING, TIGHTER, REWRITE = (
    (FOLDER / f"{name}.txt").read_text(encoding="utf-8") for name in (VERSION, "tighter_v1", "rewrite_v1")
)
JUDGE = (FOLDER / "judge_v1.txt").read_text(encoding="utf-8")
PROMPT_HASH = sha256("\0".join((WORDING, TIGHTER, REWRITE)).encode()).hexdigest()
SYSTEM, _, TEMPLATE = (part.strip("\n") for part in WORDING.partition("\n---\n"))
REWRITE_SYSTEM, _, REWRITE_TEMPLATE = (part.strip("\n") for part in REWRITE.partition("\n---\n"))

# Marks of chat templates: llama.cpp reads them as such wherever they stand, so a document could speak as the system.
TEMPLATE_MARK = re.compile(r"<\||\|>|</?(?:s|bos|eos|start_of_turn|end_of_turn|think|tool_call)>|\[/?INST\]")
QUESTION_LINE = re.compile(r"^(?=(?:Question|Answer|Asked|Answered) ?:)", re.MULTILINE | re.IGNORECASE)
TURN = 600  # characters of an earlier answer that a rewriting model reads
LONGEST = 600  # characters before a passage's number: a grammar needs a bound


def messages(question: str, passages: Sequence[Passage], tighter: bool = False) -> list[dict[str, str]]:
    """System and user message. What never changes stands first, so that the server's prompt cache holds it."""
    shown = "\n\n".join(f"[{passage.n}] {harmless(passage.heading)}\n{harmless(passage.text)}" for passage in passages)
    content = filled(TEMPLATE, {"passages": shown, "question": one_line(question)})
    return conversation(TIGHTER.strip() if tighter else SYSTEM, content)


def rewriting(question: str, history: Sequence[Turn]) -> list[dict[str, str]]:
    told = "\n".join(f"Asked: {one_line(turn.question)}\nAnswered: {one_line(turn.answer)[:TURN]}" for turn in history)
    return conversation(REWRITE_SYSTEM, filled(REWRITE_TEMPLATE, {"history": told, "question": one_line(question)}))


def grammar(count: int) -> str:
    """GBNF for an answer of one to four sentences, each of which ends in a passage's number; or for not knowing."""
    numbers = " | ".join(f'"{n}"' for n in range(1, count + 1))
    return "\n".join((
        """root ::= "I don't know." | sentence (" " sentence){0,3}""",
        f"""sentence ::= [^\\[\\]\\n ] [^\\[\\]\\n]{{8,{LONGEST}}} mark+ "."?""",
        f"""mark ::= "[" ({numbers}) "]" """,
    ))  # fmt: skip


def conversation(system: str, content: str) -> list[dict[str, str]]:
    return [{"role": "system", "content": system}, {"role": "user", "content": content}]


def filled(template: str, slots: Mapping[str, str]) -> str:
    return re.sub(r"\{(passages|question|history)\}", lambda slot: slots.get(slot[1], slot[0]), template)


def one_line(text: str) -> str:
    return harmless(" ".join(text.split()))


def harmless(text: str) -> str:
    """Text of a document or a user that can neither end its place in the prompt nor look like part of it."""
    text = TEMPLATE_MARK.sub(lambda mark: f"{mark[0][0]} {mark[0][1:]}", text)
    return QUESTION_LINE.sub("> ", defused(text))
