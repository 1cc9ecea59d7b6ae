"""What a model says of a crawl: topics of its pages in a table, and where to begin the next."""

from __future__ import annotations

from pathlib import Path

import pyarrow.parquet as pq
import pytest

from lycosa.analysis.study.sql import asked
from lycosa.analysis.topics.page_topics import SCHEMA, TABLE, classify
from lycosa.analysis.topics.seeds import best_hubs, best_pages, likelihoods, newest_texts
from lycosa.extract.topics.model import TopicModel
from lycosa.extract.topics.training import train
from lycosa.model.url import key_of
from lycosa.storage.tables.derived import derived_path, derived_tables
from made_topics import examples, made_texts
from unit.analysis.study.drawn_crawl import BEGAN, Fetch, write


@pytest.fixture(scope="module")
def model() -> TopicModel:
    return train(examples(made_texts(40)))


def key(name: str) -> str:
    return key_of(f"http://{name}.test/")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Four pages of music; `list` links to three of them, `fan` to one, `noise` to sport alone."""
    folder = tmp_path_factory.mktemp("topics") / "crawl"
    music = [text.content.decode() for text in made_texts(4, ["music"], seed=5)]
    sport = made_texts(1, ["sport"], seed=5)[0].content.decode()
    fetches = [Fetch(key(f"m{n}"), body=body) for n, body in enumerate(music)]
    fetches += [
        Fetch(key("sport"), body=sport),
        Fetch(key("list"), [key("m0"), key("m1"), key("m2"), key("list")], body="a list of links"),
        Fetch(key("fan"), [key("m0"), key("sport")], body=music[0]),
        Fetch(key("noise"), [key("sport")], body=sport),
    ]
    write(folder, fetches)
    return folder


def test_a_crawl_is_classified_into_a_table_that_sql_sees(folder: Path, model: TopicModel) -> None:
    before = sorted((path, path.stat().st_mtime_ns) for path in folder.rglob("*") if path.is_file())
    counts, _ = classify(folder, model)
    assert counts["music"] == 5 and counts["sport"] == 2 and sum(counts.values()) == 8
    with asked(folder, "select topic, count(*) as n from page_topics group by all") as answer:
        assert dict(answer.fetchall()) == dict(counts)
    joined = "select count(*) from pages join page_topics using (fetch_id, url)"
    with asked(folder, joined) as answer:
        assert answer.fetchall() == [(8,)]
    found = pq.read_table(derived_path(folder, TABLE))
    assert found.schema == SCHEMA and set(found["model"].to_pylist()) == {model.digest}
    for row in found.to_pylist():
        names = row["topics"].split()
        assert len(names) == len(row["confidences"]) <= 3
        assert row["topic"] == (names or ["other"])[0]
    own = folder / "index" / "tables"
    after = [path for path in folder.rglob("*") if path.is_file() and own not in path.parents]
    assert before == sorted((path, path.stat().st_mtime_ns) for path in after)


def test_a_crawl_is_classified_anew_by_another_model(folder: Path, model: TopicModel) -> None:
    classify(folder, model)
    other = train(examples(made_texts(40, ["music", "biology"])))
    classify(folder, other)
    found = pq.read_table(derived_path(folder, TABLE))
    assert set(found["model"].to_pylist()) == {other.digest} and found.num_rows == 8
    assert list(derived_tables(folder)) == [TABLE]


def test_every_fetch_of_a_page_has_a_row(tmp_path: Path, model: TopicModel) -> None:
    music, sport = (made_texts(1, [topic])[0].content.decode() for topic in ("music", "sport"))
    write(tmp_path / "c", [Fetch(key("a"), body=music)])
    write(tmp_path / "c", [Fetch(key("a"), body=sport)], BEGAN + 1000, is_sealed=False)
    assert classify(tmp_path / "c", model).counts == {"music": 1, "sport": 1}


def test_hubs_are_the_pages_that_link_to_many_of_the_topic(folder: Path, model: TopicModel) -> None:
    texts = newest_texts(folder)
    likely = likelihoods(model, texts, "music")
    assert sum(one > 0 for one in likely) == 5
    found = best_hubs(folder, texts, likely, 10)
    assert [(seed.url, seed.links) for seed in found] == [
        ("http://list.test/", 3),
        ("http://fan.test/", 1),
    ]
    assert found[0].score > found[1].score
    assert best_hubs(folder, texts, [0.0] * len(texts), 10) == []


def test_without_hubs_the_surest_pages_are_taken(folder: Path, model: TopicModel) -> None:
    texts = newest_texts(folder)
    found = best_pages(texts, likelihoods(model, texts, "sport"), 10)
    assert {seed.url for seed in found} == {"http://sport.test/", "http://noise.test/"}
    assert found == sorted(found, key=lambda seed: -seed.score)
