"""Do the hits hold an answer at all? A signal that needs no model.

The strength is the best hit's cosine similarity to the question plus the share of the question's content words that
this hit has (with its heading), less .2 where a name of the question stands in no hit, .7 for a code.

Measured with MiniLM and BM25's first six hits; share of answerable questions kept / of unanswerable ones refused:

| threshold | off-topic | XQuAD en, gold paragraph removed | Northwind PDFs | Symfony sections | CNIL FAQ (fr) |
|---|---|---|---|---|---|
| .80, below: weak | – / .96 | .96 / .59 | 1.00 / .51 | .95 / – | 1.00 / – |
| 1.10, above: strong | – / 1.00 | .82 / .93 | 1.00 / .60 | .78 / – | .85 / – |

(Half of Northwind's "unanswerable" questions are answered by its documents; all 21 absurd ones are refused at .80. AUC:
this signal .93 on XQuAD and .86 on Northwind; cosine alone .81 and .85; shared words alone .91 and .84.) The cosine of
unrelated texts is near 0 with MiniLM and .4 to .7 with others, which are calibrated for that (docs/decisions/0028). A
model of one language is deaf to others: with German questions .86 are kept. The check of the written answer comes
after this.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from knowledge.texts.languages.questions import ASKED_WITH, language_of
from knowledge.texts.words import terms, words
from retrieval.answering.checking.comparatives import LEAST, LESS, MORE, MOST, spoken_terms
from retrieval.answering.checking.support import ENOUGH_OVERLAP, LEAD, lacking, support
from retrieval.answering.citations import Checked, titles
from retrieval.answering.dates import DAY, MONTH, unit
from retrieval.answering.editions import are_of_another
from retrieval.answering.followups.ellipsis import without_aside
from retrieval.answering.quoting.extracts import OF_ANOTHER, READ_ENOUGH, Extract, Reading
from retrieval.answering.quoting.relevance import told_of
from retrieval.answering.sentences import claims, sentence_spans, windows
from retrieval.results import Citation, Hit, Sentence

HOPELESS = 0.4  # nobody is asked; of 60 everyday questions with their answer among the hits the least has .40
WEAK = 0.8
STRONG = 1.1
STRONG_EXTRACT = 0.95  # so near an extract answers on middling evidence (sample: 3 of 6 regained, 1 of 8 lost)
UNASKED_PROGRAM = 2.0  # logits more, of a program where nothing of programs is asked: “How do I become a member?”
PER_CAUTION = 0.1  # of strength, where nothing was read: so much stands for a reader's logit
WITHOUT_VECTORS = 1.6  # times the share of words alone: weak below one half (.95 kept, .77 refused off-topic)
MISSING = 0.2
MISSING_CODE = 0.7  # what documents call PW-220 they do not call otherwise
CODE = re.compile(  # ISO 9001, ISO-9001, CVE-2025-99120
    r"(?<![\w-])(?:[A-Z]{2,6} (?!(?:19|20)\d\d\b)\d{3,}|[A-Z]{1,6}(?:[-‐–]\d{2,})+|[A-Z]{1,6}\d{2,})(?![\w-])"
)
RELEVANT = 0.34  # of the question's content words, in a sentence with its quote
# They may be put otherwise than in the quotation: the check compares them.
BOUNDS = spoken_terms(LEAST, MOST, MORE, LESS) | terms("up longest limit longtemps")
# What asks is put otherwise in what answers: “muss ich einreichen”, “ist einzureichen”. English was measured with it.
ASKING = {language: frozenset(words(said)) for language, said in ASKED_WITH.items() if language != "en"}


@dataclass(frozen=True, slots=True)
class Evidence:
    strength: float
    lacks_a_name: bool = False  # or an identifier: the question has one that stands in no hit

    @property
    def hopeless(self) -> bool:
        return self.strength < HOPELESS

    @property
    def weak(self) -> bool:
        return self.strength < WEAK

    @property
    def strong(self) -> bool:
        return self.strength >= STRONG


def weigh(question: str, hits: Sequence[Hit], cosine_range: float = 1.0) -> Evidence:
    """How likely the hits answer the question, on the scale of the table above. the range is the embedding model's."""
    if not hits:
        return Evidence(0.0)
    says = [told_of(question, hit) for hit in hits]
    shares = [share(question, text) for text in says]
    cosines = [hit.scores.get("vector") for hit in hits]
    known = [cosine for cosine in cosines if cosine is not None]
    if known:  # a hit that the vector branch did not find is no nearer than those it found
        strengths = [
            words + calibrated(min(known) if cosine is None else cosine, cosine_range)
            for words, cosine in zip(shares, cosines, strict=True)
        ]
    else:
        strengths = [words * WITHOUT_VECTORS for words in shares]
    told = " ".join(says)
    wanted, said = codes(question), codes(told)
    missing = [
        name
        for name in lacking(question, told)
        if unit(name) not in (DAY, MONTH)  # “after 1 October” answers for November
        and not any(code.startswith(name.upper()) for code in wanted & said)  # ISO27001 is ISO 27001
    ]
    no_code = bool(wanted - said) or any("_" in name for name in missing)
    less = MISSING_CODE if no_code else MISSING if missing else 0.0
    return Evidence(max(strengths) - less, no_code or bool(missing))


def codes(text: str) -> set[str]:
    """PW-220, ISO 9001, however they are joined."""
    return {re.sub(r"\W", "", found[0]) for found in CODE.finditer(text)}


def calibrated(cosine: float, cosine_range: float) -> float:
    """The cosine that MiniLM would give texts as near to each other: see `knowledge.spaces.cosine_range`."""
    return 1 - (1 - cosine) / cosine_range


