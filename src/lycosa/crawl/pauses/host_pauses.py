"""How long a host or an origin rests after an answer, and when the crawl gives it up.

The usual pause comes from `lycosa.crawl.pauses.due`. An answer can make it longer: 429 and 503 ask
for a rest (`Retry-After`, or a growing back-off), which concerns the whole host and is recorded
as `HostChanged`. A failed connection concerns its origin alone (scheme, host, port) and is recorded
as `SiteChanged`. After enough failures in a row the host or the origin is closed. A host that asks
for a longer pause than the job waits for is put off: closed, and due when the pause is over.

Always true: a host is not due before the moment that it has asked for, whatever the job waits for.
"""

from __future__ import annotations

from lycosa.crawl.pauses.due import LONGEST_SECONDS, back_off, due_pause, pause_after, says_when
from lycosa.crawl.ports import Ports
from lycosa.frontier.partition import Partition
from lycosa.model.records import (
    NO_CONNECTION,
    REFUSALS,
    Answer,
    HostChanged,
    Outcome,
    Resolved,
    SiteChanged,
)

MISSING_CHECK_SECONDS = 30.0
"""When a name is looked up again that does not exist."""


class HostPauses:
    """Decides on pauses and records what answers say of hosts and origins; one per worker."""

    def __init__(self, ports: Ports) -> None:
        self._job = ports.job
        self._random = ports.random
        self._clock_ahead = ports.clock_ahead

    def after(
        self,
        partition: Partition,
        host: int,
        answer: Answer,
        outcome: Outcome,
        site: int | None,
        *,
        at_least: float = 0.0,
        keeps_strikes: bool = False,
    ) -> float:
        """Return how long the host rests, after recording what the answer says of it.

        `site` is the origin that was asked, if the partition knows it as one. With `keeps_strikes`
        a good answer does not end a row of refusals.
        """
        state, politeness = partition.state, self._job.politeness
        ahead = self._clock_ahead
        told = answer.earlier(ahead) if ahead else answer  # Retry-After may name a date
        pause = pause_after(due_pause(self._job, state, host), self._job, told)
        pause = demanded = max(pause, at_least)
        strikes = state.hosts.strikes[host]
        if site is not None and (answer.failure is not None or state.sites.strikes[site]):
            self._record_connection(partition, site, answer, outcome, pause)
        if outcome is Outcome.REFUSED_ADDRESS:
            closed = HostChanged(answer.ended, host, answer.ended, strikes, outcome)
            partition.change_host(closed)
        elif outcome in REFUSALS:
            strikes += 1
            is_announced = says_when(answer)
            # A host that says when to come again is believed once; then our back-off counts, too.
            if strikes > 1 or not is_announced:
                back_off = self.back_off(strikes)
                is_announced = is_announced and pause >= back_off
                pause = max(pause, back_off)
            self.strike(
                partition,
                host,
                answer.ended,
                pause,
                strikes,
                is_announced=is_announced,
                demanded=demanded,
            )
        elif demanded > politeness.longest_pause_seconds:
            self.strike(partition, host, answer.ended, pause, strikes, demanded=demanded)
        elif strikes and answer.status and not keeps_strikes:
            partition.change_host(HostChanged(answer.ended, host, answer.ended + pause, 0))
        return min(pause, LONGEST_SECONDS)

    def after_no_address(
        self, partition: Partition, host: int, found: Resolved, now: float
    ) -> None:
        """Record that the name of a host leads nowhere, and for how long it is left alone.

        That there is no such name is an answer: it is checked once, then it is final.
        """
        hosts = partition.state.hosts
        if found.is_missing:
            closed = Outcome.NO_SUCH_HOST if hosts.missing[host] > 1 else None
            due = now + MISSING_CHECK_SECONDS
            partition.change_host(HostChanged(now, host, due, hosts.strikes[host], closed))
            return
        strikes, most = hosts.strikes[host] + 1, self._job.politeness.backoff_most_seconds
        pause = max(self.back_off(strikes), min(found.seconds_valid, most))
        self.strike(partition, host, now, pause, strikes)

    def back_off(self, strikes: int) -> float:
        """Return the pause after this number of failures in a row."""
        politeness = self._job.politeness
        first, most = politeness.backoff_first_seconds, politeness.backoff_most_seconds
        return back_off(first, most, strikes, self._random)

    def strike(
        self,
        partition: Partition,
        host: int,
        moment: float,
        pause: float,
        strikes: int,
        *,
        is_announced: bool = False,
        demanded: float = 0.0,
    ) -> None:
        """Record that a host failed, refused or wants too long a pause; perhaps for good.

        `demanded` is the part of the pause that the host asks for itself.
        """
        politeness = self._job.politeness
        due = moment + min(pause, LONGEST_SECONDS)
        closed = Outcome.HOST_GIVEN_UP if strikes >= politeness.strikes else None
        if demanded > politeness.longest_pause_seconds:
            closed = Outcome.HOST_PUT_OFF
        partition.change_host(HostChanged(moment, host, due, strikes, closed, is_announced))

    def _record_connection(
        self, partition: Partition, site: int, answer: Answer, outcome: Outcome, pause: float
    ) -> None:
        """Record that no connection to an origin could be made, or that one could after all."""
        if outcome is Outcome.REFUSED_ADDRESS:
            return
        if outcome is Outcome.REFUSED_PORT:  # other ports of the host may be asked
            partition.change_site(SiteChanged(answer.ended, site, 0.0, 0, outcome))
            return
        if outcome not in NO_CONNECTION:
            if partition.state.sites.strikes[site]:
                partition.change_site(SiteChanged(answer.ended, site, 0.0, 0))
            return
        politeness, moment = self._job.politeness, answer.ended
        strikes = partition.state.sites.strikes[site] + 1
        due = moment + max(pause, self.back_off(strikes))
        closed = Outcome.UNREACHABLE if strikes >= politeness.strikes else None
        host_due = moment + min(pause, LONGEST_SECONDS)
        partition.change_site(SiteChanged(moment, site, due, strikes, closed, host_due))
