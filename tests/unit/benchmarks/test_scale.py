"""The made-up webs of the benchmarks of scale: what must be the same, and what must differ."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest
from benchmarks import size, workers
from benchmarks.kernel.pages import TREE_A
from benchmarks.race.measuring import Usage
from benchmarks.race.trees import TREES

from lycosa.frontier.partitioners import make_partitioner
from lycosa.model.url import key_of
from lycosa.runtime.processes.assignments import assign


def test_both_workers_have_hosts_of_the_tree() -> None:
    partitioner = make_partitioner("domain", 64)
    found = set()
    for host in workers.host_names(8):
        key = key_of(f"http://{host}/")
        assert key is not None
        found.add(partitioner.partition_of(key))
    assert all(found.intersection(owned) for owned in assign(64, 2))


def test_every_host_is_a_seed_in_scope_and_has_an_address(tmp_path: Path) -> None:
    hosts = workers.host_names(3)
    words = workers.command(tmp_path, TREES["A"], 8080, hosts)
    assert words.count("--include") == 3
    for number, host in enumerate(hosts, 1):
        assert f"127.0.0.{number} {host}" in (tmp_path / "hosts").read_text().splitlines()
        assert f"http://{host}{TREES['A'].start}" in (tmp_path / "seeds").read_text()


def test_what_the_start_takes_is_taken_off_together_with_its_pages() -> None:
    names = ("commit_queue_seconds", "commit_lock_seconds", "commit_write_seconds")
    said = {"commits": 10, **dict.fromkeys(names, 0.1)}
    pages = frozenset(map(str, range(1001)))
    whole = workers.Crawl(Usage(2.0, 1.0, 5.0, 50.0), pages, said)
    start = workers.Crawl(Usage(0.5, 0.5, 1.0, 50.0), frozenset("1"), said)
    found = workers.figures(1, [whole], [start])
    assert found.a_page_without_start == pytest.approx(2.0)
    assert found.locked == pytest.approx(10.0)


@pytest.mark.parametrize("kind", size.KINDS)
def test_a_page_has_as_many_links_whatever_is_known(kind: str) -> None:
    few = size.LinkedWeb(TREE_A, kind, 50, 20)
    many = size.LinkedWeb(TREE_A, kind, 5000, 20)
    for path, body in few.bodies.items():
        assert body.count(b"<a ") == many.bodies[path].count(b"<a ") == 120


def test_every_new_link_is_new_once() -> None:
    ranges = [size.new_pages(page) for page in range(100)]
    assert all(before.stop == after.start for before, after in pairwise(ranges))
    assert {len(found) for found in ranges} == {1, 2}