def margin(evidence: Evidence, extracts: Sequence[Extract], least: float = READ_ENOUGH) -> float:
    """By how much what can be quoted is more than enough to answer; below 0 it is too little. In logits of a reader.

    Where a model has read it, its opinion decides. It takes the benefits of one plan for those of another that does
    not exist: of strange names it convinces nobody. Of a row whose head is asked for it knows less than the words do.
    """
    nearest = max((one.value for one in extracts), default=0.0)
    by_words = max(evidence.strength - STRONG, min(evidence.strength - WEAK, nearest - STRONG_EXTRACT)) / PER_CAUTION
    best = extracts[0] if extracts else None
    if best and any(term.isalnum() and not term.isalpha() and not term.isdigit() for term in best.row_head):
        by_words = max(by_words, 0.0)  # an identifier: few words are shared with a question about it
    if best and best.is_asked_code:
        by_words = max(by_words, 0.0)  # “Show the code of …” has words that no code says
    opinion = best.logit if best else None
    less = OF_ANOTHER if best and best.is_of_another else 0.0
    if opinion is None or evidence.hopeless or (evidence.lacks_a_name and by_words < 0):
        return by_words - less
    read = opinion - least - (UNASKED_PROGRAM if best and best.is_unasked_program else 0.0)
    return (max(read, by_words) if best and best.row_head else read) - less


def share(question: str, text: str) -> float:
    """The part of the question's content words that a text has. Single digits alone ask nothing: `' OR 1=1 --`."""
    asking = ASKING.get(language_of(question), frozenset())
    wanted = terms(" ".join(word for word in words(question) if word not in asking)) or terms(question)
    return len(wanted & terms(text)) / len(wanted) if any(len(term) > 1 for term in wanted) else 0.0


def answers(question: str, checked: Checked, read: Reading | None = None) -> bool:
    """Whether at least half of the sentences are borne out, and one of them answers.

    Small models repeat the question, or a passage's first sentence: both are true and answer nothing. So one sentence
    must say more than the question, have that from its quote, and be about the question: by the question's words, also
    without the brackets of a follow-up, or because a reader (`read`) takes what is borne out for an answer. “Call 555
    0143” has no word of “Someone stole my bike, what now?”.
    """
    claimed = claims(checked.sentences)
    borne_out = [sentence for sentence in claimed if sentence.supported]
    if 2 * len(borne_out) < len(claimed):
        return False
    told = telling(question, checked)
    if are_about(question, told):
        return True
    return bool(told) and read is not None and is_read_as_answer(borne_out, checked, read)


def are_answered_beside(question: str, checked: Checked, read: Reading | None = None) -> bool:
    """Whether all sentences are borne out, say more than the question, and have quotes beside which stands what they
    are about: “A guest takes Otter for two days.” A reader, if there is to be one, has to think so, too.

    Measured with 327 sentences of the first hits of the sample's 25 questions, those that would be quoted alone: of 56
    that hold an answer 37 stand (30 without), of 271 others 44 (35).
    """
    claimed = claims(checked.sentences)
    if not all(sentence.supported for sentence in claimed) or not telling(question, checked):
        return False
    near = [(citation.hit, with_neighbours(citation)) for citation in checked.citations if citation.verified]
    if not are_about(question, [text for _, text in near]):
        return False
    return read is None or any(logit >= READ_ENOUGH for logit in read([hit.headed(text) for hit, text in near]))


def telling(question: str, checked: Checked) -> list[str]:
    """The sentences that say more than the question, and have that from their quotes, of no other year or version; each
    with what it has it from."""
    quotes = {citation.n: citation.quote for citation in checked.citations}
    above = {citation.n: titles(citation.hit) for citation in checked.citations}
    told = []
    for sentence in claims(checked.sentences):
        about = " ".join(nearest_to(sentence.text, quotes[n]) for n in sentence.citations)
        new = terms(LEAD.sub("", sentence.text)) - terms(question) - BOUNDS
        if not (sentence.supported and new and len(new & terms(about)) >= len(new) * ENOUGH_OVERLAP):
            continue
        headed = [title for n in sentence.citations for title in above[n]]
        if not are_of_another(question, " ".join(quotes[n] for n in sentence.citations), headed):
            told.append(f"{sentence.text} {about}")
    return told


def are_about(question: str, texts: Sequence[str]) -> bool:
    """Whether one of these texts has enough of the question's words, with or without the brackets behind it."""
    return any(share(wording, said) >= RELEVANT for wording in (question, without_aside(question)) for said in texts)


def with_neighbours(citation: Citation) -> str:
    """The quotation with the sentence before it and the one behind it."""
    text = citation.hit.text
    start = max(text.find(citation.quote), 0)
    end = start + len(citation.quote)
    spans = sentence_spans(text)
    before = next((span.start for span in reversed(spans) if span.end <= start), start)
    behind = next((span.end for span in spans if span.start >= end), end)
    return text[before:behind]


def is_read_as_answer(sentences: Sequence[Sentence], checked: Checked, read: Reading) -> bool:
    """The reader's opinion of sentences below the heading that the first of them has its words from."""
    hits = {citation.n: citation.hit for citation in checked.citations}
    above = next(hits[n] for sentence in sentences for n in sentence.citations)
    logits = read([above.headed(" ".join(sentence.text for sentence in sentences))])
    return bool(logits) and logits[0] >= READ_ENOUGH


def nearest_to(sentence: str, quote: str) -> str:
    """The sentences of a quotation that bear this one out: others may stand beside it."""
    spans = [quote[span.start : span.end] for span in windows(quote)]
    return next((text for text in sorted(spans, key=len) if support(sentence, text).overlap >= ENOUGH_OVERLAP), quote)
