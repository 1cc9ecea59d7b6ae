"""`study`, `sql` and `export` as a user types them, also while the crawl runs."""

from __future__ import annotations

import csv
import io
import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import networkx
import pytest

from lycosa.cli.publishing.export import OF_TOPICS, STUDIED
from tree_web import tree_web
from warm import lycosa
from worker_crawls import eventually

LYCOSA = (sys.executable, "-m", "lycosa")
PAGES = 40
"""Of one host: a tree of four levels with three children a page."""


class Web(NamedTuple):
    hosts_file: str
    seeds: list[str]

    def flags(self, delay: str) -> list[str]:
        hosts = f"fetch.hosts_file={self.hosts_file}"
        return ["--allow-private", "--set", hosts, "--delay", delay, "--ip-delay", "1ms"]


@pytest.fixture(scope="module")
def web(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Web]:
    with tree_web(tmp_path_factory.mktemp("web"), 4, 3, 1) as (hosts_file, seeds):
        yield Web(hosts_file, seeds)


@pytest.fixture(scope="module")
def crawled(web: Web, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("crawls") / "mycrawl"
    done = lycosa("crawl", web.seeds[0], "-o", path, "--json", *web.flags("5ms"))
    assert done.returncode == 0, done.stderr
    return path


def test_a_crawl_is_studied_asked_and_exported(crawled: Path, tmp_path: Path) -> None:
    studied = lycosa("study", crawled, "--json")
    assert studied.returncode == 0, studied.stderr
    facts = json.loads(studied.stdout)
    assert (facts["is_new"], facts["pages"], facts["sites"]) == (True, PAGES, 1)
    assert facts["tables"]["ranks"] == PAGES
    assert "nothing new since" in lycosa("study", crawled).stdout
    counted = lycosa("sql", crawled, "select sum(pages) as n from depths", "--format", "jsonl")
    assert json.loads(counted.stdout) == {"n": PAGES}
    table = lycosa("sql", crawled, "from outcomes", "--format", "table").stdout
    assert [line.split()[:2] for line in table.splitlines()][1] == ["kept", str(PAGES)]
    lines = lycosa("export", "ranks", crawled).stdout.splitlines()
    assert len(lines) == PAGES + 1 and lines[0].startswith("url_id,url,site,")
    graph = tmp_path / "g.graphml"
    assert lycosa("export", "ranks", crawled, "--format", "graphml", "-o", graph).returncode == 0
    assert networkx.read_graphml(graph).number_of_nodes() == PAGES


PARTS = """select list(url order by url)[:2] as some, map {date '2026-11-18': 1} as days,
    {'n': count(*), 'of': [1.5, 'nan'::double]} as both, 'a'::blob as bytes, '\\xFF'::blob as byte,
    interval 3 day as span, array_value(1, 2) as pair, '101'::bit as bits, null::integer[] as none,
    ['=1+1;=2'] as formula from pages where outcome = 'kept'"""


def test_lists_and_maps_are_written_as_json(crawled: Path) -> None:
    written = lycosa("sql", crawled, PARTS, "--raw", "--format", "csv")
    assert (written.returncode, written.stderr) == (0, "")
    lines = lycosa("sql", crawled, PARTS, "--format", "jsonl")
    assert (lines.returncode, lines.stderr) == (0, "")
    expected = json.loads(lines.stdout)
    assert len(expected["some"]) == 2 and expected["days"] == {"2026-11-18": 1}
    assert expected["both"] == {"n": PAGES, "of": [1.5, "nan"]}
    (row,) = csv.DictReader(io.StringIO(written.stdout))
    parts = ("some", "days", "both", "pair", "formula")
    assert {name: json.loads(row[name]) for name in parts} == {
        name: expected[name] for name in parts
    }
    assert (row["bytes"], row["byte"], row["span"], row["none"]) == ("a", "\\xff", "P0M3DT0S", "")
    (safe,) = csv.DictReader(io.StringIO(lycosa("sql", crawled, PARTS).stdout))
    assert safe["formula"] == """["=1+1;'=2"]"""
    shown = lycosa("sql", crawled, "select [1, 2] as l, map {'a': 1} as m", "--format", "table")
    assert shown.stdout.splitlines()[1].split("  ")[:2] == ["[1, 2]", '{"a": 1}']


def test_what_is_wrong_is_said_with_what_to_do(crawled: Path, tmp_path: Path) -> None:
    nothing = lycosa("study", tmp_path)
    assert (nothing.returncode, nothing.stdout) == (2, "")
    assert "there is no crawl here" in nothing.stderr
    bad = lycosa("sql", crawled, "selec 1")
    assert bad.returncode == 1
    assert "syntax error" in bad.stderr and "tables: " in bad.stderr
    unknown = lycosa("export", "page", crawled)
    assert unknown.returncode == 1
    assert "there is no table `page`" in unknown.stderr


def test_an_export_is_appended_to_what_is_there(crawled: Path, tmp_path: Path) -> None:
    target = tmp_path / "all.jsonl"
    target.write_text('{"mine": 1}\n', encoding="utf-8")
    for _ in range(2):
        command = f"{' '.join(LYCOSA)} export pages {crawled} --format jsonl >> {target}"
        subprocess.run(["bash", "-c", command], check=True)
    lines = [json.loads(line) for line in target.read_text(encoding="utf-8").splitlines()]
    assert lines[0] == {"mine": 1}
    urls = [line["url"] for line in lines[1:]]
    assert len(urls) >= 2 * PAGES and urls[: len(urls) // 2] == urls[len(urls) // 2 :]


def test_help_names_every_table(crawled: Path) -> None:
    tables = json.loads(lycosa("study", crawled, "--json").stdout)["tables"]
    said = lycosa("export", "--help").stdout.replace(",", " ").split()
    assert set(tables) | {"pages", "links", "text", "hosts"} <= set(said)
    assert set(STUDIED) - set(OF_TOPICS) == set(tables)
    assert set(OF_TOPICS) <= set(said)


def test_a_reader_that_has_had_enough_is_no_error(crawled: Path) -> None:
    command = f"{' '.join(LYCOSA)} export links {crawled} --format jsonl | head -1"
    done = subprocess.run(
        ["bash", "-o", "pipefail", "-c", command], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(done.stdout)["kind"] == "anchor"


def test_a_crawl_can_be_studied_while_it_runs(web: Web, tmp_path: Path) -> None:
    path = tmp_path / "running"
    command = [*LYCOSA, "crawl", web.seeds[0], "-o", str(path), "--json", *web.flags("300ms")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as crawl:
        try:
            eventually(
                lambda: any(file.stat().st_size > 5000 for file in path.glob("pages/*.arrows"))
            )
            studied = lycosa("study", path, "--json")
            assert studied.returncode == 0, studied.stderr
            facts = json.loads(studied.stdout)
            assert 1 <= facts["pages"] <= PAGES
            assert facts["tables"]["ranks"] == facts["pages"]
            asked = lycosa("sql", path, "select count(*) >= 1 as some from pages")
            assert asked.stdout.split() == ['"some"', "true"]
        finally:
            if crawl.poll() is None:
                os.kill(crawl.pid, signal.SIGINT)
        crawl.communicate(timeout=60)
    assert json.loads(lycosa("study", path, "--json").stdout)["is_new"]
    assert lycosa("audit", path).returncode == 0
