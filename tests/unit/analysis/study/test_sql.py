"""SQL and exports: everything can be asked, nothing can be changed."""

from __future__ import annotations

import csv
import json
import sys
from hashlib import sha256
from pathlib import Path
from typing import Any

import networkx
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from msgspec import structs

from lycosa._support.extras import STUDY, require_study
from lycosa.analysis.exports.export import Rows, export
from lycosa.analysis.study import sql
from lycosa.analysis.study.build import study
from lycosa.analysis.study.sql import asked
from lycosa.errors import LycosaError
from lycosa.features.topics.classifier import all_columns
from lycosa.model.job import Job
from lycosa.model.records import Outcome
from lycosa.model.url.key import url_of
from lycosa.runtime.directory import CrawlDirectory
from lycosa.storage.archive.archive import ArchiveStore
from unit.analysis.study.drawn_crawl import BEGAN, HTML, Fetch, captures, id_of, write

A, B, C = (f"test.a:/{name}?x=1&y=2" for name in "abc")
OTHER = "test.b:/"


@pytest.fixture
def crawl(tmp_path: Path) -> Path:
    folder = tmp_path / "my [crawl]*"
    moved = Fetch(C, outcome=Outcome.REDIRECTED, status=301, headers=(HTML, ("Location", "/d")))
    write(folder, [Fetch(A, [B, C]), moved, Fetch("test.a:/d"), Fetch(OTHER, [A])])
    write(folder, [Fetch(B, [A])], BEGAN + 1000, is_sealed=False)
    return folder


def answer(folder: Path, query: str) -> list[Any]:
    with asked(folder, query) as found:
        rows: list[Any] = found.fetchall()
        return rows


def test_sealed_and_open_segments_are_one_table(crawl: Path) -> None:
    assert answer(crawl, "select count(*) from pages where outcome = 'kept'") == [(4,)]
    assert answer(crawl, "select count(*) from links") == [(4,)]
    assert answer(crawl, "select count(*) from text") == [(4,)]
    assert answer(crawl, "from hosts") == []


def test_pages_have_their_depth_beside_their_distance(tmp_path: Path) -> None:
    write(tmp_path, [Fetch(A), Fetch(B, depth=3)])
    write(tmp_path, [Fetch(C, depth=1)], BEGAN + 1000, is_sealed=False)
    assert answer(tmp_path, "select depth from pages order by url") == [(0,), (3,), (1,)]
    study(tmp_path)
    assert answer(tmp_path, "select depth, pages from depths order by depth") == [
        *((0, 1), (1, 1), (3, 1)),
    ]


def test_tables_of_the_study_are_there_when_it_is(crawl: Path) -> None:
    with pytest.raises(LycosaError, match="lycosa study"):
        answer(crawl, "select * from ranks")
    study(crawl)
    assert answer(crawl, "select sum(in_degree) from ranks") == [(4,)]


def files(folder: Path) -> dict[str, str]:
    found = (path for path in folder.rglob("*") if path.is_file())
    return {str(path): sha256(path.read_bytes()).hexdigest() for path in found}


@pytest.mark.parametrize(
    "query",
    [
        "copy (select 1) to '{table}'",
        "copy (select 1) to '{table}' (format parquet, use_tmp_file false)",
        "explain analyze copy (select 1) to '{table}' (format parquet, use_tmp_file false)",
        "select 1; copy (select 1) to '{table}'",
        "copy (select 1) to '{folder}/new.csv'",
        "attach '{folder}/new.db'",
        "export database '{folder}/new'",
        "create table more as select 1",
        "drop view pages",
        "insert into pages select * from pages",
        "delete from pages",
        "update pages set url = ''",
        "set enable_external_access = true",
        "install httpfs",
        "pragma database_list",
        "",
    ],
)
def test_nothing_but_a_query_is_run(crawl: Path, query: str) -> None:
    before = files(crawl)
    table = next(crawl.glob("pages/*.parquet"))
    with pytest.raises(LycosaError, match=r"is read-only|expected one query"):
        answer(crawl, query.format(table=table, folder=crawl))
    assert files(crawl) == before


@pytest.mark.parametrize(
    "query",
    [
        "from read_text('{folder}/crawl.toml')",
        "from '{folder}/crawl.toml'",
        "from read_csv('/etc/passwd')",
        "from read_parquet('https://example.org/a.parquet')",
        "from glob('{folder}/*')",
        "from sqlite_scan('{folder}/log/log.sqlite', 'events')",
        "from query('select * from read_text(''/etc/passwd'')')",
    ],
)
def test_no_other_file_can_be_read(crawl: Path, query: str) -> None:
    with pytest.raises(LycosaError):
        answer(crawl, query.format(folder=crawl))


