"""Words that make a question of what is looked for, and that Postgres's lists of stop words leave out.

Headings of an FAQ begin with them, so a question found every heading that asks the same way; in a manual that asks
nothing they stand nowhere, and seemed to be the rarest words of all.
"""

_WORDS = {
    "english": """aren couldn didn doesn don hadn hasn isn ll mustn needn shouldn ve wasn weren wouldn""",
    "french": """combien comment laquelle lequel lesquelles lesquels où pourquoi quand quel quelle quelles quels""",
    "german": """wann warum wem wen wer weshalb wessen wieso wieviel woher wohin""",
    "italian": """perchè quando""",
    "portuguese": """onde porque quais quanta quantas quanto quantos""",
    "spanish": """adónde cuál cuáles cuándo cuánta cuántas cuánto cuántos cómo dónde quién quiénes""",
    "dutch": """waar waarom waarvoor wanneer welk welke""",
}
QUESTION_WORDS = {language: frozenset(words.split()) for language, words in _WORDS.items()}
NONE: frozenset[str] = frozenset()


def without_question_words(language: str, analysed: str) -> str:
    """The words of a query without those; all of them where nothing would be left."""
    unwanted = QUESTION_WORDS.get(language, NONE)
    return " ".join(word for word in analysed.split() if word.casefold() not in unwanted) or analysed
