"""What a worker of the queue does is seen by a lock that it holds while it runs a task, whatever the task.

One lock for all workers of a cluster, shared: how many hold it is how many are at work. It goes with the connection.
"""

import os
import socket
from contextlib import suppress
from typing import Any
from zlib import crc32

from django.db import Error, connection
from django_q.signals import post_execute_in_worker, pre_execute

from knowledge.storage import locks


def at_work(group: int) -> int:
    """How many workers of the cluster run a task; `group` is its process group on this machine."""
    return locks.count(locks.TASK, number_of(group))


def number_of(group: int) -> int:
    """31 bits, for other machines have a group of this number, too."""
    return crc32(f"{socket.gethostname()}:{group}".encode()) >> 1


def begin(**_: Any) -> None:
    with suppress(Error):  # the task will say it better
        locks.lock_shared(locks.TASK, number_of(os.getpgrp()))


def end(**_: Any) -> None:
    """Where the task closed its connection, the lock is gone already."""
    if connection.connection and not connection.connection.closed:
        with suppress(Error):
            locks.unlock_shared(locks.TASK, number_of(os.getpgrp()))


def listen() -> None:
    pre_execute.connect(begin)
    post_execute_in_worker.connect(end)
