"""Give a git library the token or deploy key that opens it, look at what it has, or seal all with a new key."""

import json
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.db import transaction

from knowledge.governance import audit
from knowledge.management.commands._library import find_library
from knowledge.models import Library, SourceCredential
from knowledge.storage import vault

from ._credentials import add_credential_arguments, is_given, set_credential


class Command(BaseCommand):
    help = __doc__

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("slug", nargs="?")
        add_credential_arguments(parser)
        parser.add_argument("--remove", action="store_true", help="forget it")
        parser.add_argument("--rotate", action="store_true", help="seal every credential with a new key")
        parser.add_argument("--json", action="store_true")

    def handle(self, *args: Any, **options: Any) -> None:
        if options["rotate"]:
            self.rotate(options["json"])
            return
        if not options["slug"]:
            raise CommandError("which library?")
        library = find_library(options["slug"])
        if options["remove"]:
            SourceCredential.objects.filter(library=library).delete()
        elif is_given(options):
            with transaction.atomic():
                said = set_credential(library, options)
            if not options["json"]:
                self.stdout.write("\n".join(said))
                return
        self.show(library, options["json"])

    def show(self, library: Library, as_json: bool) -> None:
        """Everything but the secret."""
        found = SourceCredential.objects.filter(library=library).first()
        facts = {"library": library.slug, "kind": found.kind if found else None}
        if found:
            facts |= {
                "username": found.username,
                "variable": found.variable or None,
                "public_key": found.public_key or None,
                "changed_at": found.changed_at.isoformat(),
            }
        if as_json:
            self.stdout.write(json.dumps(facts))
        else:
            self.stdout.write("\n".join(f"{name}: {value}" for name, value in facts.items() if value))

    def rotate(self, as_json: bool) -> None:
        """First the new key beside the old, then every credential under it, then the old ones go: never a gap."""
        configured = bool(vault.configured_keys())
        try:
            if not configured:
                vault.add_key()
            with transaction.atomic():
                sealed = SourceCredential.objects.select_for_update().exclude(sealed="")
                for credential in sealed:
                    SourceCredential.objects.filter(pk=credential.pk).update(sealed=vault.reseal(credential.sealed))
                audit.record("credential.rotate", sealed=len(sealed))
            if not configured:
                vault.keep_first_key()
        except vault.VaultError as error:
            raise CommandError(str(error)) from error
        if as_json:
            self.stdout.write(json.dumps({"sealed": len(sealed)}))
            return
        after = " CREDENTIALS_KEY may lose all keys but its first now." if configured else ""
        self.stdout.write(f"{len(sealed)} credentials are sealed with the first key.{after}")
