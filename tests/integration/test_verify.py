"""`lycosa verify`: what is damaged is named, and mended; alone it writes nothing."""

from __future__ import annotations

import json
import os
import shutil
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from damage import complaints, cut, damage_web, finished, flip, job_of, killed, stopped
from damage_cases import Case, cases, is_good, item_bases, own_cases, run_all
from lycosa.features.plugins.scheduling import partitioner_of
from lycosa.model.job.seeds import seeds_of
from lycosa.model.url import key_of
from lycosa.runtime.directory import CrawlDirectory
from lycosa.storage.warc.record_reader import members
from lycosa_testweb.servers.server import SocketWeb
from mirrors import check_payloads
from warm import lycosa

OPEN = "warc/lycosa-0-00002.warc.gz"
"""The segment that a killed crawl was writing to."""


@pytest.fixture(scope="module")
def server() -> Iterator[SocketWeb]:
    with damage_web() as served:
        yield served


@pytest.fixture(scope="module")
def bases(server: SocketWeb, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("bases")
    return {
        "stopped": stopped(server, folder / "stopped"),
        "killed": killed(server, folder / "killed"),
    }


def copy_of(base: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(base, tmp_path / "crawl"))


def tree(folder: Path) -> dict[str, tuple[int, int, bytes]]:
    return {
        str(path): (path.stat().st_mtime_ns, path.stat().st_mode, path.read_bytes())
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    } | {
        str(path): (path.stat().st_mtime_ns, path.stat().st_mode, b"")
        for path in sorted(folder.rglob("*"))
        if path.is_dir()
    }


@pytest.mark.parametrize("base", ["stopped", "killed"])
def test_verify_writes_nothing_not_even_a_moment(
    bases: dict[str, Path], base: str, tmp_path: Path
) -> None:
    folder = copy_of(bases[base], tmp_path)
    before = tree(folder)
    for words in (["--quick"], [], ["--json"]):
        done = lycosa("verify", folder, *words)
        assert done.returncode == 0, done.stdout + done.stderr
    assert tree(folder) == before
    cut(next((folder / "warc").glob("*.gz")), 0.5)
    before = tree(folder)
    assert lycosa("verify", folder).returncode == 10
    assert tree(folder) == before


def test_verify_reads_a_folder_that_cannot_be_written_to(
    bases: dict[str, Path], tmp_path: Path
) -> None:
    folder = copy_of(bases["killed"], tmp_path)
    paths = [folder, *folder.rglob("*")]
    for path in paths:
        path.chmod(0o555 if path.is_dir() else 0o444)
    try:
        done = lycosa("verify", folder)
    finally:
        for path in paths:
            path.chmod(0o755 if path.is_dir() else 0o644)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "clean" in done.stdout


def test_beside_a_running_crawl_it_looks_at_what_is_sealed(
    bases: dict[str, Path], tmp_path: Path
) -> None:
    folder = copy_of(bases["stopped"], tmp_path)
    with CrawlDirectory(folder).locked():
        done = lycosa("verify", folder)
        assert done.returncode == 0, done.stdout
        assert "only sealed files are checked" in done.stderr
        refused = lycosa("verify", folder, "--repair")
    assert refused.returncode == 4
    assert "is crawling it" in refused.stderr


def test_a_damaged_table_is_named_with_what_a_repair_would_do(
    bases: dict[str, Path], tmp_path: Path
) -> None:
    folder = copy_of(bases["stopped"], tmp_path)
    path = next((folder / "pages").glob("*.parquet"))
    flip(path, 0.4)
    done = lycosa("verify", folder, "--json")
    assert done.returncode == 10
    (finding,) = json.loads(done.stdout)["findings"]
    assert finding["file"] == f"pages/{path.name}"
    assert "changed since it was sealed" in finding["what"]
    assert "again from the records" in finding["remedy"]


def test_a_log_that_is_behind_its_archive_is_brought_forward(
    server: SocketWeb, tmp_path: Path
) -> None:
    folder = killed(server, tmp_path / "crawl", at="trim.archived:3")
    cut(folder / "log" / "log.sqlite-wal", 0.5)
    for snapshot in (folder / "log" / "snapshots").iterdir():
        snapshot.unlink()
    assert "go to" in lycosa("verify", folder).stdout
    done = lycosa("verify", folder, "--repair")
    assert done.returncode == 0, done.stdout + done.stderr
    assert (folder / "damaged" / "log" / "log.sqlite").exists()
    done = lycosa("resume", folder, "--quiet")
    assert done.returncode == 0, done.stderr
    assert complaints(folder) == []


def test_what_a_cut_took_from_an_open_file_is_no_damage_once_that_is_sealed(
    bases: dict[str, Path], tmp_path: Path
) -> None:
    folder = copy_of(bases["killed"], tmp_path)
    cut(folder / OPEN, 0.3)
    done = lycosa("resume", folder, "-q", "--max-pages", "12")
    assert done.returncode == 0 and "will be repeated" in done.stderr
    done = lycosa("resume", folder, "-q", "--max-pages", "99")
    assert done.returncode == 0 and "--repair" not in done.stderr, done.stderr
    assert complaints(folder) == []
    cut(folder / OPEN, 0.9)
    assert f"{Path(OPEN).name} has" in lycosa("resume", folder, "-q").stderr


@pytest.mark.parametrize("what", [OPEN, "text/lycosa-0-00002.arrows"])
def test_a_lost_log_and_records_that_were_not_written_to_their_end(
    bases: dict[str, Path], what: str, tmp_path: Path
) -> None:
    """Nobody names such records: they are left out, and their pages are fetched again."""
    folder = copy_of(bases["killed"], tmp_path)
    shutil.rmtree(folder / "log")
    (folder / "log").mkdir()
    cut(folder / what, 0.6)
    done = lycosa("verify", folder, "--repair")
    assert done.returncode == 0, done.stdout + done.stderr
    assert lycosa("resume", folder, "--quiet").returncode == 0
    assert complaints(folder) == []


def test_a_lost_log_is_put_together_from_the_segments(
    bases: dict[str, Path], server: SocketWeb, tmp_path: Path
) -> None:
    folder = copy_of(bases["stopped"], tmp_path)
    shutil.rmtree(folder / "log")
    (folder / "log").mkdir()
    asked = server.requests
    done = lycosa("verify", folder, "--repair")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "entered" in done.stdout
    assert lycosa("resume", folder, "--quiet").returncode == 0
    assert complaints(folder) == []
    assert server.requests - asked < 60  # what was kept is not asked for again


def test_what_was_forgotten_is_not_missed(bases: dict[str, Path], tmp_path: Path) -> None:
    folder = copy_of(bases["stopped"], tmp_path)
    done = lycosa("block", folder, "www.d0.test", "--forget")
    assert done.returncode == 0, done.stderr
    done = lycosa("verify", folder)
    assert done.returncode == 0, done.stdout


FEW = [
    Case("stopped", "warc/lycosa-0-00001.warc.gz", "flip", 0.5),
    Case("stopped", "pages/lycosa-0-00001.parquet", "remove"),
    Case("stopped", "triples/lycosa-0-00002.nq.zst", "flip", 0.5),
    Case("killed", "log/log.sqlite", "cut", 0.5),
    Case("killed", "log/log.sqlite-wal", "flip", 0.5),
    Case("stopped", "warc/lycosa-0-00002.warc.gz", "swap"),
    Case("killed", "pages/lycosa-0-00002.arrows", "empty"),
    Case("killed", "links/lycosa-0-00002.arrows", "overwrite"),
    Case("stopped", "log/archive/0000.archive", "swap"),
    Case("killed", "warc removed", "own"),
    Case("stopped", "warc emptied, cdx removed", "own"),
]


def flip_in_open_segment(base: Path, tmp_path: Path) -> Case:
    """Return a flip among the records that the log names: what comes behind them, nobody misses."""
    directory = CrawlDirectory.open(copy_of(base, tmp_path))  # who reads a log tidies it up
    states = directory.states(directory.job()).values()
    known = max(state.segment_ends.get(2, 0) for state in states)
    assert known > 0
    size = (base / OPEN).stat().st_size
    return Case("killed", OPEN, "flip", 0.45 * known / size)


def test_what_is_damaged_is_mended_and_every_page_is_kept_once(
    bases: dict[str, Path], tmp_path: Path
) -> None:
    results = run_all([*FEW, flip_in_open_segment(bases["killed"], tmp_path)], bases, tmp_path)
    assert [(str(case), told) for case, told in results if not is_good(told)] == []
    assert [(str(case), told) for case, told in results if not told["full"]] == []


@pytest.fixture
def of_items(server: SocketWeb, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Path]:
    monkeypatch.setenv("PYTHONPATH", os.environ.get("PYTHONPATH", ""))
    monkeypatch.setattr(sys, "path", [*sys.path])
    return item_bases(server, tmp_path)


def test_damaged_tables_of_items_are_named_mended_and_no_item_is_lost(
    of_items: dict[str, Path], tmp_path: Path
) -> None:
    wanted = [
        Case("items, stopped", "items/lycosa-0-00001.parquet", "empty"),
        Case("items, stopped", "items/lycosa-0-00002.parquet", "swap"),
        Case("items, killed", "items/lycosa-0-00002.arrows", "cut", 0.6),
        Case("items, killed", "items/lycosa-0-00002.arrows", "remove"),
    ]
    results = run_all(wanted, of_items, tmp_path)
    assert [(str(case), told) for case, told in results if not is_good(told)] == []
    assert [(str(case), told) for case, told in results if not told["full"]] == []


def leaning(folder: Path) -> dict[tuple[str, int], set[str]]:
    """Return the places of payloads, and the hosts of the revisits that refer to each."""
    found: dict[tuple[str, int], set[str]] = {}
    for path in sorted((folder / "warc").glob("*.warc.gz")):
        for _, _, record in members(path):
            of = record.headers
            if "WARC-Refers-To-File-Offset" in of:
                place = of["WARC-Refers-To-Filename"], int(of["WARC-Refers-To-File-Offset"])
                found.setdefault(place, set()).add(of["WARC-Target-URI"].split("/")[2])
    return found


@pytest.mark.parametrize("how", ["record", "file"])
def test_revisits_of_other_partitions_outlive_the_record_that_they_lean_on(
    server: SocketWeb, tmp_path: Path, how: str
) -> None:
    folder = stopped(server, tmp_path / "crawl", pages=50)
    partition_of = partitioner_of(CrawlDirectory.open(folder).job()).partition_of
    (file, offset), hosts = max(leaning(folder).items(), key=lambda one: len(one[1]))
    assert len({partition_of(key_of(f"http://{host}/")) for host in hosts}) > 1
    path = folder / "warc" / file
    if how == "file":
        path.unlink()
    else:
        content = bytearray(path.read_bytes())
        content[offset + 60 : offset + 90] = bytes(30)
        path.write_bytes(content)
    done = lycosa("verify", folder, "--repair")
    assert done.returncode == 0, done.stdout + done.stderr
    assert (file, offset) not in leaning(folder), "they are given up, too"
    check_payloads(folder)
    assert lycosa("resume", folder, "--quiet").returncode == 0
    assert complaints(folder) == []
    assert check_payloads(folder) >= 5
    assert lycosa("verify", folder).stdout.startswith("clean")


@pytest.mark.soak
def test_every_file_of_a_crawl_may_be_damaged_in_every_way(
    bases: dict[str, Path], of_items: dict[str, Path], server: SocketWeb, tmp_path: Path
) -> None:
    wanted = [c for base, path in bases.items() for c in cases(base, path, is_few=False)]
    bases = bases | {"finished": finished(server, tmp_path / "finished")}
    wanted += [*cases("finished", bases["finished"], is_few=True), *own_cases()]
    assert len(wanted) >= 1_300
    for base, path in of_items.items():
        wanted += cases(base, path, "items/", is_few=False)
    results = run_all(wanted, bases | of_items, tmp_path)
    assert [(str(case), told) for case, told in results if not is_good(told)] == []


def test_a_damaged_list_of_seeds_is_named_and_costs_nothing_once_it_is_planted(
    server: SocketWeb, tmp_path: Path
) -> None:
    job = job_of(server, pages=1)
    seeds = [*job.seeds, *(f"http://www.gone.test/{number}" for number in range(1_200))]
    folder = tmp_path / "crawl"
    CrawlDirectory.create(folder, replace(job, seeds=seeds_of(seeds)))
    done = lycosa("resume", folder, "-q")
    assert done.returncode == 0, done.stderr
    assert lycosa("verify", folder).stdout.startswith("clean")
    cut(folder / "seeds.txt", 0.5)
    done = lycosa("verify", folder)
    assert done.returncode == 0
    assert "seeds.txt: the seeds have changed since the job was written" in done.stdout
    (folder / "seeds.txt").unlink()
    assert "seeds.txt: it is missing" in lycosa("verify", folder, "--quick").stdout
    done = lycosa("resume", folder, "--max-pages", "2", "-q")
    assert done.returncode == 0, done.stderr


def test_a_column_whose_name_is_damaged_is_named(bases: dict[str, Path], tmp_path: Path) -> None:
    folder = copy_of(bases["stopped"], tmp_path)
    table = min((folder / "pages").glob("*.parquet"))
    content = table.read_bytes()
    table.write_bytes(content.replace(b"fetch_id", b"fetch\x9eid"))
    for words in (["--quick"], []):
        done = lycosa("verify", folder, *words)
        assert done.returncode == 10 and f"pages/{table.name}" in done.stdout, done.stderr
    assert lycosa("verify", folder, "--repair").returncode == 0
    assert table.read_bytes() != content.replace(b"fetch_id", b"fetch\x9eid")
    assert lycosa("verify", folder).returncode == 0
