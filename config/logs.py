"""What the log leaves out."""

from logging import Filter, LogRecord


class ShortRefusals(Filter):
    """A refusal (403) is one line: it is an answer and no fault, and its trace would tell nothing."""

    def filter(self, record: LogRecord) -> bool:
        if getattr(record, "status_code", None) == 403:
            record.exc_info = record.exc_text = None
        return True
