"""A partition in the hands of its owner: state, scheduler and readiness joined.

The worker asks for the next `Task`, carries it out, and records the result. Every
change goes through `record`: the event is applied to the state and kept for the next
commit, and volatile data is updated from it. Between commits the state is ahead of the
log; if the partition is lost to another owner, the whole object is thrown away.

Always true:
  * the state equals the fold of the log, then of `uncommitted`;
  * every pending URL of an open site is offered to the scheduler, waits on the agenda
    for its due moment, is asked for again before all others (`readiness.firsts`), or is being
    fetched;
  * a URL that is put off is none of these before a cycle chooses it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from lycosa.frontier._page_steps import PageSteps
from lycosa.frontier.facts.columns import DONE, NONE, PENDING, PUT_OFF, WAITING
from lycosa.frontier.facts.limits import MOST_TRUNCATED
from lycosa.frontier.fold.state import PartitionState
from lycosa.frontier.link_counts import LinkCounts
from lycosa.frontier.queue_moves import QueueMoves
from lycosa.frontier.readiness.hosts import Readiness
from lycosa.frontier.readiness.phases import WorkerContext
from lycosa.frontier.schedulers import ChoosesFrom, MovesBetweenQueues, Scheduler
from lycosa.frontier.schedulers.factory import Order, make_scheduler
from lycosa.frontier.task import Task, TaskKind
from lycosa.model.job import Frontier
from lycosa.model.records import (
    AnyEvent,
    AnyMessage,
    Counted,
    CycleBegun,
    ErrandTaken,
    HostChanged,
    LinksCounted,
    Mined,
    Outcome,
    ProbeChosen,
    RobotsLearned,
    RobotsState,
    Settled,
    SiteChanged,
    SitemapTried,
)


class Partition(PageSteps):
    """One partition in the hands of its owner."""

    def __init__(
        self,
        number: int,
        state: PartitionState,
        scheduler: str | Callable[[PartitionState], Scheduler],
        around: WorkerContext,
    ) -> None:
        self.state = state
        self.scheduler: Scheduler = (
            make_scheduler(state, Order(Frontier(scheduler=scheduler)))
            if isinstance(scheduler, str)
            else scheduler(state)
        )
        self.link_counts = LinkCounts(self.scheduler, self._site_if_offered)
        make = around.make_readiness or Readiness
        self.readiness = make(number, state, self.scheduler, around)
        PageSteps.__init__(self, number, state, self.scheduler, self.readiness, around)
        self.posts: dict[int, list[AnyMessage]] = {}
        self.refusals: dict[str, int] = {}
        self.structured: dict[str, int] = {}
        self._too_deep: dict[str, None] = {}
        self._truncated: dict[int, bool] = {}
        self._agenda = around.agenda
        self._changed = around.changed
        self.with_work = around.with_work
        self.rows: dict[int, list[int]] = {}
        """By host: the parts of a page that alone may follow in its burst."""
        self.moves = QueueMoves(state)
        self.is_lost = False
        self.is_released = False
        """The next commit gives it up."""

    def abandon(self, now: float) -> None:
        """Drop everything: another owner has the partition, and what is uncommitted is void."""
        self.is_lost = True
        self.uncommitted, self.posts, self.refusals, self.structured = [], {}, {}, {}
        self._too_deep, self._truncated = {}, {}
        self.readiness.abandon(now)

    def resume(self, now: float) -> None:
        """Build everything volatile from the state."""
        state = self.state
        for page, status in enumerate(state.pages.status):
            site = state.pages.site[page]
            if status in (DONE, PUT_OFF) or state.sites.closed[site]:
                continue
            if status == PENDING:
                self._offer(page, site)
            else:
                due = state.fetches.due[state.pages.fetch[page]]
                self._agenda.note(due, self._on_page_due, page)
        for errand, record in state.errands.items():
            self.readiness.errand_came(errand, record.host, now)
        for host in range(len(state.host_names)):
            self.readiness.work_came(host, now)

    # -- choosing -------------------------------------------------------------------------

    def _next_first(self) -> Task | None:
        """Return what is asked for before what the scheduler chooses."""
        firsts, state = self.readiness.firsts, self.state
        if firsts.errands_wanted:
            errand = firsts.take_errand()
            return Task(TaskKind.ERRAND, errand, state.errands[errand].host)
        if self.readiness.robots_wanted:
            site = next(iter(self.readiness.robots_wanted))
            return Task(TaskKind.ROBOTS, site, state.sites.host[site])
        page = firsts.take_repeat()
        return None if page is None else self._task_of(page)

    def _next_of_burst(self) -> int | None:
        """Go on with the first host in a burst, if the scheduler can."""
        for host in list(self.readiness.bursts_wanted):
            if host in self.rows:
                page = self.next_of_row(host)
                if page is not None:
                    self.withdraw([page])
                    return page
                self.readiness.let_rest(host, self.state.last_moment)
                continue
            if not isinstance(self.scheduler, ChoosesFrom):
                continue
            for site in self.state.sites_of(host):
                page = self.scheduler.choose_from(site)
                if page is not None:
                    return page
        return None

    def next_of_row(self, host: int) -> int | None:
        """Return the next part of a page that may be asked for in a row; the scheduler has it."""
        state = self.state
        for page in self.rows.get(host, ()):
            site = state.pages.site[page]
            if self.is_offered(page) and not state.sites.strikes[site]:
                is_known = state.sites.robots[site] == RobotsState.KNOWN
                if is_known and state.sites.robots_expires[site] > state.last_moment:
                    return page
        return None

    def ask_first(self, page: int, now: float) -> None:
        """Let a URL that the scheduler has be the next of its site."""
        site = self.state.pages.site[page]
        if site not in self.readiness.firsts.repeats:
            self.withdraw([page])
            self.readiness.firsts.repeats[site] = page
            self.readiness.look_again(self.state.sites.host[site], now)

    def is_offered(self, page: int) -> bool:
        """Return whether the scheduler has a URL."""
        return self._site_if_offered(page) is not None

    def hand_back(self, task: Task, now: float) -> None:
        """Undo `next_task` for something that could not be fetched after all."""
        if task.kind is TaskKind.PAGE:
            self._offer(task.subject, self.state.pages.site[task.subject])
        elif task.kind is TaskKind.ERRAND:
            self.readiness.errand_came(task.subject, task.host, now)
        self.readiness.look_again(task.host, now)

    # -- recording ------------------------------------------------------------------------

    def count_refusal(self, reason: str, count: int = 1) -> None:
        """Count URLs that were refused; written with the next commit."""
        self.refusals[reason] = self.refusals.get(reason, 0) + count
        self._changed[self.number] = None

    def count_structured(self, counts: Mapping[str, int]) -> None:
        """Add to the counters of structured data; written with the next commit."""
        for name, count in counts.items():
            self.structured[name] = self.structured.get(name, 0) + count
        self._changed[self.number] = None

    def note_too_deep(self, keys: Iterable[str]) -> None:
        """Note URLs of this partition beyond the limits of depth; written with the next commit."""
        if not self.state.limits.has_more_too_deep:
            self._too_deep.update(dict.fromkeys(keys))
            self._changed[self.number] = None

    def note_truncated(self, page: int, *, is_cut: bool) -> None:
        """Note that a page was cut off at the largest size, or is whole."""
        known = self.state.limits.truncated
        if is_cut != (page in known) and (len(known) < MOST_TRUNCATED or not is_cut):
            self._truncated[page] = is_cut
            self._changed[self.number] = None

    def post(self, target: int, message: AnyMessage) -> None:
        """Send a message to another partition with the next commit."""
        self.posts.setdefault(target, []).append(message)
        self._changed[self.number] = None

    def cut(self) -> tuple[list[AnyEvent], dict[int, list[AnyMessage]]]:
        """Hand over the events and messages to commit."""
        steps = self.link_counts.take_steps()
        if self.refusals or self.structured or steps or self._too_deep or self._truncated:
            limits = self.state.limits
            too_deep, has_more = limits.to_note(self._too_deep, self.state.table)
            cut = [page for page, is_cut in self._truncated.items() if is_cut]
            whole = [page for page, is_cut in self._truncated.items() if not is_cut]
            self.record(
                Counted(self.refusals, self.structured, steps, too_deep, has_more, cut, whole)
            )
            self.refusals, self.structured = {}, {}
            self._too_deep, self._truncated = {}, {}
        if (moves := self.moves.take(self._offered)) is not None:
            self.record(moves)
            self.offer_again(moves.put_up, self.state.last_moment)
            self.withdraw(moves.put_off)
        for target, links in self.link_counts.abroad.items():
            self.post(target, LinksCounted(links))
        self.link_counts.abroad = {}
        events, self.uncommitted = self.uncommitted, []
        posts, self.posts = self.posts, {}
        return events, posts

    def settle(self, moment: float, pages: list[int], outcome: Outcome) -> None:
        """Record pages that were chosen and end without a fetch."""
        self.record(Settled(moment, pages, outcome))

    def learn_robots(self, event: RobotsLearned) -> None:
        """Record the rules of a site's robots file."""
        self.record(event)
        self.readiness.end_burst(self.state.sites.host[event.site], event.moment)
        if event.state is RobotsState.GIVEN_UP:
            self.drop(event.site)
        self.readiness.work_came(self.state.sites.host[event.site], event.moment)

    def change_host(self, event: HostChanged) -> None:
        """Record that a host waits, has recovered, or is closed."""
        self.record(event)
        self.readiness.end_burst(event.host, event.moment)
        if event.closed is not None:
            for site in self.state.sites_of(event.host):
                self.drop(site)
            self.readiness.look_again(event.host, event.moment)

    def change_site(self, event: SiteChanged) -> None:
        """Record that an origin waits, has recovered, or is closed."""
        self.record(event)
        host = self.state.sites.host[event.site]
        self.readiness.end_burst(host, event.moment)
        if event.closed is not None:
            self.drop(event.site)
        self.readiness.look_again(host, event.moment)

    def drop(self, site: int) -> None:
        """Offer nothing of a site any more: it is closed."""
        self.scheduler.drop(site)
        self.readiness.firsts.drop_repeat(site)

    def take_errand(self, event: ErrandTaken) -> None:
        """Record an errand and queue it with its host."""
        number = self.state.errands_taken
        self.record(event)
        self.readiness.errand_came(number, self.state.errands[number].host, event.moment)

    def plant(self, event: Mined | SitemapTried | ProbeChosen) -> None:
        """Record guesses of a site, or its probe; they are URLs like any other."""
        first = len(self.state.pages.site)
        self.record(event)
        self._offer_from(first, event.moment)

    def offer_again(self, pages: Iterable[int], moment: float) -> None:
        """Offer URLs that are pending again, except those that the scheduler has."""
        for page in pages:
            is_next = self.readiness.firsts.repeats.get(self.state.pages.site[page]) == page
            is_held = self._offered[page] or is_next
            if self.state.pages.status[page] == PENDING and not is_held:
                self._offer_one(page, moment)

    def begin_cycle(self, event: CycleBegun, now: float) -> None:
        """Record the URLs that a cycle has chosen, and offer them."""
        state = self.state
        reopened = set() if event.round else set(state.given_up_for_now())
        self.record(event)
        hosts = {state.sites.host[site]: None for site in reopened}
        if reopened:
            self.offer_sites(reopened, set(event.pages))
        for page in event.pages:
            site = state.pages.site[page]
            if not state.sites.closed[site]:
                self._offer(page, site)
                hosts[state.sites.host[site]] = None
        for host in hosts:
            self.readiness.work_came(host, now)

    def offer_sites(self, sites: set[int], chosen: set[int]) -> None:
        """Offer the pending URLs of sites that were closed, except those offered already."""
        pages, fetches = self.state.pages, self.state.fetches
        for page, site in enumerate(pages.site):
            if site not in sites or page in chosen:
                continue
            if pages.status[page] == PENDING:
                self._offer(page, site)
            elif pages.status[page] == WAITING:
                self._agenda.note(fetches.due[pages.fetch[page]], self._on_page_due, page)

    def _new_requisites(
        self, requisites: Iterable[str], new: Iterable[str], first: int
    ) -> list[int]:
        """Return the numbers of those requisites that are not known as such."""
        numbers = {key: first + n for n, key in enumerate(new)}
        known, find = self.state.requisites, self.state.table.find
        found = (numbers[key] if key in numbers else find(key) for key in dict.fromkeys(requisites))
        return [page for page in found if page is not None and page not in known]

    def count_abroad(self, number: int, key: str) -> None:
        """Count a link to a URL of another partition, for the next commit."""
        links = self.link_counts.abroad.setdefault(number, {})
        links[key] = links.get(key, 0) + 1
        self._changed[self.number] = None

    def requeue(self, places: Iterable[tuple[int, int, int]]) -> None:
        """Move waiting URLs, each to a queue and a position there, in a crawl by topic."""
        assert isinstance(self.scheduler, MovesBetweenQueues)
        if self.moves.move(places, self.scheduler, self._site_if_offered):
            self._changed[self.number] = None

    def withdraw(self, pages: Iterable[int]) -> None:
        """Offer URLs no longer: they were put off, or are asked for at once."""
        assert isinstance(self.scheduler, ChoosesFrom)
        for page in pages:
            site = self.state.pages.site[page]
            if self._offered[page]:
                self._offered[page] = 0
                self.scheduler.withdraw(page, site)
            elif self.readiness.firsts.repeats.get(site) == page:
                self.readiness.firsts.drop_repeat(site)

    # -- inside ---------------------------------------------------------------------------

    def _site_if_offered(self, page: int) -> int | None:
        """Return the site of a URL that the scheduler has, or None."""
        site = self.state.pages.site[page]
        return site if self._offered[page] and not self.state.sites.closed[site] else None

    def _came_nearer(self, page: int) -> bool:
        """Move an offered URL up; returns whether its links are known and must be passed on."""
        pages = self.state.pages
        site = self._site_if_offered(page)
        if site is not None:
            self.scheduler.move(page, site)
        fetch = pages.fetch[page]
        return fetch != NONE and bool(self.state.fetches.length[fetch])

    def _on_page_due(self, page: int, now: float) -> None:
        if self.state.pages.status[page] == WAITING:
            self._offer_one(page, now)

    def _offer_one(self, page: int, now: float) -> None:
        """Offer a URL, unless its site is closed, and tell its host."""
        state = self.state
        site = state.pages.site[page]
        if not state.sites.closed[site]:
            self._offer(page, site)
            self.readiness.work_came(state.sites.host[site], now)
