"""The operations of a URL table, and what is always true of it.

A table holds the keys of one partition (`lycosa.model.url.key`), each once, gives them numbers, and
keeps them in key order, so that the URLs of a folder, a site, a host or a domain stand side
by side. It also counts: a URL can be *marked* as pending, a site can be *awake* or at
rest, and a URL is *ready* while it is marked and its site is awake. The number of ready URLs is
known for every part of the tree, so that finding the next ready one anywhere costs the depth of
the tree, however many URLs lie between.

Always true:
  * numbers are given in the order of the first `add`, from 0, and stay valid for ever: the log
    refers to pages by them;
  * so are the numbers of sites, in the order of their first URL;
  * `ready` is the number of marked URLs whose site is awake;
  * ready URLs are found by counts alone, never by looking at one URL after the other;
  * spilling a site changes no answer, only its cost.

A *prefix* is any beginning of a key, usually a node of the tree (`segments`); the empty one
stands for everything. Marks, wakefulness and the cursors of `round_robin` are volatile: they
are not packed, and a crawl resumes with fresh ones.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Protocol


class Numbered(Protocol):
    """Key ↔ number, and the order of keys."""

    def add(self, key: str, /) -> int:
        """Return the number of a key, which is taken in if it is not known."""

    def add_many(self, keys: Sequence[str]) -> list[int]:
        """`add` each; those with numbers from the old `len` on were not known before."""

    def find(self, key: str, /) -> int | None:
        """Return the number of a key, or None."""

    def find_many(self, keys: Sequence[str]) -> list[int]:
        """Return the numbers of keys, -1 for those that are not known."""

    def key(self, number: int, /) -> str:
        """Return the key of a number."""

    def __len__(self) -> int: ...

    def __iter__(self) -> Iterator[str]:
        """Yield all keys in the order of their numbers."""

    def walk(self, prefix: str = "") -> Iterator[tuple[str, int]]:
        """Yield key and number of all URLs that begin with a prefix, in key order."""

    def children(self, node: str) -> Iterator[str]:
        """Yield the children one step below a node, in key order, without the node's own URL.

        A child is a node again (it ends in a separator), or a key, or both. Each costs the
        depth, however many URLs lie below it.
        """

    def site_count(self) -> int:
        """Return how many sites there are."""

    def find_site(self, name: str) -> int | None:
        """Return the number of a site (`org.example.www:s`), or None."""

    def site_name(self, site: int) -> str:
        """Return the name of a site."""


class Counted(Protocol):
    """Counts of pending and ready URLs, and steps from one ready URL to the next."""

    @property
    def ready(self) -> int:
        """How many URLs are marked on sites that are awake."""

    def mark(self, number: int) -> None:
        """Count a URL as pending; harmless when it is."""

    def unmark(self, number: int) -> None:
        """Count a URL as pending no longer; harmless when it is not."""

    def is_marked(self, number: int) -> bool:
        """Return whether a URL is pending."""

    def marked(self, site: int) -> int:
        """Return how many URLs of a site are pending."""

    def clear(self, site: int) -> None:
        """Unmark all URLs of a site, and let it rest."""

    def wake(self, site: int) -> None:
        """Count the pending URLs of a site as ready; harmless when it is awake."""

    def rest(self, site: int) -> None:
        """Count them as not ready; harmless when it rests. A new site rests."""

    def is_awake(self, site: int) -> bool:
        """Return whether a site's pending URLs are ready."""

    def ready_below(self, prefix: str) -> int:
        """Return how many ready URLs begin with a prefix."""

    def first_ready(self, prefix: str = "") -> int | None:
        """Return the first ready URL below a prefix in key order: a node before its children."""

    def last_ready(self, prefix: str = "") -> int | None:
        """Return the last ready URL below a prefix in key order."""

    def first_ready_leaf(self, prefix: str = "") -> int | None:
        """Return the left-most ready leaf: children before their node, so from the bottom up.

        This is the order of Tarantula's figures 3 to 5: at every node the first child with
        ready URLs, and the node's own URL when none is left.
        """

    def next_ready(self, number: int, prefix: str = "") -> int | None:
        """Return the ready URL that follows a URL in key order; that one need not be ready."""

    def previous_ready(self, number: int, prefix: str = "") -> int | None:
        """Return the ready URL before a URL in key order; that one need not be ready."""

    def next_ready_leaf(self, number: int) -> int | None:
        """Return the first leaf behind a URL in key order; that one need not be ready.

        A leaf is a ready URL that has no ready URL below it.
        """

    def previous_ready_leaf(self, number: int) -> int | None:
        """Return the last leaf before a URL in key order; that one need not be ready."""

    def next_ready_host(self, after: str = "") -> str | None:
        """Return the node of the first host with ready URLs that follows a host's node.

        The node of a host is its reversed name with a colon: `org.example.www:`. Its sites
        (schemes and ports) lie below it. The empty string begins at the left.
        """

    def round_robin(self, prefix: str = "") -> int | None:
        """Return the ready URL whose turn it is, and move the turn on (the XTrie's order).

        At every node from the prefix down the child is chosen that follows, among those with
        ready URLs and round again, the one that was served last. The node's own URL is its
        first child.
        """


class Spillable(Protocol):
    """The memory that a table takes, and how to make it less."""

    def spill(self, site: int) -> bool:
        """Move the URLs of a resting site to disk, compressed; return whether that was done.

        They are found and named as before, only more slowly. Marks stay. Waking the site,
        marking or unmarking one of its URLs, clearing it or adding one to it brings it back.
        """

    def bring_back(self, site: int) -> None:
        """Bring a spilled site back; harmless when it is not spilled."""

    def is_spilled(self, site: int) -> bool:
        """Return whether a site is on disk."""

    def bytes_held(self) -> int:
        """Return how much memory the table takes."""

    def pack(self) -> bytes:
        """Return all keys and their numbers as bytes, for a snapshot."""

    def unpack(self, data: bytes) -> None:
        """Fill an empty table with what `pack` made."""


class UrlTable(Numbered, Counted, Spillable, Protocol):
    """Every URL of a partition, once."""
