"""The state of a crawl: as a running one writes it, or as the log has it at the last commit."""

from __future__ import annotations

import time
from contextlib import closing, suppress
from pathlib import Path
from typing import Any, NamedTuple

from lycosa.cli.amounts import counted, size_text
from lycosa.cli.screen.lines import command, items_stored
from lycosa.crawl.status.figures import figures_of
from lycosa.crawl.status.progress import (
    Spent,
    messages_of,
    seconds_left,
    within_limits,
)
from lycosa.crawl.status.unreachable import MOST_NAMED, given_up_of
from lycosa.crawl.status.waiting import waits_of
from lycosa.errors import ObjectsUnavailable
from lycosa.features.rendering.sandbox import sandbox_text
from lycosa.frontier.fold.state import PartitionState
from lycosa.model.job import SPLITTING_PARTITIONERS, Job
from lycosa.model.job.topics import numbers_of
from lycosa.runtime.directory import CrawlDirectory
from lycosa.runtime.lock import Holder
from lycosa.runtime.orders import orders
from lycosa.runtime.orders.desk import known_orders
from lycosa.runtime.orders.live import Frame, read_frame
from lycosa.runtime.steady_clock import present_moment


class CrawlStatus(NamedTuple):
    """The state of a crawl, read from its directory."""

    running_pid: int | None
    worker_pids: list[int]
    """The processes of its workers; none when it crawls by itself."""
    pages: int
    bytes: int
    urls: int
    pending: int
    hosts: int
    disk_bytes: int | None
    """None where only the log is at hand."""
    seconds_left: float
    limited_by: str
    """The limit that ends the crawl before its queue is empty; "" for none."""
    ran_seconds: float
    outcomes: dict[str, int]
    refusals: dict[str, int]
    left_out: dict[str, int]
    """URLs that the limits of the job have left out, by limit."""
    reading_again: list[int]
    """Pages looked at again for a raised limit of depth, and their number; empty without one."""
    structured: dict[str, int]
    """Counts of structured data: triples, pages, and what was left out."""
    plugins: list[str]
    """The plugins that the job uses."""
    mined: dict[str, list[int]]
    """By rule: how many URLs were guessed, and how many of them were pages."""
    topics: dict[str, list[int]]
    """By topic: how many pages are about it, and how many URLs wait that may be."""
    budgets: dict[str, list[int]]
    """By entry of `[topics] budgets`: how many pages were taken from the queues of its topics, and
    how many may be."""
    harvest: float | None
    """The share of pages about what is wanted; None in a crawl that wants no topic."""
    cycle: int
    """The cycle under way, or the last one; 0 in a crawl without cycles."""
    put_off: int
    """URLs that wait for a later cycle."""
    is_followed: bool
    """Whether another cycle follows."""
    waits_count: int
    """How many origins have URLs that must still wait."""
    waits: list[dict[str, object]]
    """The waits that end first: `who`, `why`, `until` (a moment, or 0) and `urls`; these are 0 in a
    crawl that runs."""
    waited_seconds: float
    """How much of `[limits] patience_seconds` was used."""
    next_cycle_at: float | None
    """When the next cycle begins at the earliest; None when none follows."""
    links_owed: int
    """Pages that came nearer, whose links lie on another machine: they were not passed on."""
    links_given_up: int
    """Such pages that stay as they are: what they link to may be nearer than the crawl knows."""
    blocked: list[str]
    """The hosts that the operator blocked."""
    given_up_origins: int
    """How many origins could not be reached and were given up."""
    given_up: list[dict[str, object]]
    """The unreachable origins with most URLs: `origin`, `urls` and `why`."""
    log: str = ""
    """The server that keeps the log, and the crawl's name there; "" for a file."""
    machines: list[str] = []  # noqa: RUF012
    """The machines that crawl; known only where the log is in a server."""
    store: str = ""
    """The store that content is copied to, and the crawl's name there; "" for none."""
    unsent_segments: int = 0
    """Segments of this directory that are not in the store."""
    unsent_bytes: int = 0
    """Their bytes: lost if this machine is lost."""
    missing_segments: dict[str, int] = {}  # noqa: RUF012
    """Segments that are not in the store, by machine; asked for only while nobody crawls."""
    is_copy: bool = False
    """Whether the directory was fetched from a store."""
    is_paused: bool = False
    """Whether the operator has paused it."""
    values: dict[str, object] = {}  # noqa: RUF012
    """Keys of the job that orders have changed."""
    rules: dict[int, dict[str, object]] = {}  # noqa: RUF012
    """Rules that orders have added, by the numbers of the orders."""
    rendered: dict[str, int] = {}  # noqa: RUF012
    """Pages that a browser has rendered, by ending; those that wait, and those that seem empty."""
    parts_refused: dict[str, int] = {}  # noqa: RUF012
    """Parts that rendered pages did not get, by reason."""
    sandbox: str = ""
    """That the browser has no sandbox, in words; "" where it has one or none is used."""
    items: dict[str, int] | None = None
    """Stored items by kind, of every fetch; None while the crawl runs, or if a table is damaged."""
    messages: int | None = None
    """Batches that partitions have read from their inboxes; None where the log is in a server."""


