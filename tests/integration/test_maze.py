"""A crawl of the maze asks for the target of every kind of link that its flags name."""

from __future__ import annotations

from pathlib import Path

import pytest

from lycosa.model.job import Job
from lycosa.model.records import Request
from lycosa.runtime.directory import CrawlDirectory
from lycosa.runtime.processes.run import run_crawl
from lycosa.storage.archive.reader import table
from lycosa_testweb.servers.server import SocketWeb
from lycosa_testweb.web import Reply
from lycosa_testweb.webs.link_kinds import (
    DEFAULT,
    FORMS,
    PLACES,
    RECORDED,
    REQUISITES,
    WIDE,
)
from lycosa_testweb.webs.maze import HOME, MazeWeb, table_of_kinds

pytestmark = pytest.mark.quick


class Heard(MazeWeb):
    def __init__(self) -> None:
        super().__init__()
        self.asked: list[str] = []

    def answer(self, request: Request, moment: float) -> Reply:
        self.asked.append(request.url)
        return super().answer(request, moment)


def crawl(folder: Path, *, tries_forms: bool, **extract: object) -> tuple[set[str], Path]:
    """Return the kinds of links whose targets were asked for."""
    web = Heard()
    with SocketWeb(web) as server:
        job = Job.of(
            seeds=[HOME],
            limits={"free_disk_bytes": 0},
            politeness={"delay_seconds": 0.0, "ip_delay_seconds": 0.0, "answer_time_factor": 0.0},
            fetch={"allow_private": True, "hosts_file": str(server.hosts_file)},
            discovery={"mining": "off"},
            extract=extract,
            forms={"search": tries_forms},
        )
        directory = CrawlDirectory.create(folder, job)
        assert run_crawl(directory).reason == "exhausted"
    return web.found_in(web.asked), directory.path


def names(*flags: str) -> set[str]:
    return {place.name for place in PLACES if place.flag in flags}


def test_every_kind_has_a_name_of_its_own() -> None:
    assert len({place.name for place in PLACES}) == len(PLACES) > 150


@pytest.mark.parametrize(
    ("flags", "extract"),
    [
        ((DEFAULT,), {}),
        ((DEFAULT, REQUISITES), {"requisites": True}),
        ((DEFAULT, WIDE), {"wide": True}),
        ((DEFAULT, FORMS), {}),
        ((DEFAULT, REQUISITES, WIDE), {"requisites": True, "wide": True}),
    ],
)
def test_a_crawl_finds_the_kinds_of_links_of_its_flags(
    tmp_path: Path, flags: tuple[str, ...], extract: dict[str, object]
) -> None:
    found, folder = crawl(tmp_path / "crawl", tries_forms=FORMS in flags, **extract)
    wanted = names(*flags)
    assert (sorted(wanted - found), sorted(found - wanted)) == ([], [])
    if len(flags) == 3:
        reasons = {
            row["target_url"]: row["reason"]
            for row in table(folder, "links").to_pylist()
            if row["reason"] in ("never", "form")
        }
        assert MazeWeb().found_in(reasons) == names(RECORDED, FORMS)


def test_the_documentation_has_the_table() -> None:
    page = (Path(__file__).parents[2] / "docs" / "link-kinds.md").read_text()
    assert table_of_kinds() in page
    followed = len(names(DEFAULT, REQUISITES, WIDE, FORMS))
    assert f"{len(PLACES)} places" in page
    assert f"follows {followed} of them" in page
