"""Serve MCP on standard input and output, for a program on this machine: search, ask, read_section,
list_libraries, symbols."""

import signal
from argparse import ArgumentParser
from typing import Any

import anyio
from django.contrib.auth.models import User
from django.core.management.base import BaseCommand, CommandError

from retrieval.mcp import Caller, caller, server


class Command(BaseCommand):
    help = __doc__

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--user", help="see what this user may see; without it, everything")

    def handle(self, *args: Any, **options: Any) -> None:
        caller.set(Caller())
        if name := options["user"]:
            user = User.objects.filter(username=name, is_active=True).first()
            if user is None:
                raise CommandError(f"There is no active user “{name}”.")
            caller.set(Caller(user))
        signal.signal(signal.SIGINT, signal.SIG_DFL)  # else it waits for the thread that reads, and so for a line
        anyio.run(server.run_stdio_async)
