"""Tables on topics: what SQL counts is what a plain count over a made crawl gives."""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from lycosa.analysis.statistics.topics import MOST_SITES, POINTS
from lycosa.analysis.study.build import study
from lycosa.analysis.study.results import Results
from lycosa.analysis.topics.page_topics import SCHEMA
from lycosa.model.records import Outcome
from lycosa.storage.tables.derived import derived_path
from unit.analysis.study.drawn_crawl import BEGAN, Fetch, id_of, rows, write, write_with_topics

TABLES = {"topics", "topic_links", "topic_harvest", "topic_sites"}
TOPICS = ("other", "science", "science.biology", "sport")
WANTED = "science"
PAGES, SITES = 230, 25


class Made(NamedTuple):
    """A crawl, and what was put into it."""

    folder: Path
    fetches: list[Fetch]
    topics: Mapping[str, tuple[str, float]]

    def site(self, fetch: Fetch) -> str:
        host = fetch.key.partition(":")[0].partition(".")[2]
        return f"http://{host}.test"


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Made:
    chance = random.Random(7)
    keys = [f"test.h{chance.randrange(SITES)}:/{number}" for number in range(PAGES)]
    fetches = [
        Fetch(key, chance.sample(keys, 4), "x" * chance.randrange(20, 90) + key) for key in keys
    ]
    topics = {
        key: (chance.choice(TOPICS), chance.randrange(1, 100) / 100)
        for key in keys
        if chance.random() < 0.9
    }
    folder = tmp_path_factory.mktemp("topics") / "crawl"
    gone = Fetch("test.h0:/gone", outcome=Outcome.NOT_FOUND, status=404)
    write_with_topics(folder, [*fetches, gone], topics, wanted=[WANTED])
    found = study(folder).facts["topics"]
    assert found == {
        "topics": len(TOPICS),
        "classified": len(topics),
        "unclassified": PAGES - len(topics),
        "wanted": [WANTED],
    }
    return Made(folder, fetches, topics)


def by_site(made: Made) -> dict[str, Counter[str]]:
    found: dict[str, Counter[str]] = defaultdict(Counter)
    for fetch in made.fetches:
        if fetch.key in made.topics:
            found[made.site(fetch)][made.topics[fetch.key][0]] += 1
    return found


def test_topics_have_their_pages_bytes_and_sites(made: Made) -> None:
    found = {row.pop("topic"): row for row in rows(made.folder, "topics")}
    assert set(found) == set(TOPICS)
    sites = by_site(made)
    for topic, row in found.items():
        own = [f for f in made.fetches if made.topics.get(f.key, ("",))[0] == topic]
        sureness = [made.topics[fetch.key][1] for fetch in own]
        assert row.pop("mean_confidence") == pytest.approx(sum(sureness) / len(own))
        assert row == {
            "pages": len(own),
            "bytes": sum(len(fetch.body) for fetch in own),
            "sites": sum(topic in counts for counts in sites.values()),
            "own_sites": sum(2 * counts[topic] > counts.total() for counts in sites.values()),
        }


def test_sites_of_a_topic_are_those_with_most_of_its_pages(made: Made) -> None:
    sites = by_site(made)
    found = rows(made.folder, "topic_sites")
    for topic in TOPICS:
        best = sorted((-counts[topic], site) for site, counts in sites.items() if counts[topic])
        own = [row for row in found if row["topic"] == topic]
        assert [(-row["pages"], row["site"]) for row in own] == best[:MOST_SITES]
        assert [row["place"] for row in own] == list(range(1, len(own) + 1))
        for row in own:
            share = row["pages"] / sites[row["site"]].total()
            assert row["share"] == pytest.approx(share)


