"""What a follow-up leaves out and what it replaces of the question before it, as far as words alone can tell. Pure.

“And the premium one?” after “How much is the standard plan?” is about a premium plan, not about the standard one.
Where it can't be told what “one” stands for (“When does the small workshop open?” has no sure noun), nothing is done.
"""

import re
from collections.abc import Sequence

from knowledge.texts.languages.determiners import AN, MINE, THE, THIS
from knowledge.texts.languages.little_words import alternation
from knowledge.texts.languages.questions import language_of
from knowledge.texts.words import UNSPACED_RUN, folded, stem, terms, words
from retrieval.answering.checking.numerals import ORDINALS
from retrieval.answering.dates import unit
from retrieval.answering.followups.prepositions import PREPOSITIONS, place_of, without
from retrieval.answering.followups.pronouns import AUXILIARIES
from retrieval.answering.followups.subjects import ARTICLES, PRICES, content_runs, is_name

ARTICLE = rf"\b(?:{alternation(THE, AN, MINE, THIS, of='en')})\s+"
ONE = re.compile(
    rf"(?P<article>{ARTICLE}(?:[\w-]+\s+)?)?\b(?P<describing>[^\W\d_][\w-]*)\s+(?P<one>ones?)\b", re.IGNORECASE
)
# They say which one by what was said, not by what it is like.
_POINTING = (
    "a an the this that these those which what other another same first second third last next previous former latter"
    " any each every either neither no some only right wrong both is are was were do does did and or for of in on at"
    " to from by with about not than as like just there more many how if when where whose my your our its per"
)
POINTING = frozenset(_POINTING.split())
THING = re.compile(r"an?\s+(?P<noun>[^\W\d_][\w-]*(?:\s[\w-]+){0,2})")
NOUN_PHRASE = re.compile(rf"(?:(?P<before>(?:\w+ )?\w+)\s+)?{ARTICLE}(?=\w)", re.IGNORECASE)
COMPLEMENT = re.compile(r"(?:what|who|much|many) (?:is|are|was|were)", re.IGNORECASE)  # no verb follows its noun
LONGEST = 3  # words of a noun and what describes it
GERMAN = re.compile(
    r"^(?i:und|oder|aber)\s+(?:(?:für|bei|mit|in|an|auf|von|zu)\s+)?"
    rf"(?:{alternation(THE, AN, of='de')})\s+(?!all)[a-zäöüß]+(?:e|e[nrsm])(?=\s*\?*$)"
)
DATED = 2  # words at most that say nothing but another day: the Tuesday
FRAGMENT = 6  # words at most that say nothing but for what, when or where
DEFINITE = rf"(?:(?:{alternation(THE, but='i')})\s+|l['’])"  # “who do I ask”
WHO = re.compile(
    rf"(?P<asks>(?:who|wer|qui|quién|chi|quem|wie)\s+(?P<verb>\w+)\s+){DEFINITE}(?P<named>.+)", re.IGNORECASE
)
NAMED = re.compile(rf"{DEFINITE}(?P<named>.+)", re.IGNORECASE)
_PAID_BESIDES = (
    "deposit fee fees insurance warranty delivery shipping tax vat discount maintenance repair waiver excess"
    " kaution pfand gebuhr gebuhren versicherung garantie lieferung versand steuer rabatt wartung reparatur"
)
PAID_BESIDES = frozenset(_PAID_BESIDES.split())  # for the thing itself, not instead of it
ANOTHER = re.compile(r"(?i:the|an?)\s+(?P<english>.+)|(?i:der|die|das|den|eine?n?)\s+(?P<german>[A-ZÄÖÜ].*)")
WORD = re.compile(r"[^\W_]+")
NUMBER = re.compile(r"(?<![\w.,:/-])\d{1,3}(?![\w%]|[.,:/-]\d)")
ASIDE = re.compile(r"\s*\([^()]*\)\s*\Z")
BRACKETED = re.compile(  # in a time that grows as the text does: no white space is given back
    r"(?P<asked>(?:.*?\S)??)\s*+\?\s*+(?P<about>\([^()]*\))?\s*+", re.DOTALL
)
PARALLEL = re.compile(
    r"(?P<preposition>\b(?i:on|in|at|as|for|with|by|from|to|under|am|im|an|auf|für|bei|mit|unter|von|sur|sous|pour|en|con"
    r"|para|por))\s+(?:(?i:the|an?|der|die|das|den|dem|le|la|les|el|los|las)\s+)?(?P<name>[A-ZÄÖÜÉ][\w.-]*)"
)


