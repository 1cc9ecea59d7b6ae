"""The interface of a compiled expression (`search`, `sub`), and the exception `TooSlow`."""

from __future__ import annotations

from typing import Protocol


class TooSlow(Exception):
    """A match took too long, and its process was killed."""


class Expression(Protocol):
    """A compiled expression."""

    def search(self, text: str, /) -> object:
        """Return something true when the expression is found in the text."""

    def sub(self, replacement: str, text: str, /) -> str:
        """Return the text with every match replaced; `\\1` and `\\g<name>` stand for groups."""
