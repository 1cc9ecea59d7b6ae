"""The state of a crawl at its last commit, as a frame, from its log."""

from __future__ import annotations

import time

import msgspec

from lycosa.crawl.status.figures import figures_of
from lycosa.crawl.status.progress import Spent, seconds_left, within_limits
from lycosa.crawl.status.unreachable import MOST_NAMED, given_up_of
from lycosa.crawl.status.waiting import waits_of
from lycosa.frontier.fold.state import PartitionState
from lycosa.model.job import Job
from lycosa.runtime.cluster.settings import CHANGEABLE
from lycosa.runtime.steady_clock import present_moment
from lycosa.web.reading.states import States
from lycosa.web.rest.records import Frame, GivenUp, Wait

SHOWN = (
    *("pages", "bytes", "urls", "pending", "put_off", "outcomes", "refusals", "left_out"),
    *("reading_again", "ran_seconds"),
)
"""The figures of a frame that partitions know."""


def read(states: States) -> bytes:
    """Return the frame as JSON."""
    return msgspec.json.encode(frame_of(list(states.now().values()), states.job))


def frame_of(states: list[PartitionState], job: Job) -> Frame:
    """Return the state of a crawl that does not run."""
    now = present_moment(states)
    behind = now - time.time()
    given_up, waits = given_up_of(states), waits_of(states, job, now)
    hosts = {"idle": 0, "waiting": 0, "closed": 0}
    for state in states:
        for host in range(len(state.host_names)):
            hosts[_phase(state, host)] += 1
    figures = figures_of(states, SHOWN)
    spent = Spent(figures["pages"], figures["bytes"], hosts["waiting"], figures.pop("ran_seconds"))
    left, limited_by = within_limits(seconds_left(states, job, now), spent, job)
    return Frame(
        moment=time.time(),
        state="resting",
        hosts={name: count for name, count in hosts.items() if count},
        **figures,
        seconds_left=round(left, 1),
        limited_by=limited_by,
        waits=[Wait(*wait.by_clock_behind(behind)) for wait in waits.first],
        waits_count=waits.total,
        given_up=[GivenUp(one.origin, one.urls, one.why) for one in given_up[:MOST_NAMED]],
        given_up_origins=len(given_up),
        limits=limits_of(job),
    )


def limits_of(job: Job) -> dict[str, object]:
    """Return the values of the keys that can be changed while a crawl runs."""
    found: dict[str, object] = {}
    for name in CHANGEABLE:
        section, _, key = name.partition(".")
        found[name] = getattr(getattr(job, section), key)
    return found


def _phase(state: PartitionState, host: int) -> str:
    if state.hosts.closed[host]:
        return "closed"
    return "waiting" if any(state.sites.pending[one] for one in state.sites_of(host)) else "idle"
