"""How many workers there are, and who gets what."""

from __future__ import annotations

import time

import pytest

from lycosa.crawl.status.progress import Progress, add_up
from lycosa.model.job import Job
from lycosa.runtime.processes import assignments
from lycosa.runtime.processes.assignments import assignments_of, worker_count

MANY = [f"site{n}.test" for n in range(200)]


@pytest.fixture(autouse=True)
def sixteen_cores(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(assignments, "core_count", lambda: 16)


def job_of(workers: int = 0, connections: int = 512, partitions: int = 64) -> Job:
    return Job.of(
        crawl={"workers": workers},
        fetch={"connections": connections},
        frontier={"partitions": partitions},
    )


def test_there_is_one_worker_for_every_core() -> None:
    assert worker_count(job_of(), None) == 16
    assert worker_count(job_of(), MANY) == 16


def test_nobody_is_started_who_would_have_nothing_to_do() -> None:
    assert worker_count(job_of(), ["www.site.test", "site.test"]) == 1
    assert worker_count(job_of(connections=64), None) == 8
    assert worker_count(job_of(connections=3), None) == 1
    assert worker_count(job_of(partitions=2), None) == 2


def test_who_asks_for_workers_gets_them_as_far_as_they_can_be_told_apart() -> None:
    assert worker_count(job_of(5), ["site.test"]) == 5
    assert worker_count(job_of(40, partitions=7), None) == 7
    assert worker_count(job_of(40, connections=6), None) == 6


def test_a_focused_crawl_has_one_worker_that_compares_all_that_waits() -> None:
    def job(policy: str, workers: int = 0) -> Job:
        return Job.of(
            frontier={"scheduler": "topics"},
            fetch={"connections": 512},
            topics={"model": "some.model", "policy": policy, "wanted": ["spiders"]},
            crawl={"workers": workers},
        )

    assert worker_count(job("focused"), MANY) == 1
    assert worker_count(job("focused", workers=3), MANY) == 3
    assert worker_count(job("each"), MANY) == 16


def test_connections_bandwidth_and_partitions_are_shared_out() -> None:
    job = Job.of(fetch={"connections": 11, "bytes_per_second": 1000})
    shares = assignments_of(job, 3)
    assert sorted(share.connections for share in shares) == [3, 4, 4]
    assert [share.bytes_per_second for share in shares] == [333] * 3
    assert sorted(n for share in shares for n in share.partitions) == list(range(64))
    assert [share.bytes_per_second for share in assignments_of(Job(), 3)] == [0] * 3
    assert not any(share.is_alone for share in shares)


def test_a_single_worker_gets_the_whole_crawl() -> None:
    job = Job.of(fetch={"connections": 11, "bytes_per_second": 1000})
    (whole,) = assignments_of(job, 1)
    assert whole.is_alone and whole.partitions == list(range(64))
    assert (whole.connections, whole.bytes_per_second) == (11, 1000)


def test_progress_is_added_up_and_the_dead_count_for_what_they_did() -> None:
    one = Progress(1, 10, 100, 12, 0, 5, 1, {"idle": 2}, {"kept": 10}, {"scheme": 1}, 9.0)
    two = one._replace(pages=3, seconds_left=20.0, commits=4, commit_lock_seconds=0.5)
    dead = one._replace(requests=7, commits=1)
    total = add_up([one, two], [dead])
    assert (total.pages, total.bytes, total.pending, total.workers) == (13, 200, 10, 2)
    assert (total.requests, total.commits, total.commit_lock_seconds) == (31, 5, 0.5)
    assert total.hosts == {"idle": 4} and total.outcomes == {"kept": 20}
    assert total.seconds_left == 20.0


def test_workers_have_one_time_whatever_the_machine_says_when_they_start() -> None:
    shares = assignments_of(Job(), 3, clock_ahead=100.0)
    assert {share.clock_ahead for share in shares} == {100.0}
    (offset,) = {share.clock_offset for share in shares}
    assert offset is not None
    assert abs(time.monotonic() + offset - time.time() - 100.0) < 10.0
