"""Windows that slide over the tree of URLs (Tarantula, 5.2).

`TopWindow` slides over hosts, from left to right and then from the left again, and takes the
left-most leaf of each: a host's lower URLs come before those above them, so that a
folder is served after everything in it. `LeafWindow` slides over leaves, to the right and back
to the left, host after host. A *leaf* is a ready URL that has no ready URL below it. Each
partition is a tree with a window of its own. A top window is as wide as a share of its tree's hosts
allows, and is served as a whole before the window of the next tree (`keeps_turn`). Leaf windows
have one width; the worker takes one URL of every partition in turn: the windows are columns, and
URLs are fetched row by row.

`children` is the order of the children in a node (Tarantula, 5.1): with `z-a` left and right
change places, so that the window begins at the last host and at the right-most leaf.

A host that rests counts nothing in the tree, so a window passes over it at no cost.

A window is filled with as many hosts or leaves as it is wide, and these are served before it moves
on: in its own order, or best first where there is a score. URLs that are found meanwhile on its
left wait until it comes by again, and so do URLs whose hosts went to rest. So a narrow window goes
into the depth of what it has just found, and a wide one first serves what it had in sight.

Cost: a few walks down the tree for each URL in sight, of which a window may serve fewer.
"""

from __future__ import annotations

from array import array
from collections import deque
from collections.abc import Callable
from typing import NamedTuple, Protocol

from lycosa.frontier.schedulers.scores import Score
from lycosa.frontier.urltable.contract import UrlTable
from lycosa.frontier.urltable.segments import host_node


class Track(Protocol):
    """The way that a window takes over the tree."""

    def step(self) -> int | None:
        """Return the URL at the next step, or None at an end: the next step is the way back."""


class TopTrack:
    """From host to host, to the right; at the end from the left again."""

    def __init__(self, table: UrlTable) -> None:
        self._table = table
        self._host = ""

    def step(self) -> int | None:
        """Return the left-most leaf of the next host."""
        host = self._table.next_ready_host(self._host)
        self._host = host or ""
        return None if host is None else self._table.first_ready_leaf(host)


class MirroredTopTrack:
    """From host to host, to the left; at the end from the right again."""

    def __init__(self, table: UrlTable) -> None:
        self._table = table
        self._at: int | None = None

    def step(self) -> int | None:
        """Return the right-most leaf of the next host: the last URL in the order of keys."""
        table, at = self._table, self._at
        if at is None:
            self._at = table.last_ready()
        else:
            # Where the host has no ready URL left, everything before the old place is of others.
            first = table.first_ready(host_node(table.key(at)))
            self._at = table.previous_ready(at if first is None else first)
        return self._at


class LeafTrack:
    """From leaf to leaf, to the right and back to the left; mirrored, it begins at the right."""

    def __init__(self, table: UrlTable, is_mirrored: bool = False) -> None:
        self._table = table
        self._at: int | None = None
        self._goes_right = not is_mirrored

    def step(self) -> int | None:
        """Return the next leaf in the present direction."""
        table, at = self._table, self._at
        if self._goes_right:
            page = table.first_ready_leaf() if at is None else table.next_ready_leaf(at)
        else:
            page = table.last_ready() if at is None else table.previous_ready_leaf(at)
        self._at = page
        if page is None:
            self._goes_right = not self._goes_right
        return page


class Sight(NamedTuple):
    """The URLs in the sight of a window, and the order in which they are served."""

    width: Callable[[], int]
    """The number of hosts or leaves, asked for whenever the window moves on."""
    score: Score | None = None
    is_mirrored: bool = False
    keeps_turn: bool = False
    """Whether all in sight is served before the window of another tree."""


class Window:
    """The URLs that a window has in sight, and its next step; a `Walk`."""

    def __init__(
        self,
        table: UrlTable,
        track: Track,
        sight: Sight,
        site_of: array[int],
    ) -> None:
        self._table = table
        self._track = track
        self._sight = sight
        self._site_of = site_of
        self._in_sight: deque[int] = deque()

    def keeps_turn(self) -> bool:
        """Return whether a URL in sight is still to be served before other trees."""
        in_sight = self._in_sight
        while in_sight and not self._is_ready(in_sight[0]):
            in_sight.popleft()  # its host went to rest: it must not hold the turn
        return self._sight.keeps_turn and bool(in_sight)

    def next_page(self) -> int:
        """Return the next URL; something is ready."""
        while True:
            while self._in_sight:
                page = self._in_sight.popleft()
                if self._is_ready(page):
                    return page
            self._fill()

    def next_below(self, prefix: str) -> int | None:
        """Return the left-most leaf below a prefix, or the right-most one."""
        table = self._table
        return (table.last_ready if self._sight.is_mirrored else table.first_ready_leaf)(prefix)

    def _next_step(self) -> int:
        while True:
            page = self._track.step()
            if page is not None:
                return page

    def _fill(self) -> None:
        """Move on: what comes into sight is ordered by its score, equals as they stand."""
        found, width = [self._next_step()], self._sight.width()
        while len(found) < width:
            page = self._track.step()
            if page is None:
                break
            found.append(page)
        score = self._sight.score
        self._in_sight.extend(found if score is None else sorted(found, key=score.position))

    def _is_ready(self, page: int) -> bool:
        return self._table.is_marked(page) and self._table.is_awake(self._site_of[page])
