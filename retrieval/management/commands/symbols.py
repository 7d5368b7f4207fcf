"""What source code defines under a name, who calls it, or what it calls."""

import json
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from retrieval.code.symbols import Answered, NoSuchSymbol, find_symbols
from retrieval.view import UnknownLibrary

from ._scope import words_and_libraries


class Command(BaseCommand):
    help = __doc__

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("name", nargs="?", help="a name, or the end of a qualified one: Flask.route, Cart#add!")
        direction = parser.add_mutually_exclusive_group()
        direction.add_argument("--callers", dest="direction", action="store_const", const="callers", default="")
        direction.add_argument("--callees", dest="direction", action="store_const", const="callees")
        parser.add_argument("--depth", type=int, choices=(1, 2, 3), help="callers of callers …; no guesses")
        parser.add_argument("--library", nargs="+", action="extend", default=[], metavar="SLUG")
        parser.add_argument("--json", action="store_true")

    def handle(self, *args: Any, **options: Any) -> None:
        name, libraries = words_and_libraries(options["name"], options)
        if name is None or not name.strip():
            raise CommandError(f"name a symbol{', before --library' if libraries else ''}", returncode=2)
        if options["depth"] and not options["direction"]:
            raise CommandError("--depth goes with --callers or --callees", returncode=2)
        try:
            answered = find_symbols(None, name, libraries, options["direction"], options["depth"] or 1)
        except (UnknownLibrary, NoSuchSymbol) as error:
            raise CommandError(str(error)) from error
        if options["json"]:
            self.stdout.write(json.dumps(answered.as_json(), ensure_ascii=False))
        else:
            self.show(answered)

    def show(self, answered: Answered) -> None:
        for symbol in answered.symbols:
            place = f"{symbol.library}: {symbol.source_file}:{symbol.line_start}-{symbol.line_end}"
            self.stdout.write(self.style.MIGRATE_HEADING(f"{symbol.kind} {symbol.qualified_name}  {place}"))
            self.stdout.write(f"   {symbol.signature}")
        calls = answered.callers if answered.callers is not None else answered.callees
        for call in calls or ():
            said = call.resolution if not call.guess else "a guess, by name only"
            names = f"{call.caller or 'the top of the file'} → {call.callee or call.written}"
            self.stdout.write(f"{'  ' * call.depth}{names}  {call.source_file}:{call.line}  ({said})")
        if answered.cut:
            self.stdout.write(self.style.WARNING("there are more"))
