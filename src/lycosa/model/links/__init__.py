"""Holds a page's links in columns, on their way from the scanner to the archive and the frontier.

A page has dozens of links, and nearly all lead to known URLs. So there is no object per link: a
page has columns (`Links`), and all links to a URL share one `Target`. Work that is done for
every link of every page is compiled:

  * `unfollowed` gives the reason of links that the job does not follow whatever they lead to;
  * `sifted` parts the links that the job follows from the others, and merges those with the same
    target and kind;
  * `Ways.unsettled` finds the links that the frontier does not know yet, or knows as farther away,
    `Ways.parted` the partitions that they go to;
  * `keys_of` and `pages_among` take keys and known pages out of targets;
  * `outlinks` writes the lines of a WARC metadata record.

    escapes   escapes that a URL does not need, as `%7E`
    _columns  these functions, compiled
    _pagination  which links lead to other pages of the page's own list, compiled

Not here: resolving and judging a reference (`lycosa.model.url`), the kinds of links
(`lycosa.model.records`; here they are numbers below 64), the rows of the table of links
(`lycosa.storage.tables`).
"""

from __future__ import annotations

from array import array

from msgspec import Struct

from lycosa._support.tuples import NamedTuple
from lycosa.model.links._columns import (
    Target,
    Ways,
    have_parameters,
    keys_of,
    note_pages,
    outlinks,
    pages_among,
    sifted,
    unfollowed,
)


class Known(NamedTuple):
    """The pages that a partition knows, as far as a link can change them."""

    partition: int
    distances: array[int]
    """Of each page, 16 bits each."""
    hops: array[int]
    """By how few redirects in a row each page was reached, a byte each."""
    requisites: set[int]
    """The pages that are known to be needed by another one to be shown."""


class Reach(NamedTuple):
    """How near a page's links bring what they lead to."""

    real: int
    """The distance by links that cost depth."""
    free: int
    """The distance by links that cost none."""
    redirects: int
    """The number of redirects in a row."""


__all__ = [
    "FOLLOWED",
    "NO_LINKS",
    "Known",
    "Links",
    "Reach",
    "Target",
    "Ways",
    "have_parameters",
    "keys_of",
    "mask_of",
    "note_pages",
    "outlinks",
    "pages_among",
    "sifted",
    "unfollowed",
]


class Links(Struct, frozen=True):
    """The links of a page in columns: unique by target and kind, in the page's order."""

    targets: list[Target] = []
    kinds: list[int] = []
    """Numbers of `LinkKind`."""
    texts: list[str] = []
    rels: list[str] = []
    times: list[int] = []
    """How often the page has the link."""
    positions: list[int] = []
    """Where each first stands among the page's references; without them each has its own place."""
    reasons: list[str] = []
    """Why each is not followed now; without them all are."""


FOLLOWED = "followed"
"""The reason of a link that is followed, as it stands in the table of links."""

NO_LINKS = Links()
"""The links of a page without any; never changed."""


def mask_of(kinds: frozenset[int]) -> int:
    """Return kinds of links as a number with a bit for each."""
    return sum(1 << kind for kind in kinds)
