"""Chooses a permitted task and sends its request, compiled; `sending` has when that is so.

Rare tasks (URLs that are not permitted, steps of a login, versions that are held) stay in Python,
with the `Sender` that is built on this.

Always true (tests/unit/crawl/worker/test_sending.py, against the plain sender): the same requests are
sent, and the same tasks end or go back.
"""

cimport cython
from lycosa._support._failpoint cimport reach
from lycosa._support.cells cimport int64_t, real, small, whole
from lycosa._support.fields cimport field, offset_of
from lycosa.frontier._page_steps cimport PageSteps

from functools import lru_cache

from lycosa.fetch.robots.rules import Rules
from lycosa.frontier.task import Task, TaskKind
from lycosa.model.records import Answer, Outcome, Purpose, Request
from lycosa.model.url import host_of, site_url

cdef Py_ssize_t KIND = offset_of(Task, "kind")
cdef Py_ssize_t SUBJECT = offset_of(Task, "subject")
cdef Py_ssize_t HOST = offset_of(Task, "host")

cdef object A_PAGE = TaskKind.PAGE, A_ROBOTS_FILE = TaskKind.ROBOTS, AN_ERRAND = TaskKind.ERRAND
cdef object FOR_PAGE = Purpose.PAGE, FOR_ROBOTS = Purpose.ROBOTS, A_REQUEST = Request
cdef object EXCLUDED = Outcome.EXCLUDED, DISALLOWED = Outcome.DISALLOWED
cdef int KEPT = Outcome.KEPT


@lru_cache(maxsize=4_096)
def names_of(site):
    """Return the origin and the host of a site, as a request names them."""
    return site_url(site), host_of(site)


@cython.final
@cython.freelist(64)
cdef class Asked:
    """A request under way: called with its answer."""

    cdef Sending sender
    cdef public object request
    cdef object partition, task, reserved

    def __call__(self, answer):
        self.sender._note_duration(answer.ended - answer.began)
        self.sender._on_answer(self.partition, self.task, self.reserved, self.request, answer)


