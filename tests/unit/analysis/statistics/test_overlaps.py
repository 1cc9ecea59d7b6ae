"""URL overlap, content overlap and communication are counted, not asserted."""

from __future__ import annotations

from pathlib import Path

from lycosa.analysis.study.build import study
from lycosa.features.plugins.scheduling import partitioner_of
from lycosa.model.url import key_of
from lycosa.runtime.directory import CrawlDirectory
from unit.analysis.study.drawn_crawl import Fetch, rows, write_with_topics

COPY = "<html>the same words at every address " + "word " * 30


def test_what_is_fetched_twice_and_what_is_copied_is_counted(tmp_path: Path) -> None:
    keys = [key_of(f"http://{host}.test/{path}") for host in "abc" for path in ("", "1")]
    fetches = [
        Fetch(keys[0], [keys[2], keys[4]], body=COPY),
        Fetch(keys[1], body=COPY),
        Fetch(keys[2], [keys[0]], body=COPY),
        Fetch(keys[3]),
        Fetch(keys[4]),
    ]
    topics = dict.fromkeys(keys, ("art", 0.9)) | {keys[2]: ("music", 0.9)}
    folder = tmp_path / "crawl"
    write_with_topics(folder, fetches, topics)
    write_with_topics(folder, [Fetch(keys[3])], topics, began=1.8e9)
    study(folder)
    found = {row["measure"]: row for row in rows(folder, "topic_overlaps")}
    assert {row["pages"] for row in found.values()} == {5}
    partition_of = partitioner_of(CrawlDirectory.open(folder).job(), None).partition_of
    a, b, c = (partition_of(keys[at]) for at in (0, 2, 4))
    assert {measure: row["number"] for measure, row in found.items()} == {
        "url overlap": 1,
        "content overlap": 2,
        "content overlap of partitions": int(a != b),
        "content overlap of topics": 1,
        "messages": None,
        "links between partitions": 2 * (a != b) + (a != c),
    }
    assert found["url overlap"]["share"] == 1 / 5
