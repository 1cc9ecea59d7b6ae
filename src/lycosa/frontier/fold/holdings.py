"""The data of a partition: its URLs, sites and hosts, and what was counted about them.

This module has the fields, questions about them, and the small steps by which events change them.

Always true:
  * `pending` is the number of URLs that still need something done: those that are
    pending or waiting on sites that are not closed;
  * a closed site ends all its pending URLs at once, in the outcome it was closed with,
    without touching them one by one: ask `outcome_of`, not the column;
  * a URL that is put off is not pending: nothing is done about it in this cycle.

Not here: which event takes which steps (`state`), the bytes of a snapshot (`packing`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import msgspec

from lycosa.frontier.facts.address_book import AddressBook
from lycosa.frontier.facts.batons import Batons, learn_site
from lycosa.frontier.facts.columns import (
    ANSWERED,
    DONE,
    JUDGED,
    NONE,
    PENDING,
    PUT_OFF,
    UNSENT,
    WAITING,
    Fetches,
    Hosts,
    Pages,
    Sites,
)
from lycosa.frontier.facts.guesses import TRIED, Guesses
from lycosa.frontier.facts.limits import AppliedLimits
from lycosa.frontier.facts.owed import Owed
from lycosa.frontier.facts.popularity import Popularity
from lycosa.frontier.facts.probes import Probes
from lycosa.frontier.facts.rendering import Rendering
from lycosa.frontier.facts.sources import Sources
from lycosa.frontier.facts.suspects import Suspects
from lycosa.frontier.facts.topics import Topics
from lycosa.frontier.facts.traps import Traps
from lycosa.frontier.facts.visits import History
from lycosa.frontier.urltable import CompactUrlTable
from lycosa.model.records import TRAPS, Outcome, Place, RobotsState
from lycosa.model.url.key import reversed_host_of


class Errand(msgspec.Struct, frozen=True, array_like=True):
    """A URL to be fetched because another site's robots file redirects to it."""

    site: str
    key: str
    hops: int
    host: int


ROBOTS_TRIES = 5
"""How often a robots file has failed when it was asked for after 1, 2 and 4 minutes and once more
after an hour: sooner a site is not out of reach for it."""


