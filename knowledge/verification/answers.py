"""The ledger: every citation still says what was quoted."""

import hashlib

from knowledge.models import AnswerCitation

from .finding import Finding


def citations(_: bool) -> Finding:
    """Where the library is gone, the quote itself still hashes to what was written down."""
    finding = Finding()
    rows = AnswerCitation.objects.select_related("chunk", "file_version").defer("file_version__text")
    for citation in rows.iterator(chunk_size=500):
        hashed = hashlib.sha256(citation.quote.encode()).hexdigest() == citation.quote_hash
        finding.expect(hashed and in_its_place(citation), f"answer {citation.answer_id} [{citation.n}]")
    return finding


def in_its_place(citation: AnswerCitation) -> bool:
    chunk, version = citation.chunk, citation.file_version
    if chunk is None or version is None:
        return chunk is version
    inside = chunk.line_start <= citation.line_start <= citation.line_end <= chunk.line_end
    return citation.quote in chunk.text and inside and version.sha256 == citation.sha256
