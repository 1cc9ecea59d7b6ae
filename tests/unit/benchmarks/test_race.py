"""The pure parts of the race: commands, counts, medians, tables, profiles."""

from __future__ import annotations

import os
import sys
from collections import Counter
from pathlib import Path

import pytest
from benchmarks.race import clients, profile, server, spread, table, trees
from benchmarks.race.clients import Course
from benchmarks.race.measuring import ClientFailed, Run, Summary, Usage, measure, summarise
from benchmarks.race.trees import TREES

from lycosa._support import failpoints
from lycosa.cli import watch

TITLES = {"lycosa": "Lycosa", "wget2": "wget2", "scrapy-plain": "Scrapy"}


def run(
    client: str = "lycosa", *, pages: int = 100, cpu: float = 1.0, complete: bool = True
) -> Run:
    return Run(client, "A", Usage(cpu * 0.75, cpu * 0.25, cpu * 2, 50.0), pages, complete, 3.0)


def summary(client: str, rate: float, *, complete: bool = True) -> Summary:
    return summarise([run(client, pages=int(rate), complete=complete)])


def test_the_median_run_decides_and_the_extremes_are_told() -> None:
    found = summarise([run(cpu=1.0), run(cpu=4.0), run(cpu=2.0)])
    assert found.pages_per_cpu_second == 50.0
    assert (found.slowest, found.fastest) == (25.0, 100.0)
    assert found.user_seconds + found.system_seconds == 2.0
    assert found.wall_seconds == 4.0


def test_a_commit_of_the_past_is_compared_like_a_rival() -> None:
    titles = {**TITLES, "lycosa@1234abcd": "Lycosa@1234abcd", "lycosa-names": "Lycosa on hosts"}
    rates = {"lycosa": 120, "lycosa@1234abcd": 100, "lycosa-names": 90, "wget2": 240}
    summaries = [summary(client, rate) for client, rate in rates.items()]
    assert table.ratios(summaries, titles) == [
        "Lycosa / Lycosa@1234abcd: 1.20",
        "Lycosa / wget2: 0.50",
    ]


def test_one_run_that_was_cut_off_makes_the_whole_incomplete() -> None:
    assert not summarise([run(), run(complete=False)]).complete


def test_the_children_of_a_client_are_counted_with_it(tmp_path: Path) -> None:
    burn = "import time\nwhile time.process_time() < 0.3: pass"
    parent = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {burn!r}], check=True)"
    used = measure([sys.executable, "-c", parent], folder=tmp_path, environment={}, most_seconds=60)
    assert used.cpu_seconds >= 0.3
    assert used.wall_seconds > 0
    assert used.peak_megabytes > 1


def test_a_client_that_fails_says_what_it_said(tmp_path: Path) -> None:
    command = [sys.executable, "-c", "raise SystemExit('no such page')"]
    with pytest.raises(ClientFailed, match="no such page"):
        measure(command, folder=tmp_path, environment={}, most_seconds=60)


def test_a_client_that_does_not_end_is_killed(tmp_path: Path) -> None:
    command = [sys.executable, "-c", "import time; time.sleep(600)"]
    with pytest.raises(ClientFailed, match="in time"):
        measure(command, folder=tmp_path, environment={}, most_seconds=0.2)


def test_lycosa_s_pages_are_the_html_records_of_its_index(tmp_path: Path) -> None:
    index = tmp_path / "crawl" / "cdx" / "one.cdxj"
    index.parent.mkdir(parents=True)
    lines = [
        '{"url": "http://127.0.0.1:80/a%20b.html#x", "mime": "text/html", "status": "200"}',
        '{"url": "http://127.0.0.1:80/gone.html", "mime": "text/html", "status": "404"}',
        '{"url": "http://127.0.0.1:80/robots.txt", "mime": "text/plain", "status": "200"}',
    ]
    index.write_text("".join(f"key 20260101000000 {line}\n" for line in lines))
    assert list(clients.lycosa_pages(tmp_path)) == ["/a b.html"]