def _host_count(states: list[PartitionState], job: Job) -> int:
    """Return how many hosts are known: each once, also where many partitions know it."""
    if job.frontier.partitioner in SPLITTING_PARTITIONERS:
        return len({name for state in states for name in state.host_names})
    return sum(len(state.host_names) for state in states)


def _working_hosts(state: PartitionState) -> int:
    """Return how many hosts have URLs to ask for."""
    sites = state.sites
    pairs = zip(sites.host, sites.pending, sites.closed, strict=True)
    return len({host for host, pending, closed in pairs if pending and not closed})


def status_of(directory: CrawlDirectory) -> CrawlStatus:
    """Read a crawl directory; nothing in it is changed.

    A crawl that runs has written its state a moment ago, so it need not be read from the log.
    """
    job, holder = directory.job(), directory.holder()
    has_begun = directory.has_begun
    if holder is not None and not job.log.server:
        frame = read_frame(directory.path)
        if frame is not None and frame.is_fresh() and frame.state != "ended":
            return _live_status(directory, job, holder, frame)
    in_force = orders.in_force(known_orders(directory))
    states = list(directory.states(job).values()) if has_begun else []
    now = present_moment(states)
    behind = now - time.time()  # users read the machine's clock
    given_up, waits = given_up_of(states), waits_of(states, job, now)
    revisit, figures = job.revisit, figures_of(states)
    cycle = figures["cycle"]
    working = sum(_working_hosts(state) for state in states)
    spent = Spent(figures["pages"], figures["bytes"], working, figures["ran_seconds"])
    # The values in force by orders count, as in a crawl that runs.
    left, limited_by = within_limits(seconds_left(states, job, now), spent, in_force.job(job))
    machines = _machines(directory, job) if job.log.server and has_begun else []
    is_followed = revisit.policy != "off" and (revisit.continuous or cycle < revisit.cycles)
    return CrawlStatus(
        running_pid=holder.pid if holder else None,
        worker_pids=holder.workers if holder else [],
        hosts=_host_count(states, job),
        disk_bytes=None if directory.is_distant else _disk_bytes(directory.path),
        seconds_left=round(left, 1),
        limited_by=limited_by,
        plugins=list(job.plugins.use),
        sandbox=sandbox_text(job),
        **_topics(states, job),
        is_followed=is_followed,
        waits_count=waits.total,
        waits=[wait.by_clock_behind(behind)._asdict() for wait in waits.first],
        waited_seconds=round(max((state.waited_seconds for state in states), default=0.0), 1),
        next_cycle_at=_next_cycle_at(states, job) if is_followed else None,
        given_up_origins=len(given_up),
        given_up=[one._asdict() for one in given_up[:MOST_NAMED]],
        log=f"{job.log.server} as {job.log.name}" if job.log.server else "",
        machines=machines,
        missing_segments={} if machines else _missing(directory, job, states),
        is_paused=in_force.is_paused,
        values=dict(in_force.values),
        rules=in_force.rules,
        messages=messages_of(states, job),
        items=None if holder is not None or machines else items_stored(directory.path),
        **figures,
        **_unsent(directory, job),
    )


def _live_status(directory: CrawlDirectory, job: Job, holder: Holder, frame: Frame) -> CrawlStatus:
    """Return the state that a running crawl has written a moment ago."""
    now, revisit = frame.figures(), job.revisit
    is_followed = revisit.policy != "off" and (revisit.continuous or now.cycle < revisit.cycles)
    limits = numbers_of(job.topics.budgets) if now.budgets else {}
    wait_fields, given_up_fields = ("who", "why", "until"), ("origin", "urls", "why")
    return CrawlStatus(
        running_pid=holder.pid,
        worker_pids=holder.workers,
        pages=now.pages,
        bytes=now.bytes,
        urls=now.urls,
        pending=now.pending,
        hosts=sum(now.hosts.values()),
        disk_bytes=_disk_bytes(directory.path),
        seconds_left=round(now.seconds_left or 0.0, 1),
        limited_by=now.limited_by,
        ran_seconds=round(now.ran_seconds, 1),
        outcomes=now.outcomes,
        refusals=now.refusals,
        left_out=now.left_out,
        reading_again=now.reading_again,
        structured=now.structured,
        plugins=list(job.plugins.use),
        sandbox=sandbox_text(job),
        mined=now.mined,
        topics=now.topics,
        budgets={name: [pages, limits[name]] for name, pages in now.budgets.items()},
        harvest=_harvest(now.topics, job),
        cycle=now.cycle,
        put_off=now.put_off,
        is_followed=is_followed,
        waits_count=now.waits_count,
        waits=[{**dict(zip(wait_fields, one, strict=False)), "urls": 0} for one in now.waits],
        waited_seconds=round(now.waited_seconds, 1),
        next_cycle_at=None,
        links_owed=now.links_owed,
        links_given_up=now.links_given_up,
        blocked=now.blocked,
        given_up_origins=now.given_up_origins,
        given_up=[dict(zip(given_up_fields, one, strict=False)) for one in now.given_up],
        is_paused=frame.state == "paused" or now.is_paused,
        values=dict(frame.values),
        rules=frame.rules,
        rendered=now.rendered,
        parts_refused=now.parts_refused,
        **_unsent(directory, job),
    )


