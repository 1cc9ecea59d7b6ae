"""Remembers the texts and fingerprints of recent pages, to tell a new page from a copy.

A guess that brings a copy is worth nothing: `/docs/` may be `/docs/index.html`, and behind the last
page of a list there may be the last page again. A page that repeats another brings nothing new,
however many URLs lead to it. Texts are remembered by their hashes. A page with hardly any text (a
picture and two arrows) is compared by its bytes. Pages that were guessed are also compared with
each other without their own address, as errors that repeat it are.

Fingerprints are remembered in four tables, each by another quarter of their bits: two that differ
in at most three bits have at least one quarter in common (Manku, Jain, Das Sarma, WWW 2007).

Memory: tables of fixed size, in which what comes later takes the slot: 576 kB for contents and,
once a fingerprint is asked about, 3 MB for these. They are forgotten at a kill; then a copy may
count as new once more.
"""

from __future__ import annotations

import mmap
import re
import struct
from types import MappingProxyType
from typing import Literal

from xxhash import xxh3_64_intdigest

from lycosa.crawl.answers.page_answer import PageAnswer
from lycosa.crawl.points import Feature, Occasion
from lycosa.extract.echo import without_echo
from lycosa.features.novelty._seen import SHORTEST_TEXT, SLOTS, TextMemory

NEAR_BITS = 3
"""Fingerprints that differ in no more bits are near; the tables find all of them up to 3."""

_QUARTERS = 4
_PICTURE = rb"(?i)\ssrc\s*+=\s*+[\"']?+\s*+([^\"'\s>?#]++)"


class SeenTexts(TextMemory, Feature):
    """Remembers the texts of pages that were kept lately; one per worker."""

    occasions = MappingProxyType({"learned": Occasion.KEPT})

    def __init__(self) -> None:
        self._near = Nearness()

    def is_repeated_guess(self, answered: PageAnswer) -> bool:
        """Remember a page that was guessed; returns whether another one differs in its address."""
        if len(answered.text) < SHORTEST_TEXT:
            return False
        rest = without_echo(answered.text.decode(), answered.path).encode()
        return self.note(f"guesses of {answered.site_name}", rest)

    def is_near(self, group: str, fingerprint: int) -> bool:
        """Remember a fingerprint of a group; returns whether a near one was there."""
        salt = xxh3_64_intdigest(group.encode())
        was_there = self._near.owner(fingerprint, salt) is not None
        self._near.note(fingerprint, 0, salt)
        return was_there

    def shows_other_pictures(self, site_name: str, body: bytes) -> bool:
        """Remember what a page shows; returns whether no page of the site has shown just that."""
        if b"src" not in body and b"SRC" not in body:
            return False
        shown = sorted(set(re.findall(_PICTURE, body)))
        return bool(shown) and not self.note(f"pictures of {site_name}", b"\n".join(shown))

    def note(self, group: str, content: bytes) -> bool:
        """Remember a content of a group; returns whether it was there."""
        return self.note_number(content_number(group, content))


def compared_content(answered: PageAnswer) -> bytes:
    """Return what a page is compared by: its text, or what was sent if it has hardly any."""
    return answered.text if len(answered.text) >= SHORTEST_TEXT else answered.answer.body


def content_number(group: str, content: bytes) -> int:
    """Return the number of a content in a group: equal ones have equal numbers."""
    return int(xxh3_64_intdigest(content, seed=xxh3_64_intdigest(group.encode())))


class Nearness:
    """Finds a fingerprint that is near another one, and whose it was last."""

    def __init__(self) -> None:
        self._fingerprints = zeros("Q", 0)
        self._owners = zeros("I", 0)

    def owner(self, fingerprint: int, salt: int = 0) -> int | None:
        """Return whose a near fingerprint was; `salt` keeps groups apart."""
        known = self._fingerprints
        for slot in _slots(fingerprint, salt) if known else ():
            if (known[slot] ^ fingerprint).bit_count() <= NEAR_BITS and known[slot]:
                return self._owners[slot]
        return None

    def note(self, fingerprint: int, owner: int, salt: int = 0) -> None:
        """Remember a fingerprint."""
        if not self._fingerprints:
            self._fingerprints = zeros("Q", SLOTS * _QUARTERS)
            self._owners = zeros("I", SLOTS * _QUARTERS)
        for slot in _slots(fingerprint, salt):
            self._fingerprints[slot] = fingerprint
            self._owners[slot] = owner


def _slots(fingerprint: int, salt: int) -> tuple[int, int, int, int]:
    mixed = fingerprint ^ salt
    return (
        mixed & 0xFFFF,
        SLOTS + (mixed >> 16 & 0xFFFF),
        2 * SLOTS + (mixed >> 32 & 0xFFFF),
        3 * SLOTS + (mixed >> 48 & 0xFFFF),
    )


def zeros(kind: Literal["Q", "I", "B"], count: int) -> memoryview:
    """Return a writable array of `count` zeros of a kind (`Q`, `I`, `B`, as in `array`).

    The kernel provides a page of zeros when it is first touched. So a table of a million slots of
    which a crawl uses a thousand costs a few kilobytes, and no time at the start.
    """
    size = struct.calcsize(kind)
    return memoryview(mmap.mmap(-1, max(count, 1) * size)).cast(kind)[:count]
