"""The path under which a file that was brought is kept: relative, composed, and nothing that leads anywhere else."""

import re
import unicodedata

from ingestion.paths import fault_of_name

BELONGS_TO_THE_SYSTEM = {"__macosx", "thumbs.db", "desktop.ini"}  # in whatever case


class Refused(Exception):
    """The file is not taken; the reason is meant for whoever brought it."""


def kept_path(name: str) -> str:
    """The path for a name as a browser, a zip or a client wrote it.

    Composed (NFC), since a Mac writes é as two characters and would otherwise bring every such file a second time.
    """
    path = unicodedata.normalize("NFC", name.replace("\\", "/")).strip()
    if not path or path.endswith("/"):
        raise Refused("it has no name")
    if path.startswith("/") or re.match(r"[a-zA-Z]:", path):
        raise Refused("its path is absolute")
    parts = [part for part in path.split("/") if part not in ("", ".")]
    if ".." in parts:
        raise Refused("its path leads out of its folder")
    if any(part.startswith(".") or part.lower() in BELONGS_TO_THE_SYSTEM for part in parts):
        raise Refused("it is hidden, or the operating system's own")
    if fault := fault_of_name("/".join(parts)):
        raise Refused(fault)
    return "/".join(parts)
