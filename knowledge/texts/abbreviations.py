"""Full stops that end no sentence: those of abbreviations and of German ordinals. Pure."""

import re

from knowledge.texts.languages.calendar import MONTHS, SHORT_MONTHS, in_order

_ANYWHERE = (
    r"e\.g|i\.e|cf|vs|etc|approx|resp|incl|excl|inc|ltd|co|jr|z\.\s?b|d\.\s?h|u\.\s?a|i\.\s?d\.\s?r|bzw|ca|usw|ggf|inkl"
    r"|exkl|zzgl|mwst|lt|vgl|dipl(?:\.-\w+)?|env|bd|p\.\s?ej|(?-i:Uds?)|mio|mrd|ee|godz|(?:do|na|od|przy|w|z)\sul|стр|ул"
    r"|т\.е|т\.д|г"
)
_BEFORE_A_NAME = (
    r"dr|mr|mrs|ms|prof|st|sr|sra|dra|mme|mlle|dott|(?:al|con|dal|del|e|il)\ssig|(?-i:Av|Fr|Herrn?|Ing|Sig)"
)
_MONTHS = "|".join({name: None for *_, name in in_order(SHORT_MONTHS)})
_BEFORE_A_NUMBER = (  # words of their own elsewhere: “as such” is “comme tel”
    r"nos?|nr|vol|cap|núm|figs?|secs?|ch|chap|pp?|art|abs|blz|s?fr|ext|(?<!\d )min|max|mín|máx|maks|mind|p[aá]gs?"
    rf"|t[eé]l|\w*str|mar|{_MONTHS}"
)
# And an initial, but no unit: “kept at 4 °C. Meat is …”
ANYWHERE = re.compile(rf"(?:\b(?:{_ANYWHERE})|(?<![°\d])(?<!\d )\b[^\W\d_]|(?:^|[,:(])\s*ul)\Z", re.IGNORECASE)
BEFORE_A_NAME = re.compile(rf"(?<![\w–-])(?:{_BEFORE_A_NAME})\Z", re.IGNORECASE)
BEFORE_A_NUMBER = re.compile(rf"\b(?:{_BEFORE_A_NUMBER})\Z", re.IGNORECASE)
NAME = re.compile(r"\s+[^\W\d_a-zß-ÿ]")
NUMBER = re.compile(r"\s?[+(]?\d|\s(?:[IVX]+|[A-Z])\b")  # of a page, of a house, to be called
# German sets a full stop behind an ordinal, and a capital before every noun.
_GERMAN_MONTHS = (name.capitalize() for *_, name in in_order(MONTHS, SHORT_MONTHS, languages=frozenset(("de",))))
MONTH = re.compile(rf"\s(?:{'|'.join(_GERMAN_MONTHS)})\b")
DAY = re.compile(r"(?<!\d)\d{1,2}\Z")
ORDINAL = re.compile(
    r"(?:(?<!\bI )\bam|\b(?:im|vom|zum|zur|beim|der|die|das|dem|den|des|jeden|jedem|jeder))\s\d{1,2}\Z", re.IGNORECASE
)
NOUN = re.compile(r"\s+[^\W_]")
LOOKED_AT = 40  # characters before a full stop


def ends_no_sentence(text: str, stop: int) -> bool:
    """Whether the full stop at this place of a text is an abbreviation's or an ordinal's."""
    earliest = max(0, stop - LOOKED_AT)
    before, behind = text[max(earliest, text.rfind("\n", earliest, stop) + 1) : stop], stop + 1
    return bool(
        ANYWHERE.search(before)
        or (BEFORE_A_NAME.search(before) and NAME.match(text, behind))
        or (BEFORE_A_NUMBER.search(before) and NUMBER.match(text, behind))
        or (ORDINAL.search(before) and NOUN.match(text, behind))
        or (DAY.search(before) and MONTH.match(text, behind))
    )
