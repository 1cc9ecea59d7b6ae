"""The changed share of a text, by its words; and the difference of two texts, by their lines."""

from __future__ import annotations

import difflib
from collections import Counter
from typing import NamedTuple


class Change(NamedTuple):
    """The difference between two texts, regardless of the order of their words."""

    words_before: int
    words_after: int
    added: int
    removed: int

    @property
    def share(self) -> float:
        """The changed share: 0 for the same words, 1 for no word in common."""
        whole = self.words_before + self.words_after
        return (self.added + self.removed) / whole if whole else 0.0


def change_of(before: str, after: str) -> Change:
    """Compare the words of two texts."""
    old, new = Counter(before.split()), Counter(after.split())
    return Change(old.total(), new.total(), added=(new - old).total(), removed=(old - new).total())


def difference(before: str, after: str, names: tuple[str, str]) -> list[str]:
    """Return the difference as `diff -u` writes it, without line ends."""
    return list(
        difflib.unified_diff(before.splitlines(), after.splitlines(), *names, lineterm="", n=2)
    )
