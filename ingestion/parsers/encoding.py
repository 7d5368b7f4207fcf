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


def decode(data: bytes, path: str, declared: str = "") -> tuple[str, tuple[str, ...]]:
    """The text with `\\n` line ends, and a warning if its encoding was guessed. ParseError for what is no text.

    `declared` is the encoding that the file names for itself: believed where the bytes allow it.
    """
    text, encoding, guessed = decode_bytes(data, path, declared)
    if "\0" in text:
        raise ParseError(path, "this is a binary file, not text (it has NUL bytes)")
    if sum(character in CONTROLS for character in text) > MOST_CONTROLS * len(text):
        raise ParseError(path, "this is a binary file, not text (too many control characters)")
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    return text, (f"not UTF-8: read as {encoding}",) if guessed else ()


def decode_bytes(data: bytes, path: str, declared: str = "") -> tuple[str, str, bool]:
    for mark, encoding in BYTE_ORDER_MARKS.items():
        if data.startswith(mark):
            return decode_as(data[len(mark) :], encoding, path), encoding, False
    try:
        return utf8_or_16(data)
    except UnicodeDecodeError:
        encoding = guess(data, path, declared)
    return decode_as(data, encoding, path).removeprefix("\ufeff"), encoding, encoding != declared


def utf8_or_16(data: bytes) -> tuple[str, str, bool]:
    """UTF-16 without a mark shows in its NUL bytes: in Latin text nearly every second byte is one."""
    even, odd = data[:4096:2], data[1:4096:2]
    for encoding, zeros, others in (("utf-16-le", odd, even), ("utf-16-be", even, odd)):
        if zeros and zeros.count(0) > 0.7 * len(zeros) and others.count(0) == 0:
            return data.decode(encoding), encoding, True
    return data.decode("utf-8"), "utf-8", False


def decode_as(data: bytes, encoding: str, path: str) -> str:
    try:
        return data.decode(encoding)
    except (UnicodeDecodeError, LookupError) as error:
        raise ParseError(path, f"the bytes are not valid {encoding}, and no other encoding fits") from error


def guess(data: bytes, path: str, declared: str) -> str:
    """What the bytes most likely are; what the file declares, where that is likely too."""
    if b"\0" in data:
        raise ParseError(path, "this is a binary file, not text (it has NUL bytes)")
    likely = from_bytes(data)
    if declared and any(declared in (match.encoding, *match.could_be_from_charset) for match in likely):
        return declared
    best = likely.best()
    return best.encoding if best else "cp1252"


def encoding_named(label: str) -> str:
    """Python's name, as charset-normalizer writes it, of an encoding that a file names; "" for what is none."""
    try:
        name = codecs.lookup(label.strip().lower()).name
        "a".encode(name)
    except (LookupError, ValueError, TypeError):  # ValueError: a NUL; TypeError: it is no encoding of text
        return ""
    return {"iso8859-1": "cp1252", "ascii": "cp1252"}.get(name, name).replace("-", "_")
