"""Replies of a host to URLs that it does not have.

An honest host says 404. Others show an error page with status 200, which may repeat the URL
and change with every visit; redirect every such request to the front page; or are applications that
a browser must run, whose server sends the same shell for every URL, real or not.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from lycosa_testweb.generated.page import Page, anchors
from lycosa_testweb.generated.section import Ground
from lycosa_testweb.mixing import below, digest
from lycosa_testweb.parts import Parts

_OFFERS = ("cheap", "offer", "sale", "now", "free", "holiday", "loan", "phone", "watch")


class Missing(Protocol):
    """The habit of a host."""

    def instead(self, ground: Ground, asked: Parts) -> Page:
        """Return the reply for a missing page."""

    def around(self, page: Page) -> Page:
        """Return the reply for a page that exists."""


@dataclass(frozen=True, slots=True)
class SoftError:
    """An error page with status 200. It links home and to another page that is not there."""

    words: int = 300
    is_echoing: bool = True
    """Whether it repeats the URL, twice: in full and as a path."""
    advertisements: int = 0
    """Words that differ from page to page."""

    def instead(self, ground: Ground, asked: Parts) -> Page:
        """Say in many words that there is nothing."""
        key = digest(asked.target)
        offers = [_OFFERS[below(len(_OFFERS), key, n)] for n in range(self.advertisements)]
        echo = f"{asked.path} is not here: {ground.origin}{asked.path}" if self.is_echoing else ""
        text = f"Sorry. {echo} {ground.prose(404, self.words)} {' '.join(offers)}"
        further = f"{ground.origin}{asked.path.rstrip('/')}/gone.html"
        return Page("Not found", text, anchors(f"{ground.origin}/", further))

    def around(self, page: Page) -> Page:
        """Leave real pages alone."""
        return page


@dataclass(frozen=True, slots=True)
class ToFront:
    """Redirects requests for missing pages to the front page."""

    def instead(self, ground: Ground, asked: Parts) -> Page:
        """Redirect."""
        return Page(status=302, links=anchors(f"{ground.origin}/"))

    def around(self, page: Page) -> Page:
        """Leave real pages alone."""
        return page


@dataclass(frozen=True, slots=True)
class Shell:
    """An application: the same frame and words for every URL; the links are really there."""

    text: str = "This application needs a browser that runs scripts"

    def instead(self, ground: Ground, asked: Parts) -> Page:
        """Send the shell."""
        return Page("Application", self.text)

    def around(self, page: Page) -> Page:
        """Send the shell here, too."""
        return page._replace(title="Application", text=self.text)
