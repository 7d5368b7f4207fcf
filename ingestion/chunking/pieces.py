"""The pieces that chunks are packed from: whole blocks, and the parts of those that are too long."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from ingestion.chunking.embedding import told
from ingestion.chunking.splitting import Span, halves, split, splitters, trim
from ingestion.chunking.tables import bounded, header
from ingestion.documents import Block, BlockKind, Box, SectionDraft, TokenCounter, is_bare
from knowledge.texts.formats import Notation

LONG_SECTION = 5  # budgets: where a heading is so far away, a chunk has to tell more of what it is about by itself
LONGER = 5 / 4  # budgets that it may then have
WIDEST_TOKEN = 20  # characters on average: a longer word is cut without asking for its count


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of a section. `gap` counts the tokens between it and the piece before: comments, link targets."""

    section: int
    kind: BlockKind
    start: int
    end: int
    language: str = ""
    page: int | None = None
    box: Box | None = None
    context: str = ""
    header: str = ""  # of a table: as the parser knew it, or for a part of one as it reads
    step: int = 0  # the splitter that cut it, or the first: those before it find no more places
    torn: int = 0  # for a part of an over-long block: where that block begins, plus 1
    tokens: int = -1
    gap: int = 0
    budget: int = 0  # tokens of a chunk in this section
    marked_up: bool = True  # models are given its words; code and plain text as they stand
    notation: Notation | None = None


def measured_pieces(
    text: str,
    starts: Sequence[int],
    sections: Sequence[SectionDraft],
    count_tokens: TokenCounter,
    budget: int,
    limit: int,
    marked_up: bool,
    notation: Notation | None,
) -> list[Piece]:
    """All pieces of a file in order, counted, none above its section's budget unless it cannot be cut.

    All blocks of the file are counted in one call; there is one more call for each round of cutting what was too long.
    A heading with nothing but sections below it has no piece: their titles begin with it.
    """
    parents = {section.parent for section in sections}
    telling = [section for section in sections if section.ordinal not in parents or not is_bare(section.blocks)]
    pieces = [piece for section in telling for piece in section_pieces(text, starts, section, marked_up, notation)]
    gaps = [gap_text(text, before, piece) for before, piece in zip([None, *pieces], pieces, strict=False)]
    present = [gap for gap in gaps if gap]
    spans = [counted(text, piece) for piece in pieces]
    counts = iter(count_tokens([*spans, *present]) if spans else [])
    pieces = [replace(piece, tokens=next(counts)) for piece in pieces]
    pieces = [replace(piece, gap=next(counts)) if gap else piece for piece, gap in zip(pieces, gaps, strict=True)]
    return refine(text, list(budgeted(pieces, budget, limit)), count_tokens)


def counted(text: str, piece: Piece) -> str:
    said = text[piece.start : piece.end]
    return told(said, piece.notation, piece.context) if piece.marked_up else said


def budgeted(pieces: list[Piece], budget: int, limit: int) -> Iterator[Piece]:
    lengths = Counter[int]()
    for piece in pieces:
        lengths[piece.section] += piece.tokens
    longer = min(int(LONGER * budget), limit)
    for piece in pieces:
        yield replace(piece, budget=longer if lengths[piece.section] > LONG_SECTION * budget else budget)


def refine(text: str, pieces: list[Piece], count_tokens: TokenCounter) -> list[Piece]:
    while any(piece.tokens > piece.budget for piece in pieces):
        cut = [part for piece in pieces for part in cut_piece(text, piece)]
        if len(cut) == len(pieces):
            break
        waiting = [part for part in cut if part.tokens < 0]
        counts = iter(count_tokens([counted(text, part) for part in waiting]))
        pieces = [part if part.tokens >= 0 else replace(part, tokens=next(counts)) for part in cut]
    return pieces


def cut_piece(text: str, piece: Piece) -> list[Piece]:
    """An over-long piece cut at the least harmful places that it has; itself when it has none, or fits."""
    if piece.tokens <= piece.budget:
        return [piece]
    rules = splitters(piece.kind)
    for step in range(piece.step, len(rules)):
        spans = split(text, (piece.start, piece.end), rules[step])
        if rules[step] is halves:
            spans = short_enough(text, spans, piece.budget * WIDEST_TOKEN)
        if len(spans) > 1:
            return list(parts(text, piece, spans, step))
    return [piece]


def short_enough(text: str, spans: list[Span], longest: int) -> list[Span]:
    while any(end - start > longest for start, end in spans):
        halved = (split(text, span, halves) if span[1] - span[0] > longest else [span] for span in spans)
        spans = [part for parts in halved for part in parts]
    return spans


def parts(text: str, piece: Piece, spans: list[Span], step: int) -> Iterator[Piece]:
    torn = piece.torn or piece.start + 1
    titles = piece.header
    if piece.kind is BlockKind.TABLE and not piece.torn:
        titles = bounded(titles or header(text[piece.start : piece.end], piece.notation))
    for number, (start, end) in enumerate(spans):
        context = titles if number else piece.context
        gap = 0 if number else piece.gap
        at = replace(piece, start=start, end=end, context=context, gap=gap)
        yield replace(at, header=titles, step=step, torn=torn, tokens=-1)


def gap_text(text: str, before: Piece | None, piece: Piece) -> str:
    return text[before.end : piece.start].strip() if before and before.section == piece.section else ""


def section_pieces(
    text: str, starts: Sequence[int], section: SectionDraft, marked_up: bool, notation: Notation | None
) -> Iterator[Piece]:
    for block in content(section):
        end = starts[block.line_end] if block.line_end < len(starts) else len(text)
        start, end = trim(text, starts[block.line_start - 1], end)
        if start < end:
            yield Piece(
                section.ordinal,
                block.kind,
                start,
                end,
                block.language,
                block.page,
                block.box,
                header=block.header,
                marked_up=marked_up and block.kind is not BlockKind.CODE,
                notation=notation,
            )


def content(section: SectionDraft) -> tuple[Block, ...]:
    """The blocks to retrieve: without the heading, unless there is nothing else, or the heading is code itself."""
    heading, rest = section.blocks[:1], section.blocks[1:]
    if not heading or heading[0].kind is not BlockKind.HEADING:
        return section.blocks
    if not heading[0].language:
        return rest or (replace(heading[0], kind=BlockKind.PARAGRAPH),)
    if not rest or rest[0].kind is not BlockKind.CODE:
        return (replace(heading[0], kind=BlockKind.CODE), *rest)
    return (replace(rest[0], line_start=heading[0].line_start), *rest[1:])
