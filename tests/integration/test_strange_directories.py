"""A stranger's crawl directory: links, pipes, folders and devices in the place of its files.

Every command ends with a named error; it does not wait for a pipe, and neither reads nor writes the
file that a link leads to.
"""

from __future__ import annotations

import os
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from damage import damage_web, stopped, url
from lycosa._support import beneath
from lycosa.errors import ConfigError, LycosaError, StoreError, Untrusted
from lycosa.runtime.directory import CrawlDirectory
from warm import lycosa

SECRET = b"a secret of this machine\n"
BUG, ALARM = 70, -14
COMMANDS: dict[str, Callable[[Path], list[object]]] = {
    "status": lambda folder: ["status", folder],
    "explain": lambda folder: ["explain", folder, url(0, 0)],
    "cat": lambda folder: ["cat", folder, url(0, 0)],
    "queue": lambda folder: ["queue", folder],
    "export": lambda folder: ["export", "wacz", folder, "-o", folder.parent / "out.wacz"],
    "report": lambda folder: ["report", folder],
    "sql": lambda folder: ["sql", folder, "select count(*) from pages"],
    "study": lambda folder: ["study", folder],
    "index": lambda folder: ["index", folder],
    "search": lambda folder: ["search", folder, "page"],
    "sparql": lambda folder: ["sparql", folder, "select * { ?s ?p ?o } limit 1"],
    "verify": lambda folder: ["verify", folder],
    "repair": lambda folder: ["verify", folder, "--repair"],
    "resume": lambda folder: ["resume", folder, "--quiet"],
    "serve": lambda folder: ["serve", folder, "--port", "0"],
}


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A crawl with study, report and index."""
    with damage_web() as server:
        folder = stopped(server, tmp_path_factory.mktemp("crawls") / "crawl", 10)
    for words in (["study", folder], ["index", folder], ["report", folder]):
        assert lycosa(*words).returncode == 0
    (folder / "lock").touch()
    (folder / "lycosa.log").touch()
    return folder


@pytest.fixture
def crawl(whole: Path, tmp_path: Path) -> Path:
    return shutil.copytree(whole, tmp_path / "crawl")


@pytest.fixture
def canary(tmp_path: Path) -> Iterator[Path]:
    """A file elsewhere, which must stay as it is."""
    path = tmp_path / "canary"
    path.write_bytes(SECRET)
    yield path
    assert path.read_bytes() == SECRET
    assert not list(tmp_path.glob("canary?*"))


def first(folder: Path, pattern: str) -> Path:
    return min(folder.glob(pattern))


def put_link(path: Path, canary: Path) -> None:
    remove(path)
    path.symlink_to(canary)


def put_pipe(path: Path, _: Path) -> None:
    remove(path)
    os.mkfifo(path)


def remove(path: Path) -> None:
    if path.is_dir():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


LINKED = ("lock", "crawl.toml", "lycosa.log", "log/log.sqlite-wal", "pages/*.parquet")


@pytest.mark.parametrize("command", COMMANDS)
def test_no_command_follows_a_link_in_a_strangers_directory(
    command: str, whole: Path, crawl: Path, canary: Path
) -> None:
    for name in LINKED:
        path = crawl / first(whole, name).relative_to(whole) if "*" in name else crawl / name
        put_link(path, canary)
        done = lycosa(*COMMANDS[command](crawl))
        assert done.returncode not in (0, BUG, ALARM), (name, done)
        assert "is a symbolic link" in done.stderr, (name, done)
        assert SECRET.decode().strip() not in done.stdout + done.stderr
        assert canary.read_bytes() == SECRET, name
        path.unlink()
        if (was := whole / path.relative_to(crawl)).exists():
            shutil.copy(was, path)


@pytest.mark.parametrize("command", COMMANDS)
def test_no_command_waits_for_a_pipe_in_a_strangers_directory(
    command: str, whole: Path, crawl: Path, canary: Path
) -> None:
    for name in ("crawl.toml", "warc/*.warc.gz"):
        path = crawl / first(whole, name).relative_to(whole)
        put_pipe(path, canary)
        done = lycosa(*COMMANDS[command](crawl))
        assert done.returncode not in (0, BUG, ALARM), (name, done)
        assert "is a named pipe, not a file" in done.stderr, (name, done)
        path.unlink()
        shutil.copy(whole / path.relative_to(crawl), path)


def test_each_file_in_turn_is_refused_as_a_link_a_pipe_a_folder_a_device(
    whole: Path, crawl: Path, canary: Path
) -> None:
    files = sorted(path.relative_to(whole) for path in whole.rglob("*") if path.is_file())
    files = [name for name in files if not name.name.startswith(".#")]
    assert len(files) > 40
    for name in files:
        path = crawl / name
        for put in (put_link, put_pipe):
            put(path, canary)
            with pytest.raises(StoreError, match=r"is a (symbolic link|named pipe), not a file"):
                CrawlDirectory.open(crawl)
        remove(path)
        shutil.copy(whole / name, path)
    CrawlDirectory.open(crawl)
    for top in ("lock", "crawl.toml", "lycosa.log"):
        remove(crawl / top)
        (crawl / top).mkdir()
        with pytest.raises(StoreError, match="is a folder, not a file"):
            CrawlDirectory.open(crawl)
        remove(crawl / top)
        (crawl / top).symlink_to("/dev/zero")
        with pytest.raises(StoreError, match="is a symbolic link, not a file"):
            CrawlDirectory.open(crawl)
        remove(crawl / top)
        shutil.copy(whole / top, crawl / top)


def test_each_folder_in_turn_is_refused_as_a_link_or_a_file(whole: Path, crawl: Path) -> None:
    folders = [path.relative_to(whole) for path in whole.rglob("*") if path.is_dir()]
    for name in folders:
        path, elsewhere = crawl / name, crawl.parent / "elsewhere"
        path.rename(elsewhere)
        path.symlink_to(elsewhere)
        refused = rf"{name}.* is a symbolic link|folder {name} = "
        with pytest.raises((Untrusted, StoreError), match=refused):
            CrawlDirectory.open(crawl)
        is_choice = len(name.parts) == 1 or (
            name.parts[0] in ("log", "index") and len(name.parts) < 3
        )
        if is_choice:
            assert beneath.linked_folders(crawl) == [(str(name), str(elsewhere))]
            CrawlDirectory.open(crawl, accepted_links=[str(name)])
        path.unlink()
        beneath.enter(crawl, [])
        if len(name.parts) == 1:
            path.touch()
            with pytest.raises(StoreError, match="is a file"):
                CrawlDirectory.open(crawl)
            path.unlink()
        elsewhere.rename(path)


@pytest.mark.parametrize("command", ["cat", "sql", "verify"])
def test_a_folder_that_is_a_link_is_read_once_it_is_accepted(command: str, crawl: Path) -> None:
    (crawl / "warc").rename(crawl.parent / "other disk")
    (crawl / "warc").symlink_to(crawl.parent / "other disk")
    done = lycosa(*COMMANDS[command](crawl))
    assert done.returncode == Untrusted.exit_code
    assert f'folder warc = "{crawl.parent}/other disk"' in done.stderr
    assert f"lycosa trust {crawl}" in done.stderr
    assert lycosa("trust", crawl).returncode == 0
    done = lycosa(*COMMANDS[command](crawl))
    assert done.returncode == 0, done


def test_a_link_that_is_not_lycosas_is_left_alone(crawl: Path, canary: Path) -> None:
    (crawl / "notes").symlink_to(canary)
    (crawl / ".#crawl.toml").symlink_to("me@machine.42")
    (crawl / "pages" / ".#x").symlink_to("me@machine.42")
    assert lycosa("status", crawl).returncode == 0


# -- temporaries ----------------------------------------------------------------------------


def test_a_leftover_that_is_a_link_is_replaced_not_written_through(
    crawl: Path, canary: Path
) -> None:
    directory = CrawlDirectory.open(crawl)
    for name in ("crawl.writing", "live.json.writing"):
        (crawl / name).symlink_to(canary)
    directory.write_job(directory.job())
    assert not directory.job_file.is_symlink()
    assert directory.job().seeds == (url(0, 0),)


# -- what a directory says ------------------------------------------------------------------


def test_the_name_of_a_generation_cannot_lead_elsewhere(crawl: Path, tmp_path: Path) -> None:
    shutil.move(crawl / "index" / "triples" / "00000001", tmp_path / "outside")
    (crawl / "index" / "triples" / "current").write_text("../../../outside\n")
    done = lycosa("sparql", crawl, "select * { ?s ?p ?o } limit 1")
    assert done.returncode == 7
    assert "has no triple index" in done.stderr


def test_the_name_of_a_table_cannot_lead_elsewhere_or_be_sql(crawl: Path, tmp_path: Path) -> None:
    manifest = crawl / "index" / "study" / "study.json"
    shutil.copy(crawl / "index" / "study" / "sizes.parquet", tmp_path / "outside.parquet")
    manifest.write_text(
        manifest.read_text().replace('"tables": {', '"tables": {"../../../outside": 1,')
    )
    done = lycosa("sql", crawl, 'select * from "../../../outside"')
    assert done.returncode == 1
    assert "does not exist" in done.stderr
    assert lycosa("sql", crawl, "select count(*) from sizes").returncode == 0


@pytest.mark.parametrize(
    "schema",
    [
        "ALTER TABLE heads RENAME TO others; CREATE VIEW heads AS WITH RECURSIVE n(partition, log,"
        " inbox, owner) AS (SELECT 0, 0, 0, '' UNION ALL SELECT partition + 1, 0, 0, '' FROM n)"
        " SELECT * FROM n",
        "CREATE TRIGGER t AFTER INSERT ON notes BEGIN DELETE FROM log; END",
        "ALTER TABLE notes ADD COLUMN x AS (zeroblob(1000000000))",
    ],
)
@pytest.mark.parametrize("command", ["status", "verify"])
def test_a_log_whose_schema_is_a_program_is_refused(command: str, schema: str, crawl: Path) -> None:
    with sqlite3.connect(crawl / "log" / "log.sqlite") as connection:
        connection.executescript(schema)
    connection.close()
    done = lycosa(command, crawl)
    assert done.returncode == 3, done
    assert "would run its own code" in done.stderr


def test_a_file_that_is_swapped_while_the_crawl_is_open_is_not_followed(
    crawl: Path, canary: Path
) -> None:
    directory = CrawlDirectory.open(crawl)
    put_link(directory.job_file, canary)
    with pytest.raises(LycosaError, match="is a symbolic link"):
        directory.job()
    with pytest.raises(LycosaError, match="is a symbolic link"):
        directory.copy_job()
    (crawl / "log").rename(crawl.parent / "moved")
    (crawl / "log").symlink_to(crawl.parent / "moved")
    with pytest.raises(ConfigError, match="log/ is a symbolic link"):
        directory.identity()
