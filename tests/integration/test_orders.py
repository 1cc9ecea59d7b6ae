"""Orders to crawls of real processes over real sockets, which are killed after each of them."""

from __future__ import annotations

import json
import random
import time
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

import warm
from integration.applied_orders import applied_events, orders_for, run_again
from lycosa.model.job import Job
from lycosa.model.records import Outcome
from lycosa.operate.inspect.audit import audit
from lycosa.runtime.directory import CrawlDirectory
from lycosa.runtime.orders import orders
from lycosa.runtime.orders.desk import Given, give, known_orders
from lycosa.runtime.orders.live import Frame, read_frame
from seeds import few_of
from socket_crawls import finish, web_of
from worker_crawls import Judged, eventually, kept_urls, start, unchanged, worker_pids

PAUSED_SECONDS = 1.0
"""After this time a pause that was given lets no request begin."""


def frame_of(directory: CrawlDirectory) -> Frame | None:
    """Return what the process that crawls now has written."""
    frame, holder = read_frame(directory.path), directory.holder()
    return frame if frame and holder and frame.pid == holder.pid else None


def applied(directory: CrawlDirectory, number: int) -> None:
    """Wait until all workers have applied an order."""
    eventually(lambda: (frame := frame_of(directory)) is not None and frame.order >= number)


def slow(job: Job) -> Job:
    """The crawl must not be done before all orders are given."""
    politeness = replace(job.politeness, delay_seconds=1.0, large_site_delay_seconds=1.0)
    return replace(job, politeness=politeness)


def lycosa(*arguments: str) -> str:
    ended = warm.lycosa(*arguments)
    assert ended.returncode == 0, ended.stderr
    return ended.stdout


@pytest.mark.parametrize(("workers", "kinds"), few_of([(2, "some"), (1, "all"), (2, "all")], 1))
def test_every_order_has_effect_once_whatever_is_killed_after_it(
    workers: int, kinds: str, tmp_path: Path
) -> None:
    """The crawl is paused by the first order, so that it cannot end before the last one.

    A stop ends the run that it was given to and no later one, whether that run could end or not.
    """

    def slow_with_workers(job: Job) -> Job:
        return replace(slow(job), crawl=replace(job.crawl, workers=workers))

    web = web_of(16, 8)
    excluded, some = web.home(1) + "tree/", orders_for(web, kinds)
    with Judged(web, tmp_path, slow_with_workers) as judged:
        directory = judged.directory
        process = run_again(directory)
        judged.wait_for_requests(30)
        for number, order in enumerate(some, 1):
            eventually(lambda: frame_of(directory) is not None)
            assert give(directory, order, str(number))[:2] == (number, True)
            if number % 2 and workers > 1 and not isinstance(order, orders.Stop):
                judged.kill_worker(random.Random(number))
            else:
                judged.kill_all(process)
                process = run_again(directory)
            assert give(directory, order, str(number)) == Given(number, is_new=False)
            applied(directory, number)
        finish(process, directory)
    assert [str(breach) for breach in judged.referee.breaches] == []
    wanted = list(range(1, len(some) + 1))
    assert set(map(tuple, applied_events(directory).values())) == {tuple(wanted)}
    seeds = [web.home(number) for number in range(16)]
    kept = kept_urls(directory)
    missed = web.pages_within(seeds, 3) - set(kept)  # links that were found while the rule held
    assert all(url.startswith(excluded) for url in missed) and max(kept.values()) == 1
    states = directory.states(directory.job()).values()
    assert sum(state.outcomes[Outcome.EXCLUDED] for state in states) == 0
    assert audit(directory).breaches == []


@pytest.mark.parametrize("workers", few_of([2, 1], 1))
def test_a_pause_holds_over_kills_and_counts_in_no_limit(workers: int, tmp_path: Path) -> None:
    def limited(job: Job) -> Job:
        crawl = replace(job.crawl, workers=workers)
        return replace(job, limits=replace(job.limits, seconds=3600), crawl=crawl)

    with Judged(web_of(12, 6), tmp_path, limited) as judged:
        directory = judged.directory
        process = run_again(directory)
        judged.wait_for_requests(20)
        give(directory, orders.Pause())
        time.sleep(PAUSED_SECONDS)
        asked = judged.server.requests
        applied(directory, 1)
        frame = frame_of(directory)
        assert frame is not None and frame.state == "paused"
        judged.kill_all(process)
        process = run_again(directory)
        applied(directory, 1)
        if workers > 1:
            eventually(lambda: len(worker_pids(directory)) == workers)
            judged.kill_worker(random.Random(1))
            eventually(lambda: len(worker_pids(directory)) == workers)
        eventually(lambda: (now := frame_of(directory)) is not None and now.state == "paused")
        assert judged.server.requests == asked
        ran = max(state.seconds_run() for state in directory.states(directory.job()).values())
        goes_on = time.monotonic()
        assert "paused (process" in lycosa("status", str(directory.path))
        assert lycosa("resume", str(directory.path)) == "order 2: the crawl goes on\n"
        judged.wait_for_requests(1)
        states = directory.states(directory.job()).values()
        assert all(state.paused_from == 0.0 for state in states)
        most = ran + time.monotonic() - goes_on + 0.5
        assert max(state.seconds_run() for state in states) <= most < 3600
        finish(process, directory)
    assert [str(breach) for breach in judged.referee.breaches] == []
    assert audit(directory).breaches == []


