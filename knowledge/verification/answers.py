"""The ledger: every citation still says what was quoted."""

import hashlib

from knowledge.models import AnswerCitation

from .finding import Finding


def citations(_: bool) -> Finding:
    finding = Finding()
    for citation in AnswerCitation.objects.select_related("chunk").iterator(chunk_size=500):
        chunk, quote = citation.chunk, citation.quote
        inside = chunk.line_start <= citation.line_start <= citation.line_end <= chunk.line_end
        hashed = hashlib.sha256(quote.encode()).hexdigest() == citation.quote_hash
        finding.expect(quote in chunk.text and inside and hashed, f"answer {citation.answer_id} [{citation.n}]")
    return finding
