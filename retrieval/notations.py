"""The notation that a file's text is in, by its path: what is written to be read, and what is a program. Pure."""

from contextlib import suppress
from functools import lru_cache

from pygments.lexer import Lexer
from pygments.lexers import get_lexer_by_name, get_lexer_for_filename
from pygments.util import ClassNotFound

from knowledge.texts.formats import Notation, notation_of

RST, MARKDOWN = "reStructuredText", "Markdown"
MARKUP = frozenset({RST, MARKDOWN})
PROSE = MARKUP | {"Text only"}
LIKE = {  # suffixes that Pygments does not know, or takes for those of another language
    ".csproj": ".xml", ".cts": ".ts", ".dockerfile": ".docker", ".fs": ".fsx", ".fsproj": ".xml", ".gql": ".graphql",
    ".ino": ".cpp", ".inl": ".hpp", ".jsonc": ".json", ".mts": ".ts", ".pl": ".perl", ".pm": ".perl", ".psd1": ".ps1",
    ".r": ".R", ".ru": ".rb", ".sbt": ".scala", ".svelte": ".html", ".vbproj": ".xml",
}  # fmt: skip
NAMED = {"containerfile": "a.docker", "dockerfile": "a.docker", "jenkinsfile": "a.groovy"}  # whatever follows a point


def lexer_for(path: str) -> Lexer | None:
    """Of the text as it was parsed: that of a page or an office document is no longer in its own notation."""
    notation = notation_of(path)
    if notation is Notation.WRITTEN_OUT:
        return None
    if notation is Notation.NOTEBOOK:
        return get_lexer_by_name(MARKDOWN)
    return lexer_of(path.removesuffix(".inc"))


def is_prose(lexer: Lexer | None) -> bool:
    return lexer is None or lexer.name in PROSE


@lru_cache(maxsize=4096)
def is_document(path: str) -> bool:
    """Whether a file is written to be read, and not a program."""
    return is_prose(lexer_for(path))


def lexer_of(path: str, **options: bool) -> Lexer | None:
    """By its suffix as it stands (`.S` and `.s` are two languages), else in small letters."""
    stem, dot, suffix = path.rpartition(".")
    if notation_of(path) is Notation.MARKDOWN:  # Pygments does not know .mdx
        return get_lexer_by_name(MARKDOWN)
    named = NAMED.get(path.rpartition("/")[2].partition(".")[0].lower(), path)
    like = LIKE.get(dot + suffix.lower(), dot + suffix)
    for name in (f"{stem}{like}", f"{stem}{dot}{suffix.lower()}", named):
        with suppress(ClassNotFound):
            return get_lexer_for_filename(name, **options)
    return None
