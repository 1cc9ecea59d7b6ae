"""The sites of a partition's hosts: which are awake in the scheduler, which want a robots file.

A host that is awake has its sites woken: those that can be asked for pages in the scheduler, those
without robots rules in `robots_wanted`. When it is taken, or waits again, all of them rest.

Always true:
  * a site is awake only while its robots rules are known and have not expired, no connection to it
    has just failed, and it is not closed;
  * a site that could not be reached is tried again when the host's other sites have nothing to
    fetch, or `YIELD_SECONDS` after it is due.

Not here: when a host is awake (`hosts`).
"""

from lycosa._support.cells cimport int64_t, real, small, whole
from lycosa.frontier.readiness.addresses cimport Entrant
from lycosa.frontier.schedulers._queues cimport SiteQueues

from lycosa.frontier.readiness.firsts import Firsts
from lycosa.frontier.schedulers._queues import Queues
from lycosa.model.records import RobotsState

YIELD_SECONDS = 600.0
"""How long a site lets the others of its host go first: a dead port must not slow a live one."""

cdef double YIELD = YIELD_SECONDS
cdef double NEVER = float("inf")
cdef int64_t NONE = 0xFFFFFFFF

cdef enum:
    UNKNOWN
    KNOWN
    UNREACHABLE
    ELSEWHERE
    GIVEN_UP

if (UNKNOWN, KNOWN, UNREACHABLE, ELSEWHERE, GIVEN_UP) != tuple(RobotsState):
    raise ImportError("the states of robots files are others than those of `RobotsState`")