class Holdings:
    """The URLs, sites and hosts of one partition."""

    def __init__(self) -> None:
        self.sequence = 0
        self.inbox_read = 0
        self.owner = ""
        """"" when nobody has taken the partition yet, or its owner has handed it over."""
        self.moved_to = ""
        """The name of the log in which the partition goes on; "" when it has been taken there."""
        self.owed = Owed()
        self.batons = Batons()
        self.job_digest = ""
        self.table = CompactUrlTable()
        self.pages = Pages()
        self.fetches = Fetches()
        self.sites = Sites()
        self.hosts = Hosts()
        self.addresses = AddressBook()
        self.site_names: list[str] = []
        self.host_names: list[str] = []
        self.rules: dict[int, bytes] = {}
        self.errands: dict[int, Errand] = {}
        self.errands_taken = 0
        self.requisites: set[int] = set()
        """URLs of page requisites: their redirect targets are fetched as well."""
        self.segment_ends: dict[int, int] = {}
        """How far each segment is accounted for; later records have no event and do not count."""
        self.lost: dict[int, set[int]] = {}
        """Offsets of lost records that the log had named, by segment: they no longer count."""
        self.losses = 0
        """The number of the last loss of a machine that was decided on here."""
        self.links_owed: set[int] = set()
        """Pages that came nearer, and whose links were not passed on: another machine has them."""
        self.links_given_up = 0
        """How many such pages stay so: what they link to may be nearer than is known."""
        self.limits = AppliedLimits()
        self.ran_seconds = 0.0
        self.run_began = 0.0
        self.last_moment = 0.0
        self.orders = 0
        """The number of the operator's last order that was applied here."""
        self.paused_from = 0.0
        """The moment from which the time does not count, in a crawl that is paused; else 0."""
        self.waited_seconds = 0.0
        """In partition 0: how long the crawl has waited with only unreachable origins left."""
        self.pending = 0
        self.kept_pages = 0
        self.kept_bytes = 0
        self.outcomes: Counter[int] = Counter()
        """Of fetches and settlements; what closing ended is in `ended_by_closing`."""
        self.refusals: Counter[str] = Counter()
        self.structured: Counter[str] = Counter()
        """Triples kept, and what was left out of structured data."""
        self.sources = Sources()
        self.probes = Probes()
        self.guesses = Guesses()
        self.traps = Traps()
        self.history = History()
        self.popularity = Popularity()
        self.topics = Topics()
        self.rendering = Rendering()
        self.suspects = Suspects()
        self.posts: dict[int, int] = {}
        """URLs that plugins have posted to: `NOTED` or `ANSWERED`. None of them is posted to again,
        unless the operator asks for it: a kill at any moment sends it at most once."""
        self._host_numbers: dict[str, int] = {}

    # -- asking ---------------------------------------------------------------------------

    def site_number(self, site: str) -> int | None:
        """Return the number of a site's key, or None."""
        return self.table.find_site(site)

    def host_number(self, reversed_host: str) -> int | None:
        """Return the number of a host, or None."""
        return self._host_numbers.get(reversed_host)

    def sites_of(self, host: int) -> Iterator[int]:
        """Yield the sites of a host."""
        site = self.hosts.first_site[host]
        while site != NONE:
            yield site
            site = self.sites.following[site]

    def is_pending(self, page: int) -> bool:
        """Return whether the URL waits to be chosen, now or at its due moment."""
        waits = self.pages.status[page] in (PENDING, WAITING)
        return waits and not self.sites.closed[self.pages.site[page]]

    def outcome_of(self, page: int) -> Outcome | None:
        """Return the last outcome of a URL, or None while it has none."""
        closed = self.sites.closed[self.pages.site[page]]
        if closed and self.pages.status[page] != DONE:
            return Outcome(closed)
        outcome = self.pages.outcome[page]
        return Outcome(outcome) if outcome else None

    def was_tried_in_vain(self, page: int) -> bool:
        """Return whether it was tried as the site's sitemap, and is none."""
        pages = self.pages
        is_tried = pages.guess[page] == TRIED and pages.status[page] == DONE
        return is_tried and pages.outcome[page] != Outcome.KEPT

    def ended_by_closing(self) -> Counter[int]:
        """Return how many URLs have ended because their site was closed, by outcome."""
        ended: Counter[int] = Counter()
        for closed, pending in zip(self.sites.closed, self.sites.pending, strict=True):
            if closed and pending:
                ended[closed] += pending
        return ended

    def place_of(self, page: int) -> Place | None:
        """Return the place of the record of the URL's last answer."""
        fetch = self.pages.fetch[page]
        if fetch == NONE or not self.fetches.length[fetch]:
            return None
        return Place(
            self.fetches.segment[fetch], self.fetches.offset[fetch], self.fetches.length[fetch]
        )

    def address_of(self, host: int) -> str:
        """Return the address that a host had when it was last looked up, or ""."""
        return self.addresses.address(self.hosts.address[host])

    def has_no_address(self, host: int) -> bool:
        """Return whether the last lookup of a host found no address."""
        return not self.hosts.address[host] and self.hosts.address_expires[host] > 0.0

    def is_out_of_reach(self, site: int, now: float) -> bool:
        """Return whether the only thing a site waits for is a connection.

        It does not while its host waits because it said so (429, 503), nor while its robots file
        has failed less often than `ROBOTS_TRIES`: the first tries all fall into some minutes.
        """
        sites, hosts = self.sites, self.hosts
        host = sites.host[site]
        if self.has_no_address(host):
            return True
        if hosts.strikes[host] and hosts.due[host] > now:
            return False
        return bool(sites.strikes[site]) or (
            sites.robots[site] == RobotsState.UNREACHABLE
            and sites.robots_tries[site] >= ROBOTS_TRIES
        )

    def given_up_for_now(self) -> list[int]:
        """Return the sites that were closed because they stayed unreachable for too long."""
        sites = self.sites
        return [
            site
            for site, closed in enumerate(sites.closed)
            if closed == Outcome.UNREACHABLE
            or (closed == Outcome.ROBOTS_UNREACHABLE and sites.robots[site] != RobotsState.GIVEN_UP)
        ]

    def seconds_run(self) -> float:
        """Return for how long the partition has been crawled, over all runs."""
        until = min(self.last_moment, self.paused_from or self.last_moment)
        return self.ran_seconds + max(0.0, until - self.run_began)

    # -- steps ----------------------------------------------------------------------------

    def _account_for(self, place: Place | None) -> None:
        if place is not None:
            end = place.offset + place.length
            if end > self.segment_ends.get(place.segment, 0):
                self.segment_ends[place.segment] = end

    def _finish(self, page: int, site: int) -> None:
        """Mark a pending or waiting URL as done."""
        if self.pages.status[page] == DONE:
            return
        was_put_off = self.pages.status[page] == PUT_OFF
        self.pages.status[page] = DONE
        if was_put_off:
            return
        self.sites.pending[site] -= 1
        if not self.sites.closed[site]:
            self.pending -= 1

    def put_up(self, page: int) -> None:
        """Let a URL be fetched that has ended, or that was put off."""
        if self.pages.status[page] in (DONE, PUT_OFF):
            site = self.pages.site[page]
            self.pages.status[page] = PENDING
            self.sites.pending[site] += 1
            self.pending += not self.sites.closed[site]
        self.pages.tries[page] = 0
        if self.pages.outcome[page] in TRAPS:
            self.traps.put_aside[self.pages.outcome[page]] -= 1
            self.pages.outcome[page] = 0
        elif self.pages.outcome[page] == Outcome.EXCLUDED:
            self.outcomes[Outcome.EXCLUDED] -= 1
            self.pages.outcome[page] = 0

    def note_post(self, page: int, state: int) -> None:
        """Take in that something is about to be posted, or what became of it."""
        if state == UNSENT:
            self.posts.pop(page, None)
        else:
            self.posts[page] = state

    def reopen_post(self, page: int) -> None:
        """Let a URL be posted to again whose end is known to the operator, who asks for it."""
        known = self.posts.get(page)
        if known == ANSWERED or (known and self.pages.outcome[page] == Outcome.UNKNOWN_POST):
            del self.posts[page]

    def put_off(self, page: int) -> None:
        """Let a URL wait until it is put up, unless it has ended."""
        if self.pages.status[page] in (PENDING, WAITING):
            site = self.pages.site[page]
            self.pages.status[page] = PUT_OFF
            self.sites.pending[site] -= 1
            self.pending -= not self.sites.closed[site]

    def _withdraw_guess(self, page: int) -> None:
        """Withdraw a guess that has not been judged."""
        rule = self.pages.guess[page]
        if rule and not rule & JUDGED:
            self.guesses.withdrawn(self.sites.host[self.pages.site[page]], rule)
            self.pages.guess[page] = rule | JUDGED

    def close(self, site: int, outcome: Outcome) -> None:
        """End all pending URLs of a site in an outcome."""
        if not self.sites.closed[site]:
            self.pending -= self.sites.pending[site]
        self.sites.closed[site] = outcome

    def open(self, site: int) -> None:
        """Undo `close`; the robots file is asked for again."""
        if self.sites.closed[site]:
            self.sites.closed[site] = 0
            self.pending += self.sites.pending[site]
        self.sites.robots_tries[site] = self.sites.strikes[site] = 0
        self.sites.due[site] = 0.0
        if self.sites.robots[site] in (RobotsState.GIVEN_UP, RobotsState.UNREACHABLE):
            self.sites.robots[site] = RobotsState.UNKNOWN

    def host_for(self, name: str) -> int:
        """Return the number of a host, which is entered if it is new."""
        host = self._host_numbers.get(name)
        return self._add_host(name) if host is None else host

    def site_for(self, name: str) -> int:
        """Return the number of a site of which the table has a URL; a new one is entered."""
        site = self.table.find_site(name)
        assert site is not None  # the table numbers sites as we do, by their first URLs
        if site == len(self.site_names):
            self._add_site(name)
        return site

    def _add_site(self, name: str) -> None:
        host = self.host_for(reversed_host_of(name))
        site = len(self.site_names)
        self.site_names.append(name)
        self.sites.add(host, self.hosts.first_site[host])
        self.hosts.first_site[host] = site
        if self.batons.others:
            self._meet(site, host, name)
        if self.hosts.closed[host]:
            self.sites.closed[site] = self.hosts.closed[host]

    def _meet(self, site: int, host: int, name: str) -> None:
        """Take in what came with a baton about a site whose first URL is admitted now."""
        others = self.batons.others.get(host, {})
        known = others.pop(name, None)
        if known is not None:
            learn_site(self.sites, self.rules, site, known)
            self.sites.closed[site] = known.closed
        if not others:
            self.batons.others.pop(host, None)

    def _add_host(self, name: str) -> int:
        host = self._host_numbers[name] = len(self.host_names)
        self.host_names.append(name)
        self.hosts.add()
        return host

    def restore_names(self, sites: list[str], hosts: list[str]) -> None:
        """Take the names of all sites and hosts, in the order of their numbers."""
        self.site_names = sites
        self.host_names = hosts
        self._host_numbers = {name: number for number, name in enumerate(hosts)}
