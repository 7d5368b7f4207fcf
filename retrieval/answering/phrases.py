"""The few sentences that Muniment itself says in an answer, in the question's language."""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Phrases:
    """Of one language."""

    refusal: str
    not_searched: str  # in its place, where the search broke off
    lead: str  # above quotations
    lead_without_model: str  # the same, where the model is away
    wrote_nothing: str  # before the lead, in the place of what a model was asked for and did not write
    nothing_asked: str  # to thanks and doubts
    no_file: str  # which libraries have no file of these globs
    searched: str  # in which libraries, and what may help
    more: str  # where more could be searched
    # Below an answer that is sent as one text: what no source bears out; the sources; what a refusal points at.
    below: tuple[str, str, str]

    def lead_in(self, away: bool, silent: bool) -> str:
        """What stands above quotations, by what became of the model's own words."""
        if silent:
            return f"{self.wrote_nothing} {self.lead}"
        return self.lead_without_model if away else self.lead

    def refused(self, libraries: Sequence[str], everywhere: bool = True) -> str:
        """The refusal, with what was searched and would help; `everywhere`: there was nothing else to search."""
        if not libraries:
            return self.refusal
        searched = self.searched.format(", ".join(libraries))
        return " ".join((self.refusal, searched, *([] if everywhere else [self.more])))

    def no_such_file(self, libraries: Sequence[str], globs: Sequence[str]) -> str:
        return self.no_file.format(", ".join(libraries), ", ".join(globs))