def test_wget2_s_pages_are_the_html_files_that_it_left(tmp_path: Path) -> None:
    folder = tmp_path / "files" / "core"
    folder.mkdir(parents=True)
    for name in ("a b.html", "sidebar.js"):
        (folder / name).write_text("x")
    assert list(clients.wget2_pages(tmp_path)) == ["/core/a b.html"]


def test_scrapy_s_pages_are_its_lines(tmp_path: Path) -> None:
    (tmp_path / "pages.jsonl").write_text('{"url": "http://127.0.0.1:80/a.html?q=1"}\n')
    assert list(clients.scrapy_pages(tmp_path)) == ["/a.html?q=1"]


def test_every_client_gets_the_same_start_and_scope(tmp_path: Path) -> None:
    course = Course(TREES["A"], 8080, seconds=30)
    commands = [
        clients.lycosa_command("lycosa", course, tmp_path),
        clients.wget2_command("wget2", course, tmp_path),
        clients.scrapy_command("python", "plain", course, tmp_path),
    ]
    for command in commands:
        assert "http://127.0.0.1:8080/java.base/module-summary.html" in command
        assert "64" in " ".join(command)
    assert "http://127.0.0.1:8080/java.base/" in commands[0]
    assert "--no-parent" in commands[1]
    assert "http://127.0.0.1:8080/java.base/" in commands[2]


def test_names_are_served_on_an_address_each_and_one_name_on_one(tmp_path: Path) -> None:
    many = server.Place(names=True).configuration(TREES["A"], tmp_path, 8080)
    one = server.Place().configuration(TREES["A"], tmp_path, 8080)
    assert many.count("listen 127.0.0.") == 64
    assert "$host" in many
    assert one.count("listen ") == 1
    assert "listen 127.0.0.1:8080;" in one
    assert "sub_filter" not in one


def test_over_tls_pages_are_packed_and_every_client_trusts_the_server(tmp_path: Path) -> None:
    served = server.Place(tls=True).configuration(TREES["A"], tmp_path, 8080)
    assert "listen 127.0.0.1:8080 ssl;" in served
    assert "gzip on;" in served
    course = Course(TREES["A"], 8080, tls=True)
    assert course.start.startswith("https://")
    commands = [
        clients.lycosa_command("lycosa", course, tmp_path),
        clients.wget2_command("wget2", course, tmp_path),
    ]
    assert all(str(server.authority()) in " ".join(command) for command in commands)


def test_a_tree_that_is_spread_has_the_same_links_on_hosts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(trees, "CACHE", tmp_path)
    tree = trees.Tree("T", "package", "served", "/in/", "/in/a.html")
    pages = tree.root / "in"
    pages.mkdir(parents=True)
    (pages / "a.html").write_text(
        '<a class="x" href="b.html#part">b</a> <a href="../out.html">out</a> <a href=\'gone.html\'>'
    )
    (pages / "b.html").write_text("<p>no link")
    (tree.root / "out.html").write_text("")
    made = spread.spread(tree, 64)
    text = (made.root / "in" / "a.html").read_text()
    assert f'<a class="x" href="http://{spread.host_of("/in/b.html", 64)}/in/b.html#part">' in text
    assert 'href="../out.html"' in text
    assert "href='gone.html'" in text
    assert (made.root / "in" / "b.html").read_text() == "<p>no link"
    alone = spread.spread(tree, 1)
    assert 'href="http://h1.race.test/in/b.html#part"' in (alone.root / "in/a.html").read_text()


def test_every_host_links_to_the_next_and_the_last_to_the_first(tmp_path: Path) -> None:
    maps = server.linked(["a.test", "b.test", "c.test"])
    assert "a.test b.test; b.test c.test; c.test a.test;" in maps
    linked = server.Place(names=True, maps=maps).configuration(TREES["A"], tmp_path, 8080)
    assert maps in linked
    assert 'href="http://$next$uri"' in linked


