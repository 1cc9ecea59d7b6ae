"""Whole crawls of mirrors: a payload is stored once, whichever host, partition and run it is of."""

from __future__ import annotations

import random
from collections import Counter
from pathlib import Path

from lycosa.model.job import Job
from lycosa.storage.archive.archive import ArchiveStore
from lycosa.storage.archive.reader import captures, table
from lycosa_testweb.web import Reply
from unit.crawl.drawn_web import DrawnWeb, crawl, kept, page

HOSTS, PAGES, PARTITIONS = 8, 12, 16
CHANCE = random.Random(3)
TEXTS = [CHANCE.randbytes(1500).hex() for _ in range(PAGES)]


def mirrors(first: int) -> dict[str, Reply]:
    """Return hosts with the same pages, and one that leads to the next host."""
    replies = {}
    for host in range(first, first + HOSTS):
        for number, text in enumerate(TEXTS):
            links = [*range(1, PAGES), "end"] if number == 0 else [0]
            body = f"<p>{text}</p>" + "".join(f"<a href='/{name}'>to</a>" for name in links)
            replies[f"http://mirror{host}.test/{number}"] = page(body)
        if host + 1 < first + HOSTS:
            end = f"http://mirror{host}.test/end"
            replies[end] = page(f"<a href='http://mirror{host + 1}.test/0'>more</a>")
    return replies


def run(folder: Path, first: int) -> Counter[str]:
    """Crawl some mirrors; return how many large pages of the archive are of each kind."""
    job = Job.of(
        seeds=[f"http://mirror{first}.test/0"],
        frontier={"partitions": PARTITIONS},
        rules=[{"action": "accept", "suffix": ".test"}],
    )
    replies = mirrors(first)
    found = crawl(DrawnWeb(replies), job, folder, archive=ArchiveStore(folder))
    assert kept(found) == set(replies)
    rows = table(folder, "pages", ["url", "record", "status"]).to_pylist()
    return Counter(
        row["record"] for row in rows if row["status"] == 200 and "/end" not in row["url"]
    )


def test_mirrors_and_a_second_run_are_stored_once(tmp_path: Path) -> None:
    assert run(tmp_path, 0) == {"response": PAGES, "revisit": (HOSTS - 1) * PAGES}
    assert run(tmp_path, HOSTS) == {"response": PAGES, "revisit": (2 * HOSTS - 1) * PAGES}
    there = mirrors(0) | mirrors(HOSTS)
    for stored in captures(tmp_path):
        assert stored.status == 404 or stored.body == there[stored.url].body
