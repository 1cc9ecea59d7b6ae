"""The proxy of a job: where it is, the password that it wants, and whether a peer is it.

libcurl connects either to the proxy or to the origin itself. So a peer at the proxy's port is the
proxy, unless the origin has the same port: then its address must be one of the proxy's, too.

Always true: the address that libcurl is given holds no password.
Cost: a comparison of ports for each request; a lookup of the proxy's name only where both ports are
the same, once for each address of the proxy.
Not here: which names may be asked through a proxy (`lycosa.fetch.guard`).
"""

from __future__ import annotations

import socket
from ipaddress import ip_address
from urllib.parse import unquote, urlsplit

_DEFAULT_PORTS = {"https": 443}
_OTHER_DEFAULT = 1080
"""libcurl's default for proxies."""


class Proxy:
    """The proxy that all requests of a transport go through; its URL has its secrets in it."""

    def __init__(self, url: str) -> None:
        parts = urlsplit(url)
        login, _, place = parts.netloc.rpartition("@")
        user, _, password = login.partition(":")
        self.url = f"{parts.scheme}://{place}"
        self.speaks_http = parts.scheme.startswith("http")
        self.user, self.password = unquote(user), unquote(password)
        self._host = parts.hostname or ""
        self._port = parts.port or _DEFAULT_PORTS.get(parts.scheme, _OTHER_DEFAULT)
        self._addresses: set[str] = set()

    def is_peer(self, address: str, port: int, origin_port: int) -> bool:
        """Return whether a connection that libcurl has made for an origin leads to the proxy."""
        if port != self._port:
            return False
        if port != origin_port:
            return True  # libcurl knows no other way to this port
        peer = _plain(address)
        if peer not in self._addresses:
            # libcurl has just looked the same name up, so the system answers from its cache.
            self._addresses.update(_addresses_of(self._host, port))
        return peer in self._addresses


def _addresses_of(host: str, port: int) -> set[str]:
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except OSError:
        return set()
    return {_plain(str(place[0])) for *_, place in found}


def _plain(address: str) -> str:
    """Return one spelling for all of an address."""
    parsed = ip_address(address.strip("[]").partition("%")[0])
    return str(getattr(parsed, "ipv4_mapped", None) or parsed)
