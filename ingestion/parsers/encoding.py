"""From bytes to text, or a reason a person understands why not."""

import codecs
import re
import unicodedata
from contextlib import suppress

from charset_normalizer import CharsetMatch, CharsetMatches, from_bytes

from ingestion.documents import ParseError

BYTE_ORDER_MARKS = {
    codecs.BOM_UTF8: "utf-8",
    codecs.BOM_UTF32_LE: "utf-32-le",  # before UTF-16, whose mark it begins with
    codecs.BOM_UTF32_BE: "utf-32-be",
    codecs.BOM_UTF16_LE: "utf-16-le",
    codecs.BOM_UTF16_BE: "utf-16-be",
}
ESCAPES = {b"\x1b$B": "iso2022_jp", b"\x1b$@": "iso2022_jp", b"\x1b$)C": "iso2022_kr"}
COMMON = ("cp1252", "cp1250", "cp1251", "iso8859_2", "mac_roman")  # taken where others look as likely
UNUSED = [
    "cp1006",
    "iso8859_4",
    "iso8859_10",
    "iso8859_14",
    "iso8859_16",
    "mac_greek",
    "mac_latin2",
    "hp_roman8",
]  # which short texts are easily taken for
MACS = ("mac_iceland", "mac_roman", "mac_turkish")
DOS = ("cp437", "cp775", "cp850", "cp852", "cp857", "cp858", "cp860", "cp861", "cp863", "cp865")
OF_TURKISH, TOLD_APART = frozenset("çöüâîûþðý"), frozenset("þðý")  # ş, ğ and ı, taken for cp1252
OF_ITALIAN, TAKEN_FOR_CZECH = frozenset("àèéìòù"), frozenset("àèìòù")  # as ŕ, č, ě, ň and ů
THREE_BEYOND = re.compile(rb"[\x80-\xff]{3}|\x1b[$(]")  # ASCII, or escaped, as in Chinese, Japanese and Korean
CAPITAL_WITHIN = re.compile("[a-z][À-ÖØ-Þ]")  # a word
TORN = re.compile("[^\\W\\d_]{2}[¢-¨¬¯-±´¶¸÷][^\\W\\d_]{2}")  # by a sign that is no letter
WITHIN_A_WORD = re.compile(r"[^\W\d_a-zA-Z](?=[^\W\d_])")
ALIASES = {  # of the web and of mail, which Python does not know
    "dos-874": "cp874",
    "iso-8859-8-e": "iso8859_8",
    "iso-8859-8-i": "iso8859_8",
    "windows-31j": "cp932",
    "windows-874": "cp874",
    "windows-949": "cp949",
    "x-euc-jp": "euc_jp",
    "x-gbk": "gbk",
    "x-mac-cyrillic": "mac_cyrillic",
    "x-sjis": "shift_jis",
}
DECLARED = re.compile(  # in XML, in CSS, and in a comment of the first two lines: PEP 263, Ruby, Emacs
    rb"""<\?xml\s[^>]{0,200}?\sencoding\s*=\s*["']([\w.:-]{1,40})|@charset "([\w.:-]{1,40})";|"""
    rb"""(?:[^\n]*\n)?[ \t\f]*(?:\#|//|/\*|--|;|%)[^\n]{0,200}?coding[:=][ \t]*([\w.-]{1,40}?)"""
    rb"""(?:-unix|-dos|-mac)?(?![\w.-])"""
)
HEAD = 4096  # bytes
ALIKE = 0.02  # of charset-normalizer's measures
SHORT = 64  # bytes
MANY = 8  # different characters
FOREIGN = 3  # characters beyond ASCII for each letter of it
BROKEN_SHARE = 4  # characters beyond ASCII for each byte that is not UTF-8
TELLING = 0.3  # of the letters
REPLACEMENT = "\ufffd"
WESTERN = "western"  # a way to read bytes that are not UTF-8
CONTROLS = frozenset(map(chr, [*range(9), *range(14, 27), *range(28, 32), 127]))
MOST_CONTROLS = 0.02  # of the characters; a text with a few stray escapes, NULs or a form feed passes


def decode(data: bytes, path: str, declared: str = "") -> tuple[str, tuple[str, ...]]:
    """The text with `\\n` line ends, and warnings: a guessed encoding, NULs. ParseError for what is no text.

    `declared` is the encoding that the file names for itself: believed where the bytes allow it.
    """
    text, encoding, guessed = decode_bytes(data, path, declared)
    if is_binary(text):
        raise ParseError(path, "this is a binary file, not text (too many control characters)")
    warnings = [f"not UTF-8: read as {encoding}"] if guessed else []
    if zeros := text.count("\0"):
        warnings.append(f"{zeros} NUL {'character is' if zeros == 1 else 'characters are'} shown as {REPLACEMENT}")
    text = text.replace("\r\n", "\n").replace("\r", "\n").replace("\0", REPLACEMENT)
    return text, tuple(warnings)


