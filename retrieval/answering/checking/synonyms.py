"""Words that say the same, read as one of them: “permitted” is “allowed”. Pure."""

import re
from functools import lru_cache

from knowledge.texts.abbreviations import ends_no_sentence
from knowledge.texts.languages.questions import likeliest
from retrieval.answering.checking.numerals import ORDINALS
from retrieval.answering.checking.quantities import MONTH

# The first of each row stands for the others. Only what is the same in every sentence of a handbook or a contract.
_SAME = """
allow permit; allows permits; allowed permitted; allowing permitting; prohibited forbidden banned;
buy purchase; buys purchases; bought purchased; buying purchasing; bike bicycle; bikes bicycles;
start begin commence; starts begins commences; started began commenced; phone telephone; annual yearly;
receive get obtain; receives gets obtains; received obtained; doctor physician; doctors physicians; children kids;
lawyer attorney; lawyers attorneys; car automobile; cars automobiles; required needed; needs requires;
erlaubt gestattet; verboten untersagt; permis autorisé; permise autorisée; permises autorisées; interdit défendu;
permitido autorizado; permitida autorizada; prohibido vedado
"""
COMMON = {word: row.split()[0] for row in _SAME.split(";") for word in row.split()[1:]}
OTHERS = re.compile(rf"\b(?:{'|'.join(COMMON)})\b", re.IGNORECASE)
_OF_A_DATE = rf"(?! (?:of )?(?:{MONTH}|may)\b)"
FULL_STOP = re.compile(r"\.(?=\s)")
NUMBERED = re.compile(rf"(?<![\w.,-])(?P<number>1?[1-9]|[12]0)(?:st|nd|rd|th)\b{_OF_A_DATE}", re.IGNORECASE)
NOT_ALLOWED = re.compile(r"\b(?:not|never) (?:allowed|permitted)\b|\bnicht (?:erlaubt|gestattet)\b", re.IGNORECASE)
# In Polish, where “ma” would be Italian “but”; in Dutch “brak” is “broke”.
THERE_IS_NO = re.compile(r"\b(?:nie ma|brak)\b", re.IGNORECASE)
# A passage that charges for something else would seem to say otherwise.
FREE = re.compile(r"\b(?:free of (?:charge|cost)|(?:at|for) no (?:charge|cost)|without charge)\b", re.IGNORECASE)
INSTEAD_OF = re.compile(r"\bin (?:place|lieu) of\b", re.IGNORECASE)  # which way round is looked at by `relations`
# In Portuguese “no lago” denies nothing, it is in the lake. The language is asked for only where it may be that, not of
# Spanish “no más de dos”.
IN_THE = re.compile(r"\bno\b(?! (?:más|menos)\b)", re.IGNORECASE)
PORTUGUESE = re.compile(r"[ãõçáâéêíóôú]|\b(?:os?|uma?|dos|das)\b", re.IGNORECASE)
YEAR = re.compile(r"\bfor (?:twelve|12) months\b", re.IGNORECASE)


@lru_cache(maxsize=2048)
def in_common_words(text: str) -> str:
    """The text with each such word as the first of its row, in small letters, and “2nd” as “second”, “not allowed” as
    “prohibited”, “free of charge” as “free”, “for twelve months” as “for a year”, “in place of” as “instead of”, “Dr.”
    as “Dr”, Portuguese “no” as “em o”, Polish “nie ma” and “brak” as “nie”; all else as it stands."""
    if IN_THE.search(text) and PORTUGUESE.search(text) and likeliest(text) == ("pt",):
        text = IN_THE.sub("em o", text)
    whole = text
    text = FULL_STOP.sub(lambda stop: "" if ends_no_sentence(whole, stop.start()) else stop[0], whole)
    text = NUMBERED.sub(lambda ordinal: ORDINALS[int(ordinal["number"]) - 1], text)
    text = NOT_ALLOWED.sub(lambda said: "verboten" if said[0].casefold().startswith("nicht") else "prohibited", text)
    if THERE_IS_NO.search(text) and likeliest(text) != ("nl",):
        text = THERE_IS_NO.sub("nie", text)
    text = INSTEAD_OF.sub("instead of", YEAR.sub("for a year", FREE.sub("free", text)))
    return OTHERS.sub(lambda word: COMMON[word[0].casefold()], text)
