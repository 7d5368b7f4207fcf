"""Who does what to whom in Korean, where particles say it: 직원이 고객에게 is not 고객이 직원에게. Pure."""

import re

from retrieval.answering.checking.clauses import ITEM_END

IS_THERE = r"\s+(?:필요|있|없|가능|[되된될됩됐])"  # what is there, or needed, does nothing
ROLE = re.compile(
    rf"(?P<noun>[가-힣]{{2,}}?)들?(?:(?P<acts>(?:이|가|께서)(?!{IS_THERE}))|(?P<topic>은|는)|(?P<undergoes>에게|한테|께|을|를))"
    "(?![가-힣])"
)
PASSIVE = re.compile("받|당[하한할했]|[되된될됩됐]")


def reversed_roles(sentence: str, passage: str) -> str:
    """A noun that does to another what the passage says that other does to it, and nowhere the same way round."""
    acting, undergoing = _roles(sentence)
    if not (acting and undergoing):
        return ""
    reverse = ""
    for part in ITEM_END.split(passage):
        acting_there, undergoing_there = _roles(part)
        if acting & acting_there and undergoing & undergoing_there:
            return ""
        if undergoing & acting_there and bool(PASSIVE.search(sentence)) == bool(PASSIVE.search(part)):
            reverse = reverse or min(acting & undergoing_there, default="")
    return reverse


def _roles(text: str) -> tuple[set[str], set[str]]:
    """The nouns that act and those that undergo it. What is spoken of acts where nothing else does."""
    nouns: dict[str, set[str]] = {"acts": set(), "topic": set(), "undergoes": set()}
    for one in ROLE.finditer(text):
        nouns[one.lastgroup or ""].add(one["noun"])
    return nouns["acts"] or nouns["topic"], nouns["undergoes"]