def decode_bytes(data: bytes, path: str, declared: str) -> tuple[str, str, bool]:
    for mark, encoding in BYTE_ORDER_MARKS.items():
        if data.startswith(mark):
            return decode_marked(data[len(mark) :], encoding, path, declared)
    if encoding := escaped(data):
        return decode_as(data, encoding, path), encoding, encoding != declared
    if text := utf16_without_mark(data):
        return text, "UTF-16", True
    try:
        return utf8_or_16(data)
    except UnicodeDecodeError:
        return decode_damaged(data, path, declared)


def decode_marked(data: bytes, encoding: str, path: str, declared: str) -> tuple[str, str, bool]:
    """A mark is believed, but that of UTF-8 only where the bytes allow it: editors put it before what others wrote."""
    if encoding == "utf-8":
        with suppress(UnicodeDecodeError):
            return data.decode(), encoding, False
        return decode_damaged(data, path, declared)
    return decode_as(data, encoding, path), encoding, False


def decode_damaged(data: bytes, path: str, declared: str) -> tuple[str, str, bool]:
    """What is not UTF-8, at least not all of it."""
    if text := nearly_utf8(data):
        return text, "UTF-8 with bytes that are none", True
    encoding = guess(data, path, declared)
    return decode_as(data, encoding, path).removeprefix("\ufeff"), encoding, encoding != declared


def utf8_or_16(data: bytes) -> tuple[str, str, bool]:
    """UTF-16 without a mark shows in its NUL bytes: in Latin text nearly every second byte is one."""
    even, odd = data[:4096:2], data[1:4096:2]
    for encoding, zeros, others in (("utf-16-le", odd, even), ("utf-16-be", even, odd)):
        if zeros and zeros.count(0) > 0.7 * len(zeros) and others.count(0) == 0:
            return data.decode(encoding), encoding, True
    return data.decode("utf-8"), "utf-8", False


def escaped(data: bytes) -> str:
    """The Japanese or Korean encoding that changes its alphabet by escape sequences; "" for others."""
    for sign, encoding in ESCAPES.items():
        if sign in data and data.isascii():
            with suppress(UnicodeDecodeError):
                data.decode(encoding)
                return encoding
    return ""


def nearly_utf8(data: bytes) -> str:
    """Text in UTF-8 but for a few bytes: other encodings hardly ever look like it. "" for what is not.

    Letters of Western Europe, as files have them that several people wrote, are read; parts of letters are not.
    """
    text = data.decode("utf-8", "replace")
    broken = text.count(REPLACEMENT)
    wide = sum(character > "\x7f" for character in text) - broken
    return data.decode("utf-8", WESTERN) if wide >= BROKEN_SHARE * broken and b"\0" not in data else ""


def western(error: UnicodeError) -> tuple[str, int]:
    """For `codecs`: the letter of cp1252 that one byte is which begins nothing in UTF-8."""
    assert isinstance(error, UnicodeDecodeError)  # noqa: S101 - nothing is encoded
    broken = error.object[error.start : error.end]
    return broken.decode("cp1252") if len(broken) == 1 and broken >= b"\xc0" else REPLACEMENT, error.end


codecs.register_error(WESTERN, western)


def utf16_without_mark(data: bytes) -> str:
    """Text in UTF-16 of a script whose bytes are not half NULs; "" for what is none, as nearly all binary data is.

    Two bytes of ASCII make a Chinese character, so it takes letters that are neither.
    """
    if b"\0" not in data or len(data) % 2 or len(data) < SHORT or is_utf8(data):
        return ""
    for encoding in ("utf-16-le", "utf-16-be"):
        with suppress(UnicodeDecodeError):
            text = data.decode(encoding)
            letters = [character for character in text if character.isalpha()]
            telling = sum(character > "\x7f" and not "\u3400" <= character <= "\u9fff" for character in letters)
            if telling > TELLING * len(letters) and not any(map(is_control, text)):
                return text
    return ""


def is_utf8(data: bytes) -> bool:
    """Whether it is text in UTF-8 and not in ASCII alone: others hardly ever look like it, whatever NULs are in it."""
    with suppress(UnicodeDecodeError):
        text = data.decode()
        return not text.isascii() and not is_binary(text)
    return False


def is_binary(text: str) -> bool:
    return sum(character in CONTROLS for character in text) > MOST_CONTROLS * len(text)


def is_control(character: str) -> bool:
    return character not in "\n\r\t" and unicodedata.category(character)[0] == "C"


def decode_as(data: bytes, encoding: str, path: str) -> str:
    try:
        return data.decode(encoding)
    except (UnicodeDecodeError, LookupError) as error:
        raise ParseError(path, f"the bytes are not valid {encoding}, and no other encoding fits") from error


