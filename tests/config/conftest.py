import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from config.local.home import CHECKOUT
from config.local.process import free_port


@contextmanager
def served(application: str) -> Iterator[int]:
    """The port where the web server that the image runs serves this `module:application`."""
    port = free_port()
    server = ["-m", "gunicorn", application, f"--bind=127.0.0.1:{port}", "--threads=2", "--no-control-socket"]
    with subprocess.Popen([sys.executable, *server], cwd=CHECKOUT, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr
        try:
            while "Booting worker" not in process.stderr.readline():
                assert process.poll() is None
            yield port
        finally:
            process.terminate()
