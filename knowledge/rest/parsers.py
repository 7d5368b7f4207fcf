"""Bodies of REST."""

from typing import Any

from rest_framework.exceptions import ParseError
from rest_framework.parsers import JSONParser


class ShallowJSONParser(JSONParser):
    """JSON that is nested more deeply than it can be read is no JSON, nor is what is not in UTF-8."""

    def parse(self, stream: Any, media_type: str | None = None, parser_context: Any = None) -> Any:
        try:
            return super().parse(stream, media_type, parser_context)
        except RecursionError as error:
            raise ParseError("JSON parse error - it is nested too deeply") from error
        except ParseError as error:
            if isinstance(error.__context__, UnicodeDecodeError):
                raise ParseError("JSON parse error - it is not in UTF-8") from error
            raise
