"""The web server's log of requests, for gunicorn's --logger-class."""

from typing import Any

from gunicorn.glogging import Logger

SECRET_PATHS = ("/invitation/",)  # what follows lets somebody in


class AccessLog(Logger):
    """Gunicorn's, without the tokens that are part of a path. Its format must leave out queries: they are questions."""

    def atoms(self, *args: Any) -> dict[str, Any]:
        atoms: dict[str, Any] = super().atoms(*args)
        atoms["U"] = atoms["U"] or "-"  # a request with a faulty header has no path
        for path in SECRET_PATHS:
            if atoms["U"].startswith(path):
                atoms["U"] = f"{path}…"
        return atoms