def test_the_table_has_the_quickest_first_and_marks_what_was_cut_off() -> None:
    found = table.rows(
        [summary("scrapy-plain", 40, complete=False), summary("lycosa", 1500)],
        TITLES,
        {"lycosa": 0.8},
    )
    assert [row[0] for row in found] == ["Lycosa", "Scrapy"]
    assert found[0][1:3] == ["1,500", "**1,500**"]
    assert found[0][-1] == "0.80"
    assert found[1][1] == "40 (cut off)"
    assert all(len(row) == len(table.HEADS) for row in found)


def test_ratios_are_lycosa_to_each_rival() -> None:
    found = table.ratios([summary("lycosa", 500), summary("wget2", 2000)], TITLES)
    assert found == ["Lycosa / wget2: 0.25"]


def test_pages_that_one_client_lacks_are_named() -> None:
    pages = {"lycosa": frozenset({"/a", "/b"}), "wget2": frozenset({"/a"})}
    assert table.differences(pages, TITLES) == ["wget2 lacks 1 of 2: /b"]


def test_equal_pages_are_said_to_be_equal() -> None:
    pages = {"lycosa": frozenset({"/a"}), "wget2": frozenset({"/a"})}
    (said,) = table.differences(pages, TITLES)
    assert "the same 1 pages" in said


def test_the_section_is_replaced_where_it_stands() -> None:
    first = table.placed("# Results\n\n## Other\n", "## The race\n\none", *table.MARKS)
    second = table.placed(first + "\n## Later\n", "## The race\n\ntwo", *table.MARKS)
    assert "one" not in second
    assert [second.count(mark) for mark in table.MARKS] == [1, 1]
    assert second.index("## Other") < second.index("two") < second.index("## Later")
    assert table.placed(second, "## The race\n\ntwo", *table.MARKS) == second


def test_a_section_with_marks_of_its_own_leaves_the_others_alone() -> None:
    first = table.placed("# Results\n", "## The race\n\none", *table.MARKS)
    both = table.placed(first, "## Other\n\ntwo", "<!-- b -->", "<!-- e -->")
    assert table.placed(both, "## The race\n\none", *table.MARKS) == both
    again = table.placed(both, "## Other\n\nthree", "<!-- b -->", "<!-- e -->")
    assert again == both.replace("two", "three")


def test_a_profile_counts_a_sample_for_its_function_module_and_callers() -> None:
    raw = [
        "main (lycosa/cli/main.py:3);pack (lycosa/storage/warc/warc_format.py:9);f (base64.py:2) 3",
        "main (lycosa/cli/main.py:4);_find_and_load (<frozen importlib._bootstrap>:1) 1",
        "main (lycosa/cli/main.py:4);Loop._turn (lycosa/_support/loop.py:468) 9",
        "main (lycosa/cli/main.py:4);sync_file (lycosa/storage/archive/files.py:196) 8",
    ]
    found = profile.counted(profile.stacks(raw))
    assert found["module"] == {"lycosa/storage/warc/warc_format.py": 3, "(imports)": 1}
    assert found["function"]["f (base64.py)"] == 3
    assert found["caller"] == {
        "main (lycosa/cli/main.py)": 4,
        "pack (lycosa/storage/warc/warc_format.py)": 3,
    }


def test_a_profiled_crawl_has_no_watcher_that_is_sampled_in_its_place(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def fork() -> int:
        raise AssertionError("a watcher has been forked")

    monkeypatch.setattr(os, "fork", fork)
    for name, value in profile.UNWATCHED.items():
        monkeypatch.setenv(name, value)
    watch.watch(with_large_pages=False)
    failpoints.arm_from_environment()
    assert failpoints.armed() is None


def test_a_profile_gives_shares_and_microseconds() -> None:
    assert profile.listed(Counter({"f": 1, "g": 3}), 4, 2000.0, 1).split() == [
        "75.0%",
        "1500.0",
        "g",
    ]
