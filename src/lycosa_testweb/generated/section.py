"""The protocol of a section: one folder of a site with one habit.

A site is put together from sections, each in its own folder: a tree, a thicket of links, a
calendar without end. A section holds no state. It gets the `Ground` it stands on
(the host and its seed) and a path, and returns the page for it or None.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Protocol

from lycosa_testweb.generated.page import Page
from lycosa_testweb.generated.words import prose
from lycosa_testweb.mixing import digest, mix


@dataclass(frozen=True, slots=True)
class Ground:
    """The site that a section stands on."""

    seed: int
    """Differs from host to host."""
    number: int
    origin: str
    language: str
    topic: str
    words: int
    elsewhere: Callable[[int], str]
    """Turns a random number into the URL of some page, mostly of another host."""

    def base(self, folder: str) -> str:
        """Return the URL of a section's folder, with a slash at its end."""
        return f"{self.origin}/{folder}/" if folder else f"{self.origin}/"

    def prose(self, key: int, words: int = 0) -> str:
        """Return text in the language and on the topic of the site."""
        return prose(self.language, self.topic, words or self.words, mix(self.seed, key))

    def plain(self, title: str) -> Page:
        """Return a page with a title and text of its own."""
        return Page(title, self.prose(digest(title)), language=self.language)


class Section(Protocol):
    """A folder with a single habit."""

    @property
    def folder(self) -> str:
        """The first segment of all its paths; empty for a section that is a whole site."""

    def entries(self, ground: Ground, moment: float) -> list[str]:
        """Return the URLs that the site's home page links to."""

    def page(self, ground: Ground, rest: str, query: str, moment: float) -> Page | None:
        """Return the page at a path, given without the folder; None is a 404."""

    def pages(self, ground: Ground) -> Iterator[str]:
        """Yield the URL of every page it keeps, if they are finitely many; otherwise none."""
