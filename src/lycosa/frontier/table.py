"""URL key ↔ number.

Numbers are given in the order of the first `add`, from 0, and stay valid for ever:
they are what the log means by a page. This is the plain table, a dict and a list; the
protocol is what the rest of the frontier knows of it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol


class UrlTable(Protocol):
    """Every URL of a partition, once."""

    def add(self, key: str) -> int:
        """Return the number of a key that is not in the table yet, after putting it there."""

    def find(self, key: str) -> int | None:
        """Return the number of a key, or None."""

    def key(self, page: int) -> str:
        """Return the key of a number."""

    def __len__(self) -> int: ...

    def __iter__(self) -> Iterator[str]: ...


class PlainUrlTable:
    """A dict one way and a list the other way."""

    def __init__(self) -> None:
        self._keys: list[str] = []
        self._pages: dict[str, int] = {}

    def add(self, key: str) -> int:
        """Take a new key in."""
        page = len(self._keys)
        self._pages[key] = page
        self._keys.append(key)
        return page

    def find(self, key: str) -> int | None:
        """Look a key up."""
        return self._pages.get(key)

    def key(self, page: int) -> str:
        """Return the key."""
        return self._keys[page]

    def __len__(self) -> int:
        return len(self._keys)

    def __iter__(self) -> Iterator[str]:
        return iter(self._keys)
