"""Run the same Python in several processes at the same moment."""

import os
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import psutil

from config.local.home import CHECKOUT


def race(home: Path, code: str, runners: int = 6) -> list[str]:
    """What each of the processes printed. They wait for a common start, so that imports don't order them."""
    starting_gun = home / "go"
    wait = f"import os, time\nwhile not os.path.exists({str(starting_gun)!r}): time.sleep(.001)\n"
    imports, action = code.split("\n", 1)
    command = [sys.executable, "-c", f"{imports}\nprint(flush=True)\n{wait}{action}"]
    processes = [
        subprocess.Popen(
            command,
            cwd=CHECKOUT,
            env=os.environ | {"MUNIMENT_HOME": str(home)},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for _ in range(runners)
    ]
    for process in processes:
        assert process.stdout is not None
        process.stdout.readline()
    starting_gun.touch()
    results = [process.communicate(timeout=60) for process in processes]
    assert all(process.returncode == 0 for process in processes), results
    return [output.strip() for output, _ in results]


def wait_until_gone(pid: int) -> None:
    """Until the process is dead: gone, or a zombie that nobody has reaped."""
    deadline = time.monotonic() + 30
    with suppress(psutil.NoSuchProcess):
        while psutil.Process(pid).status() != psutil.STATUS_ZOMBIE:
            assert time.monotonic() < deadline
            time.sleep(0.005)