def guess(data: bytes, path: str, declared: str) -> str:
    """What the bytes most likely are; what the file declares, where that may be.

    Mailers and editors say cp1252 and its like without knowing, so that has to be likely, too.
    """
    if b"\0" in data:
        raise ParseError(path, "this is a binary file, not text (it has NUL bytes)")
    if declared not in ("", "cp1252") and may_be(declared, data):
        return declared
    likely = from_bytes(data, cp_exclusion=UNUSED)
    if declared and any(declared in (match.encoding, *match.could_be_from_charset) for match in likely):
        return declared
    best = likely.best()
    name = most_likely(data, likely, best) if best else "cp1252"
    western = data.decode("cp1252", "replace")
    if (name in (*MACS, *DOS) and has_more_letters(data, western, name)) or is_italian(western):
        name = "cp1252"
    if TORN.search(data.decode(name, "replace")):
        name = whole_words(data, likely) or name
    may_be_turkish = name == "cp1252" or (name == "cp1257" and "ý" in western)  # ż there, which no Baltic language has
    return "cp1254" if may_be_turkish and is_turkish(western) else name


def most_likely(data: bytes, likely: CharsetMatches, best: CharsetMatch) -> str:
    """The best, or what is common among those that are as good."""
    if not best.coherence and (len(data) < SHORT or (best.multi_byte_usage and not THREE_BEYOND.search(data))):
        return "cp1252" if may_be_western(data) else best.encoding
    as_good = [
        match for match in likely if match.chaos <= best.chaos + ALIKE and match.coherence >= best.coherence - ALIKE
    ]
    names = {name for match in as_good for name in (match.encoding, *match.could_be_from_charset)}
    return next((name for name in COMMON if name in names), best.encoding)


def whole_words(data: bytes, likely: CharsetMatches) -> str:
    """What is common, and has no sign amid a word."""
    names = {name for match in likely for name in (match.encoding, *match.could_be_from_charset)}
    return next((name for name in COMMON if name in names and not TORN.search(data.decode(name, "replace"))), "")


def has_more_letters(data: bytes, western: str, name: str) -> bool:
    """Whether they are of Western languages, where they may be, and at least as many as those of another encoding."""
    accented = sum("À" <= one <= "ÿ" and one not in "×÷" for one in western)
    others = sum(one.isalpha() and not one.isascii() for one in data.decode(name, "replace"))
    return accented >= others and may_be_western(data) and not CAPITAL_WITHIN.search(western)


def is_italian(text: str) -> bool:
    """Whether it has several letters of Italian, all of them at the ends of words, where Czech has few of its own."""
    beyond = {one for one in text.lower() if one.isalpha() and not one.isascii()}
    return beyond <= OF_ITALIAN and len(beyond & TAKEN_FOR_CZECH) > 1 and WITHIN_A_WORD.search(text) is None


def is_turkish(text: str) -> bool:
    """Whether it has letters of Turkish, read as those of Icelandic, and one that no Icelandic word has beside them."""
    beyond = {one for one in text.lower() if one.isalpha() and not one.isascii()}
    return beyond <= OF_TURKISH and not beyond.isdisjoint(TOLD_APART) and ("ç" in beyond or {"ü", "þ"} <= beyond)


def may_be(encoding: str, data: bytes) -> bool:
    """Whether the bytes are text in it: those of another encoding are often characters of control in it, or none."""
    if encoding.startswith("utf"):  # nearly all bytes are UTF-16
        return False
    try:
        text = data.decode(encoding)
    except ValueError:
        return False
    return not any(unicodedata.category(one) in ("Cc", "Cs") and one not in "\n\r\t\f" for one in text)


def may_be_western(data: bytes) -> bool:
    """Whether a few bytes may be cp1252: no Western text is mostly of many different characters beyond ASCII."""
    try:
        text = data.decode("cp1252")
    except UnicodeDecodeError:
        return False
    beyond = [character for character in text if not character.isascii()]
    plain = sum(character.isascii() and character.isalpha() for character in text)
    return len(set(beyond)) < MANY or len(beyond) <= FOREIGN * plain


def declared(data: bytes) -> str:
    """The encoding that code or XML names for itself where it begins, if it is one that Python knows."""
    match = DECLARED.match(data[:HEAD])
    return encoding_named(next(filter(None, match.groups())).decode("ascii")) if match else ""


def encoding_named(label: str) -> str:
    """Python's name, as charset-normalizer writes it, of an encoding that a file names; "" for what is none."""
    label = label.strip().lower()
    try:
        name = codecs.lookup(ALIASES.get(label, label)).name
        "a".encode(name)
    except (LookupError, ValueError, TypeError):  # ValueError: a NUL; TypeError: it is no encoding of text
        return ""
    return {"iso8859-1": "cp1252", "ascii": "cp1252"}.get(name, name).replace("-", "_")
