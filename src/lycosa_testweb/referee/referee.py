"""The referee: judges a client by what the servers saw.

It is told when every request begins and ends, on which host and address, and with what
reply; it knows the truth about robots rules from the web itself. It reads neither the client's
state nor its log, so it cannot share the client's mistakes.

Judged at the beginning of a request:
  * nothing else is under way on the host (all its ports and schemes) or on the address;
  * the pauses have run, from the *end* of the last answer: the address's, the host's own,
    its Crawl-delay once a robots answer has named it, its Retry-After, the back-off after a
    refusal without Retry-After or after the second in a row; where the rules permit bursts, a
    host without a Crawl-delay has n pauses after n requests instead;
  * for a page: the site's robots file has been answered, is not too old, and allows it;
  * no URL with a final answer is requested again, unless a revisit is due.

Kills. A client that is killed may have lost its last answers. Its requests end at the
kill. A URL whose request ended within the forget window before may be requested again; on a host
whose pause is long enough for a commit (`one_lost_pause_seconds`) only the last one. If the *last*
request of a host ended within the much shorter demand window, its new demands
(Retry-After, a Crawl-delay or a robots failure first told by it) are not held against the client
either. All pauses, overlaps and earlier demands are. Tolerated breaches are counted in `forgiven`.

Cost: about twenty microseconds a request, one small object a host, one number a URL.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterable
from email.utils import parsedate_to_datetime

from lycosa.model.records import Outcome, Purpose, Request
from lycosa_testweb.mixing import digest
from lycosa_testweb.parts import take_apart
from lycosa_testweb.referee.ledger import (
    Entry,
    Exchange,
    HostLine,
    Line,
    Statistics,
    exchange,
)
from lycosa_testweb.referee.robots_watch import Knowledge, RobotsWatch, Standing
from lycosa_testweb.referee.rulebook import Breach, BreachKind, RefereeRules
from lycosa_testweb.web import Reply, Truth

_KILLED = Reply(0, failure=Outcome.CUT_SHORT)


class Referee:
    """Watches one crawl."""

    def __init__(self, rules: RefereeRules, web: Truth, *, keep_history: bool = False) -> None:
        self.rules = rules
        self.breaches: list[Breach] = []
        self.forgiven: Counter[BreachKind] = Counter()
        self.statistics = Statistics()
        self.history: list[Exchange] = []
        self._keep_history = keep_history
        self._web = web
        self._hosts: dict[str, HostLine] = {}
        self._addresses: dict[str, Line] = {}
        self._robots = RobotsWatch(rules.robots_redirects)
        self._answered: dict[int, float] = {}
        self._may_be_lost: set[int] = set()
        self._open: dict[int, Entry] = {}
        self._recent: deque[Entry] = deque()
        self._tickets = 0

    # -- what the servers see ------------------------------------------------------------

    def began(self, request: Request, moment: float, client: str = "") -> int:
        """A request has reached the server; returns the ticket to end it with."""
        parts = take_apart(request.url)
        host = self._host(parts.host)
        address = self._addresses.get(request.address)
        if address is None:
            address = self._addresses[request.address] = Line()
        entry = Entry(request, parts, moment, client, host)
        entry.is_robots = self._robots.is_robots(request, parts)
        self._judge_address(entry, address)
        self._judge_host(entry)
        if entry.is_robots:
            self._judge_robots_file(entry)
        else:
            self._judge_page(entry)
        host.under_way += 1
        address.under_way += 1
        host.last = entry
        host.retry_lost = 0.0
        self.statistics.begin(moment)
        self._tickets += 1
        self._open[self._tickets] = entry
        return self._tickets

    def ended(self, ticket: int, moment: float, reply: Reply) -> None:
        """The server has sent the last byte, or the connection has ended otherwise."""
        entry = self._open.pop(ticket)
        self._close(entry, moment, reply, was_killed=False)
        self.statistics.end(moment, reply)
        self._note_refusal(entry, moment, reply)
        if entry.is_robots:
            self._learn_robots(entry, reply)
        else:
            if 200 <= reply.status < 300:
                entry.host.pages += 1
            self._note_answer(entry, reply)
        self._recent.append(entry)
        self._drop_old(moment)

    def killed(self, moment: float, client: str | None = None) -> None:
        """The client was killed; without a name, all clients were."""
        for ticket, entry in list(self._open.items()):
            if client is None or entry.client == client:
                del self._open[ticket]
                self._close(entry, moment, _KILLED, was_killed=True)
                self._may_be_lost.add(entry.key)
                self.statistics.killed += 1
        self._forgive_recent(moment, client)

    def partly_killed(self, moment: float, client: str | None = None) -> None:
        """Note that one of the client's processes was killed, which ended its connections.

        Without a name it cannot be seen which of the recent answers were its own: all are forgiven.
        """
        self._forgive_recent(moment, client)

    def records_lost(self, urls: Iterable[str]) -> None:
        """The answers at these URLs were lost with a machine: each may be asked for once more."""
        self._may_be_lost.update(map(digest, urls))

    def _forgive_recent(self, moment: float, client: str | None) -> None:
        self._robots.forget_chains(client)
        self._drop_old(moment)
        for entry in self._recent:
            if client is None or entry.client == client:
                is_last = entry.host.last is entry
                if is_last or not self._loses_one_at_most(entry):
                    self._may_be_lost.add(entry.key)
                is_just_told = entry.ended >= moment - self.rules.demand_window_seconds
                if is_just_told and is_last:
                    self._doubt(entry)

    def _loses_one_at_most(self, entry: Entry) -> bool:
        return self.rules.loses_one_at_most(entry.parts.host, entry.host.pages)

    # -- judgement -----------------------------------------------------------------------

    def _judge_address(self, entry: Entry, address: Line) -> None:
        if address.under_way:
            self._breach(BreachKind.ADDRESS_OVERLAP, entry, f"{address.under_way} under way")
        else:
            self._judge_gap(
                BreachKind.ADDRESS_GAP, entry, address.last_end, self.rules.ip_delay_seconds
            )

    def _judge_host(self, entry: Entry) -> None:
        host, moment = entry.host, entry.began
        late = moment + self.rules.tolerance_seconds
        if late < host.retry_until:
            left = f"{host.retry_until - moment:.6f} s left"
            self._breach(BreachKind.RETRY_AFTER, entry, left)
        elif late < host.retry_lost:
            self.forgiven[BreachKind.RETRY_AFTER] += 1
        if host.under_way:
            self._breach(BreachKind.HOST_OVERLAP, entry, f"{host.under_way} under way")
            return
        self._judge_pause(entry)
        self._judge_crawl_delay(entry)

    def _judge_pause(self, entry: Entry) -> None:
        """A host has its pause, or after n requests in a row without one n pauses."""
        host, rules = entry.host, self.rules
        wanted = rules.pause_of(entry.parts.host, host.pages) * host.asked
        gap = entry.began - host.last_end + rules.tolerance_seconds
        if gap >= wanted:
            host.asked = 0
        else:
            is_part = entry.is_robots or rules.is_part(entry.request.url)
            most = rules.longest_burst if is_part else rules.burst_urls
            if host.asked >= most or host.crawl_delay:
                self._judge_gap(BreachKind.HOST_PAUSE, entry, host.last_end, wanted)
        host.asked = min(host.asked + 1, rules.longest_burst)

    def _judge_crawl_delay(self, entry: Entry) -> None:
        host = entry.host
        if host.unsure_delay is not None:
            site, before = host.unsure_delay
            if entry.is_robots or entry.parts.site != site:
                if entry.began + self.rules.tolerance_seconds < host.last_end + host.crawl_delay:
                    self.forgiven[BreachKind.CRAWL_DELAY] += 1
                host.crawl_delay = before
            host.unsure_delay = None
        self._judge_gap(BreachKind.CRAWL_DELAY, entry, host.last_end, host.crawl_delay)

    def _judge_gap(self, kind: BreachKind, entry: Entry, last_end: float, wanted: float) -> None:
        gap = entry.began - last_end
        if last_end and gap + self.rules.tolerance_seconds < wanted:
            self._breach(kind, entry, f"{gap:.6f} s after the last answer, {wanted:.6f} wanted")

    def _judge_robots_file(self, entry: Entry) -> None:
        site = entry.parts.site
        if self._robots.is_on_behalf(entry.request.url):
            return
        known = self._robots.knowledge(site)
        age = entry.began - known.since
        is_fresh = age + self.rules.tolerance_seconds < self.rules.robots_cache_seconds
        if self._robots.is_following(site):
            self._needless(BreachKind.ROBOTS_ASKED_TWICE, entry, "its redirects were not followed")
        elif known.standing is Standing.KNOWN and known.was_asked and is_fresh:
            self._needless(BreachKind.ROBOTS_ASKED_TWICE, entry, f"answered {age:.6f} s ago")

    def _judge_page(self, entry: Entry) -> None:
        url = entry.request.url
        fault = self._robots_fault(self._robots.knowledge(entry.parts.site), entry.began)
        if fault is not None:
            instead = self._robots.instead(entry.parts.site)
            if instead is not None and self._robots_fault(instead, entry.began) is None:
                self.forgiven[fault] += 1
            else:
                self._breach(fault, entry, "no robots file to go by")
        elif not self._web.is_allowed(url, self.rules.agent):
            self._breach(BreachKind.DISALLOWED, entry, f"by the rules for {self.rules.agent}")
        answered = self._answered.get(entry.key)
        if answered is None:
            return
        age = entry.began - answered
        revisit = self.rules.revisit_seconds
        if not revisit or age + self.rules.tolerance_seconds < revisit:
            self._needless(BreachKind.ASKED_TWICE, entry, f"answered {age:.6f} s ago")

    def _robots_fault(self, known: Knowledge, moment: float) -> BreachKind | None:
        if known.standing is Standing.UNASKED:
            return BreachKind.ROBOTS_NOT_ASKED
        if known.standing is Standing.UNREACHABLE:
            return BreachKind.ROBOTS_UNREACHABLE
        oldest = self.rules.robots_cache_seconds + self.rules.robots_slack_seconds
        return BreachKind.ROBOTS_EXPIRED if moment - known.since > oldest else None

    def _needless(self, kind: BreachKind, entry: Entry, detail: str) -> None:
        if entry.key in self._may_be_lost:
            self._may_be_lost.discard(entry.key)
            self.forgiven[kind] += 1
        else:
            self._breach(kind, entry, detail)

    def _breach(self, kind: BreachKind, entry: Entry, detail: str) -> None:
        request = entry.request
        self.breaches.append(
            Breach(kind, entry.parts.host, request.address, request.url, entry.began, detail)
        )

    # -- memory --------------------------------------------------------------------------

    def _host(self, name: str) -> HostLine:
        host = self._hosts.get(name)
        if host is None:
            host = self._hosts[name] = HostLine()
        return host

    def _close(self, entry: Entry, moment: float, reply: Reply, *, was_killed: bool) -> None:
        entry.ended = moment
        entry.host.close(entry.began, moment)
        self._addresses[entry.request.address].close(entry.began, moment)
        if self._keep_history:
            self.history.append(exchange(entry, reply, was_killed))

    def _learn_robots(self, entry: Entry, reply: Reply) -> None:
        url, parts = entry.request.url, entry.parts
        entry.lessons = self._robots.learn(url, parts, entry.client, entry.ended, reply)
        for lesson in entry.lessons:
            if not lesson.has_rules:
                continue
            name = take_apart(lesson.site).host
            host = self._host(name)
            delay = self._web.crawl_delay(name, self.rules.agent)
            if delay > host.crawl_delay:
                entry.delays.append((host, lesson.site, host.crawl_delay))
                host.crawl_delay = delay

    def _note_refusal(self, entry: Entry, moment: float, reply: Reply) -> None:
        """A first refusal holds as long as it says; else the back-off holds, if it is longer."""
        host = entry.host
        entry.retry_before, entry.refusals_before = host.retry_until, host.refusals
        if reply.status in (429, 503):
            host.refusals += 1
            until = _retry_moment(reply, moment)
            if not until or host.refusals > 1:
                until = max(until, moment + self.rules.back_off(host.refusals))
            host.retry_until = max(host.retry_until, until)
        elif reply.failure is None:
            host.refusals = 0

    def _note_answer(self, entry: Entry, reply: Reply) -> None:
        self._may_be_lost.discard(entry.key)
        # A client that is refused HEAD may request the page itself.
        is_refused_head = entry.request.purpose is Purpose.HEAD and reply.status in (405, 501)
        if _is_final(reply) and not is_refused_head:
            self._answered[entry.key] = entry.ended
        else:
            self._answered.pop(entry.key, None)

    def _doubt(self, entry: Entry) -> None:
        """The client may not know what its last request to this host was told."""
        host = entry.host
        if host.retry_until > entry.retry_before:
            host.retry_lost = host.retry_until
            host.retry_until = entry.retry_before
        host.refusals = min(host.refusals, entry.refusals_before)
        for lesson in entry.lessons:
            self._robots.forget(lesson)
        for other, site, before in entry.delays:
            other.unsure_delay = (site, before)

    def _drop_old(self, moment: float) -> None:
        oldest = moment - self.rules.forget_window_seconds
        while self._recent and self._recent[0].ended < oldest:
            self._recent.popleft()

    # -- reports -------------------------------------------------------------------------

    def busy_seconds(self, names: Iterable[str]) -> float:
        """Return for how long the hosts or addresses of these names were kept busy."""
        lines = (self._hosts.get(name) or self._addresses.get(name) for name in names)
        return sum(line.busy_seconds for line in lines if line is not None)

    @property
    def in_flight(self) -> int:
        """Number of requests under way."""
        return len(self._open)

    @property
    def verdict(self) -> str:
        """`clean`, or the number of breaches by rule."""
        if not self.breaches:
            return "clean"
        kinds = Counter(breach.kind for breach in self.breaches)
        return ", ".join(f"{count} x {kind}" for kind, count in kinds.most_common())

    def report(self, most: int = 20) -> str:
        """Return the verdict, the counts and the first breaches."""
        forgiven = ", ".join(f"{n} x {kind}" for kind, n in self.forgiven.items()) or "nothing"
        lines = [
            f"verdict: {self.verdict}",
            f"seen: {self.statistics}",
            f"on: {len(self._hosts)} hosts, {len(self._addresses)} addresses",
            f"forgiven: {forgiven}",
            *(str(breach) for breach in self.breaches[:most]),
        ]
        return "\n".join(lines)


def _is_final(reply: Reply) -> bool:
    if reply.failure is not None or reply.status in (408, 429):
        return False
    return not 500 <= reply.status < 600


def _retry_moment(reply: Reply, ended: float) -> float:
    value = reply.header("retry-after")
    if value is None:
        return 0.0
    if value.isdigit():
        return ended + int(value)
    return parsedate_to_datetime(value).timestamp()
