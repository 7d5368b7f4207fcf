"""From bytes to text, or a reason a person understands why not."""

import codecs

from charset_normalizer import from_bytes

from ingestion.documents import ParseError

BYTE_ORDER_MARKS = {
    codecs.BOM_UTF8: "utf-8",
    codecs.BOM_UTF32_LE: "utf-32-le",  # before UTF-16, whose mark it begins with
    codecs.BOM_UTF32_BE: "utf-32-be",
    codecs.BOM_UTF16_LE: "utf-16-le",
    codecs.BOM_UTF16_BE: "utf-16-be",
}
CONTROLS = frozenset(map(chr, [*range(9), *range(14, 27), *range(28, 32), 127]))
MOST_CONTROLS = 0.02  # of the characters; a text with a few stray escapes or a form feed passes


def decode(data: bytes, path: str) -> tuple[str, tuple[str, ...]]:
    """The text with `\\n` line ends, and a warning if its encoding was guessed. ParseError for what is no text."""
    text, encoding, guessed = decode_bytes(data, path)
    if "\0" in text:
        raise ParseError(path, "this is a binary file, not text (it has NUL bytes)")
    if sum(character in CONTROLS for character in text) > MOST_CONTROLS * len(text):
        raise ParseError(path, "this is a binary file, not text (too many control characters)")
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    return text, (f"not UTF-8: read as {encoding}",) if guessed else ()


def decode_bytes(data: bytes, path: str) -> tuple[str, str, bool]:
    for mark, encoding in BYTE_ORDER_MARKS.items():
        if data.startswith(mark):
            return decode_as(data[len(mark) :], encoding, path), encoding, False
    try:
        return data.decode("utf-8"), "utf-8", False
    except UnicodeDecodeError:
        encoding = guess(data, path)
    return decode_as(data, encoding, path).removeprefix("\ufeff"), encoding, True


def decode_as(data: bytes, encoding: str, path: str) -> str:
    try:
        return data.decode(encoding)
    except (UnicodeDecodeError, LookupError) as error:
        raise ParseError(path, f"the bytes are not valid {encoding}, and no other encoding fits") from error


def guess(data: bytes, path: str) -> str:
    if b"\0" in data:
        raise ParseError(path, "this is a binary file, not text (it has NUL bytes)")
    best = from_bytes(data).best()
    return best.encoding if best else "cp1252"
