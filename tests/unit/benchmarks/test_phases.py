"""The pictures of KSpider's phases: what they are drawn from, and who stands in them."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from benchmarks.phases import NODES, PHASES, HeapWeb, crawl, job_for, main, turns_of, urls_of

from lycosa_testweb.web import request_for


def test_a_heap_has_so_many_pages_and_no_more() -> None:
    web = HeapWeb(2, 5)
    found, todo = set(), [web.home(1)]
    while todo:
        url = todo.pop()
        reply = web.answer(request_for(web, url), 0.0)
        assert reply.status == 200
        found.add(url)
        names = [part.split('"')[0] for part in reply.body.decode().split('href="')[1:]]
        todo += [f"http://www.h1.test{name}" for name in names]
    assert len(found) == 5
    assert web.answer(request_for(web, "http://www.h1.test/5"), 0.0).status == 404


def test_every_host_set_is_served_by_one_node_at_a_time(tmp_path: Path) -> None:
    """KSpider, figures 5 to 7."""
    web = HeapWeb(18, 20)
    job = job_for(web, NODES, PHASES, slot_seconds=5.0, pause=1.0)
    done = crawl(web, job, tmp_path, workers=NODES)
    urls = urls_of(done)
    assert sum(urls.values()) == 18 * 20
    by_node = Counter(dict.fromkeys(range(NODES), 0))
    for (node, _), many in urls.items():
        by_node[node] += many
    assert len(+by_node) == NODES
    turns = turns_of(done, done.result.virtual_seconds)
    assert {one.host_set for one in turns} == set(range(PHASES))
    for host_set in range(PHASES):
        own = sorted((one.began, one.ended) for one in turns if one.host_set == host_set)
        ends = [ended for _, ended in own]
        assert all(ended <= began for ended, (began, _) in zip(ends, own[1:], strict=False))


def test_a_count_says_whether_all_is_well() -> None:
    assert main(["--requests", "600", "--kills", "2"]) == 0
