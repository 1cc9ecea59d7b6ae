"""A referee with a few hosts, for the tests of its rules."""

from __future__ import annotations

from lycosa.model.records import Purpose, Request
from lycosa_testweb import BreachKind, GraphWeb, Group, Referee, RefereeRules, Reply, Robots
from lycosa_testweb.robots import folder
from lycosa_testweb.web import HTML

A, B = "http://a.test/", "http://b.test/"


SHARED = {"a.test": "10.0.0.9", "b.test": "10.0.0.9"}


OK = Reply(200, HTML)


STRICT = Robots((Group("*", (folder("/closed/"),), crawl_delay_seconds=5),))


class Court:
    """A referee and a few hosts; every request takes a tenth of a second."""

    def __init__(
        self,
        robots: dict[str, Robots] | None = None,
        addresses: dict[str, str] | None = None,
        rules: RefereeRules | None = None,
    ) -> None:
        self.web = GraphWeb({A: [B]}, robots=robots, addresses=addresses)
        self.referee = Referee(rules or RefereeRules(demand_window_seconds=1.0), self.web)

    def begin(self, url: str, at: float, purpose: Purpose = Purpose.PAGE, client: str = "") -> int:
        host = url.split("/")[2].partition(":")[0]
        address = self.web.resolve(host, at).address or ""
        request = Request(url, host, address, purpose, "lycosa", 10**6)
        return self.referee.began(request, 1000.0 + at, client)

    def ask(self, url: str, at: float, reply: Reply = OK, client: str = "") -> None:
        ticket = self.begin(url, at, client=client)
        self.referee.ended(ticket, 1000.0 + at + 0.1, reply)

    def robots(self, base: str = A, at: float = 0.0, reply: Reply | None = None) -> None:
        url = f"{base}robots.txt"
        ticket = self.begin(url, at, Purpose.ROBOTS)
        answer = reply or self.web._robots_reply(url, 1000.0 + at)
        self.referee.ended(ticket, 1000.0 + at + 0.1, answer)

    @property
    def breaches(self) -> list[BreachKind]:
        return [breach.kind for breach in self.referee.breaches]
