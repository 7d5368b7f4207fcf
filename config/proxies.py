"""Who asks, where a reverse proxy passes requests on: X-Forwarded-For says it, and is believed of who may say it.

`FORWARDED_ALLOW_IPS` names those, for gunicorn's scheme (X-Forwarded-Proto) and for this alike.
"""

from collections.abc import Callable
from ipaddress import ip_address, ip_network

from django.conf import settings
from django.http import HttpRequest, HttpResponse


class ForwardedFor:
    """Sets REMOTE_ADDR to the visitor's address, where a proxy that is believed has told it."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response
        believed = settings.FORWARDED_ALLOW_IPS
        self.anyone = "*" in believed
        self.proxies = [ip_network(name) for name in believed if name != "*"]

    def __call__(self, request: HttpRequest) -> HttpResponse:
        peer = request.META.get("REMOTE_ADDR", "")
        if self.anyone or not peer or self.is_proxy(peer):  # none: it came over a Unix socket
            request.META["REMOTE_ADDR"] = self.visitor(peer, request.headers.get("X-Forwarded-For", ""))
        return self.get_response(request)

    def visitor(self, peer: str, told: str) -> str:
        """The last address that is no proxy's: each proxy adds whom it heard, and who asks may begin the list."""
        for address in reversed(told.split(",")):
            if not is_address(address.strip()):
                break
            peer = address.strip()
            if not self.is_proxy(peer):
                break
        return peer

    def is_proxy(self, peer: str) -> bool:
        return is_address(peer) and any(ip_address(peer) in network for network in self.proxies)


def is_address(text: str) -> bool:
    try:
        ip_address(text)
    except ValueError:
        return False
    return True
