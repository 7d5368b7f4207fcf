"""Writing an answer down: what was asked, what was said, and which exact words of which version bear it out."""

from hashlib import sha256

from django.db import transaction

from knowledge import models
from knowledge.models.library import Reader
from retrieval.answering.prompt import PROMPT_HASH
from retrieval.results import Answer, Citation


@transaction.atomic
def record(user: Reader, answer: Answer) -> models.Answer:
    """One ledger row with its citations. What was retrieved is named by chunk, what is cited also by its words."""
    row = models.Answer.objects.create(
        asked_by=user if user is not None and user.is_authenticated else None,
        question=answer.question,
        searched_for=answer.searched_for,
        text=answer.answer,
        refused=answer.refused,
        degraded=list(answer.degraded),
        model=answer.model,
        prompt_hash=PROMPT_HASH,
        snapshots=[list(pair) for pair in sorted({(hit.library, hit.snapshot) for hit in answer.hits})],
        passages=[hit.chunk_id for hit in answer.hits],
        sentences=[
            {"text": sentence.text, "citations": list(sentence.citations), "supported": sentence.supported}
            for sentence in answer.sentences
        ],
        usage=answer.usage,
        took_ms=answer.took_ms,
    )
    cited = [citation.hit.chunk_id for citation in answer.citations]
    versions = dict(models.Chunk.objects.filter(pk__in=cited).values_list("pk", "file_version"))
    models.AnswerCitation.objects.bulk_create(
        written(row, citation, versions[citation.hit.chunk_id]) for citation in answer.citations
    )
    return row


def written(row: models.Answer, citation: Citation, file_version: int) -> models.AnswerCitation:
    return models.AnswerCitation(
        answer=row,
        n=citation.n,
        file_version_id=file_version,
        chunk_id=citation.hit.chunk_id,
        library=citation.hit.library,
        path=citation.hit.source_file,
        sha256=citation.hit.version,
        quote=citation.quote,
        quote_hash=sha256(citation.quote.encode()).hexdigest(),
        line_start=citation.line_start,
        line_end=citation.line_end,
        verified=citation.verified,
    )
