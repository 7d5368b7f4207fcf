"""`python -m config.local start|stop|status [--json]`: the embedded Postgres and model servers of this home."""

import argparse
import json
import sys
from typing import Any

from config.local import models, postgres
from config.local.home import home


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m config.local", description=__doc__)
    parser.add_argument("action", choices=["start", "stop", "status"])
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    try:
        if arguments.action == "start":
            start()
        elif arguments.action == "stop":
            stop()
    except (postgres.PostgresError, models.ModelServerError) as error:
        print(error, file=sys.stderr)
        return 1
    servers = status()
    print(json.dumps({"home": str(home()), **servers}, indent=2) if arguments.json else describe(servers))
    return 0


def start() -> None:
    postgres.ensure()
    for role in models.RECIPES:
        models.ensure(role)


def stop() -> None:
    for role in models.RECIPES:
        models.stop(role)
    postgres.stop()


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
