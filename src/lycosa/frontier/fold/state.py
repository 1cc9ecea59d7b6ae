"""Applies the events of a partition's log to its state.

Always true:
  * `apply` is the only way in which anything here changes;
  * the result depends on the event and the state, never on a clock, a configuration or
    randomness: two folds of the same log are equal, byte for byte;
  * a page that was kept stays kept when a revisit fails in a way that will pass.

`holdings` has the data and its invariants, to be read first; `packing` turns it into bytes. The
state inherits them so that its readers say `state.pages`. As an attribute (`state.holdings.pages`)
they would cost a replay nothing (10.84 µs an event against 10.83, medians of 15 runs each), but
lengthen some 380 expressions that read the state.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable
from typing import Any

from lycosa.frontier.facts.columns import JUDGED, PUT_OFF, VAIN
from lycosa.frontier.facts.guesses import TRIED
from lycosa.frontier.fold._admitted import AdmittedFold
from lycosa.frontier.fold._fetched import FetchedFold
from lycosa.frontier.fold.holdings import Errand, Holdings
from lycosa.frontier.fold.interventions import apply_limits, apply_order, forget
from lycosa.frontier.fold.packing import pack, unpack
from lycosa.model.job import addressing_in, limits_in
from lycosa.model.records import (
    TRAPS,
    Admitted,
    AnyEvent,
    BatonPassed,
    BatonQueued,
    BatonTaken,
    BidTaken,
    BudgetAsked,
    BudgetGiven,
    BudgetShared,
    Classified,
    Configured,
    Counted,
    CycleBegun,
    CycleWanted,
    ErrandDone,
    ErrandTaken,
    Fetched,
    Forgotten,
    GuessJudged,
    HostChanged,
    HostResolved,
    InboxRead,
    LinksOwed,
    Mined,
    MinedOut,
    MirrorFound,
    Moved,
    OrderApplied,
    Outcome,
    PartsInRow,
    PartsNoted,
    Passed,
    Posted,
    Predicted,
    ProbeChosen,
    RecordsLost,
    Released,
    Rendered,
    RenderQueued,
    Reopened,
    RobotsLearned,
    RobotsState,
    Sampled,
    Settled,
    SiteChanged,
    SitemapTried,
    SiteProbed,
    Suspected,
    Taken,
    Visited,
    Waited,
    Weighed,
    Worth,
)
from lycosa.model.url.key import reversed_host_of


class PartitionState(Holdings):
    """The state of one partition, changed by events alone."""

    def __init__(self) -> None:
        super().__init__()
        self._apply_admitted = AdmittedFold(self).apply
        self.appliers: dict[type, Callable[[Any], None]] = {
            Taken: self._apply_taken,
            Configured: self._apply_configured,
            Admitted: self._apply_admitted,
            InboxRead: lambda event: setattr(self, "inbox_read", event.sequence),
            Fetched: FetchedFold(self).apply,
            Settled: self._apply_settled,
            RobotsLearned: self._apply_robots_learned,
            HostChanged: self._apply_host_changed,
            Counted: self._apply_counted,
            ErrandTaken: self._apply_errand_taken,
            ErrandDone: self._apply_errand_done,
            Passed: lambda event: setattr(self, "last_moment", event.moment),
            Reopened: self._apply_reopened,
            Forgotten: self._apply_forgotten,
            Sampled: self.probes.apply_sampled,
            ProbeChosen: self._apply_probe_chosen,
            SiteProbed: self.probes.apply_probed,
            HostResolved: self._apply_host_resolved,
            SiteChanged: self._apply_site_changed,
            Waited: self._apply_waited,
            Mined: self._apply_mined,
            GuessJudged: self._apply_guess_judged,
            MinedOut: self._apply_mined_out,
            Weighed: self._apply_weighed,
            MirrorFound: self.traps.apply_mirror_found,
            CycleWanted: self.history.apply_wanted,
            BidTaken: self.history.apply_bid,
            CycleBegun: self._apply_cycle_begun,
            Visited: self._apply_visited,
            RecordsLost: self._apply_records_lost,
            SitemapTried: self._apply_sitemap_tried,
            Released: self._apply_released,
            Moved: self._apply_moved,
            LinksOwed: self._apply_links_owed,
            BatonPassed: self.batons.apply_passed,
            BatonTaken: self._apply_baton_taken,
            BatonQueued: self.batons.apply_queued,
            Classified: self.topics.apply_classified,
            Predicted: self._apply_predicted,
            BudgetAsked: self.topics.budgets.apply_asked,
            BudgetGiven: self._apply_budget_given,
            BudgetShared: self.topics.budgets.apply_shared,
            OrderApplied: lambda event: apply_order(self, event),
            RenderQueued: self._apply_render_queued,
            Rendered: self._apply_rendered,
            PartsNoted: self.rendering.apply_parts,
            PartsInRow: self.owed.rows.apply,
            Suspected: self.suspects.apply,
            Posted: lambda event: self.note_post(event.page, event.state),
        }
        """The method that applies an event, by its type."""

    def apply(self, event: AnyEvent) -> None:
        """Change the state as the event says."""
        self.appliers[type(event)](event)

    # -- folding --------------------------------------------------------------------------

    def _apply_taken(self, event: Taken) -> None:
        self.ran_seconds = self.seconds_run()
        self.run_began = self.last_moment = event.moment
        self.paused_from = event.moment if self.paused_from else 0.0
        self.owner, self.moved_to = event.owner, ""
        self.owed.apply_taken(event.moment, self.hosts)

    def _apply_released(self, event: Released) -> None:
        self.owner, self.last_moment = "", event.moment
        self.owed.apply_released(event)

    def _apply_moved(self, event: Moved) -> None:
        self.owner, self.moved_to = "", event.name

    def _apply_links_owed(self, event: LinksOwed) -> None:
        self.links_owed.update(event.owed)
        self.links_owed.difference_update(event.done, event.given_up)
        self.links_given_up += len(event.given_up)
        if event.read_to:
            self.limits.read_to(event.read_to)

    def _apply_baton_taken(self, event: BatonTaken) -> None:
        from lycosa.frontier.fold.reports import learn  # crawls without batons do without it

        learn(self, event)
        self.batons.apply_came(event)

    def _apply_configured(self, event: Configured) -> None:
        before, self.job_digest = self.job_digest, event.digest
        # Digests of earlier releases do not say whether the job asks another name server.
        addressing = addressing_in(event.digest)
        if not addressing or addressing != addressing_in(before):
            self.hosts.address_expires[:] = array("d", bytes(8 * len(self.hosts.address)))
        # Another job may guess more.
        self.sites.mined_out[:] = array("B", bytes(len(self.sites.mined_out)))
        limits = limits_in(event.digest)
        if limits is not None and limits != limits_in(before):
            if before:
                apply_limits(self, limits)
            else:
                self.limits.depths = limits.depth_static, limits.depth_dynamic

    def _apply_counted(self, event: Counted) -> None:
        self.refusals.update(event.refusals)
        self.structured.update(event.structured)
        self.popularity.apply(event.linked)
        self.limits.apply_counted(event, self.table)

    def _unguess(self, pages: list[int]) -> None:
        """Note that pages link to URLs that had been guessed."""
        for page in pages:
            if self.was_tried_in_vain(page):
                self.put_up(page)
            self._withdraw_guess(page)
            self.pages.guess[page] = 0

    def _apply_settled(self, event: Settled) -> None:
        for page in event.pages:
            self.pages.outcome[page] = event.outcome
            self.outcomes[event.outcome] += 1
            self._withdraw_guess(page)
            self._finish(page, self.pages.site[page])
        if event.outcome in TRAPS:
            self.traps.put_aside[event.outcome] += len(event.pages)

    def _apply_robots_learned(self, event: RobotsLearned) -> None:
        sites, site = self.sites, event.site
        sites.robots[site] = event.state
        sites.robots_expires[site] = event.expires
        host = sites.host[site]
        self._account_for(event.place)
        self.hosts.due[host] = max(self.hosts.due[host], event.host_due)
        if event.state is RobotsState.KNOWN:
            sites.robots_tries[site] = 0
            sites.wants_sitemap[site] = event.wants_sitemap
            sites.crawl_delay[site] = event.crawl_delay_seconds
            self.rules.pop(site, None)
            if event.rules:
                self.rules[site] = event.rules
        elif event.state is RobotsState.UNREACHABLE:
            sites.robots_tries[site] = min(sites.robots_tries[site] + 1, 255)
        elif event.state is RobotsState.GIVEN_UP:
            self.close(site, Outcome.ROBOTS_UNREACHABLE)

    def _apply_host_changed(self, event: HostChanged) -> None:
        hosts, host = self.hosts, event.host
        hosts.due[host] = max(hosts.due[host], event.due)
        hosts.strikes[host] = event.strikes
        hosts.announced[host] = event.is_announced
        if event.closed is not None:
            hosts.closed[host] = event.closed
            self.guesses.closed(host)
            for site in self.sites_of(host):
                self.close(site, event.closed)

    def _apply_host_resolved(self, event: HostResolved) -> None:
        self.hosts.address[event.host] = self.addresses.number(event.address)
        self.hosts.address_expires[event.host] = event.expires
        missing = self.hosts.missing[event.host]
        self.hosts.missing[event.host] = min(missing + 1, 255) if event.is_missing else 0

    def _apply_site_changed(self, event: SiteChanged) -> None:
        sites, site = self.sites, event.site
        sites.due[site] = event.due
        sites.strikes[site] = min(event.strikes, 255)
        host = sites.host[site]
        self.hosts.due[host] = max(self.hosts.due[host], event.host_due)
        if event.closed is not None:
            self.close(site, event.closed)

    def _apply_waited(self, event: Waited) -> None:
        self.waited_seconds = event.seconds

    def _apply_reopened(self, event: Reopened) -> None:
        for host in event.hosts:
            if self.has_no_address(host):
                self.hosts.due[host] = 0.0  # it waited for a name server, which asked for nothing
            self.hosts.closed[host] = self.hosts.strikes[host] = self.hosts.missing[host] = 0
            self.hosts.address_expires[host] = 0.0
            self.traps.release(host)
            for site in self.sites_of(host):
                self.open(site)
        for page in event.pages:
            self.reopen_post(page)
            self.put_up(page)

    def _apply_forgotten(self, event: Forgotten) -> None:
        forget(self, event)

    def _apply_errand_taken(self, event: ErrandTaken) -> None:
        host = self.host_for(reversed_host_of(event.key))
        self.errands[self.errands_taken] = Errand(event.site, event.key, event.hops, host)
        self.errands_taken += 1

    def _apply_errand_done(self, event: ErrandDone) -> None:
        host = self.errands.pop(event.errand).host
        self._account_for(event.place)
        self.hosts.due[host] = max(self.hosts.due[host], event.host_due)

    def _apply_probe_chosen(self, event: ProbeChosen) -> None:
        self.probes.apply_chosen(event, len(self.table))
        if event.key:
            self._admit_errand(event)

    def _apply_sitemap_tried(self, event: SitemapTried) -> None:
        self.sites.wants_sitemap[event.site] = 0
        if event.key:
            self._admit_errand(event, event.source)
            self.pages.guess[-1] = TRIED

    def _admit_errand(self, event: ProbeChosen | SitemapTried, source: str = "") -> None:
        """Admit a URL that is asked for once a site: as a robots file, it takes no room."""
        self._apply_admitted(Admitted(event.moment, source, [event.key], [event.distance]))
        self.history.room += bool(self.history.cycle)

    def _apply_mined(self, event: Mined) -> None:
        first = len(self.table)
        self._apply_admitted(Admitted(event.moment, "", event.keys, event.distances))
        host = self.sites.host[event.site]
        for page, rule in enumerate(event.rules, first):
            self.pages.guess[page] = rule
            self.guesses.guessed(host, rule)

    def _apply_guess_judged(self, event: GuessJudged) -> None:
        rule = self.pages.guess[event.page]
        in_vain = VAIN if event.worth is Worth.NOTHING else 0
        self.pages.guess[event.page] = rule | JUDGED | in_vain
        self.guesses.judged(self.sites.host[self.pages.site[event.page]], rule, event)

    def _apply_mined_out(self, event: MinedOut) -> None:
        self.sites.mined_out[event.site] = 1

    def _apply_weighed(self, event: Weighed) -> None:
        self.traps.apply_weighed(event, self.sites.host[self.pages.site[event.page]])

    def _apply_visited(self, event: Visited) -> None:
        site = self.pages.site[event.page]
        self.history.apply_visited(event, self.pages.fetch[event.page], self.sites.host[site])

    def _apply_cycle_begun(self, event: CycleBegun) -> None:
        self.history.apply_begun(event)
        if not event.round:
            self.waited_seconds = 0.0
            for site in self.given_up_for_now():
                self.open(site)
        for page in event.pages:
            self.put_up(page)
            self.history.take(self.sites.host[self.pages.site[page]])

    def _sort_in(self, first: int, count: int, put_off: list[int]) -> None:
        """Count URLs that were just admitted to the cycle, or put them off."""
        sites, later = self.sites, set(put_off)
        for place in range(count):
            site = self.pages.site[first + place]
            if place in later:
                self.put_off(first + place)
            else:
                self.history.room -= 1
                self.history.take(sites.host[site])

    def _apply_records_lost(self, event: RecordsLost) -> None:
        from lycosa.frontier.fold.losses import give_up  # few crawls lose a record

        give_up(self, event)

    def _apply_predicted(self, event: Predicted) -> None:
        self.topics.moved(event.pages, event.queues, event.positions)
        for page in event.put_up:
            self.put_up(page)
        for page in event.put_off:
            self.put_off(page)

    def _apply_budget_given(self, event: BudgetGiven) -> None:
        """Put the URLs of topics off when nothing is left for them, and up when there is again."""
        budgets = self.topics.budgets
        were_used_up = budgets.used_up.intersection(event.topics)
        budgets.apply_given(event)
        if event.is_used_up or were_used_up:
            for page in self.topics.of_topics(event.topics, len(self.pages.site)):
                if event.is_used_up:
                    self.put_off(page)
                elif self.pages.status[page] == PUT_OFF:
                    self.put_up(page)

    def _apply_render_queued(self, event: RenderQueued) -> None:
        self.rendering.apply_queued(event, self.pages.site[event.page])

    def _apply_rendered(self, event: Rendered) -> None:
        self._account_for(event.place)
        if event.size_bytes:  # a view, which counts as a page
            self.kept_pages += 1
            self.kept_bytes += event.size_bytes
            self.hosts.kept[self.sites.host[self.pages.site[event.page]]] += 1
        self.rendering.apply_rendered(event, self.pages.site[event.page])

    # -- snapshots ------------------------------------------------------------------------

    def pack(self, sequence: int) -> bytes:
        """Return the whole state as bytes, to be kept as of `sequence`."""
        return pack(self, sequence)

    @classmethod
    def unpack(cls, data: bytes) -> PartitionState:
        """Return the state that `pack` made bytes of."""
        state = cls()
        unpack(data, state)
        return state