@pytest.mark.parametrize("workers", few_of([2, 1, 3], 1))
def test_limits_that_are_added_raised_and_lowered_stay_exact(workers: int, tmp_path: Path) -> None:
    with Judged(web_of(16, 8), tmp_path, slow) as judged:
        directory = judged.directory
        process = start(directory, "--workers", str(workers))
        eventually(lambda: frame_of(directory) is not None)
        give(directory, orders.SetValue("limits.pages", 1000))
        applied(directory, 1)
        judged.wait_for_requests(30)
        given = give(directory, orders.Pause())
        applied(directory, given.number)
        eventually(lambda: (now := frame_of(directory)) is not None and not now.figures().in_flight)
        first = kept_pages(directory) + 15
        give(directory, orders.SetValue("limits.pages", first))
        lycosa("resume", str(directory.path))
        assert f"Ended by the limit of {first} pages" in finish(process, directory)
        assert kept_pages(directory) == first
        lycosa("set", str(directory.path), f"limits.pages={first + 9}", "--id", "raised")
        process = start(directory, "--workers", str(workers))
        assert "Ended by the limit" in finish(process, directory)
        assert kept_pages(directory) == first + 9
        lycosa("set", str(directory.path), "--unset", "limits.pages")
        finish(start(directory, "--workers", str(workers)), directory)
    assert judged.referee.breaches == []
    assert kept_pages(directory) > first + 9


def kept_pages(directory: CrawlDirectory) -> int:
    return sum(state.kept_pages for state in directory.states(directory.job()).values())


def test_a_longer_pause_holds_at_once_and_audit_judges_by_it(tmp_path: Path) -> None:
    with Judged(web_of(6, 3), tmp_path, unchanged) as judged:
        directory = judged.directory
        own = directory.job().politeness.delay_seconds
        process = start(directory, "--workers", "2")
        judged.wait_for_requests(10)
        give(directory, orders.SetValue("politeness.delay_seconds", own + 1.5))
        applied(directory, 1)
        judged.wait_for_requests(6)
        lycosa("stop", str(directory.path))
        assert process.wait(30) == 130
    verdict = audit(directory)
    assert verdict.breaches == []
    assert verdict.closest is not None and verdict.requests > 10


def test_commands_list_orders_and_preview_rules(tmp_path: Path) -> None:
    web = web_of(4, 2)
    with Judged(web, tmp_path, unchanged) as judged:
        directory, path = judged.directory, str(judged.directory.path)
        process = start(directory, "--workers", "1")
        eventually(lambda: frame_of(directory) is not None)
        lycosa("pause", path)
        queue = json.loads(lycosa("status", path, "--json"))["pending"]
        preview = json.loads(lycosa("exclude", path, web.home(1), "--preview", "--json"))
        assert preview["pending"] == queue and 0 <= preview["matching"] <= queue
        assert lycosa("exclude", path, web.home(1)) == f"order 2: exclude: {web.home(1)}\n"
        host = web.home(0).split("/")[2].split(":")[0]
        assert json.loads(lycosa("block", path, host, "--json"))["is_applied"]
        lycosa("resume", path)
        given = [type(one.order).__name__ for one in known_orders(directory)]
        assert given == ["Pause", "AddRule", "Block", "Resume"]
        listed = json.loads(lycosa("orders", path, "--json"))
        assert [one["is_applied"] for one in listed] == [True] * 4
        finish(process, directory)
    outcomes = Counter[int]()
    for state in directory.states(directory.job()).values():
        outcomes.update(state.outcomes)
    assert outcomes[Outcome.EXCLUDED] >= preview["matching"] > 0
    assert judged.referee.breaches == [] and audit(directory).breaches == []
