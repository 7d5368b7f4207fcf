"""Where a request comes from, as far as limits tell visitors apart."""

from ipaddress import IPv6Address, IPv6Network, ip_address

from django.http import HttpRequest


def network_of(request: HttpRequest) -> str:
    """The visitor's IPv4 address, or the /64 of their IPv6 address: all of that is one line's, often one machine's."""
    written = str(request.META.get("REMOTE_ADDR", ""))
    try:
        address = ip_address(written)
    except ValueError:
        return written
    if not isinstance(address, IPv6Address):
        return written
    return str(address.ipv4_mapped or IPv6Network((int(address), 64), strict=False))
