"""Numbers for IP addresses, so that a host's address fits into a column.

An IPv4 address is its own number. Any other string in the place of an address (IPv6, or a name
that a proxy looks up) gets a number in the order in which the log brings it, and
is stored once for all hosts that share it.
"""

from __future__ import annotations

import socket
from functools import lru_cache

UNKNOWN = 0
_FOUR = 1 << 32
_OTHER = 1 << 33


class AddressBook:
    """Numbers of addresses, for the fold of one partition."""

    def __init__(self) -> None:
        self.others: list[str] = []
        self._numbers: dict[str, int] = {}

    def number(self, address: str) -> int:
        """Return the number of an address, a new one if need be; 0 for none."""
        if not address:
            return UNKNOWN
        try:
            return _FOUR | int.from_bytes(socket.inet_pton(socket.AF_INET, address))
        except (OSError, UnicodeError):
            pass
        number = self._numbers.get(address)
        if number is None:
            number = self._numbers[address] = _OTHER | len(self.others)
            self.others.append(address)
        return number

    def address(self, number: int) -> str:
        """Return the address that has this number; "" for none."""
        if number & _FOUR:
            return _of_four(number & 0xFFFFFFFF)
        return self.others[number & 0xFFFFFFFF] if number else ""

    def restore(self, others: list[str]) -> None:
        """Take over the list of another book."""
        self.others = others
        self._numbers = {address: _OTHER | n for n, address in enumerate(others)}


@lru_cache(maxsize=4096)
def _of_four(number: int) -> str:
    """Return an IPv4 address; asked for before every request."""
    return socket.inet_ntoa(number.to_bytes(4))
