"""Ask a site for its robots file and one page, as politely as a crawl (`lycosa check`).

Requests use the transport of a crawl, with the address guard, the limits on time and size and the
user agent of the job. The pauses between two requests to a host or an address are those of a crawl
too, with Crawl-delay and Retry-After.

Always true:
  * a page is asked for only after its site's robots file, and only if that allows it;
  * a public host is not asked without a contact in the user agent;
  * no request is sent twice, and no redirect of a page is followed.

Not here: pauses between two runs of the command, which are up to the user.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import ExitStack
from functools import partial
from typing import NamedTuple, TypeVar

from lycosa.crawl.access import fetch_of
from lycosa.crawl.answers.robots import read_answer
from lycosa.crawl.pauses.due import pause_after
from lycosa.crawl.status.words import answer_in_words
from lycosa.fetch.client import HttpTransport
from lycosa.fetch.robots.lines import Decision, ExplainedRobots, explain_robots
from lycosa.model.clock import RealClock
from lycosa.model.job import Job
from lycosa.model.records import Answer, Outcome, Purpose, Request, Resolved, RobotsState
from lycosa.model.url import host_of, site_of, url_of
from lycosa.runtime.processes.requirements import require_contact

T = TypeVar("T")


class AskedRobots(NamedTuple):
    """A site's robots file, or the reason why it could not be fetched."""

    url: str
    """Its URL, after redirects."""
    note: str
    failure: Outcome | None
    """The outcome of every page of the site while the file cannot be fetched."""
    robots: ExplainedRobots

    @property
    def is_reachable(self) -> bool:
        """Whether the file could be fetched, or is known not to exist."""
        return self.failure is None


class AskedPage(NamedTuple):
    """The answer for a page, or the reason why it was not asked for."""

    robots: AskedRobots
    decision: Decision
    answer: Answer


