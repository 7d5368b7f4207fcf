"""Room in the home, where originals, clones and the embedded servers live."""

import shutil
import tempfile

from django.conf import settings

from knowledge.storage.room import FULL, MAKE_ROOM

from .examination import Examination, State

LITTLE, TOO_LITTLE = 2 * 2**30, 200 * 2**20


def examine_disk() -> Examination:
    try:
        room = shutil.disk_usage(settings.HOME)
        with tempfile.TemporaryFile(dir=settings.HOME) as file:
            file.write(b"x")
    except OSError as error:
        detail = f"{settings.HOME} cannot be written: {error.strerror}"
        to_do = MAKE_ROOM if error.errno in FULL else "make MUNIMENT_HOME writable for this user"
        return Examination("disk", State.BROKEN, detail, to_do)
    to_do = f"{MAKE_ROOM}, which leaves what an upload that broke off kept until it is a day old"
    figures = {"free_bytes": room.free, "total_bytes": room.total, "home": str(settings.HOME)}
    detail = f"{room.free // 2**20:,} MB are free in {settings.HOME}"
    if room.free < LITTLE:
        state = State.BROKEN if room.free < TOO_LITTLE else State.DEGRADED
        return Examination("disk", state, detail, to_do, figures)
    return Examination("disk", State.OK, detail, "", figures)
