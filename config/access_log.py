"""The web server's log of requests, for gunicorn's --logger-class."""

from typing import Any
from urllib.parse import quote

from gunicorn.glogging import Logger

from config.logs import masked

AS_SENT = "/:@!$&'()*+,;=~"


class AccessLog(Logger):
    """Gunicorn's, without the tokens that are part of a path. Its format must leave out queries: they are questions."""

    def atoms(self, *args: Any) -> dict[str, Any]:
        atoms: dict[str, Any] = super().atoms(*args)
        path = atoms["U"] or "-"  # a request with a faulty header has no path
        # It comes decoded: a line break in it would be a line of the log.
        atoms["U"] = masked(quote(path, safe=AS_SENT, encoding="latin-1"))
        return atoms