def without_aside(question: str) -> str:
    """What is asked, without the brackets behind it that say what it is about."""
    return ASIDE.sub("", question)


def completed(question: str, asked_before: Sequence[str], runs: Sequence[str]) -> tuple[str, str]:
    """The follow-up with the noun that it leaves out, and the words of before that go with that: both, or as it was.

    `asked_before` are questions, the last one last; `runs` are neighbouring words of them that carry meaning.
    """
    if one := next(filter(describes, ONE.finditer(question)), None):
        if replaced := antecedent(question[: one.start()], asked_before):
            return f"{question[: one.start('one')]}{replaced.split()[-1]}{question[one.end() :]}", replaced
    elif adjective := GERMAN.search(question.strip()):  # German writes its nouns with a capital
        for run in reversed(runs):
            if nouns := [word for word in run.split() if word[:1].isupper()]:
                return f"{adjective[0]} {nouns[-1]}{question.strip()[adjective.end() :]}", run
    return question, ""


def spliced(fragment: str, before: str) -> str:
    """The question of before with what a follow-up says about when, where or for whom: “And for members?”

    In the place of what stands behind the same preposition or its opposite, else added to it. Empty where the follow-up
    says anything else, or more.
    """
    said = fragment.strip(" ?.!\t").split()
    if not 1 < len(said) <= FRAGMENT or said[0].lower() not in PREPOSITIONS:
        return ""
    found = BRACKETED.fullmatch(before)
    asked = found["asked"].split() if found else []
    if not asked:
        return ""
    language = language_of(before)
    start, end = place_of(said[0], asked, language)
    rest = without(said[1:], asked[end:], language)
    whole = f"{' '.join([*asked[:start], said[0].lower(), *said[1:], *rest])}?"
    return f"{whole} {found['about']}" if found and found["about"] else whole


def exchanged(fragment: str, before: str) -> str:
    """The question of before about the other thing that a follow-up names, and nothing else: “And a trailer?”

    Empty where that question is not about one such thing: “… borrow a cargo bike?”
    """
    said = THING.fullmatch(fragment.strip(" ?.!\t"))
    runs = [run for _, run in noun_phrases(before)]
    if not said or said["noun"] in ORDINALS or len(runs) != 1 or content_runs(said["noun"]) != [said["noun"]]:
        return ""
    there = re.search(rf"\ban?\s+{re.escape(runs[0])}\b", before, re.IGNORECASE)
    return f"{before[: there.start()]}{said[0]}{before[there.end() :]}" if there else ""


def renamed(fragment: str, before: str) -> str:
    """Who another one is: “And the fleet steward?” after “Who is the treasurer?”; empty after any other question."""
    said, found = NAMED.fullmatch(fragment.strip(" ?.!\t")), BRACKETED.fullmatch(before)
    asked = WHO.fullmatch(found["asked"].lstrip("¿ ")) if found else None
    if not said or not asked or terms(asked["verb"]):
        return ""
    is_one = all(content_runs(one["named"]) == [one["named"]] for one in (said, asked))
    return f"{asked['asks']}{said[0]}?" if is_one else ""


def rescheduled(fragment: str, before: str) -> str:
    """The question of before, asked of another day, month or year: “What about Tuesday?” Empty where it names none of
    that kind, or several."""
    said = WORD.findall(fragment)
    named = [word for word in said if unit(word)]
    if len(named) != 1 or len(said) > DATED:
        return ""
    there = [found for found in WORD.finditer(before) if unit(found[0]) == unit(named[0])]
    return f"{before[: there[0].start()]}{named[0]}{before[there[0].end() :]}" if len(there) == 1 else ""


def recounted(fragment: str, before: str) -> str:
    """The question of before with another number: “And 4?” after “How long does phase 1 take?” Empty where it tells no
    such number, or several."""
    said = fragment.strip(" ?.!\t")
    there = [*NUMBER.finditer(before)]
    is_one = NUMBER.fullmatch(said) and len(there) == 1
    return f"{before[: there[0].start()]}{said}{before[there[0].end() :]}" if is_one else ""