def test_links_between_topics_are_held_against_chance(made: Made) -> None:
    pairs = Counter(
        (made.topics[fetch.key][0], made.topics[target][0])
        for fetch in made.fetches
        for target in set(fetch.links) - {fetch.key}
        if fetch.key in made.topics and target in made.topics
    )
    away, towards = Counter[str](), Counter[str]()
    for (source, target), links in pairs.items():
        away[source] += links
        towards[target] += links
    found = rows(made.folder, "topic_links")
    assert len(found) == len(TOPICS) ** 2
    for row in found:
        links = pairs[row["source"], row["target"]]
        expected = away[row["source"]] * towards[row["target"]] / pairs.total()
        assert row["links"] == links
        assert row["expected"] == pytest.approx(expected)
        assert row["ratio"] == pytest.approx(links / expected)
    assert sum(row["expected"] for row in found) == pytest.approx(pairs.total())


def test_the_harvest_is_counted_in_the_order_of_fetching(made: Made) -> None:
    wanted = [
        made.topics[fetch.key][0].startswith(WANTED)
        for fetch in made.fetches
        if fetch.key in made.topics
    ]
    found = rows(made.folder, "topic_harvest")
    assert len(found) == POINTS and found[-1]["pages"] == len(wanted)
    assert all(row["harvest_rate"] == row["wanted"] / row["pages"] for row in found)
    for row in found:
        last = wanted[row["pages"] - row["window_pages"] : row["pages"]]
        assert row["wanted"] == sum(wanted[: row["pages"]])
        assert row["window_wanted"] == sum(last)
        assert row["window_rate"] == sum(last) / len(last)
    assert found[-1]["window_pages"] == pytest.approx(len(wanted) / 10, abs=2)


A, B = "test.a:/a", "test.a:/b"


def apply(folder: Path, key: str, topic: str) -> None:
    """Write the table of `topics apply`, with one page in it."""
    pages = pq.read_table(folder / "pages").to_pylist()
    (fetch,) = (row for row in pages if row["url_id"] == id_of(key))
    same = {name: fetch[name] for name in ("url_id", "fetch_id", "url")}
    path = derived_path(folder, "page_topics")
    path.parent.mkdir(parents=True, exist_ok=True)
    made = {**same, "topic": topic, "topic_confidence": 0.5, "topics": topic}
    pq.write_table(pa.Table.from_pylist([made], SCHEMA), path)


def test_a_page_is_about_what_it_was_about_at_last_and_unchanged_pages_keep_it(
    tmp_path: Path,
) -> None:
    first = {A: ("sport", 0.5), B: ("sport", 0.5)}
    write_with_topics(tmp_path, [Fetch(A, body="same"), Fetch(B, body="old")], first)
    later = [Fetch(A, body="same"), Fetch(B, body="new")]
    write_with_topics(tmp_path, later, {B: ("music", 0.9)}, BEGAN + 1000)
    study(tmp_path)
    assert {r["topic"]: r["pages"] for r in rows(tmp_path, "topics")} == {"sport": 1, "music": 1}
    assert rows(tmp_path, "topic_harvest") == [], "the job wants no topic"


def test_a_crawl_without_topics_has_no_tables_until_they_are_applied(tmp_path: Path) -> None:
    write(tmp_path, [Fetch(A, [B]), Fetch(B)])
    assert "topics" not in study(tmp_path).facts
    assert not TABLES & set(Results(tmp_path).tables())

    for topic in ("sport", "music"):  # of a model, then of another
        apply(tmp_path, A, topic)
        found = study(tmp_path)
        assert found.is_new and found.facts["topics"]["unclassified"] == 1
        assert [(r["topic"], r["pages"]) for r in rows(tmp_path, "topics")] == [(topic, 1)]
    assert not study(tmp_path).is_new


def test_what_was_applied_later_counts_instead_of_what_the_crawl_found(tmp_path: Path) -> None:
    write_with_topics(tmp_path, [Fetch(A)], {A: ("sport", 0.5)})
    apply(tmp_path, A, "music")
    study(tmp_path)
    assert [row["topic"] for row in rows(tmp_path, "topics")] == ["music"]
