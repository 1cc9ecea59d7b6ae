"""The message and the event about a process that died while it crawled.

The page that it was about to read, or had read last, is a suspect: it is read apart from then on
(`lycosa.crawl.apart`). What else it had asked for was not decided on, and may hold the same. So for
some time all pages are read apart.
"""

from __future__ import annotations

from msgspec import Struct


class ProcessDied(Struct, frozen=True, array_like=True, tag_field="t", tag=51):
    """A process that crawled has died. Every partition is told: any may have been its own."""

    moment: float
    page: int = -1
    """The page of this partition that it read last; -1 if that was none, or another's."""


class Suspected(Struct, frozen=True, array_like=True, tag_field="t", tag=51):
    """A process died: one page is read apart for good, all others until a moment."""

    moment: float
    until: float
    """Answers that end before this moment are read apart."""
    page: int = -1
    """The page that the process read last; -1 if it is unknown, or was decided on."""
    is_rendered: bool = False
    """Whether it was the page as a browser has rendered it: then it is rendered no more."""
