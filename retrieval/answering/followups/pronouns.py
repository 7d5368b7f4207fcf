"""What stands for something that was named before, by language. Pure."""

import re

from knowledge.texts.languages import little_words

# By language: "die", "en" and "lo" are pronouns in one and articles or prepositions in another.
_REFERRING = {
    "en": "it this that these those they them theirs he him she hers one ones there then same former latter",
    "fr": "lui cela ceci ça celui celle ceux cette ces",
    "de": "er sie es ihn ihm dies diese dieser dieses diesen diesem dessen dort dann davon damit dafür",
    "es": "ello esto eso este esta estos estas ese esa él ellos ellas",
    "it": "esso essa essi questo questa questi quello quella",
    "nl": "dit deze hij zij ze ervan daarvan",
    "pt": "ele ela eles elas isso isto",
    "ru": "он она оно они его ее её их это этот эта там тогда",
    "ar": "هو هي هم ذلك هذا",
}
# They may refer to what their own question names before them: "When does the library open its doors?"
_NEAR = {
    "en": "its their his her",
    "fr": "il elle ils elles leur leurs y",
    "de": "ihr ihre ihren ihrem ihrer seine seinen seinem seiner",
    "es": "su sus",
    "it": "suo sua suoi sue",
    "nl": "hun haar",
    "pt": "seu sua seus suas",
}
REFERRING = {language: frozenset(said.split()) for language, said in _REFERRING.items()}
NEAR = {language: frozenset(said.split()) for language, said in _NEAR.items()}
_BEFORE_THAT = (
    "ab abends als am an auch auf aus bei beim bis dann denn eigentlich für heute ich im immer in ist jetzt man mit"
    " nach nicht noch nur oder ohne pro schon sonst und von vor während wir zum zur"
)
GERMAN_THAT = rf"(?<!,\s)\bdas\b(?=\s*(?:[?!.]|$)|\s+(?:{'|'.join(_BEFORE_THAT.split())})\b)"
_NO_ADJECTIVES = "alle beide bitte deine diese eine euere gerne heute ihre jede keine meine ohne seine unsere viele"
GERMAN_THAT_OR_THE = (  # not before a noun, which has a capital, nor before adjectives and a noun
    rf"(?<!,\s)\b[Dd]as\b(?!,|\s+(?:(?!(?:{'|'.join(_NO_ADJECTIVES.split())})\b)[a-zäöüß]+e\s+)*"
    r"(?:\d+-|[a-zäöüß]*[A-ZÄÖÜ]))"
)
_PERSONS = "je|tu|on|nous|vous|ils?|elles?"
PRONOUNS = {  # where what stands beside them tells them from articles and prepositions
    "de": re.compile(rf"{GERMAN_THAT}|{GERMAN_THAT_OR_THE}"),
    "fr": re.compile(
        rf"\ben\s+[^\W\d_]+-(?:t-)?(?:{_PERSONS})\b"
        r"|\b(?:on|nous|vous|comment)\s+en\s+(?!hiver|janvier|février|mer\b|papier|particulier|premier|dernier)"
        r"[^\W\d_]+(?<=er|ir|re)\b"
        r"|\b(?:y\s+|[jnmts]['’])en\b|\bqu['’]en est-il\b"
        r"|(?<!\boù\s)\ben\s+(?:ai|as?|ont|avoir|est|sont|faut|peut|peuvent|doit|doivent)\b",
        re.IGNORECASE,
    ),
    "es": re.compile(
        r"(?<!\ba\s)(?<!\bde\s)(?<!\ben\s)(?<!\bcon\s)(?<!\bpor\s)(?<!\bpara\s)\blo\s+"
        r"(?!(?:que|cual|de|del|más|menos|mejor|peor|antes|mismo|siguiente|contrario|necesario|suficiente|bueno|malo"
        r"|primero|último|único|básico|importante)\b|[^\W\d_]+ que\b)[^\W\d_]",
        re.IGNORECASE,
    ),
}
LOWER_CASE_PRONOUNS = PRONOUNS | {"de": re.compile(GERMAN_THAT)}
# English: "the bike that I borrowed", "members that live abroad"; not "What does that cost?", "Who pays that fee?"
RELATIVE = re.compile(
    r"\b(?:(?P<article>[^\W\d_]+)\s+)?(?P<noun>[^\W\d_]+)\s+that\s+(?=(?P<after>[^\W\d_]+))", re.IGNORECASE
)
AUXILIARIES = frozenset(little_words.AUXILIARIES["en"].split()) - {"be", "been"}  # no question begins with these
BEHIND_RELATIVE = AUXILIARIES | {"i", "you", "we", "they", "he", "she"}
VERB_IN_S = re.compile(  # many of them would be "those"
    r"(?!(?:as|its|series|species|news|lens|gas|canvas|always|sometimes|besides|afterwards|weekends|(?:out|in)doors"
    r"|overseas|(?:up|down)stairs)\b)[a-z]+(?<!s)(?<!u)(?<!i)(?<!selve)s"
)
_WORD_BEGINS = r"(?:(?<![ぁ-ん])|(?<=[はがをにでもとら]))"  # after no hiragana, or after a particle
UNSPACED_REFERRING = {
    "zh": re.compile(r"(?<!其)[它她牠]|[这這]|(?<![罗羅刹])那(?!不勒|利群|曲)|(?<![其吉])他(?![国國人乡鄉性权權命])"),
    "ja": re.compile(
        r"(?<!お)それ(?!ぞれ|とも)|これ(?!から|まで)|そちら|彼(?!岸)"
        rf"|{_WORD_BEGINS}(?:その(?!他|ほか|後|まま)|(?<![いお]と)この|そこ(?!そこ))"
    ),
}
EXISTS = {  # "Is there a pool?" names what it asks about
    "en": re.compile(r"\b(?:is|are|was|were) there\b|\bthere (?:is|are|was|were)\b", re.IGNORECASE),
    "fr": re.compile(
        r"\by (?:a|aura|avait|aurait)[- ]t[-' ]il\b|\bil (?:n['’])?y (?:a|aura|avait|aurait)\b"
        r"|\bil (?:\w+ )?y avoir\b|\bexiste-t-il\b",
        re.IGNORECASE,
    ),
    "de": re.compile(r"\bgibt es\b|\bes gibt\b", re.IGNORECASE),
    "es": re.compile(r"\bhay\b", re.IGNORECASE),
    "it": re.compile(r"\bc['’]è\b|\bci sono\b", re.IGNORECASE),
    "nl": re.compile(r"\b(?:is|zijn) er\b", re.IGNORECASE),
    "pt": re.compile(r"\bhá\b", re.IGNORECASE),
}
IMPERSONAL = {
    "es": re.compile(r"\ben su (?:totalidad|mayoría|conjunto|caso|día|momento)\b", re.IGNORECASE),
    "fr": re.compile(r"\bil faut\b|\bfaut-il\b", re.IGNORECASE),
    "ar": re.compile(r"(?:ما|من) (?:هو|هي|هم)"),
}
NOTHING = re.compile(r"(?!)")
