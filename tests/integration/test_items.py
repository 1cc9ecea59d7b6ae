"""Items with their pages: through visits, kills, damage, removal and copies."""

from __future__ import annotations

import io
import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace
from rich.console import Console

from item_crawls import (
    CYCLES,
    Counts,
    command_for,
    counted,
    environment_with,
    item_web,
    killed_often,
    killed_once,
    packages,
    resumed,
)
from lycosa import Crawl, Job, Plugin, SeenPage, run
from lycosa.analysis.study.items import add_items
from lycosa.analysis.study.sql import asked
from lycosa.analysis.study.tables import all_rows, connected
from lycosa.cli.screen.summary import summary_of
from lycosa.errors import StoreError
from lycosa.model.records import Capture, Item, Outcome, Place
from lycosa.runtime.uploads.family import family
from lycosa.runtime.uploads.open_parts import open_family
from lycosa.runtime.verify.inspection import verify
from lycosa.runtime.verify.repair import repair
from lycosa.storage.archive.archive import ArchiveStore
from lycosa.storage.archive.layout import ITEMS, KINDS, Name
from lycosa.storage.segments.flushes import cut_torn
from lycosa.storage.segments.removal import forget_host
from lycosa.storage.segments.survey import everything, survey
from unit.cli.screen.moments import FIRST, Ended
from unit.storage.archive.archived import always
from unit.storage.archive.exchanges import answer, capture
from warm import lycosa

A, B = b"<html>a" * 60, b"<html>b" * 60
ONE, TWO = (Item("row", '{"n":1}'),), (Item("row", '{"n":1}'), Item("row", '{"n":2}'))


KILLS = 10


