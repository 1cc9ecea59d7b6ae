"""The links of a page in columns, from the scanner to the archive and the frontier.

A page has dozens of links, and nearly all of them lead to what is known. So a link is nothing by
itself: a page has five columns (`Links`), and what a reference leads to is a `Target` that all
pages share. What is done for each link of each page stands here, compiled (`_columns`); the
same in plain Python (`plain`) says what it has to do, and a test holds the one against the other.

    sifted     leave out what the job does not want, and name each target once
    unsettled  find the links that the frontier does not know yet, or not as near
    outlinks   the lines that the archive has of them
    Rows       the columns of the table of links

Not here: what a reference means and whether it is wanted (`lycosa.url`), what kinds of links there
are (`lycosa.records`; here they are numbers below 64).
"""

from __future__ import annotations

from msgspec import Struct

from lycosa.links._columns import Rows, Target, outlinks, sifted, unsettled

__all__ = ["NO_LINKS", "Links", "Rows", "Target", "mask_of", "outlinks", "sifted", "unsettled"]


class Links(Struct, frozen=True):
    """The links of a page in columns: unique by target and kind, in the page's order."""

    targets: list[Target] = []
    kinds: list[int] = []
    """Numbers of `LinkKind`."""
    texts: list[str] = []
    rels: list[str] = []
    times: list[int] = []
    """How often the page has the link."""


NO_LINKS = Links()
"""Of what has none; nobody adds to it."""


def mask_of(kinds: frozenset[int]) -> int:
    """Return kinds of links as a number with a bit for each."""
    return sum(1 << kind for kind in kinds)
