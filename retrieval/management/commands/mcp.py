"""Serve MCP on standard input and output, for a program on this machine: search, ask, read_section,
list_libraries, symbols."""

import signal
from argparse import ArgumentParser
from typing import Any

import anyio
from django.core.management.base import BaseCommand

from knowledge.management.commands._user import find_user
from retrieval.mcp import Caller, caller, server


class Command(BaseCommand):
    help = __doc__

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--user", help="see what this user may see; without it, everything")

    def handle(self, *args: Any, **options: Any) -> None:
        caller.set(Caller(find_user(options["user"])))
        signal.signal(signal.SIGINT, signal.SIG_DFL)  # else it waits for the thread that reads, and so for a line
        anyio.run(server.run_stdio_async)
