"""llama.cpp's own HTTP server, from the `xllamacpp` wheel: `python -m config.local.llama_server DIRECTORY …`.

Loopback only, with the key in DIRECTORY/key, without its web page, and open to no other origin. It leaves its starter
(so that nobody inherits a zombie) and records itself in DIRECTORY/server.json, its log in DIRECTORY/server.log.
"""

import argparse
import json
import os
import signal
import sys
from contextlib import suppress
from pathlib import Path

from config.local.process import free_port, write_whole

NICENESS = 5  # a build keeps every core busy for minutes; pages and Postgres go first
PROMPT_CACHE_MB = 256


def main() -> None:
    arguments = parse_arguments()
    directory: Path = arguments.directory
    port = free_port(recorded_port(directory))
    recorded, record_made = os.pipe()
    if os.fork():
        os.close(record_made)
        os.read(recorded, 1)  # ends when the child closes its end
        os._exit(0)
    record(directory, os.getpid(), port, ready=False)
    os.close(record_made)
    detach(directory / "server.log")
    go_last()
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM, signal.SIGINT})  # inherited by the server's threads
    server = serve(arguments, port, (directory / "key").read_text())
    record(directory, os.getpid(), port, ready=True)
    signal.sigwait({signal.SIGTERM, signal.SIGINT})
    del server


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    parser.add_argument("directory", type=Path)
    parser.add_argument("--model", required=True)
    parser.add_argument("--alias", required=True)
    parser.add_argument("--slot-context", type=int, required=True, help="tokens that one request may have")
    parser.add_argument("--slots", type=int, default=1, help="requests that run at the same time")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--pooling", choices=["mean", "rank"], help="of an embedding model, and of a reranker")
    return parser.parse_args()


def detach(log: Path) -> None:
    """Leave the starter's session and pipes."""
    os.setsid()
    descriptor = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    for standard in (sys.stdout.fileno(), sys.stderr.fileno()):
        os.dup2(descriptor, standard)
    os.close(descriptor)


def go_last() -> None:
    """Be nice to other sessions too: where Linux groups tasks by session, niceness counts only among a group's own."""
    os.nice(NICENESS)
    with suppress(OSError):
        Path("/proc/self/autogroup").write_text(str(NICENESS))


def serve(arguments: argparse.Namespace, port: int, key: str) -> object:
    """Load the model and listen; returns when requests are answered. The server stops with the returned object."""
    import xllamacpp

    params = xllamacpp.CommonParams()
    params.model.path = arguments.model
    params.model_alias = {arguments.alias}
    params.hostnames = ["127.0.0.1"]
    params.port = port
    params.api_keys = [key]
    params.ui = False
    params.cors_origins = "http://127.0.0.1"
    params.endpoint_slots = False
    params.verbosity = 2  # warnings and errors: the log has no one to rotate it
    params.n_ctx = arguments.slot_context * arguments.slots
    params.n_parallel = arguments.slots
    params.n_batch = params.n_ubatch = 512 * arguments.slots
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = arguments.threads
    params.cache_prompt = True
    params.cache_ram_mib = 0 if arguments.pooling else PROMPT_CACHE_MB
    if arguments.pooling:
        params.embedding = True
        kind = f"LLAMA_POOLING_TYPE_{arguments.pooling.upper()}"
        params.pooling_type = getattr(xllamacpp.llama_pooling_type, kind)
    return xllamacpp.Server(params)


def recorded_port(directory: Path) -> int:
    try:
        return int(json.loads((directory / "server.json").read_text())["port"])
    except (FileNotFoundError, ValueError, KeyError):
        return 0


def record(directory: Path, pid: int, port: int, *, ready: bool) -> None:
    write_whole(directory / "server.json", json.dumps({"pid": pid, "port": port, "ready": ready}))


if __name__ == "__main__":
    main()
