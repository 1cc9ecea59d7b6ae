"""Crawls with a browser: what scripts make is found, politely, and once, whatever is killed."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections import Counter
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pytest
from benchmarks.rendering import Application

from integration.rendered_crawl import LateApplication, SentOn, Stuck, crawl, lycosa, served
from lycosa.storage.archive.reader import find_text, table
from lycosa_testweb.webs import script_maze
from lycosa_testweb.webs.script_maze import DOCS, HOME, KINDS, PartTypes, ScriptMaze

pytestmark = pytest.mark.needs("chromium")
FEW = ("fetch", "other-host", "button")
APART_SECONDS = 5.0
"""After a death some answers are read by another process, and are decided on when it has started
and read them: a kill before that loses them."""


def kept(path: Path) -> list[str]:
    rows = table(path, "pages", ["url", "outcome"]).to_pylist()
    return [row["url"] for row in rows if row["outcome"] == "kept"]


def is_anything_left_of(process: int) -> bool:
    """Return whether a process of a browser lives that a process had started."""
    folder = f"{tempfile.gettempdir()}/lycosa-browser-{os.getuid()}-{process}-".encode()
    for one in Path("/proc").glob("[0-9]*/cmdline"):
        with suppress(OSError):
            if folder in one.read_bytes():
                return True
    return False


def test_a_crawl_finds_what_scripts_make_through_a_kill(tmp_path: Path) -> None:
    web = ScriptMaze(FEW)
    path = tmp_path / "crawl"
    with served(web, tmp_path) as (server, referee):
        crawl(server, path, "auto", "--workers", "1", kill_at="render.done:3")
        server.client_killed()
        done = lycosa("resume", path, "--quiet")
        assert done.returncode == 0, done.stderr
    found = Counter(kept(path))
    assert set(web.pages()) <= set(found)
    assert {url for url in found if found[url] > 1} == set()
    assert [str(breach) for breach in referee.breaches] == []
    assert "all is well" in (find_text(path, f"{HOME}shell") or "")
    rows = table(path, "pages", ["url", "outcome", "record", "title"]).to_pylist()
    rendered = Counter(row["url"] for row in rows if row["outcome"] == "rendered")
    assert rendered == Counter([HOME + name for name in (*FEW, "shell")])
    assert {row["record"] for row in rows if row["outcome"] == "rendered"} == {"conversion"}
    for command in (("audit", path), ("verify", path)):
        done = lycosa(*command)
        assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("workers", ["1", "2"])
def test_what_scripts_ask_for_is_kept_whatever_its_type(workers: str, tmp_path: Path) -> None:
    web, path = PartTypes(), tmp_path / "crawl"
    with served(web, tmp_path) as (server, referee):
        more = ("--workers", workers)
        if workers == "1":
            crawl(server, path, "always", *more, seed=DOCS, kill_at="render.done:2")
            server.client_killed()
            done = lycosa("resume", path, "--quiet")
            assert done.returncode == 0, done.stderr
        else:
            crawl(server, path, "always", *more, seed=DOCS)
    assert [str(breach) for breach in referee.breaches] == []
    text = find_text(path, f"{DOCS}app") or ""
    assert [word for word in script_maze.WORDS if word not in text] == []
    rows = table(path, "pages", ["url", "outcome"]).to_pylist()
    outcomes = {row["url"]: row["outcome"] for row in rows if row["outcome"] != "rendered"}
    assert outcomes[script_maze.LINKED_FILE] == "wrong_type"
    of_parts = {url: outcomes[url] for url, (kind, _) in script_maze.PARTS.items() if kind}
    # Two of them came as links, before a page asked for them; they are used, and not asked again.
    linked = {url for url, outcome in of_parts.items() if outcome == "wrong_type"}
    assert linked <= set(script_maze.LINKED_PARTS)
    assert {outcomes[url] for url in of_parts.keys() - linked} == {"kept"}
    texts = table(path, "text", ["url"]).to_pylist()
    assert {row["url"] for row in texts} == {DOCS, f"{DOCS}app"}
    status = json.loads(lycosa("status", path, "--json").stdout)
    assert status["parts_refused"] == {"disallowed": 1, "not_found": 1}
    told = lycosa("explain", path, f"{DOCS}app").stdout
    assert f"without the part {script_maze.REFUSED_PART}: disallowed" in told
    assert f"without the part {script_maze.MISSING_PART}: not found" in told
    told = lycosa("explain", path, f"{DOCS}guide.md").stdout
    assert f"asked for by the scripts of {DOCS}app" in told


def test_a_page_that_a_click_ends_keeps_its_text_and_says_why(tmp_path: Path) -> None:
    web, path = Stuck(FEW[:1]), tmp_path / "crawl"
    with served(web, tmp_path) as (server, _):
        crawl(server, path, "always", "--set", "render.seconds=5", seed=f"{HOME}stuck")
    assert "made before the click" in (find_text(path, f"{HOME}stuck") or "")
    assert f"{HOME}found/stuck" in kept(path)
    counts = json.loads(lycosa("status", path, "--json").stdout)["rendered"]
    assert counts == {"timed-out": 1}
    told = " ".join(lycosa("explain", path, f"{HOME}stuck").stdout.split())
    assert "shown by a browser: timed out: while it was clicked; loading " in told
    log = (path / "lycosa.log").read_text()
    assert f"{HOME}stuck: rendering ended as timed-out: while it was clicked" in log
    rows = table(path, "pages", ["url", "outcome", "unread"]).to_pylist()
    unread = {row["url"]: row["unread"] for row in rows if row["outcome"] == "rendered"}
    assert unread == {f"{HOME}stuck": "browser:timed-out"}


@pytest.mark.soak
def test_pages_that_were_empty_without_a_browser_are_rendered_later(tmp_path: Path) -> None:
    web = ScriptMaze(FEW)
    path = tmp_path / "crawl"
    with served(web, tmp_path) as (server, _):
        crawl(server, path, "off")
        assert set(kept(path)) == set(web.plain_pages())
        done = lycosa("status", path)
        assert "4 pages without text or links but for scripts: --render auto" in done.stdout
        done = lycosa("resume", path, "--quiet", "--render", "auto")
        assert done.returncode == 0, done.stderr
    assert set(web.pages()) <= set(kept(path))
    counts = json.loads(lycosa("status", path, "--json").stdout)["rendered"]
    assert counts == {"rendered": 4}


def test_an_application_whose_script_fails_is_no_success(tmp_path: Path) -> None:
    web, path = ScriptMaze(FEW[:1]), tmp_path / "crawl"
    page = b"<!DOCTYPE html><title>App</title><div id=root></div><script>nothing.there()</script>"
    web._pages = {"/": page}
    with served(web, tmp_path) as (server, _):
        crawl(server, path, "always", expects=69)
    told = lycosa("explain", path, HOME).stdout
    assert "rendered: ReferenceError: nothing is not defined" in " ".join(told.split())
    told = lycosa("check", "render", HOME, "--crawl", path).stdout
    assert "nothing is not defined" in told


def test_an_application_behind_ordinary_pages_is_rendered_by_evidence(tmp_path: Path) -> None:
    web, path = LateApplication(), tmp_path / "crawl"
    with served(web, tmp_path) as (server, _):
        crawl(server, path, "auto", "--workers", "1")
    assert {f"{HOME}found/1", f"{HOME}found/2"} <= set(kept(path))
    assert "The article that came as data" in (find_text(path, f"{HOME}app/3") or "")


@pytest.mark.parametrize("mode", ["auto", "always"])
def test_pages_that_are_not_found_lead_on_by_script(mode: str, tmp_path: Path) -> None:
    web, path = SentOn(), tmp_path / "crawl"
    with served(web, tmp_path) as (server, referee):
        crawl(server, path, mode, "--workers", "1", kill_at="render.done:3")
        server.client_killed()
        done = lycosa("resume", path, "--quiet")
        assert done.returncode == 0, done.stderr
    assert [str(breach) for breach in referee.breaches] == []
    assert {f"{HOME}?/{guide}" for guide in web.guides} <= set(kept(path))
    rows = table(path, "pages", ["url", "outcome"]).to_pylist()
    lost = Counter(row["url"] for row in rows if row["outcome"] == "not_found")
    assert lost == Counter([HOME + guide for guide in web.guides]), "and they stay not found"
    links = table(path, "links", ["source_url", "target_url"]).to_pylist()
    led = {(row["source_url"], row["target_url"]) for row in links}
    assert {(HOME + guide, f"{HOME}?/{guide}") for guide in web.guides} <= led
    for command in ("audit", "verify"):
        done = lycosa(command, path)
        assert done.returncode == 0, done.stdout + done.stderr


def test_pages_that_are_not_found_and_lead_nowhere_are_rendered_three_times(
    tmp_path: Path,
) -> None:
    web, path = SentOn(leads=False), tmp_path / "crawl"
    with served(web, tmp_path) as (server, _):
        crawl(server, path, "always", "--workers", "1")
    told = [lycosa("explain", path, HOME + guide).stdout for guide in web.guides]
    assert sum("shown by a browser: rendered" in one for one in told) == 3
    assert {url for url in kept(path) if "?" in url} == set()


@pytest.mark.soak
def test_an_application_of_react_is_crawled(tmp_path: Path) -> None:
    (tmp_path / "application").mkdir()
    web = Application.built(tmp_path / "application")
    path = tmp_path / "crawl"
    with served(web, tmp_path) as (server, referee):
        crawl(server, path, "auto", seed=web.seeds()[0])
    found = Counter(kept(path))
    assert set(web.pages()) <= set(found) and max(found.values()) == 1
    assert "is like no other" in (find_text(path, "http://shop.test/item/7") or "")
    assert [str(breach) for breach in referee.breaches] == []


@pytest.mark.soak
@pytest.mark.parametrize("workers", [1, 2])
def test_every_kind_of_link_by_script_is_found(workers: int, tmp_path: Path) -> None:
    web = ScriptMaze()
    path = tmp_path / "crawl"
    with served(web, tmp_path) as (server, referee):
        crawl(server, path, "always", "--workers", str(workers))
    found = Counter(kept(path))
    behind = {url.partition("?")[0] for url in found}
    assert [kind for kind in KINDS if f"{HOME}found/{kind}" not in behind] == []
    assert max(found.values()) == 1
    assert [str(breach) for breach in referee.breaches] == []


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(3))
def test_a_crawl_with_a_browser_survives_kills_from_outside(seed: int, tmp_path: Path) -> None:
    web = ScriptMaze((*FEW, "scroll", "location", "worker", "shadow"))
    path = tmp_path / "crawl"
    with served(web, tmp_path) as (server, referee):
        referee.rules = replace(referee.rules, forget_window_seconds=APART_SECONDS)
        crawl(server, path, "always", "--workers", "1", kill_at=f"render.before:{2 + seed}")
        server.client_killed()
        for number in range(2):
            process = subprocess.Popen([sys.executable, "-m", "lycosa", "resume", path, "--quiet"])
            time.sleep(4 + seed + number)  # somewhere in the middle of a rendering
            process.kill()
            process.wait()
            server.client_killed()
            deadline = time.monotonic() + 30
            while is_anything_left_of(process.pid):
                assert time.monotonic() < deadline, "a browser has outlived its crawl"
                time.sleep(0.1)
        done = lycosa("resume", path, "--quiet")
        assert done.returncode == 0, done.stderr
    found = Counter(kept(path))
    assert set(web.pages()) <= set(found)
    assert max(found.values()) == 1
    assert [str(breach) for breach in referee.breaches] == []
