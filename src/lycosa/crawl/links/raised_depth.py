"""Reads the links of known pages again when the job's limits of depth were raised between two runs.

A link that led too far is in the record of its page and was not followed. With a larger limit the
pages at the old limit are looked up by their numbers, some before each commit, and their links are
routed as those of a page that came nearer (`links.router`): read back from the archive, admitted
or posted. Links whose record is on another machine are owed (`LinksOwed`).

Always true:
  * how far the reading has come is an event in the commit of what it found, so a kill repeats the
    pages of one commit, which admits nothing twice;
  * a partition is not idle while links of it are to be read, so the crawl does not end before;
  * at the end every URL has the distance that it has in a crawl begun with these limits: the way
    through a page counts by its distance, and not by the moment at which its links are read.

Cost: a read of the archive for each page at the old limit; a crawl whose limits were not raised
does not load this module.
Not here: by which limits links were followed (`frontier.facts.limits`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from lycosa._support.failpoints import reach
from lycosa.crawl.links.router import Router
from lycosa.frontier.distance import depth_of
from lycosa.frontier.partition import Partition
from lycosa.model.clock import Clock
from lycosa.model.records import LinksOwed

READ_AT_ONCE = 200
"""Pages whose links are read before the next commit: requests have their turn in between."""
LOOKED_AT_ONCE = 50_000
"""Pages that are looked at for it, most of them nearer than the limits."""


class RaisedDepth:
    """Reads links again; one per worker that has a partition with such links."""

    def __init__(self, clock: Clock, partitions: Mapping[int, Partition], router: Router) -> None:
        self._clock = clock
        self._partitions = partitions
        self._router = router

    def look(self) -> bool:
        """Read the links of some pages; returns whether more can be read after the next commit."""
        for partition in self._partitions.values():
            state = partition.state
            if state.limits.is_reading(state.links_owed) and not partition.is_leaving:
                self._read_some(partition)
                return True
        return False

    def _read_some(self, partition: Partition) -> None:
        state = partition.state
        limits, now = state.limits, self._clock.now()
        is_at_limit = _at_limit(limits.depths or (0, 0))
        first, end = limits.next_page, min(limits.end_page, limits.next_page + LOOKED_AT_ONCE)
        distances, wanted = state.pages.distance, []
        for page in range(first, end):
            if is_at_limit(distances[page]):
                wanted.append(page)
                if len(wanted) == READ_AT_ONCE:
                    end = page + 1
                    break
        reach("links.read_again")
        for page in wanted:
            self._router.pass_on(partition, now, page)
        partition.record(LinksOwed(now, read_to=end))


def _at_limit(before: tuple[int, int]) -> Callable[[int], bool]:
    """Return whether a page at a distance may have links that were too deep before.

    A free link costs a level, too, after twenty of them (`frontier.distance`), and never more than
    another link of the page. So the page's depth decides.
    """
    least = min(before)
    return lambda distance: depth_of(distance) >= least