cdef class Sending:
    """Sends the requests of a worker."""

    def __init__(self, ports, points, on_answer, on_lost):
        fetch = ports.job.fetch
        self._ports, self._points, self._scope = ports, points, ports.scope
        self._budget, self._log, self._owner = ports.budget, ports.log, ports.owner
        self._transport, self._note_duration = ports.transport, ports.durations.note
        self._on_answer, self._on_lost = on_answer, on_lost
        self._user_agent, self._largest_body = fetch.user_agent, fetch.largest_body_bytes
        self._largest_robots = ports.job.robots.largest_bytes
        self._has_proxy = bool(fetch.proxy)
        self._is_conditional = ports.job.revisit.conditional
        self._rules = {}
        # The key of the page that may be asked for next.
        self._key = ""
        # How many requests are under way, and how many were sent in all.
        self.in_flight = self.requests = 0

    cpdef bint start_task(self, PageSteps partition, double now) except -1:
        """Send the partition's next request, if it has a permitted one.

        Returns False when the job's limits permit none.
        """
        reserved = self._budget.reserve(now)
        if reserved is None:
            return False
        task = self._next_permitted(partition, now)
        if task is None:
            self._budget.give_back(reserved)
            return True
        cdef bint is_page = field(task, KIND) is A_PAGE
        # A feature that was asked about the page may have ended the crawl.
        if is_page and self._points.step and self._budget.reached:
            self._budget.give_back(reserved)
            (<object> partition).hand_back(task, now)
            return False
        if not is_page:
            self._budget.give_back(reserved)
            reserved = self._largest_robots
        cdef bint is_ours = self._log.owner(partition._number) == self._owner
        if not is_ours or not partition._readiness.claim(field(task, HOST), now):
            if is_page:
                self._budget.give_back(reserved)
            if is_ours:
                (<object> partition).hand_back(task, now)
            else:
                self._on_lost(partition._number)
            return True
        self._send(partition, task, reserved)
        return True

    cdef object _next_permitted(self, PageSteps partition, double now):
        """Return the next task that is permitted; what robots rules or traps forbid ends here."""
        while True:
            task = partition.next_task()
            if task is None or field(task, KIND) is not A_PAGE:
                return task
            page = field(task, SUBJECT)
            self._key = partition._table.key(page)
            site = whole(partition._site, page)
            if self._points.excluded or self._scope.rejects_more:
                if self._is_excluded(partition, page):
                    self._end(partition, task, EXCLUDED, now)
                    continue
            if real(partition._robots_expires, site) <= now:
                (<object> partition).hand_back(task, now)
                continue
            rules = self._rules_of(partition, site)
            outcome = self._verdict(partition, rules, page, site)
            if outcome is not None:
                self._end(partition, task, outcome, now)
            elif rules is None or not rules.visit_hours:
                return task
            elif not self._waits(partition, task, rules, now):
                return task

    cdef object _verdict(self, PageSteps partition, rules, page, site):
        """Return what a URL ends as that robots rules or a feature forbid, or None."""
        cdef str path
        cdef bint is_post = u"#" in self._key  # `lycosa.model.url.posts`
        if is_post and not self._points.posted:
            return EXCLUDED
        if rules is not None:
            path = self._key[len(<str> partition._state.site_names[site]) :]
            if is_post:
                path = path.partition(u"#")[0]
            if not rules.is_allowed(path):
                return DISALLOWED
        for permit in <tuple> self._points.permitted:
            outcome = permit(partition._state, page)
            if outcome is not None:
                return outcome
        return None

    cdef object _rules_of(self, PageSteps partition, site):
        """Return the rules of a site's robots file; None if it has none."""
        stored = (<dict> partition._state.rules).get(site)
        if stored is None:
            return None
        cached = (partition._number, site)
        rules = self._rules.get(cached)
        if rules is None:
            if len(self._rules) >= self._ports.job.caches.robots_rules:
                self._rules.clear()
            rules = self._rules[cached] = Rules.from_bytes(stored)
        return rules

    cdef int _send(self, PageSteps partition, task, reserved) except -1:
        reach("send.before")
        cdef bint is_page = field(task, KIND) is A_PAGE
        cdef str key
        cdef Py_ssize_t slash
        kind, subject, host = field(task, KIND), field(task, SUBJECT), field(task, HOST)
        if is_page:
            key = self._key
        elif kind is A_ROBOTS_FILE:
            key = partition._state.site_names[subject] + "/robots.txt"
        else:
            key = partition._state.errands[subject].key
        slash = key.index("/")
        origin, name = names_of(key[:slash])
        url, form = <str> origin + key[slash:], b""
        if is_page and self._points.step:
            step = self._step_of(partition, task)
            if step is not None:
                url, form, task = step
                self._budget.give_back(reserved)
                reserved = self._largest_robots
                is_page = False
        cdef bint is_post = is_page and u"#" in key
        if is_post:
            body = self._points.posted[0](partition, subject)
            form = body.content
        readiness = partition._readiness
        address, handshake_seconds = readiness.take(host), 0.0
        if readiness.addresses.newcomers and not (self._has_proxy or form):
            handshake_seconds = readiness.addresses.handshake_seconds(address)
        validators = None
        if is_page and not is_post and self._is_conditional and small(partition._outcome, subject) == KEPT:
            validators = self._validators(partition._state, subject)
        cdef Asked asked = Asked.__new__(Asked)
        asked.sender, asked.partition, asked.task, asked.reserved = self, partition, task, reserved
        asked.request = A_REQUEST(
            url,
            name,
            address,
            FOR_ROBOTS if kind is A_ROBOTS_FILE or kind is AN_ERRAND else FOR_PAGE,
            self._user_agent,
            self._largest_body if is_page else reserved,
            partition._number,
            validators,
            form,
            handshake_seconds,
        )
        self.in_flight += 1
        partition.in_flight += 1
        self.requests += 1
        if is_post:
            self._send_noted(partition, body, asked)
        else:
            self._transport.send(asked.request, asked)
        reach("send.after")
        return 0
