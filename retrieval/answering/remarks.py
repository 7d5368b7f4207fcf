"""What models say beside an answer, or in place of one: that they do not know, courtesies, a lone yes. Pure.

Everything is folded as `folded` folds.
"""

import re

from knowledge.texts.languages.little_words import NO, YES, of_every
from knowledge.texts.words import folded
from retrieval.answering.phrases import IN

REST = r"[^.,;:\d@/€$£%–—]{0,80}"
_NOT = r"(?:do not|does not|don't|doesn't|did not|didn't|cannot|can't|could not|couldn't)"
_SOURCES = r"(?:passages?|documents?|texts?|sources?)"
_IN_THEM = rf"in the (?:provided |given )?{_SOURCES}"
_OF_IT = rf"(?: (?:it|this|that|the answer|this question))?(?: {_IN_THEM})?"
_ASKED = r"(?:it|this|that|this question)"
# How it is said that something is not known: what may stand before that in a sentence that says nothing else, how it is
# said, and what may stand behind. Documents speak of “we”, too, and of what is not included.
_NOT_KNOWN = (
    ("", rf"i {_NOT} (?:know|answer|find)", REST),
    ("", rf"we {_NOT} (?:know|answer|find)", _OF_IT),
    ("(?:the )?(?:provided |given )?", rf"{_SOURCES} {_NOT} (?:answer|mention|say|state|specify|tell)", REST),
    ("(?:the )?(?:provided |given )?", rf"{_SOURCES} {_NOT} (?:contain|hold)",
     rf" (?:{_ASKED}|(?:any |the |an? )?(?:answer|information|mention){REST})"),
    ("(?:this|that|it) is ", "not (?:mentioned|specified|provided|stated|found) in the",
     rf" (?:provided |given )?{_SOURCES}"),
    ("(?:there is )?", "no (?:information|answer)", rf"(?: (?:on|about|regarding|for|to) {_ASKED})?(?: {_IN_THEM})?"),
    ("", "je ne (?:le )?sais pas", ""),
    ("(?:das )?", "weiss ich nicht|ich weiss (?:es )?nicht", ""),
    ("(?:das|dies|es) (?:ist|wird) in den (?:dokumenten|quellen|textstellen) ", "nicht (?:angegeben|enthalten)", ""),
    ("(?:eso |esto )?", "no lo se|no se menciona", "(?: en (?:los documentos|las fuentes|el texto))?"),
    ("", "non lo so|weet (?:ik )?het niet|ik weet het niet|nao sei|nie wiem", ""),
    ("", "(?:я )?не знаю|нет ответа", ""),
    ("[我们]{0,2}", "不知道", ""),
    ("(?:文[档中件]{1,2}|资料中?)?", "没有(?:提到|答案)", "(?:这一点|这个问题)?"),
    ("", "わかりません|分かりません|لا اعرف|لا اعلم", ""),
)  # fmt: skip
NOT_KNOWN = re.compile(rf"(?:\b|(?<=[\u3040-\u9fff]))(?:{'|'.join(said for _, said, _ in _NOT_KNOWN)})")
IGNORANCE = re.compile(rf"(?:{'|'.join(rf'{before}(?:{said}){behind}' for before, said, behind in _NOT_KNOWN)})[.!。]?")
REFUSALS = frozenset(folded(said.refusal) for said in IN.values())
LONGEST_REFUSAL = 200  # characters: in a longer text it is a remark

YES_OR_NO = re.compile(rf"(?:{'|'.join(sorted(of_every(YES, NO)))})[.!。！]?")
COURTESY = re.compile(
    rf"(?:(?:please )?(?:let me know|feel free to (?:ask|reach out))(?: me)?"
    rf"(?: if (?:you (?:have|need|want|would like)|there is anything)\b{REST})?"
    rf"|(?:i )?hope (?:this|that) helps|is there anything else (?:i can|you)\b{REST}"
    r"|ich hoffe,? das hilft(?: dir| ihnen)?(?: weiter)?|n'hesitez pas(?: a (?:demander|me contacter))?"
    r"|espero que (?:te |le )?ayude|spero che (?:ti |le )?sia utile|ik hoop dat dit helpt|espero que ajude)[.!?]*"
)
GOES_ON = re.compile(
    r"\b(?:but|however|although|except|and|so|because|therefore|hence|thus|which|since|also|instead|as|then|it is)\b"
)


def is_remark(sentence: str) -> bool:
    """A lone yes or no, a courtesy, or that something is not known: no claim, if nothing else is said with it."""
    said = _folded(sentence).strip("*_ ")
    said = re.sub(r"^(?:(?:however|unfortunately|but),? )+", "", said)
    if YES_OR_NO.fullmatch(said) or said in REFUSALS:
        return True
    return bool((COURTESY.fullmatch(said) or IGNORANCE.fullmatch(said)) and not GOES_ON.search(said))


def says_not_known(text: str) -> bool:
    """Whether a model's whole answer is that it does not know."""
    letters = _folded(text)
    own = any(refusal in letters for refusal in REFUSALS)
    return len(letters) <= LONGEST_REFUSAL and (own or bool(NOT_KNOWN.search(letters)))


def _folded(text: str) -> str:
    return folded(text).replace("’", "'")
