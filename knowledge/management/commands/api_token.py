"""Issue, list or revoke API tokens. A token is printed once, when it is issued."""

import json
from argparse import ArgumentParser, ArgumentTypeError
from datetime import timedelta
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from knowledge.models import ApiToken

from ._numbers import count
from ._user import active_user

LONGEST = 100


class Command(BaseCommand):
    help = __doc__

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("user", nargs="?", help="issue a token for this user; without one, list them all")
        parser.add_argument("--name", type=name, default="command line", help=f"of at most {LONGEST} characters")
        scopes = ApiToken.Scope.values
        parser.add_argument("--scope", nargs="+", choices=scopes, default=["search", "ask"], help="default: search ask")
        parser.add_argument("--days", type=count, default=90, help="until it expires; 0: never (default: 90)")
        parser.add_argument("--revoke", type=int, metavar="ID")
        parser.add_argument("--json", action="store_true")

    def handle(self, *args: Any, **options: Any) -> None:
        if options["revoke"] is not None:
            self.revoke(options["revoke"], options["json"])
        elif options["user"]:
            self.issue(options)
        else:
            self.show(options["json"])

    def issue(self, options: dict[str, Any]) -> None:
        user = active_user(options["user"])
        lifetime = timedelta(days=options["days"]) if options["days"] else None
        row, token = ApiToken.issue(user, options["name"], options["scope"], lifetime)
        self.stdout.write(json.dumps({"id": row.pk, "token": token}) if options["json"] else token)

    def revoke(self, pk: int, as_json: bool) -> None:
        row = ApiToken.objects.filter(pk=pk).first()
        if row is None:
            raise CommandError(f"There is no token {pk}.")
        row.revoke()
        self.stdout.write(json.dumps(described(row, alive=False)) if as_json else f"Revoked {row}.")

    def show(self, as_json: bool) -> None:
        alive = set(ApiToken.objects.alive().values_list("pk", flat=True))
        rows = [described(row, row.pk in alive) for row in ApiToken.objects.select_related("user")]
        if as_json:
            self.stdout.write(json.dumps(rows))
            return
        for row in rows:
            state = "alive" if row["alive"] else "dead"
            self.stdout.write(f"{row['id']}  {row['user']}  {row['name']}  {', '.join(row['scopes'])}  {state}")


def described(row: ApiToken, alive: bool) -> dict[str, Any]:
    """Everything but the secret."""
    return {
        "id": row.pk,
        "user": str(row.user),
        "name": row.name,
        "scopes": row.scopes,
        "expires": row.expires_at and row.expires_at.isoformat(),
        "used": row.used_at and row.used_at.isoformat(),
        "alive": alive,
    }


def name(text: str) -> str:
    if len(text) > LONGEST:
        raise ArgumentTypeError(f"longer than {LONGEST} characters")
    return text
