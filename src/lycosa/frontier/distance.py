"""The distance of a URL from the seeds: depth and redirect hops in one small number.

Depth is the smallest number of links from a seed; a redirect, a canonical link, a refresh, or a
link to another page of the same list costs none. But an endless chain of such steps must not be
free. So a distance counts hops between depths: a free link adds 1, a real link goes on to the next
multiple of `STEP`. After `STEP - 1` free hops in a row the next one reaches that multiple by itself
and so costs a level of depth.

A chain of redirects ends sooner: after `MOST_REDIRECTS` in a row the next one is not followed.
The distance does not show this number, because the nearest path to a URL need not be the one with
the fewest redirects. So it is kept separately (`Pages.hops`), as the smallest over all paths, and
is passed on like the distance.

Both steps are monotone: a shorter distance never leads to a longer one. That is why
passing improvements on through known links, in any order, ends at the same exact
distances (docs/decisions/0005-exact-depth.md).
"""

from __future__ import annotations

from lycosa.model.records import FREE_KINDS, LinkKind

STEP = 21
"""Twenty free hops fit into one level of depth."""

MOST_REDIRECTS = 20
"""In a row, as many as browsers follow."""

TOO_MANY_REDIRECTS = "too-many-redirects"
"""The reason under which a redirect that is not followed is counted."""

SEED = 0


def through(distance: int, kind: LinkKind) -> int:
    """Return the distance of the URLs that a page at `distance` links to."""
    if kind in FREE_KINDS:
        return distance + 1
    return distance - distance % STEP + STEP


def free_kinds(depth: int) -> frozenset[LinkKind]:
    """Return the kinds of link that cost nothing on the way to URLs with this limit of depth.

    Where no link is to be followed, the second page of a list is not wanted either: it is another
    page than the first, not another name of it.
    """
    return FREE_KINDS if depth else FREE_KINDS - {LinkKind.PAGINATION}


def is_beyond(distance: int, kind: LinkKind, depth: int) -> bool:
    """Tell whether a link of a page at `distance` leads farther than a limit of depth allows."""
    is_free = kind in free_kinds(depth)
    return through(distance, kind if is_free else LinkKind.ANCHOR) > farthest(depth)


def farthest(depth: int) -> int:
    """Return the largest distance of a depth; the job's limit keeps it below 16 bits."""
    return depth * STEP + STEP - 1


def depth_of(distance: int) -> int:
    """Return the depth of a distance."""
    return distance // STEP