@pytest.mark.parametrize("query", ["select parquet from pages", "select 1 frm 'a.parquet'"])
def test_a_wrong_query_that_says_parquet_is_not_damage(crawl: Path, query: str) -> None:
    with pytest.raises(LycosaError) as told:
        answer(crawl, query)
    assert "--repair" not in str(told.value)


def test_the_second_wall_stands_without_the_first(
    crawl: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sql, "_checked", lambda connection, query: query)
    before = files(crawl)
    table = next(crawl.glob("pages/*.parquet"))
    for target in (table, crawl / "new.parquet"):
        with pytest.raises(LycosaError, match="disabled by configuration"):
            answer(crawl, f"copy (select 1) to '{target}' (format parquet, use_tmp_file false)")
    assert files(crawl) == before


def test_columns_of_plugins_are_null_where_there_are_none(tmp_path: Path) -> None:
    write(tmp_path, [Fetch(A)])
    store = ArchiveStore(tmp_path, extra_columns=pa.schema([("words", pa.int64())]))
    (capture,) = captures([Fetch(B)], BEGAN + 1000)
    store.append(structs.replace(capture, extra=(7,)))
    store.seal(lambda place, key: True)
    store.close()
    assert answer(tmp_path, "select words from pages order by words") == [(7,), (None,)]
    study(tmp_path)


def test_an_error_names_the_place_and_the_tables(crawl: Path) -> None:
    with pytest.raises(LycosaError) as caught:
        answer(crawl, "select urll from pages")
    assert '"url"' in str(caught.value)
    assert "tables: hosts, links, pages, text" in str(caught.value)


def test_a_table_is_exported_in_every_format(crawl: Path, tmp_path: Path) -> None:
    study(crawl)
    paths = {form: tmp_path / f"out.{form}" for form in ("parquet", "csv", "jsonl")}
    for form, path in paths.items():
        export(crawl, "pages", form, path)
    urls = {"http://a.test/d", "http://b.test/"}
    urls |= {f"http://a.test/{name}?x=1&y=2" for name in "abc"}
    assert {row["url"] for row in pq.read_table(paths["parquet"]).to_pylist()} == urls
    with paths["csv"].open(encoding="utf-8", newline="") as file:
        assert {row["url"] for row in csv.DictReader(file)} == urls
    lines = paths["jsonl"].read_text(encoding="utf-8").splitlines()
    assert {json.loads(line)["url"] for line in lines} == urls
    assert not list(tmp_path.glob("*.tmp"))


def test_the_graph_that_is_exported_is_the_one_that_was_ranked(crawl: Path, tmp_path: Path) -> None:
    study(crawl)
    export(crawl, "links", "graphml", tmp_path / "pages.graphml")
    graph = networkx.read_graphml(tmp_path / "pages.graphml")
    expected = {(A, B), (A, "test.a:/d"), (OTHER, A), (B, A)}
    assert set(graph.edges) == {(str(id_of(s)), str(id_of(t))) for s, t in expected}
    assert graph.nodes[str(id_of(A))]["url"] == "http://a.test/a?x=1&y=2"
    theirs = networkx.pagerank(graph, tol=1e-12)
    for node, value in theirs.items():
        assert graph.nodes[node]["pagerank"] == pytest.approx(value, abs=1e-9)
    export(crawl, "hosts", "graphml", tmp_path / "sites.graphml")
    sites = networkx.read_graphml(tmp_path / "sites.graphml")
    assert dict(sites.edges) == {("http://b.test", "http://a.test"): {"links": 1}}


@pytest.mark.parametrize("form", ["graphml", "gexf"])
def test_nodes_of_a_graph_have_labels(form: str, tmp_path: Path) -> None:
    titles = {A: 'Fish & "Chips" <b>\x01', B: ""}
    fetches = [Fetch(A, [B]), Fetch(B, [A]), Fetch(OTHER, [A])]
    CrawlDirectory.create(tmp_path, Job.of(seeds=["http://a.test/"]))
    store = ArchiveStore(tmp_path)
    for capture in captures(fetches, BEGAN):
        store.append(structs.replace(capture, title=titles.get(capture.key, "Other")))
    store.seal(lambda place, key: True)
    store.close()
    study(tmp_path)
    read = {"graphml": networkx.read_graphml, "gexf": networkx.read_gexf}[form]
    export(tmp_path, "ranks", form, tmp_path / "pages.xml")
    pages = read(tmp_path / "pages.xml")
    labels = {int(node): facts["label"] for node, facts in pages.nodes(data=True)}
    assert labels == {
        id_of(A): 'Fish & "Chips" <b>',
        id_of(B): url_of(B),
        id_of(OTHER): "Other",
    }
    assert pages.nodes[str(id_of(A))]["url"] == url_of(A)
    assert pages.number_of_edges() == 3
    export(tmp_path, "sites", form, tmp_path / "sites.xml")
    sites = read(tmp_path / "sites.xml")
    assert {facts["label"] for _, facts in sites.nodes(data=True)} == {"a.test", "b.test"}
    weight = {"graphml": "links", "gexf": "weight"}[form]
    assert [facts[weight] for *_, facts in sites.edges(data=True)] == [1]


