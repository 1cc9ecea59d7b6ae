"""Views that a router shows by the fragment: each a page of its own, once, and none a URL."""

from __future__ import annotations

import json
import random
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path
from zipfile import ZipFile

import pytest

from integration.rendered_crawl import HashApplication, crawl, lycosa, served
from lycosa.storage.archive.reader import table
from lycosa_testweb.webs.script_maze import HOME

pytestmark = pytest.mark.needs("chromium")


def rows_of(path: Path) -> list[tuple[str, str, str]]:
    rows = table(path, "pages", ["url", "outcome", "record"]).to_pylist()
    return [(row["url"], row["outcome"], row["record"]) for row in rows]


def require_each_view_once(path: Path, web: HashApplication) -> None:
    shown = Counter(url for url, outcome, _ in rows_of(path) if outcome == "rendered")
    assert shown == Counter([HOME, *web.urls_of_views()])
    fetched = Counter(url for url, outcome, _ in rows_of(path) if outcome == "kept")
    assert max(fetched.values()) == 1 and {HOME, f"{HOME}plain"} <= set(fetched)
    texts = {row["url"]: row["text"] for row in table(path, "text", ["url", "text"]).to_pylist()}
    for view in web.views:
        assert web.text_of(view) in " ".join(texts[HOME + view].split())
    for command in ("audit", "verify"):
        done = lycosa(command, path)
        assert done.returncode == 0, done.stdout + done.stderr


def test_each_view_of_a_page_is_a_page_of_its_own(tmp_path: Path) -> None:
    web, path = HashApplication(), tmp_path / "crawl"
    with served(web, tmp_path) as (server, referee):
        crawl(server, path, "always", "--workers", "1", "--set", "render.views=20")
    require_each_view_once(path, web)
    assert [str(breach) for breach in referee.breaches] == []
    records = {url: record for url, outcome, record in rows_of(path) if outcome == "rendered"}
    assert set(records.values()) == {"conversion"}
    status = json.loads(lycosa("status", path, "--json").stdout)
    fetched = [url for url, outcome, _ in rows_of(path) if outcome == "kept"]
    assert status["pages"] == len(fetched) + len(web.views), "each view counts as a page"
    assert "its view #/view/2 shown by a browser: rendered" in " ".join(
        lycosa("explain", path, HOME).stdout.split()
    )
    # Search, list and archive have them.
    assert lycosa("index", path).returncode == 0
    found = json.loads(lycosa("search", path, "view-3", "--json").stdout)
    assert f"{HOME}#/view/3" in json.dumps(found)
    done = lycosa("export", "wacz", path, "-o", tmp_path / "crawl.wacz")
    assert done.returncode == 0, done.stderr
    with ZipFile(tmp_path / "crawl.wacz") as archive:
        pages = archive.read("pages/pages.jsonl").decode()
    assert all(json.dumps(url) in pages for url in web.urls_of_views())
    done = lycosa("export", "text", path, "-o", tmp_path / "text.jsonl")
    assert done.returncode == 0, done.stderr
    text = (tmp_path / "text.jsonl").read_text()
    assert [view for view in web.views if HOME + view not in text] == []


def test_without_the_setting_a_fragment_is_nothing(tmp_path: Path) -> None:
    web, path = HashApplication(3), tmp_path / "crawl"
    with served(web, tmp_path) as (server, _):
        crawl(server, path, "always", "--workers", "1")
    assert not [url for url, _, _ in rows_of(path) if "#" in url]


@pytest.mark.parametrize("pages", [3, 6])
def test_views_count_in_the_limit_of_pages(pages: int, tmp_path: Path) -> None:
    web, path = HashApplication(), tmp_path / "crawl"
    more = ("--set", "render.views=20", "--max-pages", str(pages), "--workers", "1")
    with served(web, tmp_path) as (server, _):
        crawl(server, path, "always", *more)
        status = json.loads(lycosa("status", path, "--json").stdout)
        views = {url for url, outcome, _ in rows_of(path) if outcome == "rendered" and "#" in url}
        fetched = {url for url, outcome, _ in rows_of(path) if outcome == "kept"}
        assert status["pages"] == pages == len(views) + len(fetched)
        done = lycosa("resume", path, "--quiet", "--max-pages", "0")
        assert done.returncode == 0, done.stderr
    require_each_view_once(path, web)


def test_views_count_in_the_limit_of_their_host(tmp_path: Path) -> None:
    web, path = HashApplication(), tmp_path / "crawl"
    more = ("--set", "render.views=20", "--set", "limits.host_pages=6", "--workers", "1")
    with served(web, tmp_path) as (server, _):
        crawl(server, path, "always", *more)
    status = json.loads(lycosa("status", path, "--json").stdout)
    views = [url for url, outcome, _ in rows_of(path) if outcome == "rendered" and "#" in url]
    assert status["pages"] == 6 and len(views) < len(web.views)
    assert status["rendered"]["host-limit"] == len(web.views) - len(views)


@pytest.mark.parametrize("place", ["render.before:4", "render.done:5", "render.done:9"])
def test_each_view_is_shown_once_through_a_kill(place: str, tmp_path: Path) -> None:
    web, path = HashApplication(), tmp_path / "crawl"
    with served(web, tmp_path) as (server, referee):
        more = ("--workers", "1", "--set", "render.views=20")
        crawl(server, path, "always", *more, kill_at=place)
        server.client_killed()
        done = lycosa("resume", path, "--quiet")
        assert done.returncode == 0, done.stderr
    require_each_view_once(path, web)
    assert [str(breach) for breach in referee.breaches] == []


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(3))
def test_each_view_is_shown_once_through_kills_at_random_moments(seed: int, tmp_path: Path) -> None:
    web, path, chance = HashApplication(12), tmp_path / "crawl", random.Random(seed)
    with served(web, tmp_path) as (server, _):
        more = ("--set", "render.views=20", "--workers", "1")
        crawl(server, path, "always", *more, kill_at=f"render.done:{chance.randint(1, 4)}")
        server.client_killed()
        for _ in range(4):
            process = subprocess.Popen([sys.executable, "-m", "lycosa", "resume", path, "--quiet"])
            time.sleep(chance.uniform(2.0, 9.0))
            process.kill()
            process.wait()
            server.client_killed()
        done = lycosa("resume", path, "--quiet")
        assert done.returncode == 0, done.stderr
    require_each_view_once(path, web)
