"""Brings requests to the test web in the same process, without sockets.

`send` asks the web at the present moment, and the clock delivers the answer when its
latency has passed. With a virtual clock a whole crawl runs in one thread and always in
the same order. The referee, if there is one, is told of the beginning and of the end of
every request, as a server would see them.

`abort_all` is what a kill does to connections: the server sees them end now, and no callback
is called. `cut_all` is what a client does that stops.
"""

from __future__ import annotations

from collections.abc import Callable

from lycosa.model.clock import Clock, Timer
from lycosa.model.records import Answer, Outcome, Request, Resolved
from lycosa_testweb.mixing import digest, fraction
from lycosa_testweb.referee.referee import Referee
from lycosa_testweb.web import Reply, Web

NAME_SECONDS = (0.005, 0.050)
"""How long a name server takes, at least and at most."""

_BROKEN_OFF = {Outcome.CUT_SHORT: "disconnect", Outcome.TIMEOUT: "time"}


class InProcessCarrier:
    """A transport for simulations; one per client process."""

    def __init__(
        self,
        web: Web,
        clock: Clock,
        referee: Referee | None = None,
        seed: int = 0,
        client: str = "",
        name_seconds: tuple[float, float] = NAME_SECONDS,
    ) -> None:
        self._web = web
        self._clock = clock
        self._referee = referee
        self._seed = seed
        self._client = client
        self._name_seconds = name_seconds
        self._under_way: dict[int, Timer] = {}
        self._cuts: dict[int, tuple[int, Callable[[], None]]] = {}
        """By the numbers of requests: what ends each of them early."""
        self._sent = 0

    @property
    def in_flight(self) -> int:
        """How many requests and questions for names are under way."""
        return len(self._under_way)

    def send(self, request: Request, on_answer: Callable[[Answer], None]) -> None:
        """Begin a request now; `on_answer` is called when it has ended."""
        began = self._clock.now()
        ticket = self._referee.began(request, began, self._client) if self._referee else 0
        reply = self._web.answer(request, began)
        number = self._later(
            reply.latency_seconds, self._deliver, request, reply, began, ticket, on_answer
        )
        cut = Reply(0, failure=Outcome.TIMEOUT)
        self._cuts[number] = (
            request.partition,
            lambda: self._deliver(request, cut, began, ticket, on_answer),
        )

    def _deliver(
        self,
        request: Request,
        reply: Reply,
        began: float,
        ticket: int,
        on_answer: Callable[[Answer], None],
    ) -> None:
        ended = self._clock.now()
        if self._referee is not None:
            self._referee.ended(ticket, ended, reply)
        if reply.failure is not None:
            beginning = _beginning(reply, began, ended)
            on_answer(Answer(0, (), b"", began, ended, reply.failure, beginning=beginning))
            return
        limit = request.largest_body_bytes
        cut = len(reply.body) > limit
        body = reply.body[:limit] if cut else reply.body
        on_answer(Answer(reply.status, reply.headers, body, began, ended, None, cut))

    def resolve(self, host: str, on_resolved: Callable[[Resolved], None]) -> None:
        """Ask for an address; `on_resolved` is called some milliseconds later."""
        least, most = self._name_seconds
        chance = fraction(self._seed, digest(host), int(self._clock.now() * 1000.0))
        resolved = self._web.resolve(host, self._clock.now())
        self._later(least + (most - least) * chance, on_resolved, resolved)

    def _later(self, seconds: float, callback: Callable[..., None], *arguments: object) -> int:
        number = self._sent
        self._sent += 1

        def run() -> None:
            del self._under_way[number]
            self._cuts.pop(number, None)
            callback(*arguments)

        self._under_way[number] = self._clock.call_at(self._clock.now() + seconds, run)
        return number

    def cut_all(self) -> None:
        """End every request that is under way: its server sees that, and its sender is told."""
        for number in list(self._cuts):
            self._cut(number)

    def cut(self, partition: int) -> None:
        """End the requests of one partition in the same way."""
        for number in [number for number, (of, _) in self._cuts.items() if of == partition]:
            self._cut(number)

    def let_go(self, is_wanted: Callable[[str], bool], idle_seconds: float) -> None:
        """Do nothing: no connection stands between two requests."""

    def _cut(self, number: int) -> None:
        if number in self._cuts:
            _, cut = self._cuts.pop(number)
            self._under_way.pop(number).cancel()
            cut()

    def abort_all(self) -> None:
        """End everything that is under way, as the death of the client does."""
        for timer in self._under_way.values():
            timer.cancel()
        self._under_way.clear()
        self._cuts.clear()
        if self._referee is not None:
            self._referee.killed(self._clock.now(), self._client)


def _beginning(reply: Reply, began: float, ended: float) -> Answer | None:
    """Return the half of a page that arrives before its connection ends."""
    if not reply.body or reply.failure not in _BROKEN_OFF:
        return None
    half = reply.body[: len(reply.body) // 2]
    cause = _BROKEN_OFF[reply.failure]
    return Answer(200, reply.headers, half, began, ended, None, True, truncated_by=cause)
