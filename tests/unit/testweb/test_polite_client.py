"""A client that keeps every rule is found clean, and one that forgets one is not.

The client is the simplest that can be polite: it asks for one thing at a time and takes
the meaning of robots files from the web itself. That it gets through the small web with a
clean verdict shows that the rules can be kept and that the truths fit together.
"""

from __future__ import annotations

from collections import deque
from urllib.parse import urljoin

from lycosa.model.records import Purpose, Request
from lycosa_testweb import BreachKind, GeneratedWeb, Referee, RefereeRules, Reply
from lycosa_testweb.generated.plan import Listed, Traits
from lycosa_testweb.generated.weather import Overload
from lycosa_testweb.parts import take_apart
from lycosa_testweb.sections import Thicket
from lycosa_testweb.windows import Windows

TOTAL = 320


def _is_passing(reply: Reply) -> bool:
    return reply.failure is not None or reply.status == 429 or 500 <= reply.status < 600


class SlowClient:
    def __init__(self, web: GeneratedWeb, *, heeds_refusals: bool = True) -> None:
        self.web = web
        self.referee = Referee(RefereeRules(), web)
        self.now = 1_700_000_000.0
        self.heeds_refusals = heeds_refusals
        self.host_due: dict[str, float] = {}
        self.delays: dict[str, float] = {}
        self.known_sites: set[str] = set()
        self.kept: set[str] = set()

    def ask(self, url: str, purpose: Purpose) -> Reply:
        host = take_apart(url).host
        self.now = max(self.now + 1.0, self.host_due.get(host, 0.0))
        address = self.web.resolve(host, self.now).address
        assert address is not None
        request = Request(url, host, address, purpose, "lycosa", 10**6)
        ticket = self.referee.began(request, self.now)
        reply = self.web.answer(request, self.now)
        self.now += reply.latency_seconds
        self.referee.ended(ticket, self.now, reply)
        pause = self.delays.get(host, 1.0)
        if reply.status in (429, 503) and self.heeds_refusals:
            pause = max(pause, 130.0)
        self.host_due[host] = self.now + pause
        return reply

    def learn_robots(self, url: str) -> bool:
        parts = take_apart(url)
        if parts.site in self.known_sites:
            return True
        at = f"{parts.scheme}://{parts.host}:{parts.port}/robots.txt"
        at = at.replace(":80/", "/").replace(":443/", "/")
        for _ in range(6):
            reply = self.ask(at, Purpose.ROBOTS)
            location = reply.header("location")
            if location is None:
                break
            at = urljoin(at, location)
        if _is_passing(reply):
            return False
        self.known_sites.add(parts.site)
        delay = self.web.crawl_delay(parts.host, "lycosa")
        self.delays[parts.host] = max(1.0, delay)
        self.host_due[parts.host] = self.now + self.delays[parts.host]
        return True

    def crawl(self) -> None:
        todo, seen, tries = deque([self.web.home()]), {self.web.home()}, 0
        while todo and tries < TOTAL:
            url = todo.popleft()
            tries += 1
            if self.web.resolve(take_apart(url).host, self.now).address is None:
                continue
            if not self.learn_robots(url):
                todo.append(url)
                continue
            if not self.web.is_allowed(url, "lycosa"):
                continue
            began_at = self.now
            reply = self.ask(url, Purpose.PAGE)
            if _is_passing(reply):
                todo.append(url)
                continue
            self.kept.add(url)
            for target, _ in self.web.links_of(url, began_at):
                if target not in seen:
                    seen.add(target)
                    todo.append(target)


def test_a_client_that_keeps_every_rule_is_clean() -> None:
    client = SlowClient(GeneratedWeb.small(8))
    client.crawl()
    assert client.referee.verdict == "clean", client.referee.report()
    assert len(client.kept) > 100
    assert {429, 503} & set(client.referee.statistics.statuses)
    assert not client.referee.forgiven


def test_a_client_that_does_not_heed_refusals_is_found_out() -> None:
    site = Traits((Thicket(100),), overload=Overload(Windows(120.0, 60.0)))
    client = SlowClient(GeneratedWeb(1, Listed((site,))), heeds_refusals=False)
    client.crawl()
    kinds = {breach.kind for breach in client.referee.breaches}
    assert kinds == {BreachKind.RETRY_AFTER}
