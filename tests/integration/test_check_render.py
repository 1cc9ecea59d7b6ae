"""`lycosa check render`: a page in the browser of a crawl, from a site or from an archive."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from integration.rendered_crawl import DELAY_SECONDS, Stuck, crawl, lycosa, served
from lycosa_testweb.referee.referee import Referee
from lycosa_testweb.servers.server import SocketWeb
from lycosa_testweb.webs.script_maze import (
    DOCS,
    HOME,
    MISSING_PART,
    REFUSED_PART,
    PartTypes,
)

pytestmark = pytest.mark.needs("chromium")


class Site(NamedTuple):
    """A site that is served."""

    server: SocketWeb
    referee: Referee
    folder: Path

    def flags(self) -> Sequence[str]:
        pauses = (
            f"politeness.{name}={DELAY_SECONDS}" for name in ("delay_seconds", "ip_delay_seconds")
        )
        settings = (*pauses, f"fetch.hosts_file={self.server.hosts_file}")
        return ["--allow-private", *(word for one in settings for word in ("--set", one))]

    def check(self, url: str, *words: str, expects: int = 0) -> dict[str, Any]:
        """Run the command, and return what it tells."""
        done = lycosa("check", "render", url, "--json", *words)
        assert done.returncode == expects, done.stderr
        told: dict[str, Any] = json.loads(done.stdout)
        return told


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Site]:
    with served(PartTypes(), tmp_path) as (server, referee):
        yield Site(server, referee, tmp_path)


def test_a_page_and_its_parts_are_asked_for_as_a_crawl_would(site: Site) -> None:
    picture = site.folder / "page.png"
    told = site.check(f"{DOCS}app", *site.flags(), "--picture", str(picture))
    assert told["ending"] == "rendered" and told["why"] == ""
    assert told["lacking"] == {REFUSED_PART: "disallowed", MISSING_PART: "not_found"}
    first, *_, last = told["rounds"]
    assert first["waited_for"] == [] and f"{DOCS}guide.md" in last["waited_for"]
    assert set(last["phases"]) == {"loading", "picture", "reading", "clicks"}
    assert 0 == told["text_bytes_before"] < 200 < told["text_bytes_after"]
    assert picture.read_bytes().startswith(b"\x89PNG")
    site.server.settle()
    assert [str(breach) for breach in site.referee.breaches] == []
    assert site.referee.statistics.requests > 10


def test_with_a_crawl_nothing_is_asked_for(site: Site) -> None:
    path = site.folder / "crawl"
    crawl(site.server, path, "always", "--workers", "1", seed=DOCS)
    site.server.settle()
    requests = site.referee.statistics.requests
    told = site.check(f"{DOCS}app", "--crawl", str(path))
    assert told["ending"] == "rendered" and told["text_bytes_after"] > 200
    assert told["lacking"] == {REFUSED_PART: "not_in_archive", MISSING_PART: "not_found"}
    site.server.settle()
    assert site.referee.statistics.requests == requests
    done = lycosa("check", "render", f"{DOCS}nothing", "--crawl", path)
    assert done.returncode == 1 and "there is no page to render: not in archive" in done.stderr


def test_a_part_that_a_rule_of_the_crawl_rejects_is_told_as_by_the_crawl(site: Site) -> None:
    path, part = site.folder / "crawl", f"{DOCS}guide.md"
    crawl(site.server, path, "always", "--workers", "1", "--exclude", part, seed=DOCS)
    told = site.check(f"{DOCS}app", "--crawl", str(path))
    why = told["lacking"][part]
    assert why != "not_in_archive"
    words = " ".join(lycosa("explain", path, f"{DOCS}app").stdout.split())
    assert f"without the part {part}: {why.replace('_', ' ')}" in words


def test_a_page_that_hangs_is_told_with_its_phase(tmp_path: Path) -> None:
    with served(Stuck(("fetch",)), tmp_path) as (server, referee):
        site = Site(server, referee, tmp_path)
        few = ("--set", "render.seconds=4")
        told = site.check(f"{HOME}stuck", *site.flags(), *few, expects=1)
        assert told["ending"] == "timed-out"
        assert told["why"].startswith("while it was clicked; loading ")
        assert told["rounds"][0]["phases"]["clicks"] > 1
        assert told["text_bytes_after"] > told["text_bytes_before"]


def test_a_page_that_may_not_be_asked_for_is_not(site: Site) -> None:
    done = lycosa("check", "render", REFUSED_PART, *site.flags())
    assert done.returncode == 1 and "no page to render: disallowed" in done.stderr
