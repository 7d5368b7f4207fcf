"""The few sentences that Muniment itself says in an answer, in the question's language."""

import re
from collections.abc import Sequence

from retrieval.answering.words import plain

# Language: that the documents do not tell; that these are quotations; that the model is away.
PHRASES = {
    "en": (
        "The documents do not answer this question.",
        "From the documents:",
        "The chat model is not available. From the documents:",
    ),
    "fr": (
        "Les documents ne répondent pas à cette question.",
        "Extrait des documents :",
        "Le modèle de langage n'est pas disponible. Extrait des documents :",
    ),
    "de": (
        "Die Dokumente beantworten diese Frage nicht.",
        "Aus den Dokumenten:",
        "Das Sprachmodell ist nicht erreichbar. Aus den Dokumenten:",
    ),
    "es": (
        "Los documentos no responden a esta pregunta.",
        "De los documentos:",
        "El modelo de lenguaje no está disponible. De los documentos:",
    ),
    "it": (
        "I documenti non rispondono a questa domanda.",
        "Dai documenti:",
        "Il modello linguistico non è disponibile. Dai documenti:",
    ),
    "nl": (
        "De documenten beantwoorden deze vraag niet.",
        "Uit de documenten:",
        "Het taalmodel is niet beschikbaar. Uit de documenten:",
    ),
    "pt": (
        "Os documentos não respondem a esta pergunta.",
        "Dos documentos:",
        "O modelo de linguagem não está disponível. Dos documentos:",
    ),
    "ru": (
        "В документах нет ответа на этот вопрос.",
        "Из документов:",
        "Языковая модель недоступна. Из документов:",
    ),
    "zh": ("文档中没有这个问题的答案。", "摘自文档：", "语言模型不可用。摘自文档："),
    "ja": ("文書にはこの質問の答えがありません。", "文書からの引用：", "言語モデルを利用できません。文書からの引用："),
    "ar": ("لا تجيب الوثائق عن هذا السؤال.", "من الوثائق:", "نموذج اللغة غير متاح. من الوثائق:"),
}

# What was searched, and what may help.
SEARCHED = {
    "en": "Searched: {}. It may help to use the documents' own words, to name the product or file that is meant, or"
    " to search more libraries.",
    "fr": "Recherché dans : {}. Il peut être utile d'employer les mots des documents, de nommer le produit ou le"
    " fichier visé, ou de chercher dans plus de bibliothèques.",
    "de": "Durchsucht: {}. Es kann helfen, die Wörter der Dokumente zu benutzen, das Produkt oder die Datei zu nennen"
    " oder in mehr Bibliotheken zu suchen.",
    "es": "Se buscó en: {}. Puede ayudar usar las palabras de los documentos, nombrar el producto o el archivo, o"
    " buscar en más bibliotecas.",
    "it": "Cercato in: {}. Può aiutare usare le parole dei documenti, nominare il prodotto o il file, o cercare in più"
    " biblioteche.",
    "nl": "Doorzocht: {}. Het kan helpen de woorden van de documenten te gebruiken, het product of bestand te noemen of"
    " meer bibliotheken te doorzoeken.",
    "pt": "Pesquisado em: {}. Pode ajudar usar as palavras dos documentos, indicar o produto ou o ficheiro, ou"
    " pesquisar mais bibliotecas.",
    "ru": "Поиск в: {}. Может помочь, если взять слова из документов, назвать продукт или файл или искать в других"
    " библиотеках.",
    "zh": "已搜索：{}。可以尝试使用文档中的词语，指明产品或文件，或搜索更多资料库。",
    "ja": "検索先：{}。文書の言葉を使う、製品やファイルの名前を挙げる、"
    "または他のライブラリも検索すると見つかるかもしれません。",
    "ar": "تم البحث في: {}. قد يفيد استعمال كلمات الوثائق، أو تسمية المنتج أو الملف، أو البحث في مكتبات أخرى.",
}

# How models say that they do not know, folded as `plain` folds.
NOT_KNOWN = re.compile(
    r"\b(?:i|we) (?:do not|don't|cannot|can't|could not) (?:know|answer|find)"
    r"|\b(?:passages?|documents?|texts?) (?:do not|does not|don't|doesn't) (?:answer|contain|hold|mention|say|state)"
    r"|\bnot (?:mentioned|specified|provided|stated|found) in the|\bno (?:information|answer)\b"
    r"|je ne sais pas|weiss ich nicht|ich weiss (?:es )?nicht|nicht (?:angegeben|enthalten)|no lo se|no se menciona"
    r"|non lo so|weet (?:ik )?het niet|ik weet het niet|nao sei|(?:я )?не знаю|нет ответа"
    r"|不知道|没有(?:提到|答案)|わかりません|分かりません|لا اعرف|لا اعلم"
)
LONGEST_REFUSAL = 200  # characters: in a longer text it is a remark


def phrase(language: str) -> tuple[str, str, str]:
    """Refusal, lead-in of an extract, lead-in of an extract without a model."""
    return PHRASES.get(language, PHRASES["en"])


def searched_phrase(language: str, libraries: Sequence[str]) -> str:
    """A refusal, with what was searched and what would help."""
    refusal = phrase(language)[0]
    helping = SEARCHED.get(language, SEARCHED["en"])
    return f"{refusal} {helping.format(', '.join(libraries))}" if libraries else refusal


def says_not_known(text: str) -> bool:
    """Whether a model's whole answer is that it does not know."""
    folded = plain(text).replace("’", "'")
    own = any(plain(refusal) in folded for refusal, _, _ in PHRASES.values())
    return len(folded) <= LONGEST_REFUSAL and (own or bool(NOT_KNOWN.search(folded)))
