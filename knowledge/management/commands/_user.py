"""Who acts, where a command stands in for somebody, such as by `--as USER`."""

from argparse import ArgumentParser

from django.contrib.auth.models import User
from django.core.management.base import CommandError

from knowledge.spellings import account_name


def add_as(parser: ArgumentParser) -> None:
    parser.add_argument("--as", dest="user", metavar="USER", help="whose decision this is")


def find_user(name: str | None) -> User | None:
    """None for nobody named: the operator."""
    return None if name is None else active_user(name)


def active_user(name: str) -> User:
    user = User.objects.filter(username=account_name(name), is_active=True).first()
    if user is None:
        raise CommandError(f"There is no active user “{name}”.")
    return user
