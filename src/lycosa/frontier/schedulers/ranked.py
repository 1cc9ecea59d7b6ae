"""By rank: the smallest first, and among equals what was found first.

Every site has one first-in-first-out queue per rank. Of all awake sites the one whose
first URL has the smallest rank is chosen; a heap of those first URLs makes that cheap. Both
are cleaned up lazily: a URL whose rank has changed stands in two queues of its site, and the
old entry is recognised by its rank when it comes up; every site remembers which heap entry
counts for it (`noted`), and any other one is dropped when it comes up. That is why a rank may
only ever become smaller.

Cost: `offer` and `choose` are O(log sites), however many URLs a site has; a pending URL
costs 4 bytes. Ranks should be few: a site looks through those it has.
"""

from __future__ import annotations

from array import array
from heapq import heappop, heappush


class Queue:
    """First in, first out, in 4 bytes an entry (or in 8: type "Q")."""

    __slots__ = ("_entries", "_first")

    def __init__(self, kind: str = "I") -> None:
        self._entries = array(kind)
        self._first = 0

    def push(self, page: int) -> None:
        """Put something at the end."""
        self._entries.append(page)

    def peek(self) -> int:
        """Return what is first."""
        return self._entries[self._first]

    def pop(self) -> None:
        """Take away what is first."""
        self._first += 1
        if self._first >= 64 and self._first * 2 >= len(self._entries):
            del self._entries[: self._first]
            self._first = 0

    def __bool__(self) -> bool:
        return self._first < len(self._entries)

    def __len__(self) -> int:
        return len(self._entries) - self._first


class _Site:
    """The pending URLs of one site."""

    __slots__ = ("count", "is_awake", "noted", "queues")

    def __init__(self) -> None:
        self.queues: dict[int, Queue] = {}
        self.count = 0
        self.is_awake = False
        self.noted: tuple[int, int] | None = None


class Ranked:
    """Implements `lycosa.frontier.schedulers.Scheduler` and `choose_from`."""

    def __init__(self, ranks: array[int]) -> None:
        self.ready = 0
        self._ranks = ranks
        """Page → its rank; whoever changes one calls `move`."""
        self._sites: dict[int, _Site] = {}
        self._heads: list[tuple[int, int, int]] = []

    def offer(self, page: int, site: int) -> None:
        """Queue a URL at its rank."""
        entry = self._sites.get(site)
        if entry is None:
            entry = self._sites[site] = _Site()
        entry.count += 1
        if entry.is_awake:
            self.ready += 1
        self._queue(page, site, entry)

    def move(self, page: int, site: int) -> None:
        """Queue a URL again, further to the front; the old entry is now stale."""
        self._queue(page, site, self._sites[site])

    def drop(self, site: int) -> None:
        """Forget a site."""
        self.rest(site)
        self._sites.pop(site, None)

    def wake(self, site: int) -> None:
        """Let a site take part."""
        entry = self._sites.get(site)
        if entry is None or entry.is_awake:
            return
        entry.is_awake = True
        self.ready += entry.count
        self._note_head(site, entry)

    def rest(self, site: int) -> None:
        """Take a site out; its heap entry is left to be found stale."""
        entry = self._sites.get(site)
        if entry is None or not entry.is_awake:
            return
        entry.is_awake = False
        self.ready -= entry.count
        if not entry.count:
            del self._sites[site]

    def waiting(self, site: int) -> int:
        """Return how many URLs of a site are queued."""
        entry = self._sites.get(site)
        return entry.count if entry is not None else 0

    def choose(self) -> int | None:
        """Take the first URL of all awake sites."""
        if not self.ready:
            return None
        while True:
            rank, page, site = heappop(self._heads)
            entry = self._sites.get(site)
            if entry is None or entry.noted != (rank, page):
                continue
            entry.noted = None
            if not entry.is_awake:
                continue
            is_first = self._head(entry) == (rank, page)
            if is_first:
                entry.queues[rank].pop()
                entry.count -= 1
                self.ready -= 1
            self._note_head(site, entry)
            if is_first:
                return page

    def choose_from(self, site: int) -> int | None:
        """Take the first URL of one site, if it is awake."""
        entry = self._sites.get(site)
        if entry is None or not entry.is_awake:
            return None
        head = self._head(entry)
        if head is None:
            return None
        rank, page = head
        entry.queues[rank].pop()
        entry.count -= 1
        self.ready -= 1
        self._note_head(site, entry)
        return page

    def _queue(self, page: int, site: int, entry: _Site) -> None:
        rank = self._ranks[page]
        queue = entry.queues.get(rank)
        if queue is None:
            queue = entry.queues[rank] = Queue()
        queue.push(page)
        if entry.is_awake and (entry.noted is None or rank < entry.noted[0]):
            self._note_head(site, entry)

    def _head(self, entry: _Site) -> tuple[int, int] | None:
        """Return the site's first URL, after dropping stale entries before it."""
        ranks = self._ranks
        while entry.queues:
            first = min(entry.queues)
            queue = entry.queues[first]
            while queue:
                page = queue.peek()
                if ranks[page] == first:
                    return first, page
                queue.pop()
            del entry.queues[first]
        return None

    def _note_head(self, site: int, entry: _Site) -> None:
        """Enter the site's first URL into the heap, unless it is what counts already."""
        head = self._head(entry)
        if head is not None and head != entry.noted:
            entry.noted = head
            heappush(self._heads, (*head, site))
