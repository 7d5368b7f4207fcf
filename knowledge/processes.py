"""What a process that we start does before it is another program."""

import ctypes
import signal
import sys

PARENT_DIED = 1  # PR_SET_PDEATHSIG


def end_with_parent() -> None:
    """For `preexec_fn`: it is told to end when we do, however we end."""
    if sys.platform == "linux":  # elsewhere nothing does it
        ctypes.CDLL(None).prctl(PARENT_DIED, signal.SIGTERM)
