"""How git gets a library's secret: through a file in memory that only this process and git's children can open.

A token in the URL or on the command line stands in every process list; in the environment it is inherited by every
helper; in a file it outlives a crash. A memory file has no name, and goes with the last process that holds it.
"""

import base64
import os
import shlex
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from ingestion.sources.base import SourceError
from knowledge.models import CredentialError, Library, SourceCredential
from knowledge.storage.vault import VaultError

from .address import Remote, public_addresses

SSH = (
    "ssh -F none -oBatchMode=yes -oConnectTimeout=20 -oServerAliveInterval=15 -oServerAliveCountMax=4 "
    "-oForwardAgent=no -oUpdateHostKeys=no"
)


@dataclass(frozen=True, slots=True)
class Access:
    """What is added to a git command that reaches the remote, and what must not be seen in what it says."""

    options: list[str]
    pass_fds: tuple[int, ...] = ()
    secrets: tuple[str, ...] = ()


@contextmanager
def access_to(remote: Remote, library: Library, known_hosts: Path) -> Iterator[Access]:
    """The remote's address is resolved, checked and pinned here. Raises SourceError."""
    if remote.scheme == "file":
        yield Access([])
        return
    addresses = public_addresses(remote.host, remote.port)
    credential = credential_of(library)
    try:
        secret = credential.secret() if credential else ""
    except (CredentialError, VaultError) as error:
        raise SourceError(str(error)) from error
    is_key = credential is not None and credential.kind == SourceCredential.Kind.DEPLOY_KEY
    if credential and is_key != (remote.scheme == "ssh"):
        raise SourceError(f"the library's credential is for {'SSH' if is_key else 'HTTPS'}, its URL is {remote.scheme}")
    with ExitStack() as held:
        if remote.scheme == "ssh":
            yield Access(["-c", f"core.sshCommand={ssh(remote, addresses[0], secret, library, known_hosts, held)}"])
            return
        options = ["-c", f"http.curloptResolve={remote.host}:{remote.port}:{','.join(map(bracketed, addresses))}"]
        user, password = (credential.username, secret) if credential else (remote.username, remote.password)
        if not user and not password:
            yield Access(options)
            return
        if not f"{user}{password}".isprintable():  # git reads what the helper says line by line
            raise SourceError("the user or secret for this repository has control characters")
        file = held.enter_context(memory_file(f"username={user}\npassword={password}\n"))
        helper = f'!f() {{ test "$1" = get && cat /dev/fd/{file}; }}; f'
        own = f"credential.{remote.scheme}://{bracketed(remote.host)}:{remote.port}.helper"  # no other host is answered
        yield Access([*options, "-c", f"{own}={helper}"], (file,), spellings(user, password))


def credential_of(library: Library) -> SourceCredential | None:
    """It is for where the library is read from now: a build that began before it was moved is given none."""
    return SourceCredential.objects.filter(library_id=library.pk, library__location=library.location).first()


def ssh(remote: Remote, address: str, key: str, library: Library, known_hosts: Path, held: ExitStack) -> str:
    """The command, for a shell. Its host key is the one that the operator gave, or that was seen first."""
    options = [f"-oHostname={address}", f"-oHostKeyAlias={remote.host}"]
    if library.known_hosts:
        pinned = own_path(held.enter_context(memory_file(f"{library.known_hosts.strip()}\n")))
        options += ["-oStrictHostKeyChecking=yes", f'-oUserKnownHostsFile="{pinned}"']
    else:
        options += ["-oStrictHostKeyChecking=accept-new", f'-oUserKnownHostsFile="{known_hosts}"']
    options.append("-oGlobalKnownHostsFile=/dev/null")
    if key:
        identity = own_path(held.enter_context(memory_file(key)))
        options += [f"-oIdentityFile={identity}", "-oIdentitiesOnly=yes", "-oIdentityAgent=none"]
    return " ".join([SSH, *map(shlex.quote, options)])


@contextmanager
def memory_file(content: str) -> Iterator[int]:
    descriptor = os.memfd_create("muniment")
    try:
        os.fchmod(descriptor, 0o600)  # ssh refuses a key that others may read
        os.write(descriptor, content.encode())
        yield descriptor
    finally:
        os.close(descriptor)


def own_path(descriptor: int) -> str:
    """ssh closes what it inherits, so it opens the file through this process."""
    return f"/proc/{os.getpid()}/fd/{descriptor}"


def bracketed(address: str) -> str:
    return f"[{address}]" if ":" in address else address


def spellings(user: str, password: str) -> tuple[str, ...]:
    """As a message might show it: plain, as in a URL, as in an Authorization header."""
    if not password:
        return ()
    basic = base64.b64encode(f"{user}:{password}".encode()).decode()
    return tuple(dict.fromkeys((password, quote(password), quote(password, safe=""), basic)))
