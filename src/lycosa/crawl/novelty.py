"""Is this page new, or does its site show the same text elsewhere?

A guess that brings a copy is worth nothing: `/docs/` may be `/docs/index.html`, and behind the last
page of a list there may be the last page again. Texts are remembered by their hashes. What has
hardly any text (a picture and two arrows) is compared as it was sent. Pages that were guessed are
also compared with each other without their own address, as errors that repeat it are.

Memory: a table of fixed size, in which what comes later takes the slot. It is forgotten at a kill;
then a copy may count as new once more.
"""

from __future__ import annotations

from array import array

from xxhash import xxh3_64_intdigest

from lycosa.crawl.probing import Seen
from lycosa.extract.echo import without_echo
from lycosa.frontier.state import PartitionState

SLOTS = 1 << 16
SHORTEST_TEXT = 100
"""In bytes: pages with less are compared as they were sent, links and pictures included."""


class Novelty:
    """Remembers the texts of lately kept pages; one per worker."""

    def __init__(self) -> None:
        self._slots = array("Q", bytes(8 * SLOTS))

    def is_new(self, state: PartitionState, page: int, seen: Seen, is_guess: bool) -> bool:
        """Remember a page that was kept; returns whether it is like no other of its site."""
        site_name = state.site_names[state.pages.site[page]]
        has_words = len(seen.content) >= SHORTEST_TEXT
        is_copy = self._note(site_name, seen.content if has_words else seen.answer.body)
        if is_guess and has_words:
            path = state.table.key(page)[len(site_name) :]
            rest = without_echo(seen.content.decode(), path).encode()
            is_copy |= self._note(f"guesses of {site_name}", rest)
        return not is_copy

    def _note(self, group: str, content: bytes) -> bool:
        """Remember a content of a group; returns whether it was there."""
        tag = int(xxh3_64_intdigest(content, seed=xxh3_64_intdigest(group.encode())))
        slot = tag % SLOTS
        was_there = self._slots[slot] == tag
        self._slots[slot] = tag
        return was_there
