"""How much one parse may use."""

import os
import resource
import signal
from dataclasses import dataclass
from pathlib import Path

GIBIBYTE = 1024**3
TOO_MUCH_OUTPUT = 81  # exit status


@dataclass(frozen=True, slots=True)
class Limits:
    cpu_seconds: int = 20
    wall_seconds: int = 60
    memory: int = GIBIBYTE  # bytes of address space beyond what the zygote has mapped already
    output: int = 96 * 1024**2  # bytes of the parsed document as it travels

    def impose(self, mapped: int) -> None:
        """On this process, for good. `mapped` is what the zygote has mapped."""
        caps = {
            resource.RLIMIT_CPU: self.cpu_seconds,
            resource.RLIMIT_AS: mapped + self.memory,
            resource.RLIMIT_FSIZE: self.output,
            resource.RLIMIT_NOFILE: 16,
            resource.RLIMIT_CORE: 0,
            resource.RLIMIT_MEMLOCK: 0,
            resource.RLIMIT_MSGQUEUE: 0,
        }
        for what, cap in caps.items():
            hard = resource.getrlimit(what)[1]
            lowered = cap if hard == resource.RLIM_INFINITY else min(cap, hard)
            resource.setrlimit(what, (lowered, lowered))
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        signal.alarm(self.wall_seconds + 1)  # the zygote kills at wall_seconds, if it still lives


LIMITS = Limits()
RECOGNITION_LIMITS = Limits(cpu_seconds=240, wall_seconds=300)  # of a scan; a page takes two seconds


def mapped_bytes() -> int:
    """The address space of this process."""
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
    return pages * os.sysconf("SC_PAGE_SIZE")


def explain(status: int, cpu_seconds: float, timed_out: bool, limits: Limits) -> str:
    """Why a child that ended so did not finish, for a person. `status` is as os.waitstatus_to_exitcode gives it."""
    if timed_out or status == -signal.SIGALRM:
        return f"reading it took longer than {limits.wall_seconds} seconds"
    if status in (-signal.SIGXCPU, -signal.SIGKILL) and cpu_seconds >= limits.cpu_seconds - 0.5:
        return f"reading it took more than {limits.cpu_seconds} seconds of processor time"
    if status == -signal.SIGKILL:
        return "its parser was killed, most likely because the machine ran out of memory"
    if status == TOO_MUCH_OUTPUT:
        return f"it takes too much room when it is written out (more than {limits.output // 1024**2:,} MiB)"
    if status == -signal.SIGABRT:
        return f"its parser gave up, most likely for want of memory (it may use {limits.memory // 1024**2:,} MiB)"
    if status < 0:
        return f"its parser crashed ({signal.Signals(-status).name}): the file is damaged or made to do harm"
    return "its parser ended without a result: the file is damaged or made to do harm"