def describes(one: re.Match[str]) -> bool:
    """The premium one, old ones; not the other one, nor chapter one."""
    is_noun = one["article"] or one["one"].lower() == "ones"
    return bool(is_noun) and one["describing"].lower() not in POINTING


def antecedent(beginning: str, asked_before: Sequence[str]) -> str:
    """What “one” stands for after this beginning of a follow-up: the only noun that something describes, or after the
    same preposition, or the only one at all; empty where that can't be told."""
    phrases = next(filter(None, map(noun_phrases, reversed(asked_before))), [])
    spoken = beginning.lower().split()
    after_same = [run for before, run in phrases if before and before in spoken and before not in AUXILIARIES]
    described = [run for _, run in phrases if " " in run]
    for likely in (after_same, described, [run for _, run in phrases]):
        if likely:
            return likely[0] if len(likely) == 1 else ""
    return ""


def noun_phrases(question: str) -> list[tuple[str, str]]:
    """The nouns after articles with what describes them, each with the word before: “for”, “blue ticket”.

    “When does the workshop open?” has none: after an auxiliary verb the noun's words run on into the verb.
    """
    found = []
    for article in NOUN_PHRASE.finditer(question):
        before, rest = (article["before"] or "").lower(), question[article.end() :]
        run = next(iter(content_runs(rest)), "")
        said = before.split()[-1:] and before.split()[-1]
        if said in AUXILIARIES and not COMPLEMENT.fullmatch(before):
            continue
        if run and rest.startswith(run) and len(run.split()) <= LONGEST:
            found.append((said or "", run))
    return found


def priced(question: str) -> str:
    """The words that say of what a question asks the price; empty where it asks none, or that can't be told."""
    runs = content_runs(question, PRICES)
    things = [run for run in runs if folded(run) not in PRICES]
    if len(things) == len(runs):
        return ""
    articles = "|".join(ARTICLES.get(language_of(question), ARTICLES["en"]))
    named = rf"\b(?:{articles})\s+{{0}}\b|\({{0}}\)"
    found = (run for run in things if re.search(named.format(re.escape(run)), question, re.IGNORECASE))
    return next(found, "")


def another_thing(fragment: str) -> str:
    """The words for the one thing that a follow-up names, and nothing else: “the trailer”; empty for any other, for a
    day, and for what is paid besides: “the deposit”. Only English and German tell a thing from what it is like."""
    found = ANOTHER.fullmatch(fragment.strip(" ?.!\t"))
    named = found["german"] or found["english"] if found else ""
    is_thing = content_runs(named) == [named] and not any(map(unit, named.split()))
    return named if is_thing and not PAID_BESIDES.intersection(words(named)) else ""


def left(run: str, question: str, asked_before: Sequence[str]) -> str:
    """What the follow-up leaves of these words of before: all; nothing, where it names another of their kind in their
    place; all but the number, where it is about another number, and but the day, month or year for another one."""
    units = {unit(word) for word in WORD.findall(question)} - {""}
    run = " ".join(word for word in run.split() if unit(word) not in units)
    if any(another(mine, run) for mine in content_runs(question)) or in_place(run, question, asked_before):
        return ""
    if terms(question) and all(term.isdigit() for term in terms(question)):
        return " ".join(word for word in run.split() if not word[:1].isdigit())
    return run


def another(mine: str, theirs: str) -> bool:
    """Whether they are two of a kind: a premium plan and a standard plan, offre premium and offre standard.

    Words are not told apart in scripts without spaces: two questions with one ending are not of a kind.
    """
    if UNSPACED_RUN.search(mine) or UNSPACED_RUN.search(theirs):
        return False
    mine_stems, stems = [stem(word) for word in words(mine)], [stem(word) for word in words(theirs)]
    if len(stems) < 2 or set(stems) <= set(mine_stems):
        return False
    return stems[-1] in mine_stems[1:] or stems[0] in mine_stems[:-1]


def in_place(name: str, question: str, asked_before: Sequence[str]) -> bool:
    """Whether the follow-up puts another name behind the same preposition: on Linux, on Windows."""
    places = {(found["preposition"].lower(), found["name"]) for found in PARALLEL.finditer(question)}
    before = {
        found["preposition"].lower()
        for said in asked_before
        for found in PARALLEL.finditer(said)
        if found["name"] == name
    }
    return is_name(name) and any(preposition in before and other != name for preposition, other in places)