cdef class HostSites(Entrant):
    """Wakes the sites of hosts, and lets them rest."""

    def __init__(self, Py_ssize_t number, state, scheduler, dict with_work):
        kind, hosts, sites = type(scheduler), state.hosts, state.sites
        self._number = number
        self._state = state
        self._scheduler = scheduler
        self._with_work = with_work
        # Queues to which their scheduler adds nothing are woken without asking Python.
        self._queues = None
        if isinstance(scheduler, Queues) and (
            kind.wake is Queues.wake and kind.rest is Queues.rest and kind.waiting is Queues.waiting
        ):
            self._queues = scheduler
        # Requests that hosts get before those that the scheduler chooses.
        self.firsts = firsts = Firsts()
        self._errands, self._errands_wanted = firsts.errands, firsts.errands_wanted
        self._repeats, self._repeats_wanted = firsts.repeats, firsts.repeats_wanted
        # Sites of awake hosts that need their robots file before anything else, in order.
        self.robots_wanted = {}
        # Hosts that may be asked before they are due; awake ones whose burst goes on with a page.
        self._bursting = set()
        self.bursts_wanted = {}
        self._first_site = hosts.first_site
        self._closed, self._following, self._site_due = sites.closed, sites.following, sites.due
        self._robots, self._robots_expires = sites.robots, sites.robots_expires
        self._strikes = sites.strikes

    cpdef bint has_first(self) except -1:
        """Return whether something is to be asked for before what the scheduler chooses."""
        return bool(self.robots_wanted) or bool(self._errands_wanted) or bool(self._repeats_wanted)

    cpdef bint has_answered(self, Py_ssize_t host) except -1:
        """Return whether the log says that the host can be reached."""
        cdef int64_t site = whole(self._first_site, host)
        while site != NONE:
            if small(self._robots, site) == KNOWN and not small(self._strikes, site):
                return True
            site = whole(self._following, site)
        return False

    cpdef double _moment_of_work(self, Py_ssize_t host) except? -1.0:
        """Return the earliest moment at which a site of the host can be asked something."""
        cdef int64_t site = whole(self._first_site, host)
        cdef double moment, earliest = NEVER
        cdef int robots
        if self._errands and host in self._errands:
            return 0.0
        while site != NONE:
            if not small(self._closed, site) and self._is_waiting(site):
                robots, moment = small(self._robots, site), real(self._site_due, site)
                if robots == UNREACHABLE or robots == ELSEWHERE:
                    moment = max(moment, real(self._robots_expires, site))
                elif not moment:
                    return 0.0
                earliest = min(earliest, moment)
            site = whole(self._following, site)
        return earliest

    cdef bint _wake_sites(self, Py_ssize_t host, double now) except -1:
        """Wake every site that can be asked for pages; queue those that lack robots rules.

        Returns whether there is anything to ask for.
        """
        cdef bint has_work = False
        cdef int64_t site = whole(self._first_site, host)
        cdef list failed = []
        if self._errands and host in self._errands:
            self._errands_wanted[host] = None
            has_work = True
        while site != NONE:
            if not small(self._closed, site) and self._is_waiting(site):
                has_work |= self._wake_site(host, site, now, failed)
            site = whole(self._following, site)
        if failed and not has_work:
            has_work = self._wake_failed(failed, now)
        if has_work:
            self._with_work[self._number] = None
        return has_work

    cdef bint _wake_site(
        self, Py_ssize_t host, int64_t site, double now, list failed
    ) except -1:
        """Wake a site that has something to fetch; returns whether it can be asked for it.

        A site that could not be reached waits; the moment of its next try goes to the agenda.
        """
        cdef double due = real(self._site_due, site)
        cdef int robots
        cdef bint is_fresh
        if due and due > now - YIELD:
            self._rest(site)
            self._want_no_robots(site)
            if due <= now:
                failed.append(site)
            return False
        robots, is_fresh = small(self._robots, site), real(self._robots_expires, site) > now
        if robots == KNOWN and is_fresh:
            self._want_no_robots(site)
            self._wake(site)
            if self._repeats and site in self._repeats:
                self._repeats_wanted[site] = None
            if self._bursting and host in self._bursting:
                self.bursts_wanted[host] = None
            return True
        self._rest(site)
        if robots == UNKNOWN or not is_fresh:
            self.robots_wanted[site] = None
            return True
        self._want_no_robots(site)
        return False

    cdef int _want_no_robots(self, int64_t site) except -1:
        if self.robots_wanted:
            self.robots_wanted.pop(site, None)
        return 0

    cdef bint _wake_failed(self, list failed, double now) except -1:
        """Wake sites that are to be tried again; returns whether there is anything to ask for."""
        cdef bint has_work = False, is_fresh
        cdef int robots
        for site in failed:
            robots, is_fresh = small(self._robots, site), real(self._robots_expires, site) > now
            if robots == KNOWN and is_fresh:
                self._wake(site)
                if site in self._repeats:
                    self._repeats_wanted[site] = None
                has_work = True
            elif robots == UNKNOWN or not is_fresh:
                self.robots_wanted[site] = None
                has_work = True
        return has_work

    cpdef int _rest_sites(self, Py_ssize_t host) except -1:
        cdef int64_t site = whole(self._first_site, host)
        if self._errands_wanted:
            self._errands_wanted.pop(host, None)
        if self.bursts_wanted:
            self.bursts_wanted.pop(host, None)
        while site != NONE:
            self._rest(site)
            self._want_no_robots(site)
            if self._repeats_wanted:
                self._repeats_wanted.pop(site, None)
            site = whole(self._following, site)
        return 0

    # -- the scheduler ---------------------------------------------------------------------

    cdef bint _is_waiting(self, int64_t site) except -1:
        """Return whether a site has something to fetch."""
        if self._queues is not None:
            if self._queues.count_of(site):
                return True
        elif self._scheduler.waiting(site):
            return True
        return bool(self._repeats) and site in self._repeats

    cdef int _wake(self, int64_t site) except -1:
        if self._queues is not None:
            return self._queues.wake_site(site)
        self._scheduler.wake(site)
        return 0

    cdef int _rest(self, int64_t site) except -1:
        if self._queues is not None:
            return self._queues.rest_site(site)
        self._scheduler.rest(site)
        return 0
