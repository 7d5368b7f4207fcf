"""Full stops that end no sentence, wherever a text is parted."""

import pytest

from ingestion.chunking.splitting import sentences
from knowledge.texts.abbreviations import ends_no_sentence
from retrieval.answering.checking.clauses import SENTENCE_END
from retrieval.answering.checking.synonyms import in_common_words
from retrieval.answering.sentences import sentence_spans

WHOLE = [
    "The fee is 20 euros incl. VAT per day.", "The fee is 20 euros excl. VAT per day.", "See chap. 3 for the rules.",
    "Der Preis ist 20 Euro zzgl. MwSt. pro Tag.", "Die Last darf max. 40 kg sein.", "Ask Mme. Dupont for the key.",
    "Die Frist ist lt. Vertrag zwei Wochen.", "Acme Inc. Berlin pays the fee.", "Ask Ing. Rossi for the key.",
    "Ask Dra. López for the key.", "Bring gloves, boots, etc. Members get them free.", "Il sig. Rossi ha la chiave.",
    "Die Kosten betragen 3 Mio. Euro im Jahr.", "Die Regel gilt i. d. R. Montags.", "Call tel. 030 12345 for help.",
    "Figs. 3 and 4 show it.", "Der Raum im 2. Stock ist frei.", "Es gilt seit 3. Mai das neue Recht.",
    "Die Regel steht in Abs. IV der Satzung.",
]  # fmt: skip
PARTED = [
    "This is the state of the art. Members use it.", "The answer is no. Members pay.", "Geöffnet Mo–Fr. Gäste zahlen.",
    "The test takes 30 min. 40 members take it.", "We close in the mar. Members know.", "He has 3. Members have 4.",
    "Meat is kept at 4 °C. Hot dishes are not.",
]  # fmt: skip


@pytest.mark.parametrize("text", WHOLE)
def test_an_abbreviation_parts_no_sentence_chunk_or_clause(text: str) -> None:
    assert len(sentence_spans(text)) == 1
    assert not list(sentences(text, 0, len(text)))
    assert not SENTENCE_END.search(in_common_words(text))


@pytest.mark.parametrize("text", PARTED)
def test_a_word_that_only_looks_like_one_ends_its_sentence(text: str) -> None:
    assert len(sentence_spans(text)) == 2
    assert len(list(sentences(text, 0, len(text)))) == 1
    assert SENTENCE_END.search(in_common_words(text))


def test_the_last_full_stop_ends_an_abbreviation_too() -> None:
    assert ends_no_sentence("Gloves, boots, etc.", len("Gloves, boots, etc"))
    assert not ends_no_sentence("Gloves, boots, etc...", len("Gloves, boots, etc.."))
