"""The settings that the operator's orders put in force at each moment, for the audit.

Partitions apply an order within the same second, but not in the same instant. Between the first and
the last of them both the settings before and the settings after the order are right, so the audit
asks for the milder of the two.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from lycosa.crawl.pauses.due import usual_pause
from lycosa.model.job import Job
from lycosa.model.url import key_of
from lycosa.model.url.scope import Scope
from lycosa.operate.inspect.request_record import Exchange
from lycosa.runtime.orders.orders import Block, InForce, Numbered, Unblock


class _Moment(NamedTuple):
    """The settings in force between two orders."""

    job: Job
    excluded: Scope | None
    blocked: frozenset[str]
    is_paused: bool = False


class Steered:
    """The rules in force at every moment of a crawl."""

    def __init__(
        self,
        job: Job,
        given: Sequence[Numbered],
        applied: Mapping[int, Sequence[float]],
        reopened: Mapping[str, Sequence[float]],
    ) -> None:
        """Take for each order, in `applied`, the moments at which partitions applied it."""
        self._moments = [_Moment(job, None, frozenset())]
        self._first: list[float] = []
        self._last: list[float] = []
        self._reopened = reopened
        in_force, blocked = InForce(), frozenset[str]()
        for one in given:
            moments = applied.get(one.number, ())
            if not moments:
                break
            in_force = in_force.after(one.number, one.order)
            if isinstance(one.order, Block):
                blocked |= {one.order.host}
            elif isinstance(one.order, Unblock):
                blocked -= {one.order.host}
            rejecting = [rule for rule in in_force.parsed_rules() if rule.action.value == "reject"]
            scope = Scope(rejecting) if rejecting else None
            # Members of a cluster read settings from the board, at another moment than the order.
            then = job if job.log.server else in_force.job(job)
            is_paused = in_force.is_paused and not job.log.server
            self._moments.append(_Moment(then, scope, blocked, is_paused))
            is_everywhere = len(moments) >= job.frontier.partitions
            self._first.append(max([min(moments), *self._first[-1:]]))
            self._last.append(max(moments) if is_everywhere else float("inf"))

    def pause(self, moment: float, pages: int) -> float:
        """Return the usual pause of a host with this many pages."""
        return min(usual_pause(one.job, pages) for one in self._at(moment))

    def ip_delay(self, moment: float) -> float:
        """Return the pause of an address."""
        return min(one.job.politeness.ip_delay_seconds for one in self._at(moment))

    def breach(self, exchange: Exchange) -> str:
        """Return why a request should not have begun; "" if orders allow it."""
        if len(self._moments) == 1:
            return ""
        found = self._at(exchange.began)
        if all(one.is_paused for one in found):
            return "the crawl was paused"
        if all(exchange.host in one.blocked for one in found):
            began = self._first[0]
            reopened = self._reopened.get(exchange.host, ())
            if not any(began <= moment <= exchange.began for moment in reopened):
                return "its host was blocked"
        if exchange.is_robots:
            return ""
        key = key_of(exchange.url)
        scopes = [one.excluded for one in found]
        if all(scope is not None and scope.judge(key).key is None for scope in scopes):
            return "an added rule excludes it"
        return ""

    def _at(self, moment: float) -> Sequence[_Moment]:
        """Return all settings that a partition may have followed at a moment."""
        if len(self._moments) == 1:
            return self._moments
        newest = bisect_right(self._first, moment)
        oldest = newest
        while oldest and self._last[oldest - 1] > moment:
            oldest -= 1
        return self._moments[oldest : newest + 1]
