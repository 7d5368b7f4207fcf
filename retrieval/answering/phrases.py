"""The few sentences that Muniment itself says in an answer, in the question's language."""

import re
from collections.abc import Sequence

from knowledge.texts.words import plain

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
    "pl": (
        "Dokumenty nie odpowiadają na to pytanie.",
        "Z dokumentów:",
        "Model językowy jest niedostępny. Z dokumentów:",
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

# Said before quotations, in the place of what a model was asked for and did not write.
WROTE_NOTHING = {
    "en": "The chat model wrote nothing.",
    "fr": "Le modèle de langage n'a rien écrit.",
    "de": "Das Sprachmodell hat nichts geschrieben.",
    "es": "El modelo de lenguaje no escribió nada.",
    "it": "Il modello linguistico non ha scritto nulla.",
    "nl": "Het taalmodel heeft niets geschreven.",
    "pt": "O modelo de linguagem não escreveu nada.",
    "pl": "Model językowy nic nie napisał.",
    "ru": "Языковая модель ничего не написала.",
    "zh": "语言模型没有写出任何内容。",
    "ja": "言語モデルは何も書きませんでした。",
    "ar": "لم يكتب نموذج اللغة شيئًا.",
}

# Which libraries have no file of these globs.
NO_FILE = {
    "en": "No file of {} matches {}.",
    "fr": "Aucun fichier de {} ne correspond à {}.",
    "de": "Keine Datei von {} passt zu {}.",
    "es": "Ningún archivo de {} coincide con {}.",
    "it": "Nessun file di {} corrisponde a {}.",
    "nl": "Geen bestand van {} past bij {}.",
    "pt": "Nenhum ficheiro de {} corresponde a {}.",
    "pl": "W {} żaden plik nie pasuje do {}.",
    "ru": "Ни один файл в {} не соответствует {}.",
    "zh": "{}中没有与{}匹配的文件。",
    "ja": "{}に{}と一致するファイルはありません。",
    "ar": "لا يوجد في {} ملف يطابق {}.",
}

# Said to thanks and doubts, which ask nothing.
NOTHING_ASKED = {
    "en": "That asks nothing of the documents. Write what you want to know.",
    "fr": "Cela ne demande rien aux documents. Écrivez ce que vous voulez savoir.",
    "de": "Das fragt die Dokumente nichts. Schreiben Sie, was Sie wissen möchten.",
    "es": "Eso no pregunta nada a los documentos. Escriba lo que quiere saber.",
    "it": "Questo non chiede nulla ai documenti. Scriva che cosa vuole sapere.",
    "nl": "Dat vraagt de documenten niets. Schrijf wat u wilt weten.",
    "pt": "Isso não pergunta nada aos documentos. Escreva o que quer saber.",
    "pl": "To nie jest pytanie do dokumentów. Proszę napisać, czego mają dotyczyć informacje.",
    "ru": "Это не вопрос к документам. Напишите, что вы хотите узнать.",
    "zh": "这没有向文档提出问题。请写下您想知道的内容。",
    "ja": "これは文書への質問ではありません。知りたいことを書いてください。",
    "ar": "هذا ليس سؤالًا للوثائق. اكتب ما تريد معرفته.",
}

# What was searched, and what may help; where more could be searched, that too.
SEARCHED = {
    "en": (
        "Searched: {}. It may help to use the documents' own words, or to name the product or file that is meant.",
        "More libraries can be searched.",
    ),
    "fr": (
        "Recherché dans : {}. Il peut être utile d'employer les mots des documents, ou de nommer le produit ou le"
        " fichier visé.",
        "D'autres bibliothèques peuvent être consultées.",
    ),
    "de": (
        "Durchsucht: {}. Es kann helfen, die Wörter der Dokumente zu benutzen oder das Produkt oder die Datei zu"
        " nennen.",
        "Es gibt weitere Bibliotheken, die durchsucht werden können.",
    ),
    "es": (
        "Se buscó en: {}. Puede ayudar usar las palabras de los documentos, o nombrar el producto o el archivo.",
        "Hay más bibliotecas en las que buscar.",
    ),
    "it": (
        "Cercato in: {}. Può aiutare usare le parole dei documenti, o nominare il prodotto o il file.",
        "Ci sono altre biblioteche in cui cercare.",
    ),
    "nl": (
        "Doorzocht: {}. Het kan helpen de woorden van de documenten te gebruiken, of het product of bestand te noemen.",
        "Er kunnen meer bibliotheken worden doorzocht.",
    ),
    "pt": (
        "Pesquisado em: {}. Pode ajudar usar as palavras dos documentos, ou indicar o produto ou o ficheiro.",
        "Há mais bibliotecas onde pesquisar.",
    ),
    "pl": (
        "Przeszukano: {}. Może pomóc użycie słów z dokumentów albo podanie nazwy produktu lub pliku.",
        "Można przeszukać także inne biblioteki.",
    ),
    "ru": (
        "Поиск в: {}. Может помочь, если взять слова из документов или назвать продукт или файл.",
        "Можно искать и в других библиотеках.",
    ),
    "zh": ("已搜索：{}。可以尝试使用文档中的词语，或指明产品或文件。", "还可以搜索其他资料库。"),
    "ja": (
        "検索先：{}。文書の言葉を使うか、製品やファイルの名前を挙げると見つかるかもしれません。",
        "ほかのライブラリも検索できます。",
    ),
    "ar": ("تم البحث في: {}. قد يفيد استعمال كلمات الوثائق، أو تسمية المنتج أو الملف.", "يمكن البحث في مكتبات أخرى."),
}

# How models say that they do not know, folded as `plain` folds.
NOT_KNOWN = re.compile(
    r"\b(?:i|we) (?:do not|don't|cannot|can't|could not) (?:know|answer|find)"
    r"|\b(?:passages?|documents?|texts?) (?:do not|does not|don't|doesn't) (?:answer|contain|hold|mention|say|state)"
    r"|\bnot (?:mentioned|specified|provided|stated|found) in the|\bno (?:information|answer)\b"
    r"|je ne sais pas|weiss ich nicht|ich weiss (?:es )?nicht|nicht (?:angegeben|enthalten)|no lo se|no se menciona"
    r"|non lo so|weet (?:ik )?het niet|ik weet het niet|nao sei|nie wiem|(?:я )?не знаю|нет ответа"
    r"|不知道|没有(?:提到|答案)|わかりません|分かりません|لا اعرف|لا اعلم"
)
LONGEST_REFUSAL = 200  # characters: in a longer text it is a remark

# Below an answer that is sent as one text: what no source bears out; the sources; what a refusal points at.
BELOW = {
    "en": ("Not borne out by the sources:", "Sources:", "Nearest in the documents:"),
    "fr": ("Non confirmé par les sources :", "Sources :", "Le plus proche dans les documents :"),
    "de": ("Von den Quellen nicht belegt:", "Quellen:", "Nächstliegende Stellen in den Dokumenten:"),
    "es": ("No respaldado por las fuentes:", "Fuentes:", "Lo más cercano en los documentos:"),
    "it": ("Non confermato dalle fonti:", "Fonti:", "I passi più vicini nei documenti:"),
    "nl": ("Niet door de bronnen bevestigd:", "Bronnen:", "Het dichtstbij in de documenten:"),
    "pt": ("Não confirmado pelas fontes:", "Fontes:", "O mais próximo nos documentos:"),
    "pl": ("Niepotwierdzone przez źródła:", "Źródła:", "Najbliższe fragmenty dokumentów:"),
    "ru": ("Не подтверждено источниками:", "Источники:", "Ближайшее в документах:"),
    "zh": ("没有来源支持：", "来源：", "文档中最接近的内容："),
    "ja": ("出典で裏づけられない内容：", "出典：", "文書の中で最も近い箇所："),
    "ar": ("ما لا تؤيده المصادر:", "المصادر:", "الأقرب في الوثائق:"),
}


def headings_below(language: str) -> tuple[str, str, str]:
    return BELOW.get(language, BELOW["en"])


def phrase(language: str) -> tuple[str, str, str]:
    """Refusal, lead-in of an extract, lead-in of an extract without a model."""
    return PHRASES.get(language, PHRASES["en"])


def lead_in(language: str, away: bool, silent: bool) -> str:
    """What stands above quotations, by what became of the model's own words."""
    _, lead, lead_without_model = phrase(language)
    if silent:
        return f"{WROTE_NOTHING.get(language, WROTE_NOTHING['en'])} {lead}"
    return lead_without_model if away else lead


def searched_phrase(language: str, libraries: Sequence[str], everywhere: bool = True) -> str:
    """A refusal, with what was searched and what would help; `everywhere`: there was nothing else to search."""
    refusal = phrase(language)[0]
    if not libraries:
        return refusal
    searched, more = SEARCHED.get(language, SEARCHED["en"])
    return " ".join((refusal, searched.format(", ".join(libraries)), *([] if everywhere else [more])))


def no_file_phrase(language: str, libraries: Sequence[str], globs: Sequence[str]) -> str:
    return NO_FILE.get(language, NO_FILE["en"]).format(", ".join(libraries), ", ".join(globs))


def says_not_known(text: str) -> bool:
    """Whether a model's whole answer is that it does not know."""
    folded = plain(text).replace("’", "'")
    own = any(plain(refusal) in folded for refusal, _, _ in PHRASES.values())
    return len(folded) <= LONGEST_REFUSAL and (own or bool(NOT_KNOWN.search(folded)))
