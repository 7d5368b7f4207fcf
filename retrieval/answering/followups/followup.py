"""A follow-up becomes a question that stands alone. The reader sees it and may word it otherwise. Pure.

A model's wording is taken only if it keeps what was asked, keeps the subject and adds nothing that was not said. Else,
and without a model, the subject is put behind the question in brackets: plain, and never wrong about what it adds.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import dropwhile

from knowledge.texts.languages.documents import detect
from knowledge.texts.languages.questions import language_of, likeliest
from knowledge.texts.stops import STOPS
from knowledge.texts.words import UNSPACED_RUN, folded, terms, words
from retrieval.answering.checking.support import lacking
from retrieval.answering.followups.ellipsis import (
    FRAGMENT,
    another_thing,
    completed,
    exchanged,
    left,
    priced,
    recounted,
    renamed,
    rescheduled,
    spliced,
    without_aside,
)
from retrieval.answering.followups.subjects import (
    PRICES,
    SUBJECT_FIRST,
    content_runs,
    is_name,
    names_only_attributes,
    refers,
    says_that_there_is,
)
from retrieval.answering.sentences import sentence_spans
from retrieval.query import LONGEST_WRITTEN

FEW = 2  # content words: "And on Sundays?" asks nothing by itself
KEPT = 0.6  # of the follow-up's content words, in its new wording
LONGEST = 300
REMEMBERED = 4  # turns
MOST_RUNS = 8  # of words that are put behind a question: what was pasted has any number
LEADING_ON = (":", "…", "...")
CLOSING = "\"'”’“»)`"
BEFORE = " \t¿¡\"'“„«"
OPENINGS = {
    "en": r"and|but|or|so|then|even|what about|how about|why not",
    "fr": r"et|mais|ou|alors|même",
    "de": r"und|aber|oder|dann|auch|sogar",
    "es": r"y|e|pero|o|entonces|incluso",
    "it": r"e|ma|o|allora|anche|perfino|persino",
    "nl": r"en|maar|dan|ook|zelfs",
    "pt": r"e|mas|ou|então|mesmo",
    "pl": r"a|i|ale|albo|więc|nawet",
    "cs": r"a|i|ale|nebo|tak",
    "ru": r"а|и|но|даже",
    "ar": r"و|ولكن",
}
UNSPACED_OPENINGS = {  # 但书, 而立 and あと何日 go on with nothing
    "zh": r"还有|還有|但(?![书書丁凡愿願])|可是|然[后後]|而(?![立今后後])",
    "ja": r"では|じゃあ|でも|そして|しかし|あと(?:は|[、,])",
}
ASKING = re.compile(  # a whole question, not "On Sundays?"
    r"(?:what|who|whose|when|where|which|how|why|is|are|was|were|do(?! not\b)|does|did|can|could|may|must|should"
    r"|will|would|has|have|was|wer|wem|wen|wann|wo|welche[mnrs]?|wie|warum|ist|sind|hat|haben|kann|darf|muss|gibt"
    r"|que|qui|quand|où|quel(?:le)?s?|combien|comment|pourquoi|est|sont"
    r"|qué|quién|cuándo|dónde|cuál(?:es)?|cuánt[oa]s?|cómo|chi|quando|dove|quale|quali|quanto|come|perché"
    r"|wat|wie|wanneer|waar|hoe|waarom|quem|onde|qual|quais|как|что|кто|когда|где|сколько|почему|какой|какая|какие)\b",
    re.IGNORECASE,
)

# What people say to a person who answers them, by the language that they say it in, and what stands beside it.
_COURTESIES = {
    "en": "thanks thank thx cheers ok okay great perfect nice cool super sure wow yes yeah hi hello hey bye",
    "de": "danke dank dankeschön sicher hallo servus moin gutentag gutenmorgen gutenabend",
    "fr": "merci sûr bonjour bonsoir",
    "es": "estás hola gracias buenas buenosdías buenastardes buenasnoches",
    "it": "ciao grazie buongiorno buonasera",
    "nl": "bedankt hoi",
    "pt": "obrigado obrigada olá bomdia boatarde boanoite",
    "pl": "cześć dziękuję",
    "ru": "спасибо привет здравствуйте",
    "ar": "شكرا مرحبا",
    "zh": "你好 您好",
    "ja": "こんにちは",
    "ko": "안녕하세요",
    "sv": "hej",
}
_BESIDE = (
    "you very much so a lot many for your the help answer that this it i is are all again"
    " vielen sehr schön bist du sind sie beaucoup bien êtes vous muchas seguro segura mille"
    " wel muito большое جزيلا"
)
WITHIN_GREETING = re.compile(  # a BOM is none, nor is a cool tag
    r"(?<=\bguten)\s+(?=(?:tag|morgen|abend)\b)|(?<=\bbuenos)\s+(?=dias\b)|(?<=\bbuenas)\s+(?=(?:tardes|noches)\b)"
    r"|(?<=\bbom)\s+(?=dia\b)|(?<=\bboa)\s+(?=(?:tarde|noite)\b)"
)
COURTESIES = {word: language for language, said in _COURTESIES.items() for word in words(said)}
BESIDE = frozenset(words(_BESIDE))
# Said to whoever answers, or asked about themselves. Not „Wer sind Sie?“: they may be others, who were spoken of.
_CHIT_CHAT = """
good morning; good afternoon; good evening;
who are you; what are you; how are you; what's your name; what is your name; are you a robot; are you human;
what can you do; what can you do for me; what can you help me with; tell me a joke; tell me another joke;
wer bist du; was bist du; wie heißt du; wie geht es dir; wie geht es ihnen; wie geht's; was kannst du;
was kannst du tun; erzähl einen witz; erzähl mir einen witz; erzähle mir einen witz;
qui es tu; qui êtes vous; comment vas tu; comment allez vous; comment ça va; ça va; comment t'appelles tu;
que peux tu faire; que pouvez vous faire; que sais tu faire; raconte moi une blague; racontez moi une blague;
quién eres; quién es usted; cómo estás; cómo te llamas; qué puedes hacer; cuéntame un chiste;
chi sei; come stai; come ti chiami; cosa puoi fare; cosa sai fare; raccontami una barzelletta;
wie ben je; wie bent u; hoe heet je; hoe gaat het; wat kun je; wat kan je; vertel een mop; vertel me een mop;
quem é você; quem és tu; como você se chama; tudo bem; o que você pode fazer; conte uma piada; conta uma piada;
kim jesteś; jak się masz; co potrafisz; opowiedz dowcip; opowiedz mi dowcip;
кто ты; кто вы; как тебя зовут; как дела; что ты умеешь; что вы умеете; расскажи анекдот; расскажи шутку;
من انت; من أنت; كيف حالك; ما اسمك; ماذا يمكنك ان تفعل; ماذا يمكنك أن تفعل;
你是谁; 你是誰; 你叫什么名字; 你好吗; 你能做什么; 你会做什么; 讲个笑话; 给我讲个笑话;
あなたは誰; あなたは誰ですか; お名前は; 何ができますか; お元気ですか; ジョークを言って
"""
CHIT_CHAT = frozenset(tuple(words(said)) for said in _CHIT_CHAT.split(";"))
UNSPACED_COURTESY = re.compile(
    r"(?:(?:谢谢|謝謝|多谢|好的|ありがとう(?:ございま(?:す|した))?|どうも)[你您啊了！。!.、,\s]*)+"
)


@dataclass(frozen=True, slots=True)
class Turn:
    """What was asked before, as it was understood, and the words that answered it."""

    question: str
    answer: str = ""
    cited: str = ""  # headings and quotations


def asks_nothing(question: str) -> bool:
    """Whether it is said to whoever answers, and nothing is asked of the documents: “ok thanks”, “Are you sure?”, “Hi,
    who are you?”"""
    said = _greeted(question)
    is_courtesy = not COURTESIES.keys().isdisjoint(said) and BESIDE.union(COURTESIES).issuperset(said)
    is_chit_chat = not CHIT_CHAT.isdisjoint([tuple(said), tuple(dropwhile(COURTESIES.__contains__, said))])
    return is_courtesy or is_chit_chat or bool(UNSPACED_COURTESY.fullmatch(question.strip()))


def is_courtesy(sentence: str) -> bool:
    """Whether a sentence before a question only greets or thanks: “Good morning, thanks a lot for yesterday.”"""
    said = _greeted(sentence)
    greets, thanks = tuple(said[:2]) in CHIT_CHAT, sum(map(COURTESIES.__contains__, said[:3]))
    return asks_nothing(sentence) or thanks + greets > 1


def _greeted(question: str) -> list[str]:
    """Its words, each greeting as one."""
    return words(WITHIN_GREETING.sub("", folded(question)))


def courteous_in(question: str) -> str:
    """The language of its courtesies; of English, which is said in others, too, where there is nothing else."""
    languages = (COURTESIES.get(word, "en") for word in _greeted(question))
    return next((language for language in languages if language != "en"), "en")


def depends(question: str, history: Sequence[Turn]) -> bool:
    """Whether a question needs what was said before it."""
    if not history:
        return False
    return refers(question) or goes_on(question) or (says_little(question) and not changes_language(question, history))


def may_stand_alone(question: str) -> bool:
    """Whether one that says little may be all that is asked: “What are the opening hours?”, “opening hours”; not what
    the thing of before has as others do: “What is the deposit?”"""
    said, runs = question.strip(f"{BEFORE}?"), content_runs(question)
    is_whole = ASKING.match(said) or (runs == [said] and " " in said)
    is_own = bool(runs and is_whole) and not names_only_attributes(question)
    return is_own and not (refers(question) or goes_on(question))


def changes_language(question: str, history: Sequence[Turn]) -> bool:
    """Whether it is in another language than the question before, as far as both can be told."""
    spoken, before = languages(question), languages(history[-1].question)
    return bool(spoken and before) and spoken.isdisjoint(before)


def languages(question: str) -> set[str]:
    """Those that it may be in; the one of its script, where only that is told."""
    return {*likeliest(question)} or {detect(question)} - {""}


def goes_on(question: str) -> bool:
    """Whether it begins as what goes on with something: And …"""
    language, said = language_of(question), question.lstrip(BEFORE)
    if unspaced := UNSPACED_OPENINGS.get(language):
        return bool(re.match(unspaced, said))
    return bool(opening(said, language))


def opening(said: str, language: str) -> re.Match[str] | None:
    return re.match(rf"(?:{OPENINGS.get(language, OPENINGS['en'])})\b", said, re.IGNORECASE)


def says_little(question: str) -> bool:
    """Whether it names too little to be understood alone. What asks something of something does not, nor whether there
    is something: “What is the salary of the CEO?”, “Is there parking?”"""
    runs, asks = len(content_runs(question)), ASKING.match(question.lstrip(BEFORE))
    whole = (asks and runs > 1) or (runs and says_that_there_is(question))
    return len(terms(question)) <= FEW and not whole


def subject(history: Sequence[Turn]) -> str:
    """What the conversation is about: the longest runs of words of its last question, its subject, and names."""
    for turn in reversed(history):
        runs = [*dict.fromkeys(content_runs(turn.question))]
        answered = terms(f"{turn.answer} {turn.cited}")
        if runs:
            longest = max(len(run.split()) for run in runs)
            likely = [run for run in runs if len(run.split()) == longest]
            chosen = ([run for run in likely if terms(run) & answered] or likely)[-2:]
            named = runs[:1] if SUBJECT_FIRST.match(turn.question) else []
            names = [run for run in runs if run not in chosen and (run in named or is_name(run))]
            return ", ".join([*names, *chosen])
    return ""


def by_rule(question: str, history: Sequence[Turn]) -> str:
    """The follow-up with the subject behind it, as far as it neither names it itself nor replaces it; one that says
    only for whom, when or where, as the question of before about that. What was pasted needs nothing.
    """
    if is_pasted(question):
        return question
    before = [ending(turn.question) for turn in history]
    if not is_pasted(history[-1].question) and (whole := restated(question, marked(before[-1]))):
        return whole
    runs = asked_of(question, before) if leaves_out(question) else [run for run in subject(history).split(", ") if run]
    runs = runs[-MOST_RUNS:]
    asked, gone = completed(question.strip(), before, runs)
    named = terms(asked)
    kept = [run for run in runs if run != gone and not terms(run) <= named]
    about = ", ".join(dict.fromkeys(filter(None, (left(run, asked, before) for run in kept))))
    return f"{asked} ({about})" if about else asked


def is_pasted(question: str) -> bool:
    return len(question) > LONGEST_WRITTEN


def ending(question: str) -> str:
    """The question; of what was pasted, the words at its end, where it is asked about and what it was understood as."""
    return question[-LONGEST_WRITTEN:].partition(" ")[2] if is_pasted(question) else question


def without_opening(question: str) -> str:
    said = question.lstrip(BEFORE)
    opened = opening(said, language_of(question))
    return said[opened.end() :].lstrip() if opened else said


def marked(question: str) -> str:
    """With the question mark that was left out, before the brackets behind it: “what does it cost (cargo bike)”; in the
    place of what only leads on: “what does it cost:”"""
    asked = without_aside(question)
    said = asked.rstrip()
    said = said.rstrip(" .:…") if said.endswith(LEADING_ON) else said
    *_, last = ("", *(said[span.start : span.end] for span in sentence_spans(said)))
    is_unmarked = ASKING.match(without_opening(last)) and not said.rstrip(CLOSING).endswith(tuple(STOPS))
    return f"{said}?{question[len(asked) :]}" if is_unmarked else question


def leaves_out(question: str) -> bool:
    """Whether it goes on with something and says not what is asked about that: “And the trailer?”"""
    said = without_opening(question).split()
    is_fragment = len(said) <= FRAGMENT and not any(ASKING.match(word) for word in said)
    return language_of(question) not in UNSPACED_OPENINGS and goes_on(question) and is_fragment and not refers(question)


def asked_of(question: str, before: Sequence[str]) -> list[str]:
    """What the last of these questions asks, and about what; what that leaves out, of the last one that says it. Of
    things whose price is asked not those that another one took the place of, in the follow-up at the latest."""
    said, whole = without_aside(before[-1]), before[-1]
    runs: list[str] = []
    if leaves_out(said):
        runs = content_runs(said)
        whole = next((one for one in reversed(before) if not leaves_out(without_aside(one))), whole)
    runs += content_runs(whole, PRICES)
    things = [thing for one in (said, question) if (thing := another_thing(without_opening(one)))]
    replaced = [first, *things[:-1]] if things and (first := priced(whole)) else []
    return [run for run in dict.fromkeys(runs) if run not in replaced]


def restated(question: str, before: str) -> str:
    """The question of before, asked about what this one names instead or besides; empty where this is its own."""
    said = without_opening(question)
    whole = ASKING.match(before.lstrip(BEFORE)) and not refers(said)
    again = (exchanged(said, before) or spliced(said, before) or renamed(said, before)) if whole else ""
    return again or rescheduled(said, before) or recounted(said, before)


def acceptable(wording: str, question: str, history: Sequence[Turn]) -> bool:
    """Whether a model's wording asks the same: nothing lost, nothing invented, one line.

    Of words some may change; names, numbers and letters (“panel C”) may not. A question that says enough may stay as it
    is: a model knows better than its words whether it stands alone.
    """
    if words(wording) == words(question) and not says_little(question):
        return True
    if not wording or "\n" in wording or len(wording) > LONGEST:
        return False
    asked, worded, about = terms(question), terms(wording), terms(subject(history))
    known = asked.union(*(terms(f"{turn.question} {turn.answer} {turn.cited}") for turn in history))
    named = {term for term in asked if any(character.isdigit() for character in term)}
    keeps = len(asked & worded) >= len(asked) * KEPT and named <= worded and not lacking(question, wording)
    return keeps and (not about or bool(worded & about)) and not invented(worded, known)


def invented(worded: set[str], known: set[str]) -> bool:
    """Whether it has words that were not said. Pairs of characters that come together anew are none."""
    said = {character for term in known for character in term}
    return any(not (UNSPACED_RUN.match(term) and said.issuperset(term)) for term in worded - known)


def cleaned(text: str) -> str:
    """A model's wording without what models put around it."""
    first = text.strip().split("\n")[0].strip()
    return re.sub(r"^(?:standalone )?question\s*:\s*", "", first, flags=re.IGNORECASE).strip("\"'“”„ ")