def _harvest(topics: dict[str, list[int]], job: Job) -> float | None:
    if not job.topics.model:
        return None
    from lycosa.crawl.status.topics import harvest  # few crawls have a model

    rate = harvest(topics, job)
    return None if rate is None else round(rate, 4)


def _unsent(directory: CrawlDirectory, job: Job) -> dict[str, Any]:
    if not job.store.place or directory.is_copy:
        return {"is_copy": directory.is_copy}
    place = f"{job.store.place} as {job.log.name}"
    if directory.is_distant:
        return {"store": place}
    from lycosa.runtime.uploads.uploads import unsent_of  # a crawl without a store needs none of it

    segments, size = unsent_of(directory, job)
    return {"store": place, "unsent_segments": segments, "unsent_bytes": size}


def _missing(directory: CrawlDirectory, job: Job, states: list[PartitionState]) -> dict[str, int]:
    """Return what no machine has sent to the store, if the crawl has several and rests."""
    if not job.store.place or not job.log.server or directory.is_copy or not states:
        return {}
    from lycosa.runtime.shared_log.notes import machines_of
    from lycosa.runtime.uploads.sent import missing_segments  # few crawls have a store
    from lycosa.storage.objects.opening import open_objects

    with (
        suppress(ObjectsUnavailable),
        closing(directory.log(job)) as log,
        closing(open_objects(job.store.place, job.log.name)) as objects,
    ):
        return missing_segments(states, objects, machines_of(log))
    return {}


def _topics(states: list[PartitionState], job: Job) -> dict[str, Any]:
    if not job.topics.model:
        return {"topics": {}, "budgets": {}, "harvest": None}
    from lycosa.crawl.status.topics import topics_of
    from lycosa.operate.inspect.topics import names_of  # few crawls have a model

    names = names_of(job)
    topics = topics_of(states, names)
    budgets: dict[str, list[int]] = {}
    if job.topics.policy == "budget" and names:
        from lycosa.features.topics.budgets import TopicBudgets

        limits, taken = numbers_of(job.topics.budgets), TopicBudgets(job, names).taken(states)
        budgets = {name: [pages, limits[name]] for name, pages in taken.items()}
    return {"topics": topics, "budgets": budgets, "harvest": _harvest(topics, job)}


def _machines(directory: CrawlDirectory, job: Job) -> list[str]:
    from lycosa.runtime.shared_log.other_machines import (
        machines_at_work,  # a log in a file has none
    )

    with closing(directory.log(job)) as log:
        return machines_at_work(log, job)


def _next_cycle_at(states: list[PartitionState], job: Job) -> float:
    began = max((state.history.began for state in states), default=0.0)
    return began + job.revisit.cycle_seconds if began else time.time()


def _disk_bytes(folder: Path) -> int:
    total = 0
    for path in folder.rglob("*"):
        try:
            total += path.stat().st_size if path.is_file() else 0
        except FileNotFoundError:
            continue  # a running crawl seals and renames
    return total


def store_text(path: object, state: CrawlStatus) -> str:
    """Say what of the directory is not in the store."""
    if state.missing_segments:
        where = " and ".join(
            f"{counted(count, 'segment')} of {machine}"
            for machine, count in state.missing_segments.items()
        )
        return (
            f"{state.store}; without {where}: type `lycosa join LOG -o DIR` there again;"
            " if that machine is gone for good: `lycosa cluster forget LOG MACHINE`"
        )
    if state.disk_bytes is None:  # members know what they have not sent: `cluster status`
        return state.store
    if not state.unsent_segments:
        return f"{state.store}; everything is there"
    segments = counted(state.unsent_segments, "segment")
    is_running = bool(state.machines) or state.running_pid is not None
    more = "" if is_running else f"; copy: {command('resume', path)}"
    return f"{state.store}; {segments} ({size_text(state.unsent_bytes)}) not there yet{more}"
