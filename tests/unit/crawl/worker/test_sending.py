"""Whole crawls with the compiled sender, turns and pump, and with the plain ones: they agree."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lycosa.crawl.worker import turns, worker
from lycosa.crawl.worker._pump import PartitionTurns
from lycosa.crawl.worker.worker import EXHAUSTED, Worker
from lycosa.frontier._page_steps import PageSteps
from lycosa.model.job import Job
from lycosa.model.records import Outcome, Request
from lycosa_testweb.web import PLAIN, Reply
from plain_sender import PlainSender, PlainTurns, plain_pump
from seeds import examples
from unit.crawl.drawn_web import DrawnWeb, crawl, file, linking, moved

HOSTS = ["http://a.test", "http://b.test", "https://a.test", "http://c.test:8080"]
URLS = [f"{host}/{name}" for host in HOSTS for name in ("", "x/1", "x/2", "y", "z?q=1")]
SEEDS = [f"{host}/" for host in HOSTS[:2]]
TIMES = ["0000-0001", "2200-2300", "0900-2359"]


class Heard(DrawnWeb):
    """Notes what is asked, and when."""

    def __init__(self, replies: Mapping[str, Reply]) -> None:
        super().__init__(replies)
        self.asked: list[tuple[Request, float]] = []

    def answer(self, request: Request, moment: float) -> Reply:
        self.asked.append((request, moment))
        return super().answer(request, moment)


PAGES = st.lists(st.sampled_from(URLS), max_size=6).map(lambda urls: linking(*urls))
REPLIES = st.one_of(
    PAGES,
    PAGES,
    st.sampled_from(URLS).map(moved),
    st.just(Reply(503, (*PLAIN, ("Retry-After", "30")), b"later")),
    st.just(Reply(500, PLAIN, b"broken")),
)
ROBOTS = st.lists(
    st.sampled_from(["Disallow: /x/", "Allow: /x/2", "Disallow: /z", "Crawl-delay: 3"])
    | st.sampled_from(TIMES).map("Visit-time: {}".format),
    max_size=3,
).map(lambda lines: file("text/plain", "\n".join(["User-agent: *", *lines])))
WEBS = st.fixed_dictionaries(
    dict.fromkeys(SEEDS, PAGES),
    optional={url: REPLIES for url in URLS if url not in SEEDS}
    | {f"{host}/robots.txt": ROBOTS for host in HOSTS},
)
JOBS = st.builds(
    lambda scheduler, partitions, delay, pages, cycles: Job.of(
        SEEDS,
        [{"action": "accept", "suffix": [".test"]}],
        frontier={"partitions": partitions, "scheduler": scheduler},
        politeness={"delay_seconds": delay},
        limits={"pages": pages},
        revisit={"cycles": cycles, "policy": "fresh"} if cycles > 1 else {},
    ),
    st.sampled_from(["breadth-first", "breadth-first", "best-first", "top-window"]),
    st.sampled_from([1, 4]),
    st.sampled_from([0.0, 1.0]),
    st.sampled_from([0, 0, 3]),
    st.sampled_from([1, 1, 2]),
)


def told(replies: Mapping[str, Reply], job: Job) -> object:
    """Crawl; returns each request with its moment, and what became of every URL."""
    web = Heard(replies)
    with tempfile.TemporaryDirectory() as folder:
        reason = "pages" if job.limits.pages else EXHAUSTED
        try:
            outcomes: Mapping[str, Outcome | None] | None = crawl(
                web, job, Path(folder), reason=reason
            )
        except AssertionError:  # fewer pages than the limit: both must say so
            outcomes = None
    return web.asked, outcomes


@settings(max_examples=examples(40), deadline=None)
@given(WEBS, JOBS)
def test_the_same_requests_are_sent_at_the_same_moments(
    replies: dict[str, Reply], job: Job
) -> None:
    compiled = told(replies, job)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(worker, "Sender", PlainSender)
        patch.setattr(turns, "PartitionTurns", PlainTurns)
        patch.setattr(Worker, "pump", plain_pump, raising=False)
        assert told(replies, job) == compiled


class Ready(PageSteps):
    """A partition that has as much work as it is told."""

    def __init__(self, number: int, work: int) -> None:
        self.number_of_it, self.work = number, work

    def has_work(self) -> bool:
        return self.work > 0


def test_partitions_take_turns_and_who_has_no_work_leaves_the_line() -> None:
    partitions = {number: Ready(number, work) for number, work in ((3, 3), (1, 1), (2, 2))}
    line = PartitionTurns(partitions, dict.fromkeys(partitions))  # type: ignore[arg-type]
    taken = []
    while (partition := line.next()) is not None:
        assert isinstance(partition, Ready)
        partition.work -= 1
        taken.append(partition.number_of_it)
    assert taken == [3, 1, 2, 3, 2, 3]
