"""What is asked, where something stands beside it: pasted code, files between tags, a traceback, a context that a
program put before it, a greeting, a long story. Pure.
"""

import re
from collections import defaultdict
from collections.abc import Iterator

from knowledge.texts.fences import code_lines
from knowledge.texts.words import terms, words
from retrieval.answering.checking.support import lacking
from retrieval.answering.followups.followup import is_courtesy, says_little
from retrieval.answering.followups.subjects import refers
from retrieval.answering.sentences import is_question, sentence_spans

ASKED = re.compile(r"</?(?:question|query|user_query|task)>", re.IGNORECASE)  # what assistants put around a question
FENCE_IN_A_LINE = re.compile(r"^(?P<before>[^`\n]*[^`\s])[ \t]*(?P<fence>`{3,}[^`\s]*)[ \t]*$", re.MULTILINE)
ATTRIBUTES = r"(?:\s[^<>]*)?(?<!/)>"
NAME = r"(?P<name>[A-Za-z][\w.:-]*)"
OPENING = re.compile(rf"^[ \t]*<{NAME}{ATTRIBUTES}", re.MULTILINE)
TAG = re.compile(rf"<(?P<closes>/?){NAME}{ATTRIBUTES}")
TRACEBACK = re.compile(r"^[ \t]*Traceback \(most recent call last\):\n(?:[ \t]+\S.*\n)+\S.*$", re.MULTILINE)
PARAGRAPH = re.compile(r"\n\s*\n")
ANNOUNCES = (":", "：")
LABEL = re.compile(r"^[ \t#*]*(?:user'?s? )?(?:question|query)\**:\**[ \t]*", re.IGNORECASE | re.MULTILINE)
NO_ANSWER = re.compile(r"\n[ \t#*]*(?:\w+ )?(?:answer|response|assistant)\**:\**\s*\Z", re.IGNORECASE)
ORDERS = re.compile(
    r"(?:please )?(?:list|tell|explain|show|describe|give|name|compare|write|find|summari[sz]e)\b", re.IGNORECASE
)
ENOUGH_SAID = 3  # content words of a question that needs no story
STORY = 15  # words before a question, of which the search and the reader would make more than of the question


def asked_in(text: str) -> str:
    """The text without what was pasted into it and what announces that; of several paragraphs the last, if that is a
    question that stands alone. So does the last sentence behind a long story, and what a program calls the question.
    The text itself where nothing stands beside it, or too little is left: “Why does this fail?”
    """
    text = labelled(text) or text
    left = without_pasted(text.replace("\r\n", "\n"))
    paragraphs = [one.strip() for one in PARAGRAPH.split(left) if terms(one)]
    said = [one for one in paragraphs if not one.endswith(ANNOUNCES)] or paragraphs
    if not said:
        return text
    if " ".join(left.split()) == " ".join(text.split()):
        return without_story(text)
    asked = said[-1] if is_question(said[-1]) and not refers(said[-1]) else "\n\n".join(said)
    return text if refers(asked) and says_little(asked) else without_story(asked)


def labelled(text: str) -> str:
    """The one line behind the last “Question:” that begins a line, as programs write it below a context; no more may
    stand below it than where the answer is to be written."""
    labels = [*LABEL.finditer(text)]
    asked = NO_ANSWER.sub("", text[labels[-1].end() :]).strip() if labels else ""
    return asked if terms(asked) and "\n" not in asked else ""


def without_story(text: str) -> str:
    """The question without the greetings before it; after a story of many words, the last question alone, if the story
    asks nothing and names nothing that this leaves out."""
    spans = sentence_spans(text)
    said = [text[span.start : span.end] for span in spans]
    first = next((n for n, sentence in enumerate(said) if not is_courtesy(sentence)), None)
    if first is None or not is_question(said[-1]):
        return text
    *story, last = said[first:]
    told = " ".join(story)
    asks = any(is_question(sentence) or ORDERS.match(sentence) for sentence in story)
    stands = len(terms(last)) >= ENOUGH_SAID and not (refers(last) or says_little(last) or lacking(told, last))
    return last if len(words(told)) >= STORY and stands and not asks else text[spans[first].start :]


def without_pasted(text: str) -> str:
    """An empty line stands for each listing, block and traceback."""
    lines = FENCE_IN_A_LINE.sub(r"\g<before>\n\g<fence>", text).split("\n")
    code = code_lines(lines)
    prose = "\n".join("" if at in code else line for at, line in enumerate(lines))
    return TRACEBACK.sub("\n\n", "\n\n".join(between_tags(ASKED.sub("\n\n", prose))))


def between_tags(text: str) -> Iterator[str]:
    """What stands around `<tag>…</tag>` that begins a line, and takes all of it or several."""
    ends = ends_of_blocks(text)
    unclosed: set[str] = set()
    at = begin = 0
    while opening := OPENING.search(text, at):
        end = 0 if opening["name"] in unclosed else ends.get(opening.start("name"), 0)
        if not end:
            unclosed.add(opening["name"])
        at = end or opening.end()
        if "\n" in text[opening.start() : end] or (end and not text[end:].split("\n", 1)[0].strip()):
            yield text[begin : opening.start()]
            begin = at
    yield text[begin:]


def ends_of_blocks(text: str) -> dict[int, int]:
    """Where each block ends, with blocks of its name in it, by where the name of its tag begins; found in one pass."""
    ends: dict[int, int] = {}
    opened: defaultdict[str, list[int]] = defaultdict(list)
    for tag in TAG.finditer(text):
        if not tag["closes"]:
            opened[tag["name"]].append(tag.start("name"))
        elif opened[tag["name"]]:
            ends[opened[tag["name"]].pop()] = tag.end()
    return ends
