"""Maps the addresses of a test web to loopback addresses, and writes the hosts file.

Every address of the web ("10.0.0.7") becomes a loopback address of its own, so that a
client sees what it would see outside: which names share an address and which do not. An
IPv6 address becomes `::1`, of which there is only one. Clients in other network namespaces cannot
reach loopback: for them the first address may be a private one, and all others follow it.

The hosts file is for the crawler alone; the system is not changed. Besides lines
as in /etc/hosts it maps ports:

    127.0.0.2 www.s0.test www.s5.test
    port 80 41001
    port 443 41002
    port 8080 41001
"""

from __future__ import annotations

import ipaddress
from collections.abc import Iterable, Mapping

from lycosa.errors import ConfigError
from lycosa_testweb.web import Web

FIRST_ADDRESS = "127.0.0.2"


_LOOPBACK = ipaddress.IPv4Network("127.0.0.0/8")
_PRIVATE = ipaddress.IPv4Network("10.0.0.0/8")


class Places:
    """The loopback address for each address of the web, and its host names."""

    def __init__(
        self, web: Web, hosts: Iterable[str], moment: float, first: str = FIRST_ADDRESS
    ) -> None:
        self.hosts_at: dict[str, list[str]] = {}
        """By loopback address."""
        self.web_address: dict[str, str] = {}
        """The web's own address, by loopback address."""
        loopback_of: dict[str, str] = {}
        self._next = ipaddress.IPv4Address(first)
        self._network = _PRIVATE if self._next in _PRIVATE else _LOOPBACK
        for host in hosts:
            address = web.resolve(host, moment).address
            if address is None:
                continue
            place = loopback_of.get(address)
            if place is None:
                place = loopback_of[address] = self._take(address)
                self.web_address[place] = address
            self.hosts_at.setdefault(place, []).append(host)
        if not self.hosts_at:
            raise ConfigError("the web has no host with an address: there is nothing to serve")

    def _take(self, address: str) -> str:
        if ":" in address:
            if "::1" in self.web_address:
                raise ConfigError(
                    f"a second IPv6 address, {address}: loopback has only ::1\n"
                    "  give all IPv6 hosts of the web one address"
                )
            return "::1"
        while self._next.packed[3] in (0, 255):
            self._next += 1
        taken, self._next = self._next, self._next + 1
        if taken not in self._network:
            raise ConfigError(f"too many addresses: {taken} is beyond {self._network}")
        return str(taken)

    def hosts_file(self, ports: Mapping[int, int]) -> str:
        """Return the hosts file; `ports` says which port stands for which."""
        lines = [f"{place} {' '.join(hosts)}" for place, hosts in self.hosts_at.items()]
        lines += [f"port {port} {real}" for port, real in sorted(ports.items())]
        return "\n".join([*lines, ""])
