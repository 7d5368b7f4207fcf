"""Which git addresses may be reached: the scheme, the host as it is written, and every address that it resolves to."""

import ipaddress
import re
import socket
from collections.abc import Iterator
from dataclasses import dataclass
from urllib.parse import unquote, urlsplit

from django.conf import settings

from ingestion.sources.base import SourceAway, SourceError

IPAddress = ipaddress.IPv4Address | ipaddress.IPv6Address

SCP_LIKE = re.compile(r"[\w.-]+@[\w.-]+:[^:]+")
LABEL = r"[a-zA-Z0-9_]([a-zA-Z0-9_-]{0,61}[a-zA-Z0-9_])?"
NAME = re.compile(rf"{LABEL}(\.{LABEL})*")  # it stands in a shell's command line and in curl's option
ENDS_IN_NUMBER = re.compile(r"(.*\.)?(\d+|0x[0-9a-f]*)", re.I)  # then it is an IPv4 address, in whatever spelling
PORTS = {"https": 443, "http": 80, "ssh": 22, "git": 9418}
NEVER = tuple(
    ipaddress.ip_network(network)
    for network in (
        "169.254.0.0/16",  # link-local, and most clouds' metadata
        "fe80::/10",
        "fd00:ec2::254/128",
        "100.100.100.200/32",
        "192.0.0.0/24",
        "64:ff9b:1::/48",  # translated by rules that only the network knows
        "224.0.0.0/4",
        "ff00::/8",
    )
)
SITE_LOCAL = ipaddress.ip_network("fec0::/10")  # given up for fc00::/7, which Python knows to be private
HOLDING_IPV4 = {  # networks whose addresses hold an IPv4 address, and how many bits stand behind it
    ipaddress.ip_network("::ffff:0:0/96"): 0,
    ipaddress.ip_network("::ffff:0:0:0/96"): 0,
    ipaddress.ip_network("::/96"): 0,
    ipaddress.ip_network("64:ff9b::/96"): 0,
    ipaddress.ip_network("2002::/16"): 80,
}


@dataclass(frozen=True, slots=True)
class Remote:
    """A git URL, taken apart. `url` is what git is given: over HTTPS it is without user and password."""

    url: str
    scheme: str
    host: str
    port: int
    username: str
    password: str


def allowed_url(url: str) -> Remote:
    """Raises SourceError for a URL that may not be fetched, whatever it resolves to."""
    if re.search(r"[\x00-\x20\x7f\\]", url):  # which one parser drops and another reads
        raise SourceError("the git URL has spaces, control characters or a backslash")
    whole = "ssh://" + url.replace(":", "/", 1) if SCP_LIKE.fullmatch(url) else url
    try:
        parts = urlsplit(whole)
        port = parts.port or PORTS.get(parts.scheme, 0)
    except ValueError:  # which may quote a password
        raise SourceError("this is not a URL: a slash in a password is written %2F, a port is a number") from None
    if parts.scheme not in settings.GIT_ALLOWED_SCHEMES or "::" in whole.split("//")[0]:
        allowed = ", ".join(settings.GIT_ALLOWED_SCHEMES)
        raise SourceError(
            f"git URLs must begin with one of: {allowed}. Whoever runs Muniment may allow others by "
            "GIT_ALLOWED_SCHEMES in .env, and starts it again"
        )
    if parts.scheme == "file":
        return Remote(url, "file", "", 0, "", "")
    host, (username, password) = parts.hostname or "", (unquote(parts.username or ""), unquote(parts.password or ""))
    if "@" in host or parts.netloc.count("@") > 1:
        raise SourceError("the git URL has more than one @ before its path: which of them ends the user is a guess")
    refuse_host(host)
    if username.startswith("-"):
        raise SourceError("the git URL has a user that ssh would read as an option")
    if parts.scheme == "ssh" and password:
        raise SourceError("SSH takes no password from a URL: set a deploy key with manage.py credential")
    if parts.scheme != "ssh":
        url = whole.replace(parts.netloc, parts.netloc.rpartition("@")[2], 1)
    return Remote(url, parts.scheme, host, port, username, password)


def refuse_host(host: str) -> None:
    """Raises SourceError for a host that is no name and no plainly written address."""
    try:
        ipaddress.ip_address(host)
    except ValueError:
        if ENDS_IN_NUMBER.fullmatch(host):
            raise SourceError(f"{host} is an IPv4 address in an unusual spelling; write four decimal numbers") from None
        if not NAME.fullmatch(host) or len(host) > 253:
            raise SourceError("the git URL names no host") from None
    if "%" in host:  # which ipaddress accepts
        raise SourceError("the git URL has an address with a zone, which is a link-local one")


def public_addresses(host: str, port: int) -> list[str]:
    """The host's addresses, resolved once. Raises SourceError if one of them may not be reached."""
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:
        fault = SourceAway if getattr(error, "errno", None) == socket.EAI_AGAIN else SourceError
        raise fault(f"the host {host} cannot be resolved: {getattr(error, 'strerror', None) or error}") from error
    addresses = [str(sockaddr[0]) for *_, sockaddr in found]
    for address in addresses:
        refuse_address(host, address)
    return list(dict.fromkeys(addresses))


def refuse_address(host: str, written: str) -> None:
    address = ipaddress.ip_address(written.partition("%")[0])
    meant = [address, *embedded(address)]
    for one in meant:
        if any(one in network for network in NEVER) or one.is_unspecified or "%" in written:
            raise SourceError(f"the host {host} resolves to {one}, which no git source may reach")
    allowed = [ipaddress.ip_network(network, strict=False) for network in settings.GIT_ALLOWED_NETWORKS]
    for one in meant[1:] or meant:  # what an address holds counts, and not its wrapping
        is_public = one.is_global and one not in SITE_LOCAL
        if not is_public and not any(one in network for network in allowed):
            raise SourceError(
                f"the host {host} resolves to {one}, which is not a public address; "
                "GIT_ALLOWED_NETWORKS names the private networks in which git servers may be"
            )


def embedded(address: IPAddress) -> Iterator[IPAddress]:
    """IPv4 addresses that an IPv6 address leads to: mapped, translated (NAT64), tunnelled (6to4, Teredo)."""
    if isinstance(address, ipaddress.IPv4Address):
        return
    if address.teredo:
        yield from address.teredo
    for network, behind in HOLDING_IPV4.items():
        if address in network and int(address) > 1:
            yield ipaddress.IPv4Address((int(address) >> behind) & 0xFFFFFFFF)
