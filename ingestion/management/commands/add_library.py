"""Name a body of documents; `reindex` then reads it."""

from argparse import ArgumentParser
from typing import Any

from django.core.exceptions import ValidationError
from django.core.management.base import BaseCommand, CommandError
from django.db import transaction

from ingestion.adding import NameTaken, keep
from ingestion.sources.base import SourceError
from ingestion.sources.directory import allowed_directory
from ingestion.sources.git import allowed_url
from knowledge.management.commands._library import check_language
from knowledge.models import Library

from ._credentials import add_credential_arguments, set_credential


class Command(BaseCommand):
    help = __doc__

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("slug")
        source = parser.add_mutually_exclusive_group(required=True)
        source.add_argument("--git", metavar="URL")
        source.add_argument("--directory", metavar="PATH", help="below one of DIRECTORY_ROOTS")
        source.add_argument("--uploads", action="store_true", help="what people bring: on its page, or by `upload`")
        parser.add_argument("--ref", default="", help="branch, tag or commit id; default: the repository's own")
        parser.add_argument(
            "--subdirectory", default="", metavar="FOLDER", help="read only this folder of a repository"
        )
        add_credential_arguments(parser)
        parser.add_argument("--name", default="", help="shown to readers; default: the slug")
        parser.add_argument(
            "--include", metavar="GLOB", nargs="+", action="extend", default=[], help="only these files"
        )
        parser.add_argument("--exclude", metavar="GLOB", nargs="+", action="extend", default=[], help="not these")
        language = "a Postgres text-search configuration; default: english"
        parser.add_argument("--language", default="english", help=language)
        access = Library.Access
        parser.add_argument("--access", choices=access.values, default=access.SIGNED_IN, help="default: signed-in")
        parser.add_argument("--review", action="store_true", help="new snapshots wait for a reviewer")
        parser.add_argument("--summaries", action="store_true", help="summarise sections, and search in that, too")

    def handle(self, *args: Any, **options: Any) -> None:
        if not options["git"] and (options["ref"] or options["subdirectory"]):
            raise CommandError("--ref and --subdirectory are of a repository: they need --git", returncode=2)
        for name in ("git", "directory"):
            if options[name] is not None and not options[name].strip():  # as a variable of a script that is not set
                raise CommandError(f"--{name} is empty", returncode=2)
        kind, location = self.source(options)
        library = Library(
            slug=options["slug"],
            name=options["name"] or options["slug"],
            kind=kind,
            location=location,
            ref=options["ref"],
            subdirectory=options["subdirectory"],
            include=options["include"],
            exclude=options["exclude"],
            language=options["language"],
            access=options["access"],
            requires_review=options["review"],
            summaries=options["summaries"],
        )
        check_language(library.language)
        for check, status in ((library.clean_fields, 2), (library.clean, 2), (library.full_clean, 1)):
            try:
                check()
            except ValidationError as error:
                raise CommandError("; ".join(dict.fromkeys(error.messages)), returncode=status) from error
        try:
            with transaction.atomic():
                keep(library, None)
                said = set_credential(library, options)
        except NameTaken as error:
            raise CommandError(str(error)) from error
        for line in said:
            self.stdout.write(line)
        self.stdout.write(f"Added {library.slug} ({library.get_kind_display()}). Now: manage.py {next_step(library)}")

    def source(self, options: dict[str, Any]) -> tuple[str, str]:
        try:
            if options["git"]:
                allowed_url(options["git"])
                return Library.Kind.GIT, options["git"]
            if options["directory"]:
                return Library.Kind.DIRECTORY, str(allowed_directory(options["directory"]))
        except SourceError as error:
            raise CommandError(str(error), returncode=2) from error
        return Library.Kind.UPLOADS, ""


def next_step(library: Library) -> str:
    return f"upload {library.slug} FILE …" if library.kind == Library.Kind.UPLOADS else f"reindex {library.slug}"
