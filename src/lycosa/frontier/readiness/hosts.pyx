"""Decides which hosts of a partition may be asked now.

Every host is in one of six phases:

    idle        nothing to fetch
    waiting     its pause, its back-off or a robots retry runs; it is on the agenda
    resolving   its pause is over, its address is not known
    queued      its address serves another host or rests
    awake       its sites are awake in the scheduler, or one wants its robots file
    taken       a request is under way, or its answer is not durable yet

    idle ─ a URL comes ─▶ waiting ─ due ─▶ resolving ─▶ queued ─ let through ─▶ awake
      ▲                      ▲                                                   │
      └─ nothing left ───────┴────────────── answer is in ◀── taken ◀── chosen ──┘

Always true:
  * a site is awake in the scheduler only while its host is awake here (`sites`);
  * a host is awake only at or after its due moment, or in a burst, and while its address is
    let through for it: at most one request per host and per address, and each after its pause;
  * a host with something to fetch is never idle;
  * a host is awake only for an address that is valid: one that expired while the host was
    queued is looked up again, and the host keeps its turn.

So that hosts seldom wait for a lookup, the names of those that are due within `AHEAD_SECONDS`, and
of those that are next at an address, are looked up ahead. A name that fails waits long enough
anyway.

An address that the state knows and that has not expired is taken from there; for any other the
worker is asked (`WorkerContext.resolve`).

A host whose *burst* goes on may be asked before it is due, as far as its address permits.

Not here: when a burst may go on (lycosa.features.bursts), how long a pause is
(lycosa.crawl.pauses), the order of URLs (schedulers).
"""

from array import array

from cpython cimport array as arrays
from lycosa._support.cells cimport large, put_real, put_small, real, small, uint64_t
from lycosa.frontier.readiness.addresses cimport Addresses
from lycosa.frontier.readiness.agenda cimport Agenda
from lycosa.frontier.readiness.sites cimport HostSites

from lycosa.frontier.readiness.phases import Phase

AHEAD_SECONDS = 10.0
"""How long before a host is due its name is looked up, if that is necessary."""

cdef double AHEAD = AHEAD_SECONDS
cdef double NEVER = float("inf")

cdef enum:
    IDLE
    WAITING
    RESOLVING
    QUEUED
    AWAKE
    TAKEN

if (IDLE, WAITING, RESOLVING, QUEUED, AWAKE, TAKEN) != tuple(Phase):
    raise ImportError("the phases of hosts are others than those of `phases`")