class Asker:
    """Sends requests to sites, one at a time."""

    def __init__(self, job: Job, on_wait: Callable[[str, float], None]) -> None:
        require_contact(job)
        self._job = job
        self._on_wait = on_wait
        self._due: dict[str, float] = {}
        self._ended: dict[str, float] = {}
        self._known: dict[str, AskedRobots] = {}
        """Robots files by site: each is asked for once."""
        self._loop = asyncio.new_event_loop()
        self._clock = RealClock(self._loop)
        self._transport = HttpTransport(self._loop, self._clock, fetch_of(job))

    def __enter__(self) -> Asker:
        return self

    def __exit__(self, *_: object) -> None:
        with ExitStack() as rest:
            rest.callback(self._loop.close)
            rest.callback(self._clock.close)
            rest.callback(self._transport.close)

    def robots(self, key: str) -> AskedRobots:
        """Ask for the robots file of the site that a URL belongs to (RFC 9309, 2.3.1)."""
        job, target = self._job, site_of(key) + "/robots.txt"
        for _ in range(job.robots.redirects + 1):
            answer = self._ask(target, Purpose.ROBOTS, job.robots.largest_bytes)
            reading = read_answer(answer, target, job)
            if reading.target is None:
                return self._read(target, answer, reading.state)
            target = reading.target
        note = "it redirects too often, which counts as no file: everything is allowed"
        return AskedRobots(url_of(target), note, None, self._explained(b""))

    def due(self, key: str) -> float:
        """Return the moment from which the host of a URL may be asked again; 0 if unknown."""
        host, asked = host_of(key), self._known.get(site_of(key))
        delay = asked.robots.rules.crawl_delay_seconds if asked is not None else 0.0
        return max(self._due.get(host, 0.0), self._ended.get(host, 0.0) + delay)

    def page(
        self, key: str, most_bytes: int | None = None, purpose: Purpose = Purpose.PAGE
    ) -> AskedPage:
        """Ask for a page, or for its head or its first bytes, if its site allows it."""
        asked = self._known.get(site_of(key))
        if asked is None:
            asked = self._known[site_of(key)] = self.robots(key)
        decision = asked.robots.decide(key[len(site_of(key)) :])
        if asked.failure is not None:
            return AskedPage(asked, decision, self._unasked(asked.failure))
        if not decision.is_allowed:
            return AskedPage(asked, decision, self._unasked(Outcome.DISALLOWED))
        host, delay = host_of(key), asked.robots.rules.crawl_delay_seconds
        if delay > self._job.politeness.longest_pause_seconds:
            return AskedPage(asked, decision, self._unasked(Outcome.HOST_PUT_OFF))
        # A Crawl-delay counts from the host's last answer, like that of the file that names it.
        ended = self._ended.get(host, self._clock.now())
        self._due[host] = max(self._due.get(host, 0.0), ended + delay)
        most = self._job.fetch.largest_body_bytes if most_bytes is None else most_bytes
        answer = self._ask(key, purpose, most)
        return AskedPage(asked, decision, answer)

    def _read(self, target: str, answer: Answer, state: RobotsState) -> AskedRobots:
        if state is RobotsState.UNREACHABLE:
            failure, note = _unreachable(answer)
            return AskedRobots(url_of(target), note, failure, self._explained(b""))
        if 200 <= answer.status < 300:
            return AskedRobots(url_of(target), "", None, self._explained(answer.body))
        note = f"the site has none (status {answer.status}): everything is allowed"
        return AskedRobots(url_of(target), note, None, self._explained(b""))

    def _explained(self, body: bytes) -> ExplainedRobots:
        return explain_robots(body, self._job.fetch.agent, self._job.robots.largest_bytes)

    def _ask(self, key: str, purpose: Purpose, largest_body_bytes: int) -> Answer:
        host, fetch = host_of(key), self._job.fetch
        resolved: Resolved = self._awaited(partial(self._transport.resolve, host))
        if resolved.address is None:
            return self._unasked(Outcome.NAME_FAILURE)
        agent = f"{fetch.agent} ({fetch.contact})" if fetch.contact else fetch.agent
        request = Request(url_of(key), host, resolved.address, purpose, agent, largest_body_bytes)
        answer = self._send(request)
        if answer.failure is Outcome.STALE_CONNECTION:
            answer = self._send(request)
        return answer

    def _send(self, request: Request) -> Answer:
        """Send a request after the pauses of its host and its address."""
        host, address = request.host, f"address {request.address}"
        self._wait(host, max(self._due.get(host, 0.0), self._due.get(address, 0.0)))
        answer: Answer = self._awaited(partial(self._transport.send, request))
        politeness = self._job.politeness
        pause = pause_after(politeness.delay_seconds, self._job, answer)
        self._ended[host] = answer.ended
        self._due[host] = answer.ended + pause
        self._due[address] = answer.ended + politeness.ip_delay_seconds
        return answer

    def _wait(self, host: str, due: float) -> None:
        seconds = due - self._clock.now()
        if seconds > 0:
            self._on_wait(host, seconds)
            self._loop.run_until_complete(asyncio.sleep(seconds))

    def _awaited(self, begin: Callable[[Callable[[T], None]], None]) -> T:
        """Start an operation and run the loop until it calls back."""
        future: asyncio.Future[T] = self._loop.create_future()
        begin(future.set_result)
        return self._loop.run_until_complete(future)

    def _unasked(self, outcome: Outcome) -> Answer:
        now = self._clock.now()
        return Answer(0, (), b"", now, now, outcome)


def _unreachable(answer: Answer) -> tuple[Outcome, str]:
    """Return the outcome for pages of a site without a readable robots file, and a note."""
    if answer.failure is Outcome.REFUSED_ADDRESS:
        note = "its address is private or loopback; add --allow-private to ask it"
        return answer.failure, note
    if answer.failure is Outcome.NAME_FAILURE:
        return answer.failure, "its host has no address"
    note = f"it cannot be fetched ({answer_in_words(answer)}): nothing is allowed until it can"
    return Outcome.ROBOTS_UNREACHABLE, note