@pytest.mark.parametrize(
    ("name", "form", "target", "said"),
    [
        ("nothing", "csv", "x", "there is no table `nothing`"),
        ("text", "graphml", "x", "is not a graph"),
        ("links", "graphml", "x", "lycosa study"),
        ("pages", "parquet", None, "-o FILE"),
    ],
)
def test_an_export_that_cannot_be_says_why(
    crawl: Path, tmp_path: Path, name: str, form: str, target: str | None, said: str
) -> None:
    with pytest.raises(LycosaError, match=said):
        export(crawl, name, form, tmp_path / target if target else None)


def test_an_export_never_lands_among_the_tables(crawl: Path) -> None:
    with pytest.raises(LycosaError, match="belongs to the crawl"):
        export(crawl, "pages", "parquet", crawl / "pages" / "copy.parquet")


def test_a_missing_package_is_named_with_what_installs_it(monkeypatch: pytest.MonkeyPatch) -> None:
    require_study("lycosa study")
    for package in STUDY:
        monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(
        LycosaError, match=r"needs duckdb, numpy, py3langid, scipy\n.*'\.\[study\]'"
    ):
        require_study("lycosa study")


def test_an_export_withholds_what_pages_ask_for(tmp_path: Path) -> None:
    CrawlDirectory.create(tmp_path, Job.of(seeds=["http://a.test/"]))
    store = ArchiveStore(tmp_path)
    wishes = {A: {}, B: {"is_noarchive": True}, C: {"is_noindex": True}}
    for capture in captures([Fetch(key) for key in wishes], BEGAN):
        store.append(structs.replace(capture, title="T", **wishes[capture.key]))
    store.seal(lambda place, key: True)
    store.close()

    def exported(name: str, **flags: Any) -> dict[str, Any]:
        target = tmp_path / "out.jsonl"
        export(tmp_path, name, "jsonl", target, rows=Rows(**flags))
        lines = map(json.loads, target.read_text(encoding="utf-8").splitlines())
        return {line["url"]: line["title"] for line in lines}

    assert exported("text") == {url_of(A): "T"}
    assert exported("pages") == {url_of(A): "T", url_of(B): None, url_of(C): "T"}
    everything = dict.fromkeys(map(url_of, wishes), "T")
    assert exported("text", with_withheld=True) == everything
    assert exported("pages", with_withheld=True) == everything
    job = tmp_path / "crawl.toml"
    told = job.read_text(encoding="utf-8")
    job.write_text(told.replace("obey_noindex = true", "obey_noindex = false"), encoding="utf-8")
    assert exported("text") == {url_of(A): "T", url_of(C): "T"}


def test_an_export_of_a_topic_has_its_pages_and_those_of_topics_below(tmp_path: Path) -> None:
    CrawlDirectory.create(tmp_path, Job.of(seeds=["http://a.test/"]))
    store = ArchiveStore(tmp_path, extra_columns=all_columns(None))
    found = {A: "science", B: "science.biology sport", C: "other"}
    for capture in captures([Fetch(key) for key in found], BEGAN):
        topics = found[capture.key]
        first = topics.split()[0]
        extra = (first, 0.9, topics if topics != "other" else "")
        distance = 0 if capture.key == A else 21
        store.append(structs.replace(capture, extra=extra, distance=distance))
    store.seal(lambda place, key: True)
    store.close()

    def exported(name: str, **flags: Any) -> set[str]:
        target = tmp_path / "out.jsonl"
        export(tmp_path, name, "jsonl", target, rows=Rows(**flags))
        lines = map(json.loads, target.read_text(encoding="utf-8").splitlines())
        return {line["url"] for line in lines}

    for table in ("pages", "text"):
        assert exported(table, topic="science") == {url_of(A), url_of(B)}
        assert exported(table, topic="science.biology") == {url_of(B)}
        assert exported(table, topic="sport") == {url_of(B)}
        assert exported(table, topic="other") == {url_of(C)}
        assert exported(table, topic="science", without_seeds=True) == {url_of(B)}
        assert exported(table, without_seeds=True) == {url_of(B), url_of(C)}
    with pytest.raises(LycosaError, match=r"no page is about `scien`\n.*other, science"):
        exported("pages", topic="scien")
    with pytest.raises(LycosaError, match="`hosts` has no topics"):
        exported("hosts", topic="science")