cdef class Readiness(HostSites):
    """The phases of a partition's hosts."""

    def __init__(self, Py_ssize_t number, state, scheduler, around):
        HostSites.__init__(self, number, state, scheduler, around.with_work)
        self._around = around
        self._agenda = around.agenda
        self._when_due = self._on_due  # bound once: the agenda holds one for every host that waits
        self.addresses = around.addresses
        self._phase = array("B")
        self._wake_at = array("d")
        # Of hosts that are queued, awake or taken: where they are to be asked this time.
        self._address = {}
        # Hosts that resolve because their address had expired when their turn came.
        self._had_turn = set()
        # Hosts that are taken only until their answer is durable, and their addresses.
        self._held = {}
        self.resumed_at = around.resumed_at
        # The number of the address that was asked for last, and its text.
        self._known_number, self._known_address = 0, ""
        self._host_due = state.hosts.due
        self._host_address = state.hosts.address
        self._address_expires = state.hosts.address_expires

    # -- what the partition tells us ------------------------------------------------------

    cpdef int work_came(self, Py_ssize_t host, double now) except -1:
        """Note that a host has something new to fetch."""
        cdef int phase
        self._grow(host)
        phase = small(self._phase, host)
        if phase == AWAKE:
            self.look_again(host, now)
        elif phase == IDLE or phase == WAITING:
            self._plan(host, now)
        return 0

    def errand_came(self, errand, Py_ssize_t host, double now, *, bint is_next=False):
        """Note an errand; it is served before the host's own pages."""
        self.firsts.add_errand(errand, host, is_next=is_next)
        self.work_came(host, now)

    cpdef bint claim(self, Py_ssize_t host, double now) except -1:
        """Claim an awake host's address; if that fails it waits again, and its task goes back."""
        cdef str address = self._address[host]
        if self.addresses.claim(address, now):
            return True
        self._rest_sites(host)
        put_small(self._phase, host, QUEUED)
        self.addresses.queue_again(address, self, host, now)
        return False

    cpdef str take(self, Py_ssize_t host):
        """Begin a request: the host's sites rest; returns the address to be asked."""
        cdef int phase = small(self._phase, host)
        if phase != AWAKE:
            raise AssertionError(f"host {host} is {Phase(phase).name}, not awake")
        put_small(self._phase, host, TAKEN)
        if self._bursting:
            self._bursting.discard(host)
        self._rest_sites(host)
        return self._address[host]

    cpdef int free_address(self, Py_ssize_t host, double now) except -1:
        """End a request, but not the turn of its host: only the address's pause begins."""
        cdef str address = self._address.pop(host)
        self._held[host] = address
        return self.addresses.asked(address, now)

    cpdef object give_back(self, Py_ssize_t host, double now, bint keeps=False):
        """End a request: pauses begin, the host's as the state has it (`keeps`: `slots`)."""
        cdef str address
        cdef bint is_held = bool(self._held) and host in self._held
        put_small(self._phase, host, IDLE)
        address = (self._held if is_held else self._address).pop(host)
        if not is_held:
            self.addresses.asked(address, now, keeps)
        self._plan(host, now)
        if small(self._phase, host) == IDLE:
            self.addresses.done(address, now)

    cpdef int put_back(self, Py_ssize_t host, double now) except -1:
        """End a request that was never sent."""
        put_small(self._phase, host, IDLE)
        self.addresses.leave(self._address.pop(host), now)
        self._plan(host, now)
        return 0

    def let_go_on(self, Py_ssize_t host):
        """Let a host that is taken be asked again at once: its burst goes on."""
        self._bursting.add(host)

    def goes_on(self, Py_ssize_t host):
        """Return whether the burst of a host goes on."""
        return host in self._bursting

    def end_burst(self, Py_ssize_t host, double now):
        """Let a host be asked no earlier than it is due; harmless when it has no burst."""
        if host in self._bursting:
            self.let_rest(host, now)

    def let_rest(self, Py_ssize_t host, double now):
        """Let a host that is awake rest until it is due."""
        self._bursting.discard(host)
        if small(self._phase, host) == AWAKE:
            self._rest_sites(host)
            self.put_back(host, now)

    cpdef int look_again(self, Py_ssize_t host, double now) except -1:
        """Reconsider an awake host: it may have nothing left that can be fetched."""
        if small(self._phase, host) == AWAKE and not self._wake_sites(host, now):
            self._rest_sites(host)
            self.put_back(host, now)
        return 0

    cpdef int resolved(self, Py_ssize_t host, str address, double now) except -1:
        """Take the answer of the name server; None means that it had none."""
        cdef bint keeps_turn = False
        if small(self._phase, host) != RESOLVING:
            return 0
        if self._had_turn and host in self._had_turn:
            keeps_turn = address is not None and address == self._address.get(host)
            self._had_turn.discard(host)
        if address is None:
            self._address.pop(host, None)
            put_small(self._phase, host, IDLE)
            self._plan(host, now)
            return 0
        self._address[host] = address
        put_small(self._phase, host, QUEUED)
        return self.addresses.enter(address, self, host, now, keeps_turn)

    def rests_until(self, Py_ssize_t host):
        """Return when a host is next due: never if it has nothing to do, now if it is busy."""
        cdef int phase = small(self._phase, host) if host < len(self._phase) else IDLE
        return NEVER if phase == IDLE else self._wake_at[host] if phase == WAITING else 0.0

    def first_queued(self):
        """Return a host that waits for its turn at an address."""
        return self._phase.index(QUEUED) if QUEUED in self._phase else None

    def is_taken(self, Py_ssize_t host):
        """Return whether a request to the host is under way."""
        return host < len(self._phase) and small(self._phase, host) == TAKEN

    def is_resolving(self, Py_ssize_t host):
        """Return whether the host waits for its address."""
        return small(self._phase, host) == RESOLVING

    def abandon(self, double now):
        """Let go of everything: the partition belongs to another owner."""
        self._is_abandoned = True
        for host, phase in enumerate(self._phase):
            if phase == AWAKE:
                self._rest_sites(host)
                self._phase[host] = IDLE
                self.addresses.leave(self._address[host], now)

    def free_addresses(self, double now):
        """Free the addresses of hosts that wait for a commit: their partition is abandoned."""
        for host in [one for one in self._address if self._phase[one] == TAKEN]:
            self.free_address(host, now)

    def counts(self):
        """Return how many hosts are in each phase."""
        counts = {phase.name.lower(): self._phase.count(phase) for phase in Phase}
        counts["taken"] -= len(self._held)  # these rest as others do
        counts["waiting"] += len(self._held)
        return counts

    # -- what the address gate tells us ---------------------------------------------------

    cpdef bint let_through(self, Py_ssize_t host, double now) except -1:
        """Wake a queued host's sites; False when there is nothing left to fetch."""
        if self._is_abandoned:
            return False
        cdef str address = self._resolve(host, now)
        if address is None:
            put_small(self._phase, host, RESOLVING)
            self._had_turn.add(host)
            return False
        if address != self._address[host]:
            self._address[host] = address
            self.addresses.enter(address, self, host, now)
            return False
        put_small(self._phase, host, AWAKE)
        if self._due(host) <= now and self._wake_sites(host, now):
            return True
        put_small(self._phase, host, IDLE)
        del self._address[host]
        self._plan(host, now)
        return False

    cpdef object comes_next(self, Py_ssize_t host, double now):
        """Look up the address of the next host in a queue, before its turn comes."""
        if real(self._address_expires, host) <= now + AHEAD:
            self._around.look_ahead(self._number, host)
        return

    # -- inside ---------------------------------------------------------------------------

    cdef int _grow(self, Py_ssize_t host) except -1:
        while len(self._phase) <= host:
            self._phase.append(IDLE)
            self._wake_at.append(NEVER)
        return 0

    cdef str _resolve(self, Py_ssize_t host, double now):
        """Return a host's address; None if it must be looked up, which is done."""
        cdef uint64_t number = large(self._host_address, host)
        if not number or real(self._address_expires, host) <= now:
            return self._around.resolve(self._number, host)
        if number != self._known_number:
            self._known_address = self._state.addresses.address(number)
            self._known_number = number
        return self._known_address

    cpdef object _plan(self, Py_ssize_t host, double now):
        """Find out when an idle or waiting host has something to fetch, and wait for that."""
        cdef double moment
        cdef bint is_news
        cdef str address
        if self._is_abandoned:
            return
        moment = self._moment_of_work(host)
        if moment == NEVER:
            put_small(self._phase, host, IDLE)
            return
        moment = max(moment, self._due(host), self._floor(host))
        if moment > now:
            is_news = small(self._phase, host) != WAITING or moment != real(self._wake_at, host)
            put_small(self._phase, host, WAITING)
            put_real(self._wake_at, host, moment)
            if is_news:
                self._agenda.note(moment, self._when_due, host)
                if real(self._address_expires, host) <= moment:
                    self._look_ahead(host, now)
            return
        put_small(self._phase, host, RESOLVING)
        address = self._resolve(host, now)
        if address is not None:
            self.resolved(host, address, now)

    cpdef double _due(self, Py_ssize_t host) except? -1.0:
        return 0.0 if self._bursting and host in self._bursting else real(self._host_due, host)

    cpdef double _floor(self, Py_ssize_t host) except? -1.0:
        """Return when a host may be asked at the earliest after a resume.

        A kill forgets up to half a second, and with it requests and even hosts. A full pause from
        the moment of the resume covers all of them.
        """
        at = self.resumed_at
        return 0.0 if at is None else at + self._around.pause_of(self._state, host)

    def _on_due(self, Py_ssize_t host, double now):
        if small(self._phase, host) == WAITING and real(self._wake_at, host) <= now:
            put_small(self._phase, host, IDLE)
            self._plan(host, now)

    cpdef int _look_ahead(self, Py_ssize_t host, double now) except -1:
        """Let the address of a waiting host be known when the host is due."""
        cdef double moment = real(self._wake_at, host)
        if small(self._phase, host) != WAITING or real(self._address_expires, host) > moment:
            return 0
        hosts = self._state.hosts
        if hosts.strikes[host] or hosts.closed[host] or hosts.missing[host]:
            return 0
        if moment - now > AHEAD:
            self._agenda.note(moment - AHEAD, self._look_ahead, host)
        else:
            self._around.look_ahead(self._number, host)
        return 0
