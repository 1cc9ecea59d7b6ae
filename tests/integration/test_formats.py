"""A crawl of every released format is resumed; what cannot be read is refused by name."""

from __future__ import annotations

import shutil
import sqlite3
from pathlib import Path
from typing import Any

import msgspec
import pytest

from fixtures.make_crawl import HOSTS, PAGES, drawn_web, job, url
from lycosa.errors import FormatError, LogError
from lycosa.model.records import Counted, Outcome
from lycosa.simulation.conditions import Conditions
from lycosa.simulation.simulation import Simulation
from lycosa.storage.log import format as log_format
from lycosa.storage.log.format import decode_events, encode
from lycosa.storage.log.sqlite import SqliteLog, refuse_network_file_system

pytestmark = pytest.mark.quick

FIXTURES = Path(__file__).parents[1] / "fixtures"
FORMATS = sorted(FIXTURES.glob("crawl-format-*"))
EXPECTED = {url(host, page) for host in range(HOSTS) for page in range(PAGES)} - {url(3, 5)}


def test_there_is_a_fixture_of_the_current_format() -> None:
    assert FIXTURES / f"crawl-format-{log_format.VERSION}" in FORMATS


@pytest.mark.parametrize("without", ["nothing", "snapshots"])
@pytest.mark.parametrize("fixture", FORMATS, ids=lambda path: path.name)
def test_a_crawl_of_an_older_release_is_resumed(
    fixture: Path, without: str, tmp_path: Path
) -> None:
    folder = tmp_path / "crawl"
    shutil.copytree(fixture, folder)
    if without == "snapshots":
        shutil.rmtree(folder / "log" / "snapshots")
    web = drawn_web()
    simulation = Simulation(
        web, job(0), folder, log="sqlite", conditions=Conditions(begins_at=1_800_000_000.0)
    )
    before = set(simulation.kept_urls())
    assert len(before) == 10
    result = simulation.run()
    assert result.reason == "exhausted"
    assert sorted(simulation.kept_urls()) == sorted(EXPECTED)
    outcomes = {
        state.table.key(page): state.outcome_of(page)
        for state in result.states.values()
        for page in range(len(state.table))
    }
    assert outcomes["test.h0.www:/closed/secret.html"] is Outcome.DISALLOWED
    assert outcomes["test.h0.www:/old"] is Outcome.REDIRECTED
    assert outcomes["test.h3.www:/5.html"] is Outcome.NOT_FOUND
    pages_asked_again = simulation.referee.statistics.requests - (len(EXPECTED) - 10)
    tried = [key for key, outcome in outcomes.items() if outcome is Outcome.NO_SITEMAP]
    assert len(tried) == 4  # one a host: the robots files, which are read anew, name no sitemap
    assert pages_asked_again - len(tried) <= 8  # robots files, the dead link and the redirect


def test_batches_of_an_older_version_are_upgraded_on_reading(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """As if version 0 had counted refusals as a list of pairs."""

    def from_0(items: list[Any]) -> list[Any]:
        return [[tag, dict(pairs)] for tag, pairs in items]

    monkeypatch.setitem(log_format.UPGRADES, 0, from_0)
    old = msgspec.msgpack.encode((0, [[9, [["too-deep", 3]]]]))
    assert decode_events(old) == [Counted({"too-deep": 3})]


def test_a_batch_of_a_newer_version_is_refused_with_the_remedy() -> None:
    batch = msgspec.msgpack.encode((log_format.VERSION + 1, []))
    with pytest.raises(FormatError, match="resume the crawl with that one or a newer one"):
        decode_events(batch)


def test_bytes_that_are_no_batch_are_refused_with_the_remedy() -> None:
    for damaged in (b"", b"\x00\x01", encode([Counted({})])[:-1], b"\x93\x01\x02\x03"):
        with pytest.raises(FormatError, match="cannot be read"):
            decode_events(damaged)


def test_a_log_of_another_version_is_refused_by_name(tmp_path: Path) -> None:
    SqliteLog(tmp_path, 2).close()
    with sqlite3.connect(tmp_path / "log.sqlite") as connection:
        connection.execute("PRAGMA user_version=77")
    connection.close()
    with pytest.raises(FormatError, match="has log format 77; this Lycosa reads format 1"):
        SqliteLog(tmp_path, 2)


def test_a_database_of_somebody_else_is_left_alone(tmp_path: Path) -> None:
    with sqlite3.connect(tmp_path / "log.sqlite") as connection:
        connection.execute("CREATE TABLE theirs (x)")
    connection.close()
    with pytest.raises(FormatError, match="not a log of Lycosa"):
        SqliteLog(tmp_path, 2)


def test_the_number_of_partitions_cannot_be_changed_later(tmp_path: Path) -> None:
    SqliteLog(tmp_path, 2).close()
    with pytest.raises(LogError, match="set \\[frontier\\] partitions = 2"):
        SqliteLog(tmp_path, 4)


def test_a_network_file_system_is_refused(tmp_path: Path) -> None:
    mounts = tmp_path / "mounts"
    mounts.write_text(f"/dev/vda / ext4 rw 0 0\nserver:/x {tmp_path} nfs4 rw 0 0\n")
    with pytest.raises(LogError, match=r"network file system \(nfs4"):
        refuse_network_file_system(tmp_path / "crawl", mounts)
    refuse_network_file_system(Path("/elsewhere"), mounts)


def test_a_snapshot_that_is_ahead_of_its_log_is_refused(tmp_path: Path) -> None:
    folder = tmp_path / "crawl"
    shutil.copytree(FORMATS[-1], folder)
    fresh = Simulation(drawn_web(), job(1), tmp_path / "fresh", log="sqlite")
    fresh.run()
    shutil.rmtree(folder / "log" / "archive")
    shutil.copy(tmp_path / "fresh" / "log" / "log.sqlite", folder / "log" / "log.sqlite")
    with pytest.raises(LogError, match="the log ends at"):
        Simulation(drawn_web(), job(0), folder, log="sqlite").run()
