"""The message and the event about a process that died while it crawled.

The page that it was about to read, or had read last, is a suspect: it is read apart from then on
(`lycosa.runtime.isolation`). Its other requests were not decided on, and may have the same content.
All pages are therefore read apart for some time.
"""

from __future__ import annotations

from msgspec import Struct


class ProcessDied(Struct, frozen=True, array_like=True, tag_field="t", tag=51):
    """A crawling process has died. Every partition is told, as any may have belonged to it."""

    moment: float
    page: int = -1
    """The page of this partition that it read last; -1 if none, or another partition's."""
    was_reading: bool = True
    """Whether it died while reading that page, and not some time later."""


class Suspected(Struct, frozen=True, array_like=True, tag_field="t", tag=51):
    """A process died: one page is always read apart from now on, all others until a moment."""

    moment: float
    until: float
    """Answers that end before this moment are read apart."""
    page: int = -1
    """The page that the process read last; -1 if it is unknown, or was decided on."""
    is_rendered: bool = False
    """Whether the browser's version of the page was read: then it is no longer rendered."""
