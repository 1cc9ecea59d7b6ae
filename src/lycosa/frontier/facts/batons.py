"""Which batons a partition holds, and who is in line for them.

Only a partition that holds the baton of a host set asks its hosts (`lycosa.model.records.batons`).
A baton begins at its home, without an event: `moved` has those that are not where they began.

Always true, over the logs of all partitions: a baton is held by one of them, or it lies in the
inbox of one that will hold it.
"""

from __future__ import annotations

from typing import Any

from lycosa._support.decoders import converted
from lycosa.frontier.facts.columns import Sites
from lycosa.model.records import (
    BatonPassed,
    BatonQueued,
    BatonStep,
    BatonTaken,
    RobotsState,
    SiteReport,
)


class Batons:
    """The batons of one partition; empty with a partitioner that keeps hosts together."""

    def __init__(self) -> None:
        self.moved: dict[int, bool] = {}
        """Host sets whose baton was passed (False) or has come (True)."""
        self.asked: set[int] = set()
        """Host sets whose baton was asked for and has not come."""
        self.next: dict[int, list[int]] = {}
        """To which partitions a baton goes from here: one for each time that it will be here."""
        self.last: dict[int, int] = {}
        """At a set's home: the last in line; the home itself when it is not in here."""
        self.news: set[str] = set()
        """Sites of which something came before their baton: where their robots file redirects."""
        self.others: dict[int, dict[str, SiteReport]] = {}
        """By host: its sites of which no URL is known here. They have no number: sites are numbered
        as the URL table numbers them, by their first URL."""

    def holds(self, host_set: int, is_home: bool) -> bool:
        """Return whether the baton of a set is here."""
        return self.moved.get(host_set, is_home)

    def apply_passed(self, event: BatonPassed) -> None:
        """Note that a baton has left."""
        self.moved[event.host_set] = False
        after = self.next[event.host_set]
        del after[0]
        if not after:
            del self.next[event.host_set]

    def apply_queued(self, event: BatonQueued) -> None:
        """Note who is in line."""
        if event.step is BatonStep.ASKED:
            self.asked.add(event.host_set)
        elif event.step is BatonStep.LAST:
            self.last[event.host_set] = event.partition
        else:
            self.next.setdefault(event.host_set, []).append(event.partition)

    def apply_came(self, event: BatonTaken) -> None:
        """Note that a baton has come."""
        if event.is_held:
            self.moved[event.host_set] = True
            self.asked.discard(event.host_set)

    def others_delay(self, host: int) -> float:
        """Return the longest Crawl-delay of a host's sites of which no URL is known here."""
        others = self.others.get(host)
        return (
            max((one.crawl_delay_seconds for one in others.values()), default=0.0)
            if others
            else 0.0
        )

    def pack(self) -> dict[str, Any]:
        """Return everything for a snapshot."""
        return {
            "moved": self.moved,
            "asked": sorted(self.asked),
            "next": self.next,
            "last": self.last,
            "news": sorted(self.news),
            "others": self.others,
        }

    def unpack(self, packed: dict[str, Any]) -> None:
        """Fill from what `pack` returned; an older snapshot has none."""
        if packed:
            self.moved, self.next, self.last = packed["moved"], packed["next"], packed["last"]
            self.asked, self.news = set(packed["asked"]), set(packed["news"])
            self.others = converted(packed["others"], dict[int, dict[str, SiteReport]])


def learn_site(sites: Sites, rules: dict[int, bytes], site: int, known: SiteReport) -> None:
    """Take in what others know of a site."""
    sites.strikes[site] = known.strikes
    sites.due[site] = known.due
    if known.robots is not RobotsState.UNKNOWN:
        sites.robots[site] = known.robots
        sites.robots_tries[site] = known.robots_tries
        sites.robots_expires[site] = known.robots_expires
        sites.crawl_delay[site] = known.crawl_delay_seconds
        rules.pop(site, None)
        if known.rules:
            rules[site] = known.rules
