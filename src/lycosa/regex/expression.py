"""A compiled regular expression: what can be done with it, and what can go wrong."""

from __future__ import annotations

from typing import Protocol


class TooSlow(Exception):
    """A match took too long and was ended."""


class Expression(Protocol):
    """What is done with an expression."""

    def search(self, text: str, /) -> object:
        """Return something true when the expression is found in the text."""

    def sub(self, replacement: str, text: str, /) -> str:
        """Return the text with every match replaced; `\\1` and `\\g<name>` stand for groups."""
