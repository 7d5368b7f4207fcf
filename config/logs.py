"""What the log leaves out."""

from logging import Filter, LogRecord, getLevelNamesMapping

SECRET_PATHS = ("/invitation/",)  # what follows lets somebody in
TELLTALES = ("httpx2", "httpcore2", "openai", "mcp", "sse_starlette", "urllib3")  # at INFO addresses, at DEBUG bodies


def discreet(level: str) -> str:
    """The level for loggers that would tell secrets below WARNING."""
    return max(level, "WARNING", key=getLevelNamesMapping().__getitem__)


def masked(path: str) -> str:
    written = f"/{path.lstrip('/')}"  # of two slashes, too, which lead nowhere
    return next((f"{start}…" for start in SECRET_PATHS if written.startswith(start)), path)


class MaskedPaths(Filter):
    """Paths are logged without the tokens that are part of them, whoever logs them."""

    def filter(self, record: LogRecord) -> bool:
        if isinstance(record.args, tuple):
            record.args = tuple(masked(one) if isinstance(one, str) else one for one in record.args)
        return True


class ShortRefusals(Filter):
    """A refusal (403) is one line, and so is what others send that makes no sense, as a Host that is not ours.

    They are answers and no faults, and their traces would tell nothing.
    """

    def filter(self, record: LogRecord) -> bool:
        if getattr(record, "status_code", None) == 403 or record.name.startswith("django.security."):
            record.exc_info = record.exc_text = None
        return True
