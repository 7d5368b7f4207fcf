"""`python -m config.local start|stop|status [--json]`: the embedded Postgres and model servers of this home.

`python -m config.local pg_dump|pg_restore|psql …`: one of Postgres's programs on that server's database.
"""

import argparse
import json
import os
import sys
from dataclasses import asdict
from typing import Any, NoReturn

import psutil

from config.local import models, postgres, running
from config.local.backend.base import create_database
from config.local.home import disk_fault, home

PROGRAMS = ("pg_dump", "pg_restore", "psql")
CLIENTS_MAY_TAKE = 3  # seconds that a process gets to end without its database


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m config.local", description=__doc__)
    parser.add_argument("action", choices=["start", "stop", "status"])
    parser.add_argument("--json", action="store_true")
    left: list[psutil.Process] = []
    try:
        if sys.argv[1:] and sys.argv[1] in PROGRAMS:
            become(*sys.argv[1:])
        arguments = parser.parse_args()
        if arguments.action == "start":
            start()
        elif arguments.action == "stop":
            left = stop()
        servers = status()
        told = json.dumps({"home": str(home()), **servers}, indent=2) if arguments.json else describe(servers)
        print(told, flush=True)
    except BrokenPipeError:  # whoever reads it, such as `head`, has had enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except (postgres.PostgresError, models.ModelServerError) as error:
        print(error, file=sys.stderr)
        return 1
    except OSError as error:
        if not (fault := disk_fault(error)):
            raise
        print(fault, file=sys.stderr)
        return 1
    return int(bool(left))


def become(program: str, *arguments: str) -> NoReturn:
    """Be this program of Postgres's from now on. Raises PostgresError."""
    if os.environ.get("DATABASE_URL"):
        raise postgres.PostgresError(f'The database is not the embedded one: {program} "$DATABASE_URL" does it.')
    server = postgres.ensure()
    create_database(asdict(server))
    address = {f"PG{name.upper()}": str(value) for name, value in asdict(server).items()}
    found = postgres.environment_for_tools() | address | {"PGDATABASE": postgres.DATABASE}
    os.execve(postgres.binaries() / program, [program, *arguments], found)  # noqa: S606 - a fixed program, no shell


def start() -> None:
    postgres.ensure()
    for role in models.RECIPES:
        models.ensure(role)


def stop() -> list[psutil.Process]:
    """Stop the servers, and before them what bin/demo started. Names and returns what else may start them again."""
    running.stop()
    for role in models.recorded_roles():
        models.stop(role)
    clients = postgres.clients()
    postgres.stop()
    left = psutil.wait_procs(clients, timeout=CLIENTS_MAY_TAKE)[1]
    for client in left:
        print(f"Still running, and may start Postgres again: {describe_process(client)}", file=sys.stderr)
    return left


def describe_process(process: psutil.Process) -> str:
    try:
        return f"pid {process.pid}, {' '.join(process.cmdline())}"
    except psutil.Error:
        return f"pid {process.pid}"


def status() -> dict[str, dict[str, Any]]:
    return {"postgres": postgres.status(), **{role: models.status(role) for role in models.RECIPES}}


def describe(servers: dict[str, dict[str, Any]]) -> str:
    return "\n".join(f"{name:<10} {describe_one(server)}" for name, server in servers.items())


def describe_one(server: dict[str, Any]) -> str:
    if not server["running"]:
        return "stopped"
    model = f", {server['model']}" if "model" in server else ""
    return f"port {server['port']}, pid {server['pid']}, {server['memory'] >> 20} MB{model}"


if __name__ == "__main__":
    sys.exit(main())
