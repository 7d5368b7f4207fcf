"""E-mail: who wrote to whom about what, the readable part, and what is attached by name."""

import codecs
import email
import email.errors
from collections.abc import Iterator
from email.message import EmailMessage
from email.policy import default

from ingestion.documents import BlockKind, ParsedDocument, ParseError
from ingestion.parsers.encoding import decode, encoding_named
from ingestion.parsers.html import declared, write_html
from ingestion.parsers.writing import Writer, one_line

MEDIA_TYPE = "message/rfc822"
SHOWN = ("From", "To", "Cc", "Date")
MOST_PARTS = 500
DEEPEST = 10  # messages within messages
DEEPEST_PARTS = 100  # parts within parts
TEXTS = ("text/plain", "text/html", "", "text/calendar")  # what is read before the others; "": any other text


def parse(data: bytes, path: str) -> ParsedDocument:
    message = email.message_from_bytes(data.removeprefix(codecs.BOM_UTF8), policy=default)
    if not isinstance(message, EmailMessage) or not any(name in message for name in ("From", "Date", "Subject")):
        raise ParseError(path, "this is not an e-mail: it has no sender, date or subject")
    writer = Writer(path)
    write_message(message, writer, 1)
    return writer.finish(MEDIA_TYPE, header(message, "Subject"))


def write_message(message: EmailMessage, writer: Writer, level: int) -> None:
    writer.heading(level, header(message, "Subject") or "No subject")
    fields = [f"{name}: {value}" for name in SHOWN if (value := header(message, name))]
    writer.paragraph("\n".join(fields), BlockKind.DEFINITION)
    unread = [part for part in readable(message)[:MOST_PARTS] if not write_text(part, writer, level)]
    attached: list[str] = []
    for number, part in enumerate(own_parts(message)):
        if number >= MOST_PARTS:
            writer.warnings.append(f"it has more than {MOST_PARTS} parts: the rest was left out")
            break
        if (is_attached(part) and not is_told_below(part, level)) or part in unread:
            attached.append(name_of(part))
    if attached:
        writer.items(f"- Attachment: {name}" for name in attached)
    if level < DEEPEST:
        for inner in forwarded(message):
            write_message(inner, writer, level + 1)


def own_parts(message: EmailMessage) -> Iterator[EmailMessage]:
    """The message's parts at any depth, not those of messages that are attached to it."""
    waiting = [message]
    while waiting:
        part = waiting.pop()
        yield part
        if part.is_multipart() and part.get_content_maintype() == "multipart":
            waiting += reversed([inner for inner in part.iter_parts() if isinstance(inner, EmailMessage)])


def is_attached(part: EmailMessage) -> bool:
    """Also what mailers show in place, if they can, as they do of a PDF; not the pictures that a text refers to."""
    if part.is_attachment():
        return True
    kind = part.get_content_maintype()
    is_shown = kind == "text" or (kind == "image" and "Content-ID" in part)
    return not is_shown and not part.is_multipart() and bool(part.get_filename())


def is_told_below(part: EmailMessage, level: int) -> bool:
    """Whether it is a message without a name of its own, which is read after this one."""
    return part.get_content_type() == MEDIA_TYPE and not part.get_filename() and level < DEEPEST


def readable(part: EmailMessage, depth: int = 0) -> list[EmailMessage]:
    """The parts that are shown as text, in their order; of alternatives the first of TEXTS that is not empty."""
    if part.is_attachment():
        return []
    if part.get_content_maintype() == "text":
        return [part] if content_of(part).strip() else []
    if part.get_content_maintype() != "multipart" or not part.is_multipart() or depth > DEEPEST_PARTS:
        return []
    inner = [readable(child, depth + 1) for child in part.iter_parts() if isinstance(child, EmailMessage)]
    if part.get_content_subtype() == "alternative":
        return min(filter(None, inner), key=lambda parts: rank(parts[0].get_content_type()), default=[])
    if part.get_content_subtype() == "related":  # its root, and what that shows
        return next(filter(None, inner), [])
    return [text for parts in inner for text in parts]


def rank(kind: str) -> int:
    return TEXTS.index(kind if kind in TEXTS else "")


def content_of(part: EmailMessage) -> bytes:
    content = part.get_payload(decode=True)
    return content if isinstance(content, bytes) else b""


def name_of(part: EmailMessage) -> str:
    return one_line(str(part.get_filename() or part.get_content_type()))


def write_text(part: EmailMessage, writer: Writer, level: int) -> bool:
    """Whether it is text, as it says. What is none is warned of."""
    content = content_of(part)
    charset = encoding_named(part.get_content_charset() or "")
    is_page = part.get_content_type() == "text/html"
    try:
        text, warnings = decode(content, writer.path, charset or (declared(content) if is_page else ""))
    except ParseError as error:
        writer.warn([f"its part “{name_of(part)}” cannot be read: {error.reason}"])
        return False
    writer.warn(warnings)
    if is_page:
        write_html(text, writer, shift=level)
    else:
        for paragraph in text.split("\n\n"):
            writer.paragraph(paragraph)
    return True


def forwarded(message: EmailMessage) -> list[EmailMessage]:
    """The messages that are attached to this one, not those attached to them."""
    found: list[EmailMessage] = []
    waiting = list(message.iter_parts()) if message.is_multipart() else []
    while waiting and len(found) < MOST_PARTS:
        part = waiting.pop(0)
        if part.get_content_type() == MEDIA_TYPE:
            found += [inner for inner in part.get_payload() if isinstance(inner, EmailMessage)]
        elif part.is_multipart() and isinstance(part, EmailMessage):
            waiting += part.iter_parts()
    return found


def header(message: EmailMessage, name: str) -> str:
    """A header as it reads; broken ones as far as they can be told."""
    try:
        return one_line(str(message.get(name) or ""))
    except (ValueError, IndexError, AttributeError, TypeError, OverflowError, email.errors.MessageError):
        return ""
