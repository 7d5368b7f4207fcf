"""URLs in what is told."""

import re

USERINFO = re.compile(r"(?<=://)[^/\s]+@")


def without_userinfo(text: str) -> str:
    """`https://user:secret@host` loses its user and secret, wherever it stands."""
    return USERINFO.sub("", text)
