"""One parsed file becomes a file version: sections → chunks → rows."""

from collections.abc import Sequence
from dataclasses import dataclass

from knowledge.digest import digest
from knowledge.endpoints import Embedder
from knowledge.failpoints import failpoint
from knowledge.models import Chunk, DocumentFile, FileVersion, IndexProfile, Reference, Section, Symbol
from knowledge.storage import originals

from .chunking import chunk, hash_of
from .documents import LONGEST_TITLE, ChunkDraft, ParsedDocument, ReferenceDraft, SectionDraft, SymbolDraft, line_starts
from .reading import Reading
from .sections import build_sections


@dataclass(frozen=True, slots=True)
class Draft:
    """A parsed document, cut as a profile's structure has it; nothing of it is stored yet."""

    structure: str
    document: ParsedDocument
    sections: Sequence[SectionDraft]
    chunks: Sequence[ChunkDraft]


def drafted(reading: Reading, profile: IndexProfile, endpoint: Embedder) -> Draft:
    """The model server counts the tokens, which may take its time: not in a transaction. Raises EndpointError."""
    document = reading.document
    if document is None:
        raise ValueError(f"{reading.path} was not parsed")
    sections = build_sections(document)
    limits = {name: profile.settings[name] for name in ("budget", "overlap", "limit")}
    chunks = chunk(document, sections, endpoint.count_tokens, **limits)
    failpoint("parse.chunked")
    return Draft(profile.structure_hash, document, sections, chunks)


def make_version(document_file: DocumentFile, reading: Reading, draft: Draft) -> FileVersion:
    """The version of a content that is new here under the draft's structure. In a transaction."""
    document, sections, chunks = draft.document, draft.sections, draft.chunks
    originals.hold()
    originals.keep(reading.content)
    failpoint("parse.original-kept")
    version = FileVersion.objects.create(
        document_file=document_file,
        sha256=reading.sha256,
        structure=draft.structure,
        media_type=document.media_type,
        title=document.title[:LONGEST_TITLE],
        natural_language=document.natural_language,
        size=len(reading.content),
        text=document.text,
        line_count=len(line_starts(document.text)),
        section_count=len(sections),
        chunk_count=len(chunks),
        digest=digest(sections, chunks),
        warnings=list(document.warnings),
        links=[[each.kind, each.line, each.target] for each in document.links],
    )
    failpoint("parse.version-written")
    store(version, sections, chunks)
    store_code(version, document.symbols, document.references)
    return version


def store_code(version: FileVersion, symbols: Sequence[SymbolDraft], references: Sequence[ReferenceDraft]) -> None:
    defined = (
        Symbol(file_version=version, **{name: getattr(draft, name) for name in draft.__slots__}) for draft in symbols
    )
    said = (
        Reference(file_version=version, ordinal=ordinal, **{name: getattr(draft, name) for name in draft.__slots__})
        for ordinal, draft in enumerate(references)
    )
    Symbol.objects.bulk_create(defined, batch_size=2_000)
    Reference.objects.bulk_create(said, batch_size=2_000)


def store(version: FileVersion, sections: Sequence[SectionDraft], chunks: Sequence[ChunkDraft]) -> None:
    rows = Section.objects.bulk_create(
        Section(
            file_version=version,
            ordinal=draft.ordinal,
            parent=draft.parent,
            level=draft.level,
            title=draft.title,
            breadcrumb=list(draft.breadcrumb),
            anchor=draft.anchor,
            aliases=list(draft.aliases),
            line_start=draft.line_start,
            line_end=draft.line_end,
            page=draft.page,
        )
        for draft in sections
    )
    failpoint("parse.sections-written")
    Chunk.objects.bulk_create(
        Chunk(
            file_version=version,
            section=rows[draft.section],
            ordinal=draft.ordinal,
            kind=draft.kind,
            language=draft.language,
            text=draft.text,
            context=draft.context,
            char_start=draft.char_start,
            char_end=draft.char_end,
            line_start=draft.line_start,
            line_end=draft.line_end,
            page=draft.page,
            box=list(draft.box) if draft.box else None,
            tokens=draft.tokens,
            content_hash=hash_of(sections[draft.section].breadcrumb, draft.told, draft.context),
        )
        for draft in chunks
    )
    failpoint("parse.chunks-written")
