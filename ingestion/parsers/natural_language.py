"""A parsed document's language, as its text tells it."""

from dataclasses import replace

from ingestion.documents import ParsedDocument
from knowledge.texts.languages.documents import detect


def labelled(document: ParsedDocument) -> ParsedDocument:
    return replace(document, natural_language=detect(document.text))
