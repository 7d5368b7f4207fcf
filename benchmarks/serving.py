"""The product's web server, for benchmarks that measure it from outside."""

import os
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

import httpx2 as httpx
from _setup import ROOT

from config.local.process import free_port

SECONDS = 60  # to start in


def collect_static() -> None:
    subprocess.run((sys.executable, "manage.py", "collectstatic", "--noinput", "-v0"), cwd=ROOT, check=True)


def start(
    port: int, environment: Mapping[str, str] | None = None, workers: int = 1, threads: int = 128
) -> subprocess.Popen[bytes]:
    """gunicorn as bin/demo starts it, if nothing else is said. The caller stops it. Exits when it does not answer."""
    command = [sys.executable, "-m", "gunicorn", "config.wsgi", f"--bind=127.0.0.1:{port}", "--no-control-socket"]
    command += ["--worker-class=gthread", f"--workers={workers}", f"--threads={threads}", "--log-level=warning"]
    process = subprocess.Popen(command, cwd=ROOT, env={**os.environ, **(environment or {})}, start_new_session=True)
    until = time.monotonic() + SECONDS
    while time.monotonic() < until and process.poll() is None:
        try:
            if httpx.get(f"http://127.0.0.1:{port}/healthz", trust_env=False).status_code == 200:
                return process
        except httpx.HTTPError:
            pass
        time.sleep(0.2)
    process.kill()
    raise SystemExit("The web server did not start.")


@contextmanager
def serving(environment: Mapping[str, str] | None = None, workers: int = 1, threads: int = 128) -> Iterator[str]:
    """Its address, while it runs."""
    collect_static()
    port = free_port()
    process = start(port, environment, workers, threads)
    try:
        yield f"http://127.0.0.1:{port}"
    finally:
        process.terminate()
        process.wait(30)