IN: dict[str, Phrases] = {
    "en": Phrases(
        refusal="The documents do not answer this question.",
        not_searched="The documents could not be searched, so there is no answer. Ask again in a moment.",
        lead="From the documents:",
        lead_without_model="The chat model is not available. From the documents:",
        wrote_nothing="The chat model wrote nothing.",
        nothing_asked="That asks nothing of the documents. Write what you want to know.",
        no_file="No file of {} matches {}.",
        searched="Searched: {}. It may help to use the documents' own words, or to name the product or file"
        " that is meant.",
        more="More libraries can be searched.",
        below=("Not borne out by the sources:", "Sources:", "Nearest in the documents:"),
    ),
    "fr": Phrases(
        refusal="Les documents ne répondent pas à cette question.",
        not_searched="Les documents n'ont pas pu être consultés : il n'y a donc pas de réponse. Reposez la"
        " question dans un instant.",
        lead="Extrait des documents :",
        lead_without_model="Le modèle de langage n'est pas disponible. Extrait des documents :",
        wrote_nothing="Le modèle de langage n'a rien écrit.",
        nothing_asked="Cela ne demande rien aux documents. Écrivez ce que vous voulez savoir.",
        no_file="Aucun fichier de {} ne correspond à {}.",
        searched="Recherché dans : {}. Il peut être utile d'employer les mots des documents, ou de nommer le"
        " produit ou le fichier visé.",
        more="D'autres bibliothèques peuvent être consultées.",
        below=("Non confirmé par les sources :", "Sources :", "Le plus proche dans les documents :"),
    ),
    "de": Phrases(
        refusal="Die Dokumente beantworten diese Frage nicht.",
        not_searched="Die Dokumente konnten nicht durchsucht werden, daher gibt es keine Antwort. Fragen Sie"
        " gleich noch einmal.",
        lead="Aus den Dokumenten:",
        lead_without_model="Das Sprachmodell ist nicht erreichbar. Aus den Dokumenten:",
        wrote_nothing="Das Sprachmodell hat nichts geschrieben.",
        nothing_asked="Das fragt die Dokumente nichts. Schreiben Sie, was Sie wissen möchten.",
        no_file="Keine Datei von {} passt zu {}.",
        searched="Durchsucht: {}. Es kann helfen, die Wörter der Dokumente zu benutzen oder das Produkt oder"
        " die Datei zu nennen.",
        more="Es gibt weitere Bibliotheken, die durchsucht werden können.",
        below=("Von den Quellen nicht belegt:", "Quellen:", "Nächstliegende Stellen in den Dokumenten:"),
    ),
    "es": Phrases(
        refusal="Los documentos no responden a esta pregunta.",
        not_searched="No se pudo buscar en los documentos, así que no hay respuesta. Vuelva a preguntar en un momento.",
        lead="De los documentos:",
        lead_without_model="El modelo de lenguaje no está disponible. De los documentos:",
        wrote_nothing="El modelo de lenguaje no escribió nada.",
        nothing_asked="Eso no pregunta nada a los documentos. Escriba lo que quiere saber.",
        no_file="Ningún archivo de {} coincide con {}.",
        searched="Se buscó en: {}. Puede ayudar usar las palabras de los documentos, o nombrar el producto o el"
        " archivo.",
        more="Hay más bibliotecas en las que buscar.",
        below=("No respaldado por las fuentes:", "Fuentes:", "Lo más cercano en los documentos:"),
    ),
    "it": Phrases(
        refusal="I documenti non rispondono a questa domanda.",
        not_searched="Non è stato possibile cercare nei documenti, quindi non c'è risposta. Ripeta la domanda tra"
        " poco.",
        lead="Dai documenti:",
        lead_without_model="Il modello linguistico non è disponibile. Dai documenti:",
        wrote_nothing="Il modello linguistico non ha scritto nulla.",
        nothing_asked="Questo non chiede nulla ai documenti. Scriva che cosa vuole sapere.",
        no_file="Nessun file di {} corrisponde a {}.",
        searched="Cercato in: {}. Può aiutare usare le parole dei documenti, o nominare il prodotto o il file.",
        more="Ci sono altre biblioteche in cui cercare.",
        below=("Non confermato dalle fonti:", "Fonti:", "I passi più vicini nei documenti:"),
    ),
    "nl": Phrases(
        refusal="De documenten beantwoorden deze vraag niet.",
        not_searched="De documenten konden niet worden doorzocht, dus er is geen antwoord. Stel de vraag zo"
        " meteen opnieuw.",
        lead="Uit de documenten:",
        lead_without_model="Het taalmodel is niet beschikbaar. Uit de documenten:",
        wrote_nothing="Het taalmodel heeft niets geschreven.",
        nothing_asked="Dat vraagt de documenten niets. Schrijf wat u wilt weten.",
        no_file="Geen bestand van {} past bij {}.",
        searched="Doorzocht: {}. Het kan helpen de woorden van de documenten te gebruiken, of het product of"
        " bestand te noemen.",
        more="Er kunnen meer bibliotheken worden doorzocht.",
        below=("Niet door de bronnen bevestigd:", "Bronnen:", "Het dichtstbij in de documenten:"),
    ),
    "pt": Phrases(
        refusal="Os documentos não respondem a esta pergunta.",
        not_searched="Não foi possível pesquisar nos documentos, por isso não há resposta. Pergunte de novo daqui"
        " a pouco.",
        lead="Dos documentos:",
        lead_without_model="O modelo de linguagem não está disponível. Dos documentos:",
        wrote_nothing="O modelo de linguagem não escreveu nada.",
        nothing_asked="Isso não pergunta nada aos documentos. Escreva o que quer saber.",
        no_file="Nenhum ficheiro de {} corresponde a {}.",
        searched="Pesquisado em: {}. Pode ajudar usar as palavras dos documentos, ou indicar o produto ou o ficheiro.",
        more="Há mais bibliotecas onde pesquisar.",
        below=("Não confirmado pelas fontes:", "Fontes:", "O mais próximo nos documentos:"),
    ),
    "pl": Phrases(
        refusal="Dokumenty nie odpowiadają na to pytanie.",
        not_searched="Nie udało się przeszukać dokumentów, więc nie ma odpowiedzi. Proszę za chwilę zapytać ponownie.",
        lead="Z dokumentów:",
        lead_without_model="Model językowy jest niedostępny. Z dokumentów:",
        wrote_nothing="Model językowy nic nie napisał.",
        nothing_asked="To nie jest pytanie do dokumentów. Proszę napisać, czego mają dotyczyć informacje.",
        no_file="W {} żaden plik nie pasuje do {}.",
        searched="Przeszukano: {}. Może pomóc użycie słów z dokumentów albo podanie nazwy produktu lub pliku.",
        more="Można przeszukać także inne biblioteki.",
        below=("Niepotwierdzone przez źródła:", "Źródła:", "Najbliższe fragmenty dokumentów:"),
    ),
    "ru": Phrases(
        refusal="В документах нет ответа на этот вопрос.",
        not_searched="Не удалось выполнить поиск по документам, поэтому ответа нет. Задайте вопрос ещё раз чуть позже.",
        lead="Из документов:",
        lead_without_model="Языковая модель недоступна. Из документов:",
        wrote_nothing="Языковая модель ничего не написала.",
        nothing_asked="Это не вопрос к документам. Напишите, что вы хотите узнать.",
        no_file="Ни один файл в {} не соответствует {}.",
        searched="Поиск в: {}. Может помочь, если взять слова из документов или назвать продукт или файл.",
        more="Можно искать и в других библиотеках.",
        below=("Не подтверждено источниками:", "Источники:", "Ближайшее в документах:"),
    ),
    "zh": Phrases(
        refusal="文档中没有这个问题的答案。",
        not_searched="未能搜索文档，因此没有答案。请稍后再问一次。",
        lead="摘自文档：",
        lead_without_model="语言模型不可用。摘自文档：",
        wrote_nothing="语言模型没有写出任何内容。",
        nothing_asked="这没有向文档提出问题。请写下您想知道的内容。",
        no_file="{}中没有与{}匹配的文件。",
        searched="已搜索：{}。可以尝试使用文档中的词语，或指明产品或文件。",
        more="还可以搜索其他资料库。",
        below=("没有来源支持：", "来源：", "文档中最接近的内容："),
    ),
    "ja": Phrases(
        refusal="文書にはこの質問の答えがありません。",
        not_searched="文書を検索できなかったため、答えがありません。しばらくしてからもう一度質問してください。",
        lead="文書からの引用：",
        lead_without_model="言語モデルを利用できません。文書からの引用：",
        wrote_nothing="言語モデルは何も書きませんでした。",
        nothing_asked="これは文書への質問ではありません。知りたいことを書いてください。",
        no_file="{}に{}と一致するファイルはありません。",
        searched="検索先：{}。文書の言葉を使うか、製品やファイルの名前を挙げると見つかるかもしれません。",
        more="ほかのライブラリも検索できます。",
        below=("出典で裏づけられない内容：", "出典：", "文書の中で最も近い箇所："),
    ),
    "ar": Phrases(
        refusal="لا تجيب الوثائق عن هذا السؤال.",
        not_searched="تعذر البحث في الوثائق، لذلك لا توجد إجابة. أعد السؤال بعد قليل.",
        lead="من الوثائق:",
        lead_without_model="نموذج اللغة غير متاح. من الوثائق:",
        wrote_nothing="لم يكتب نموذج اللغة شيئًا.",
        nothing_asked="هذا ليس سؤالًا للوثائق. اكتب ما تريد معرفته.",
        no_file="لا يوجد في {} ملف يطابق {}.",
        searched="تم البحث في: {}. قد يفيد استعمال كلمات الوثائق، أو تسمية المنتج أو الملف.",
        more="يمكن البحث في مكتبات أخرى.",
        below=("ما لا تؤيده المصادر:", "المصادر:", "الأقرب في الوثائق:"),
    ),
}


def said_in(language: str) -> Phrases:
    """In English, where the language has no phrases here."""
    return IN.get(language, IN["en"])
