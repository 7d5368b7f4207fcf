"""The words of a question that name what it is about. Pure."""

import re

from retrieval.answering.words import STOP_WORDS, plain, terms

_REFERRING = (
    "it its this that these those they them their theirs he him his she her hers one ones there then same former latter"
    " il elle ils elles lui leur leurs cela ceci celui celle ceux y en ce cette ces"
    " er sie es ihn ihm ihr ihre sein seine dies diese dieser dieses das dessen dort dann davon damit dafur"
    " ello esto eso este esta estos estas ese esa ellos ellas su sus"
    " esso essa essi questo questa questi quello quella lo suo sua"
    " het dit dat deze die hij zij hun zijn haar ervan daarvan ele ela eles isso isto seu sua"
    " он она оно они его ее их это этот эта там тогда هو هي هم ذلك هذا"
)
REFERRING = frozenset(plain(word) for word in _REFERRING.split())
WORD = re.compile(r"[^\W_]+(?:['’_.-][^\W_]+)*")
# What a question asks about a subject, and is no part of it.
_ASPECTS = (
    "long many much often far old big soon day days hour hour week month time times year years"
    " cost costs price mean means work works happen happens difference explain tell say does do use"
    " need want get make take give up down out off per kind sort type way"
    " viel kostet kosten lange oft teuer combien coûte coûtent cuesta cuestan cuanto vale costa"
)
ASPECTS = frozenset(plain(word) for word in _ASPECTS.split())
STOPPED = frozenset(plain(word) for said in STOP_WORDS.values() for word in said.split()) | REFERRING
ELISION = re.compile(r"^(?:[cdjlmnst]|qu)['’](?=\w{2})", re.IGNORECASE)  # l'offre


def content_runs(question: str) -> list[str]:
    """Neighbouring words that carry meaning: “cargo bike” of “How long can you borrow a cargo bike?”"""
    runs: list[list[str]] = [[]]
    end = 0
    for word in WORD.finditer(question):
        apart = bool(question[end : word.start()].strip())
        named = ELISION.sub("", word[0])
        is_content = plain(named) not in STOPPED | ASPECTS
        if apart or not is_content or named != word[0]:
            runs.append([])
        if is_content:
            runs[-1].append(named)
        end = word.end()
    return [" ".join(run) for run in runs if run and terms(" ".join(run))]


def is_name(run: str) -> bool:
    return any(character.isupper() or character in "_." for character in run[1:]) or run[:1].isupper()