class Visits:
    """One store that visits pages, and what its tables say of their items."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.store = ArchiveStore(folder)
        self.held: dict[int, Place] = {}
        self.moment = 1.7e9

    def visit(
        self,
        items: tuple[Item, ...] = (),
        body: bytes = A,
        outcome: Outcome = Outcome.KEPT,
        page: int = 1,
    ) -> None:
        """Visit a page, a minute after the last visit."""
        self.moment += 60
        status = {Outcome.NOT_MODIFIED: 304, Outcome.NOT_FOUND: 404, Outcome.UNAVAILABLE: 503}
        reply = answer(body, status.get(outcome, 200), self.moment)
        found: Capture = capture(page, reply=reply, outcome=outcome)
        place = self.store.append(replace(found, items=items, held=self.held.get(page)))
        if outcome is Outcome.KEPT:
            self.held[page] = place
        elif outcome not in (Outcome.NOT_MODIFIED, Outcome.UNAVAILABLE, Outcome.RENDERED):
            self.held.pop(page, None)

    def shown(self, query: str = "select data from items order by url, ordinal") -> list[Any]:
        """Return an answer of SQL, which is the same when the segment is sealed."""
        self.store.flush()
        opened = _asked(self.folder, query)
        self.store.seal(always)
        assert _asked(self.folder, query) == opened
        return opened


def _asked(folder: Path, query: str) -> list[Any]:
    with connected(all_rows(folder, (*KINDS, ITEMS))) as connection:
        add_items(connection)
        rows: list[tuple[Any, ...]] = connection.execute(query).fetchall()
    return [row[0] if len(row) == 1 else row for row in rows]


HISTORY = "select count(*) from items_history"


@pytest.mark.parametrize(
    ("more", "shown", "stored"),
    [
        ([], 1, 1),
        ([(ONE, A, Outcome.KEPT)], 1, 1),
        ([(ONE, A, Outcome.KEPT)] * 3, 1, 1),
        ([((), b"", Outcome.NOT_MODIFIED)], 1, 1),
        ([((), b"", Outcome.UNAVAILABLE)], 1, 1),
        ([(TWO, B, Outcome.KEPT)], 2, 3),
        ([(TWO, A, Outcome.KEPT)], 2, 3),
        ([((), B, Outcome.KEPT)], 0, 1),
        ([((), b"gone", Outcome.NOT_FOUND)], 0, 1),
        ([((), B, Outcome.HOOK_FAILED)], 0, 1),
        ([((), B, Outcome.TOO_MANY_ITEMS)], 0, 1),
        ([((), B, Outcome.HOOK_FAILED), (ONE, B, Outcome.KEPT)], 1, 2),
        ([(ONE, B, Outcome.KEPT), (ONE, A, Outcome.KEPT)], 1, 3),
        ([(TWO, A, Outcome.RENDERED)], 2, 3),
        ([((), A, Outcome.RENDERED)], 1, 1),
        ([(TWO, A, Outcome.RENDERED), (ONE, A, Outcome.KEPT)], 2, 3),
    ],
)
def test_a_url_shows_the_items_of_its_newest_fetch(
    more: list[tuple[tuple[Item, ...], bytes, Outcome]], shown: int, stored: int, tmp_path: Path
) -> None:
    visits = Visits(tmp_path)
    visits.visit(ONE)
    for items, body, outcome in more:
        visits.visit(items, body, outcome)
    assert len(visits.shown()) == shown
    assert visits.shown(HISTORY) == [stored]


def test_the_newest_of_equal_keys_is_shown(tmp_path: Path) -> None:
    visits = Visits(tmp_path)
    for page, (price, key) in enumerate([(1, "a"), (2, "a"), (3, None), (4, None)]):
        visits.visit((Item("row", f'{{"n":{price}}}', key), Item("other", "{}", key)), page=page)
    found = visits.shown("select kind, data from items order by all")
    assert found == [
        *[("other", "{}")] * 3,
        *(("row", f'{{"n":{price}}}') for price in (2, 3, 4)),
    ]


def test_a_segment_without_items_has_no_table_of_them(tmp_path: Path) -> None:
    visits = Visits(tmp_path)
    visits.visit()
    assert visits.shown() == []
    assert not (tmp_path / ITEMS).exists()


def _cut(content: bytes) -> bytes:
    return content[: len(content) // 2]


def _zeros(content: bytes) -> bytes:
    return content[:-64] + bytes(64)


@pytest.mark.parametrize("change", [_cut, _zeros, lambda content: b""])
def test_a_page_whose_items_are_damaged_in_an_open_segment_is_given_up(
    change: Callable[[bytes], bytes], tmp_path: Path
) -> None:
    visits = Visits(tmp_path)
    for page in range(20):
        visits.visit(TWO, b"%d" % page * 300, page=page)
        if page % 5 == 4:
            visits.store.flush()
    visits.store.abandon()
    name = Name(1, 0)
    assert survey(tmp_path, name, everything).lost == []
    (journal,) = (tmp_path / ITEMS).iterdir()
    journal.write_bytes(change(journal.read_bytes()))
    cut_torn(tmp_path, name)
    found = survey(tmp_path, name, everything)
    assert found.lost
    assert found.is_damaged


def test_items_are_forgotten_with_their_host(tmp_path: Path) -> None:
    visits = Visits(tmp_path)
    visits.visit(TWO)
    other = replace(capture(2, key="org.other:/x"), items=ONE)
    visits.store.append(other)
    visits.store.seal(always)
    forget_host(tmp_path, "example.org")
    assert _asked(tmp_path, "select url from items_history") == ["http://other.org/x"]


def test_items_are_copied_with_their_segment(tmp_path: Path) -> None:
    visits = Visits(tmp_path)
    visits.visit(ONE)
    visits.store.flush()
    (journal,) = (tmp_path / ITEMS).iterdir()
    assert journal in open_family(tmp_path, Name(1, 0))
    visits.store.seal(always)
    assert "items/lycosa-0-00001.parquet" in family(tmp_path, Name(1, 0))
    assert not journal.exists()


# -- whole crawls -----------------------------------------------------------------------------


def look(page: SeenPage) -> None:
    page.emit("page", url=page.url, title=page.title)
    for link in page.links:
        page.emit("link", {"to": link.url, "text": link.text})
    if page.url.endswith("/1.html"):
        raise ValueError("after it has emitted")
    if page.url.endswith("/2.html"):
        for n in range(30):
            page.emit("more", n=n)


@pytest.fixture(scope="module")
def crawled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("items") / "crawl"
    with item_web(2) as server:
        job = Job.of(
            server.seeds,  # type: ignore[attr-defined]
            politeness={"delay_seconds": 0.01, "ip_delay_seconds": 0.0},
            fetch={"allow_private": True, "hosts_file": str(server.hosts_file)},
            plugins={"most_items": 20},
        )
        run(folder, job, plugins=[Plugin("rows", on_page=look)])
    return folder


def test_a_page_on_which_a_hook_fails_or_emits_too_much_has_no_items(crawled: Path) -> None:
    crawl = Crawl(crawled)
    outcomes = crawl.outcomes()
    assert outcomes["hook_failed"] > 0
    assert outcomes["too_many_items"] > 0
    urls = {item.url for item in crawl.items(history=True)}
    assert urls == {page.url for page in crawl.pages(outcome="kept")}
    first = next(crawl.items("page"))
    assert (first.ordinal, first.values["url"]) == (1, first.url)


def test_items_are_counted_by_kind_when_a_crawl_rests(crawled: Path, tmp_path: Path) -> None:
    query = "select kind, count(*) from items_history group by kind order by 2 desc"
    with asked(crawled, query) as found:
        counts = dict(found.fetchall())
    assert list(counts) == ["link", "page"]
    told = json.loads(lycosa("status", crawled, "--json").stdout)
    assert told["items"] == counts
    line = f"items       {counts['link']:,} link, {counts['page']:,} page"
    assert line in lycosa("status", crawled).stdout
    console = Console(record=True, width=100, file=io.StringIO())
    console.print(summary_of(Ended("exhausted", FIRST, True), Crawl(crawled).job, crawled))
    assert line in console.export_text()
    folder = _copied(crawled, tmp_path / "crawl")
    (table,) = (folder / ITEMS).iterdir()
    table.write_bytes(_cut(table.read_bytes()))
    assert json.loads(lycosa("status", folder, "--json").stdout)["items"] is None
    assert "items       not counted: a table is damaged" in lycosa("status", folder).stdout


def _copied(crawled: Path, to: Path) -> Path:
    shutil.copytree(crawled, to)
    return to


@pytest.mark.parametrize("how", ["removed", "emptied", "changed", "cut", "folder"])
def test_a_damaged_table_of_items_is_named_and_made_again(
    how: str, crawled: Path, tmp_path: Path
) -> None:
    folder = _copied(crawled, tmp_path / "crawl")
    query = "select * exclude (fetched_at) from items_history order by all"
    with asked(folder, query) as before:
        rows = before.fetchall()
    (table,) = (folder / ITEMS).iterdir()
    content = table.read_bytes()
    match how:
        case "removed":
            table.unlink()
        case "emptied":
            table.write_bytes(b"")
        case "cut":
            table.write_bytes(_cut(content))
        case "changed":
            table.write_bytes(content[:40] + bytes([content[40] ^ 1]) + content[41:])
        case "folder":
            table.unlink()
            (folder / ITEMS).rmdir()
    if how != "changed":
        with pytest.raises(StoreError, match="verify"), asked(folder, "select 1 from items"):
            pass
    report = verify(folder)
    assert [finding.file for finding in report.findings] == [f"items/{table.name}"]
    assert repair(folder).after.is_clean
    with asked(folder, query) as after:
        assert after.fetchall() == rows


@pytest.mark.parametrize("workers", [1, 3])
def test_no_kill_loses_or_doubles_an_item(workers: int, tmp_path: Path) -> None:
    environment = environment_with(packages(tmp_path / "packages"))
    folder = tmp_path / "crawl"
    with item_web(6) as server:
        command = command_for(server, folder, workers, *CYCLES)
        assert killed_often(command, folder, KILLS, environment) >= KILLS - 2
    found: Counts = counted(folder)
    assert found.items > found.pages > 0
    assert (found.lost, found.twice, found.stray) == (0, 0, 0)


def _hole(content: bytes) -> bytes:
    """Damage what the log has named by the time of a kill: the end may be later."""
    place = len(content) // 3
    return content[:place] + bytes(64) + content[place + 64 :]


@pytest.mark.parametrize("change", [_cut, _hole, None])
def test_pages_whose_open_items_are_damaged_are_asked_for_again(
    change: Callable[[bytes], bytes] | None, tmp_path: Path
) -> None:
    environment = environment_with(packages(tmp_path / "packages"))
    folder = tmp_path / "crawl"
    with item_web(6) as server:
        journal = killed_once(command_for(server, folder, 1), folder, environment)
        content = journal.read_bytes()
        journal.unlink()
        if change is not None:
            journal.write_bytes(change(content))
        said = verify(folder)
        assert any(finding.file.startswith(f"{ITEMS}/") for finding in said.findings)
        resumed(folder, environment)
    found = counted(folder)
    assert found.pages == 48
    assert (found.lost, found.twice, found.stray) == (0, 0, 0)
    assert verify(folder).is_clean
