"""Room in the home, where originals, clones and the embedded servers live."""

import errno
import shutil
import tempfile

from django.conf import settings

from .examination import Examination, State

LITTLE, TOO_LITTLE = 2 * 2**30, 200 * 2**20
ROOM = "make room there, or run manage.py gc"
FULL = (errno.ENOSPC, errno.EDQUOT)


def examine_disk() -> Examination:
    try:
        room = shutil.disk_usage(settings.HOME)
        with tempfile.TemporaryFile(dir=settings.HOME) as file:
            file.write(b"x")
    except OSError as error:
        detail = f"{settings.HOME} cannot be written: {error.strerror}"
        to_do = ROOM if error.errno in FULL else "make MUNIMENT_HOME writable for this user"
        return Examination("disk", State.BROKEN, detail, to_do)
    figures = {"free_bytes": room.free, "total_bytes": room.total, "home": str(settings.HOME)}
    detail = f"{room.free // 2**20:,} MB are free in {settings.HOME}"
    if room.free < LITTLE:
        state = State.BROKEN if room.free < TOO_LITTLE else State.DEGRADED
        return Examination("disk", state, detail, ROOM, figures)
    return Examination("disk", State.OK, detail, "", figures)
