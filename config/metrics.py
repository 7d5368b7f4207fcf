"""Counters that several web processes share: files in the home, which prometheus_client maps into memory.

To be called before anything imports prometheus_client, which looks for the directory only then.
"""

import os
import re
import socket
from pathlib import Path

from config.local.home import home


def share() -> None:
    """Begin anew when none of the processes lives that wrote the files: a counter that restarts is no surprise."""
    folder = home() / "metrics" / re.sub(r"[^\w.-]", "_", socket.gethostname())
    folder.mkdir(parents=True, exist_ok=True)
    files = list(folder.glob("*.db"))
    if not any(lives(file) for file in files):
        for file in files:
            file.unlink(missing_ok=True)
    os.environ["PROMETHEUS_MULTIPROC_DIR"] = str(folder)


def lives(file: Path) -> bool:
    number = file.stem.rpartition("_")[2]
    return number.isdigit() and Path(f"/proc/{number}").exists()
