"""A disk that takes nothing any more: how the system says so, and what helps."""

import errno

FULL = (errno.ENOSPC, errno.EDQUOT)
UNWRITABLE = (*FULL, errno.EROFS)
MAKE_ROOM = "make room there, or run manage.py gc"
