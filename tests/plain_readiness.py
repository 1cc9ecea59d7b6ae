"""The phases of hosts in plain Python: what `lycosa.frontier.readiness.hosts` has to do."""

from __future__ import annotations

from array import array
from typing import cast

from lycosa.frontier.facts.columns import NONE
from lycosa.frontier.fold.state import PartitionState
from lycosa.frontier.readiness.agenda import NEVER
from lycosa.frontier.readiness.firsts import Firsts
from lycosa.frontier.readiness.hosts import AHEAD_SECONDS
from lycosa.frontier.readiness.phases import (
    AWAKE,
    IDLE,
    QUEUED,
    RESOLVING,
    TAKEN,
    WAITING,
    Phase,
    WorkerContext,
)
from lycosa.frontier.readiness.sites import YIELD_SECONDS
from lycosa.frontier.schedulers import Scheduler
from lycosa.model.records import RobotsState
from plain_addresses import PlainAddresses

UNKNOWN, KNOWN = int(RobotsState.UNKNOWN), int(RobotsState.KNOWN)
UNREACHABLE, ELSEWHERE = int(RobotsState.UNREACHABLE), int(RobotsState.ELSEWHERE)


class PlainReadiness:
    """The phases of a partition's hosts."""

    def __init__(
        self, number: int, state: PartitionState, scheduler: Scheduler, around: WorkerContext
    ) -> None:
        self._number = number
        self._state = state
        self._scheduler = scheduler
        self._around = around
        self._agenda = around.agenda
        self._with_work = around.with_work
        self._when_due = self._on_due  # bound once: the agenda holds one for every host that waits
        self.addresses = cast("PlainAddresses", around.addresses)
        self._phase = array("B")
        self._wake_at = array("d")
        self._address: dict[int, str] = {}
        """Of hosts that are queued, awake or taken: where they are to be asked this time."""
        self._had_turn: set[int] = set()
        """Hosts that resolve because their address had expired when their turn came."""
        self.firsts = Firsts()
        """What hosts are asked for before what the scheduler chooses."""
        self._bursting: set[int] = set()
        """Hosts that may be asked before they are due."""
        self._held: dict[int, str] = {}
        """Hosts that are taken only until their answer is durable, and their addresses."""
        self._is_abandoned = False
        self.resumed_at = around.resumed_at
        self.robots_wanted: dict[int, None] = {}
        """Sites of awake hosts that need their robots file before anything else, in order."""
        self.bursts_wanted: dict[int, None] = {}
        """Awake hosts whose burst goes on with a page, in order."""

    # -- what the partition tells us ------------------------------------------------------

    def work_came(self, host: int, now: float) -> None:
        """Note that a host has something new to fetch."""
        self._grow(host)
        phase = self._phase[host]
        if phase == AWAKE:
            self.look_again(host, now)
        elif phase in (IDLE, WAITING):
            self._plan(host, now)

    def errand_came(self, errand: int, host: int, now: float, *, is_next: bool = False) -> None:
        """Note an errand; it is served before the host's own pages."""
        self.firsts.add_errand(errand, host, is_next=is_next)
        self.work_came(host, now)

    def claim(self, host: int, now: float) -> bool:
        """Claim an awake host's address; if that fails it waits again, and its task goes back."""
        address = self._address[host]
        if self.addresses.claim(address, now):
            return True
        self._rest_sites(host)
        self._phase[host] = QUEUED
        self.addresses.queue_again(address, self, host, now)
        return False

    def take(self, host: int) -> str:
        """Begin a request: the host's sites rest; returns the address to be asked."""
        if self._phase[host] != AWAKE:
            raise AssertionError(f"host {host} is {Phase(self._phase[host]).name}, not awake")
        self._phase[host] = TAKEN
        self._bursting.discard(host)
        self._rest_sites(host)
        return self._address[host]

    def free_address(self, host: int, now: float) -> None:
        """End a request, but not the turn of its host: only the address's pause begins."""
        self._held[host] = self._address.pop(host)
        self.addresses.asked(self._held[host], now)

    def give_back(self, host: int, now: float, keeps: bool = False) -> None:
        """End a request: pauses begin, the host's as the state has it (`keeps`: `slots`)."""
        self._phase[host] = IDLE
        is_held = host in self._held
        address = (self._held if is_held else self._address).pop(host)
        if not is_held:
            self.addresses.asked(address, now, keeps)
        self._plan(host, now)
        if self._phase[host] == IDLE:
            self.addresses.done(address, now)

    def put_back(self, host: int, now: float) -> None:
        """End a request that was never sent."""
        self._phase[host] = IDLE
        self.addresses.leave(self._address.pop(host), now)
        self._plan(host, now)

    def let_go_on(self, host: int) -> None:
        """Let a host that is taken be asked again at once: its burst goes on."""
        self._bursting.add(host)

    def goes_on(self, host: int) -> bool:
        """Return whether the burst of a host goes on."""
        return host in self._bursting

    def end_burst(self, host: int, now: float) -> None:
        """Let a host be asked no earlier than it is due; harmless when it has no burst."""
        if host in self._bursting:
            self.let_rest(host, now)

    def let_rest(self, host: int, now: float) -> None:
        """Let a host that is awake rest until it is due."""
        self._bursting.discard(host)
        if self._phase[host] == AWAKE:
            self._rest_sites(host)
            self.put_back(host, now)

    def look_again(self, host: int, now: float) -> None:
        """Reconsider an awake host: it may have nothing left that can be fetched."""
        if self._phase[host] == AWAKE and not self._wake_sites(host, now):
            self._rest_sites(host)
            self.put_back(host, now)

    def resolved(self, host: int, address: str | None, now: float) -> None:
        """Take the answer of the name server; None means that it had none."""
        if self._phase[host] != RESOLVING:
            return
        before, had_turn = self._address.pop(host, None), host in self._had_turn
        self._had_turn.discard(host)
        if address is None:
            self._phase[host] = IDLE
            self._plan(host, now)
            return
        self._address[host] = address
        self._phase[host] = QUEUED
        self.addresses.enter(address, self, host, now, had_turn and address == before)

    def rests_until(self, host: int) -> float:
        """Return when a host is next due: never if it has nothing to do, now if it is busy."""
        phase = self._phase[host] if host < len(self._phase) else IDLE
        return NEVER if phase == IDLE else self._wake_at[host] if phase == WAITING else 0.0

    def first_queued(self) -> int | None:
        """Return a host that waits for its turn at an address."""
        return self._phase.index(QUEUED) if QUEUED in self._phase else None

    def is_taken(self, host: int) -> bool:
        """Return whether a request to the host is under way."""
        return host < len(self._phase) and self._phase[host] == TAKEN

    def is_resolving(self, host: int) -> bool:
        """Return whether the host waits for its address."""
        return self._phase[host] == RESOLVING

    def abandon(self, now: float) -> None:
        """Let go of everything: the partition belongs to another owner."""
        self._is_abandoned = True
        for host, phase in enumerate(self._phase):
            if phase == AWAKE:
                self._rest_sites(host)
                self._phase[host] = IDLE
                self.addresses.leave(self._address[host], now)

    def free_addresses(self, now: float) -> None:
        """Free the addresses of hosts that wait for a commit: their partition is abandoned."""
        for host in [one for one in self._address if self._phase[one] == TAKEN]:
            self.free_address(host, now)

    def counts(self) -> dict[str, int]:
        """Return how many hosts are in each phase."""
        counts = {phase.name.lower(): self._phase.count(phase) for phase in Phase}
        counts["taken"] -= len(self._held)  # these rest as others do
        counts["waiting"] += len(self._held)
        return counts

    def has_first(self) -> bool:
        """Return whether something is to be asked for before what the scheduler chooses."""
        firsts = self.firsts
        return bool(self.robots_wanted or firsts.errands_wanted or firsts.repeats_wanted)

    # -- what the address gate tells us ---------------------------------------------------

    def let_through(self, host: int, now: float) -> bool:
        """Wake a queued host's sites; False when there is nothing left to fetch."""
        if self._is_abandoned:
            return False
        address = self._resolve(host, now)
        if address is None:
            self._phase[host] = RESOLVING
            self._had_turn.add(host)
            return False
        if address != self._address[host]:
            self._address[host] = address
            self.addresses.enter(address, self, host, now)
            return False
        self._phase[host] = AWAKE
        if self._due(host) <= now and self._wake_sites(host, now):
            return True
        self._phase[host] = IDLE
        del self._address[host]
        self._plan(host, now)
        return False

    def comes_next(self, host: int, now: float) -> None:
        """Look up the address of the next host in a queue, before its turn comes."""
        if self._state.hosts.address_expires[host] <= now + AHEAD_SECONDS:
            self._around.look_ahead(self._number, host)

    def has_answered(self, host: int) -> bool:
        """Return whether the log says that the host can be reached."""
        robots, strikes = self._state.sites.robots, self._state.sites.strikes
        return any(robots[one] == KNOWN and not strikes[one] for one in self._state.sites_of(host))

    # -- inside ---------------------------------------------------------------------------

    def _grow(self, host: int) -> None:
        while len(self._phase) <= host:
            self._phase.append(IDLE)
            self._wake_at.append(NEVER)

    def _resolve(self, host: int, now: float) -> str | None:
        if self._state.hosts.address[host] and self._state.hosts.address_expires[host] > now:
            return self._state.address_of(host)
        return self._around.resolve(self._number, host)

    def _plan(self, host: int, now: float) -> None:
        """Find out when an idle or waiting host has something to fetch, and wait for that."""
        if self._is_abandoned:
            return
        moment = self._moment_of_work(host)
        if moment == NEVER:
            self._phase[host] = IDLE
            return
        moment = max(moment, self._due(host), self._floor(host))
        if moment > now:
            is_news = self._phase[host] != WAITING or moment != self._wake_at[host]
            self._phase[host] = WAITING
            self._wake_at[host] = moment
            if is_news:
                self._agenda.note(moment, self._when_due, host)
                if self._state.hosts.address_expires[host] <= moment:
                    self._look_ahead(host, now)
            return
        self._phase[host] = RESOLVING
        address = self._resolve(host, now)
        if address is not None:
            self.resolved(host, address, now)

    def _due(self, host: int) -> float:
        return 0.0 if host in self._bursting else self._state.hosts.due[host]

    def _floor(self, host: int) -> float:
        """Return when a host may be asked at the earliest after a resume.

        What the half second before a kill has forgotten, a full pause from the moment of
        the resume makes good, also for hosts whose very existence was forgotten.
        """
        at = self.resumed_at
        return 0.0 if at is None else at + self._around.pause_of(self._state, host)

    def _on_due(self, host: int, now: float) -> None:
        if self._phase[host] == WAITING and self._wake_at[host] <= now:
            self._phase[host] = IDLE
            self._plan(host, now)

    def _look_ahead(self, host: int, now: float) -> None:
        """Let the address of a waiting host be known when the host is due."""
        hosts, moment = self._state.hosts, self._wake_at[host]
        if self._phase[host] != WAITING or hosts.address_expires[host] > moment:
            return
        if hosts.strikes[host] or hosts.closed[host] or hosts.missing[host]:
            return
        if moment - now > AHEAD_SECONDS:
            self._agenda.note(moment - AHEAD_SECONDS, self._look_ahead, host)
        else:
            self._around.look_ahead(self._number, host)

    def _moment_of_work(self, host: int) -> float:
        """Return the earliest moment at which a site of the host can be asked something."""
        if host in self.firsts.errands:
            return 0.0
        sites, earliest = self._state.sites, NEVER
        site, repeats = self._state.hosts.first_site[host], self.firsts.repeats
        while site != NONE:
            if not sites.closed[site] and (self._scheduler.waiting(site) or site in repeats):
                robots, moment = sites.robots[site], sites.due[site]
                if robots in (UNREACHABLE, ELSEWHERE):
                    moment = max(moment, sites.robots_expires[site])
                elif not moment:
                    return 0.0
                earliest = min(earliest, moment)
            site = sites.following[site]
        return earliest

    def _wake_sites(self, host: int, now: float) -> bool:
        """Wake every site that can be asked for pages; queue those that lack robots rules.

        Returns whether there is anything to ask for.
        """
        has_work, firsts = False, self.firsts
        if host in firsts.errands:
            firsts.errands_wanted[host] = None
            has_work = True
        failed: list[int] = []
        sites, following = self._state.sites, self._state.hosts.first_site[host]
        while following != NONE:
            site, following = following, sites.following[following]
            if sites.closed[site]:
                continue
            if not self._scheduler.waiting(site) and site not in firsts.repeats:
                continue
            due = sites.due[site]
            if due and due > now - YIELD_SECONDS:  # it could not be reached
                self._scheduler.rest(site)
                if self.robots_wanted:
                    self.robots_wanted.pop(site, None)
                if due <= now:
                    failed.append(site)
                continue
            robots, is_fresh = sites.robots[site], sites.robots_expires[site] > now
            if robots == KNOWN and is_fresh:
                if self.robots_wanted:
                    self.robots_wanted.pop(site, None)
                self._scheduler.wake(site)
                if firsts.repeats and site in firsts.repeats:
                    firsts.repeats_wanted[site] = None
                if host in self._bursting:
                    self.bursts_wanted[host] = None
                has_work = True
                continue
            self._scheduler.rest(site)
            if robots == UNKNOWN or not is_fresh:
                self.robots_wanted[site] = None
                has_work = True
            else:
                self.robots_wanted.pop(site, None)
        if failed and not has_work:
            has_work = self._wake_failed(failed, now)
        if has_work:
            self._with_work[self._number] = None
        return has_work

    def _wake_failed(self, failed: list[int], now: float) -> bool:
        """Wake sites that are to be tried again; returns whether there is anything to ask for."""
        sites, has_work = self._state.sites, False
        for site in failed:
            robots, is_fresh = sites.robots[site], sites.robots_expires[site] > now
            if robots == KNOWN and is_fresh:
                self._scheduler.wake(site)
                if site in self.firsts.repeats:
                    self.firsts.repeats_wanted[site] = None
                has_work = True
            elif robots == UNKNOWN or not is_fresh:
                self.robots_wanted[site] = None
                has_work = True
        return has_work

    def _rest_sites(self, host: int) -> None:
        firsts = self.firsts
        if firsts.errands_wanted:
            firsts.errands_wanted.pop(host, None)
        if self.bursts_wanted:
            self.bursts_wanted.pop(host, None)
        sites, wanted = self._state.sites, self.robots_wanted
        site = self._state.hosts.first_site[host]
        while site != NONE:
            self._scheduler.rest(site)
            if wanted:
                wanted.pop(site, None)
            if firsts.repeats_wanted:
                firsts.repeats_wanted.pop(site, None)
            site = sites.following[site]
