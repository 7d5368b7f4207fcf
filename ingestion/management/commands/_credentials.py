"""Options that give a git source its credential. A secret itself is never one: every process list would show it."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError

from ingestion.sources.base import SourceError
from ingestion.sources.git import allowed_url
from knowledge.models import CredentialError, Library, SourceCredential
from knowledge.storage.vault import VaultError

GIVEN = ("token_file", "token_variable", "deploy_key", "known_hosts")


def add_credential_arguments(parser: ArgumentParser) -> None:
    given = parser.add_mutually_exclusive_group()
    given.add_argument(
        "--token-file", type=Path, metavar="FILE", help="HTTPS: holds the access token; - reads it from stdin"
    )
    given.add_argument("--token-variable", metavar="NAME", help="HTTPS: the environment variable that holds the token")
    given.add_argument(
        "--deploy-key", nargs="?", const="", metavar="FILE", help="SSH: this private key, or without FILE a new pair"
    )
    parser.add_argument("--token-user", default="", metavar="NAME", help="HTTPS: the user that the token belongs to")
    parser.add_argument(
        "--known-hosts", type=Path, metavar="FILE", help="SSH: the host's keys; default: the first seen"
    )


def is_given(options: dict[str, Any]) -> bool:
    return any(options[name] is not None for name in GIVEN)


def set_credential(library: Library, options: dict[str, Any]) -> list[str]:
    """What to tell the operator. Raises CommandError."""
    if not is_given(options):
        return []
    if library.kind != Library.Kind.GIT:
        raise CommandError("only a git library has a credential")
    try:
        scheme = allowed_url(library.location).scheme
        if (options["deploy_key"] is not None or options["known_hosts"]) and scheme != "ssh":
            raise CommandError(f"deploy keys and known hosts are for SSH; the library's URL is {scheme}")
        if (options["token_file"] or options["token_variable"]) and scheme == "ssh":
            raise CommandError("tokens are for HTTPS; the library's URL is ssh")
        return list(_set(library, options))
    except (CredentialError, VaultError, SourceError) as error:
        raise CommandError(str(error)) from error


def _set(library: Library, options: dict[str, Any]) -> Any:
    if options["known_hosts"]:
        library.known_hosts = read(options["known_hosts"])
        library.save(update_fields=["known_hosts"])
        yield "The host's keys are pinned."
    if options["token_file"]:
        SourceCredential.token(library, read(options["token_file"]), options["token_user"])
        yield "The token is kept, sealed."
    elif options["token_variable"]:
        SourceCredential.in_variable(library, options["token_variable"], options["token_user"])
        yield f"The token is read from {options['token_variable']} at every build."
    elif options["deploy_key"] is not None:
        private = read(Path(options["deploy_key"])) if options["deploy_key"] else ""
        credential = SourceCredential.deploy_key(library, private)
        yield f"Enter this key at the git host, to read only:\n{credential.public_key}"


def read(path: Path) -> str:
    try:
        return Path("/dev/stdin" if str(path) == "-" else path).read_text()
    except (OSError, UnicodeDecodeError) as error:
        raise CommandError(f"{path} cannot be read: {getattr(error, 'strerror', None) or 'it is not text'}") from error
