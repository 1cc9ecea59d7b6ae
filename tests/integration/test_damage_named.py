"""Damage has a name: open tables that lost rows, records that are gone, files of `index/`."""

from __future__ import annotations

import shutil
import struct
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from damage import complaints, cut, damage_web, finished, flip, job_of, killed, overwrite, swap
from lycosa.model.records import Request, Resolved
from lycosa.runtime.directory import CrawlDirectory
from lycosa.runtime.uploads.family import sealed_names
from lycosa.runtime.verify.repair import repair
from lycosa.storage.segments.survey import journal_batches
from lycosa.storage.warc.record_reader import members
from lycosa.storage.warc.stored_blocks import stored_member
from lycosa_testweb.servers.server import SocketWeb
from lycosa_testweb.web import HTML, PLAIN, Reply
from own_damage import remove_segment
from warm import lycosa

KINDS = ("pages", "links", "text", "hosts")
OPEN, SEALED = "lycosa-0-00002", "lycosa-0-00001"
COUNT = "select count(*) from {}"


@pytest.fixture(scope="module")
def server() -> Iterator[SocketWeb]:
    with damage_web() as served:
        yield served


@pytest.fixture(scope="module")
def bases(server: SocketWeb, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("named")
    return {
        "finished": finished(server, folder / "finished"),
        "killed": killed(server, folder / "killed"),
    }


def copy_of(base: Path, tmp_path: Path, name: str = "crawl") -> Path:
    return Path(shutil.copytree(base, tmp_path / name))


# -- open tables ------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
def test_sql_names_an_open_table_that_has_lost_rows(
    bases: dict[str, Path], tmp_path: Path, kind: str
) -> None:
    whole = lycosa("sql", bases["killed"], COUNT.format(kind))
    assert (whole.returncode, whole.stderr) == (0, "")
    for how in ("cut", "empty", "remove"):
        folder = copy_of(bases["killed"], tmp_path, how)
        table = folder / kind / f"{OPEN}.arrows"
        table.unlink() if how == "remove" else cut(table, 0.5 if how == "cut" else 0)
        done = lycosa("sql", folder, COUNT.format(kind))
        assert done.returncode == 5, (how, done.stdout, done.stderr)
        assert f"{kind}/{OPEN}.arrows" in done.stderr and "--repair" in done.stderr


def test_an_open_table_that_is_gone_with_its_sums_is_named_by_the_log(
    bases: dict[str, Path], tmp_path: Path
) -> None:
    """The sums of the rows lie beside them; the ends of the last commit do not."""
    folder = copy_of(bases["killed"], tmp_path)
    (folder / "text" / f"{OPEN}.arrows").unlink()
    (folder / "digests" / f"{OPEN}.flushes").unlink(missing_ok=True)
    done = lycosa("sql", folder, COUNT.format("text"))
    assert done.returncode == 5, (done.stdout, done.stderr)
    assert f"text/{OPEN}.arrows" in done.stderr


def test_a_flipped_byte_in_an_open_table_is_damage_and_never_our_mistake(
    bases: dict[str, Path], tmp_path: Path
) -> None:
    """Every part of a stream is met: its schema, heads of batches, numbers, texts."""
    codes: dict[str, set[int]] = {}
    for kind in KINDS:
        for share in (0.001, 0.02, 0.05, 0.5):
            folder = copy_of(bases["killed"], tmp_path, f"{kind}-{share}")
            flip(folder / kind / f"{OPEN}.arrows", share)
            for words in (("sql", folder, COUNT.format(kind)), ("verify", folder)):
                done = lycosa(*words)
                codes.setdefault(words[0], set()).add(done.returncode)
                assert done.returncode != 70, (kind, share, words, done.stderr)
                if words[0] == "verify":
                    assert done.returncode == 10, (kind, share, done.stdout)
                    assert OPEN in done.stdout
            shutil.rmtree(folder)
    assert codes["sql"] <= {0, 5} and 5 in codes["sql"]


@pytest.mark.parametrize("column", ["began", "ended"])
def test_a_moment_of_no_calendar_in_an_open_table_is_damage(
    bases: dict[str, Path], tmp_path: Path, column: str
) -> None:
    folder = copy_of(bases["killed"], tmp_path)
    table = folder / "pages" / f"{OPEN}.arrows"
    *_, batch = journal_batches(table)
    moment = struct.pack("<q", batch.column(column)[0].value)
    content = table.read_bytes()
    assert moment in content
    table.write_bytes(content.replace(moment, moment[:7] + b"\x7e"))
    for words in (("sql", folder, COUNT.format("pages")), ("audit", folder), ("report", folder)):
        done = lycosa(*words)
        assert done.returncode != 70, (words, done.stderr)
        assert words[0] != "sql" or (done.returncode == 5 and table.name in done.stderr)
    assert lycosa("verify", folder).returncode == 10
    assert lycosa("verify", folder, "--repair").returncode == 0
    assert lycosa("resume", folder, "--quiet").returncode == 0
    assert complaints(folder) == []


def test_a_changed_letter_in_an_open_table_is_made_again_from_the_records(
    bases: dict[str, Path], server: SocketWeb, tmp_path: Path
) -> None:
    folder = copy_of(bases["killed"], tmp_path)
    table = folder / "text" / f"{OPEN}.arrows"
    content = table.read_bytes()
    assert content.count(b"word") > 20
    table.write_bytes(content.replace(b"word", b"vord", 1))
    assert lycosa("verify", folder).returncode == 10
    asked = server.requests
    done = lycosa("verify", folder, "--repair")
    assert done.returncode == 0, done.stdout + done.stderr
    wrong = lycosa("sql", folder, "select count(*) from text where text like '%vord%'")
    assert wrong.stdout.split() == ['"count_star()"', "0"]
    assert server.requests == asked  # nothing is asked for again


class Chain:
    """A host on which each page links to the next one, until the test has seen enough."""

    is_over = False

    def hosts(self) -> list[str]:
        return ["www.d0.test"]

    def answer(self, request: Request, moment: float) -> Reply:
        name = request.url.rpartition("/")[2].removesuffix(".html") or "0"
        if not name.isdecimal():
            return Reply(404, PLAIN, b"", 0.0)
        number = int(name)
        link = "" if self.is_over else f'<a href="/{number + 1}.html">next</a>'
        return Reply(200, HTML, f"<!doctype html><p>{number} {link}".encode(), 0.004)

    def resolve(self, host: str, moment: float) -> Resolved:
        return Resolved("10.0.0.1", 3600.0)

    def is_allowed(self, url: str, agent: str) -> bool:
        return True

    def crawl_delay(self, host: str, agent: str) -> float:
        return 0.0


def test_sql_beside_a_running_crawl_gives_no_false_alarm(tmp_path: Path) -> None:
    """Segments are begun, flushed and sealed every moment while the tables are read.

    However slow or quick a query is, the crawl goes on until five of them were answered beside it,
    and two segments sealed.
    """
    folder, web = tmp_path / "crawl", Chain()
    often = {"seal_seconds": 0.2, "commit_seconds": 0.02}
    with SocketWeb(web, tls=False, time_scale=1.0) as server:
        job = job_of(
            server,
            log=often,
            politeness={"delay_seconds": 0.05},
            limits={"depth_static": 3_000, "pages": 3_000},
        )
        CrawlDirectory.create(folder, job)
        crawl = subprocess.Popen([sys.executable, "-m", "lycosa", "resume", str(folder), "--quiet"])
        try:
            asked = 0
            while crawl.poll() is None and (asked < 5 or len(sealed_names(folder)) < 2):
                if (folder / "pages").exists():
                    done = lycosa("sql", folder, "select count(*) from pages, links limit 1")
                    assert done.returncode == 0, done.stderr
                    asked += crawl.poll() is None
            web.is_over = True
            assert asked >= 5 and crawl.wait(120) == 0
        finally:
            crawl.kill()
            crawl.wait()


# -- sealed tables ----------------------------------------------------------------------------


@pytest.mark.parametrize("name", [SEALED, OPEN])
def test_a_sealed_segment_removed_with_all_its_files_is_named_by_every_reader_of_tables(
    bases: dict[str, Path], server: SocketWeb, tmp_path: Path, name: str
) -> None:
    folder = copy_of(bases["finished"], tmp_path)
    remove_segment(name, folder)
    for kind in KINDS:
        done = lycosa("sql", folder, COUNT.format(kind))
        assert done.returncode == 5, (kind, done.stdout, done.stderr)
        assert f"{name}.parquet" in done.stderr and "--repair" in done.stderr
    for words in (("study", folder), ("export", "pages", folder, "-o", tmp_path / "pages.csv")):
        done = lycosa(*words)
        assert done.returncode == 5 and name in done.stderr, (words, done.stdout, done.stderr)
    done = lycosa("verify", folder, "--quick")
    assert done.returncode == 10 and "all its files are gone" in done.stdout
    resumed = lycosa("resume", folder, "--quiet")
    assert "is missing" in resumed.stderr, "it names the segment, and repairs nothing"
    assert lycosa("sql", folder, COUNT.format("pages")).returncode == 5
    done = lycosa("verify", folder, "--repair")
    assert done.returncode == 0, done.stdout + done.stderr
    done = lycosa("sql", folder, COUNT.format("pages"))
    assert done.returncode == 0, "the repair has given it up"
    assert lycosa("resume", folder, "--quiet").returncode == 0
    assert complaints(folder) == []
    assert lycosa("verify", folder).stdout.startswith("clean")


def test_a_repair_killed_before_it_gives_a_segment_up_leaves_no_false_alarm(
    bases: dict[str, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The name goes first, then the log gives the segment up, then its files go aside."""
    folder = copy_of(bases["finished"], tmp_path)
    (folder / "warc" / f"{SEALED}.warc.gz").unlink()

    def die(*args: object) -> None:
        raise KeyboardInterrupt

    for step in ("give_up", "rewrite"):
        with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
            patch.setattr(f"lycosa.runtime.verify.repair.{step}", die)
            repair(folder)
        done = lycosa("sql", folder, COUNT.format("pages"))
        assert (done.returncode, done.stderr) == (0, ""), step
    assert lycosa("verify", folder, "--repair").returncode == 0
    assert (folder / "damaged" / "pages" / f"{SEALED}.parquet").exists()
    for query in ("pages", "links"):
        assert lycosa("sql", folder, COUNT.format(query)).returncode == 0


@pytest.mark.parametrize("kind", KINDS)
def test_sealed_tables_that_were_exchanged_are_named_by_every_reader(
    bases: dict[str, Path], tmp_path: Path, kind: str
) -> None:
    """Both are whole, and have all rows between them: only their names tell."""
    whole = lycosa("sql", bases["finished"], COUNT.format(kind)).stdout
    folder = copy_of(bases["finished"], tmp_path)
    swap(folder, folder / kind / f"{OPEN}.parquet")
    for words in (("sql", folder, COUNT.format(kind)), ("study", folder), ("audit", folder)):
        done = lycosa(*words)
        if words[0] == "audit" and kind in ("links", "text"):
            continue  # it does not read them
        assert done.returncode not in (0, 70), (words, done.stdout, done.stderr)
        told = done.stdout + done.stderr
        assert f"its rows are those of {kind}/{SEALED}" in told or f"of {kind}/{OPEN}" in told
    done = lycosa("verify", folder, "--quick")
    assert done.returncode == 10 and f"its rows are those of {kind}/{SEALED}" in done.stdout
    done = lycosa("verify", folder, "--repair")
    assert done.returncode == 0, done.stdout + done.stderr
    assert lycosa("sql", folder, COUNT.format(kind)).stdout == whole
    assert complaints(folder) == []


def test_a_changed_byte_in_the_rows_of_a_sealed_table_is_named_by_sql(
    bases: dict[str, Path], tmp_path: Path
) -> None:
    """Every page of a table has a checksum: what is read is what was written."""
    silent = []
    for kind in KINDS:
        query = f"select md5(string_agg({kind}::text, ' ' order by {kind}::text)) from {kind}"
        whole = lycosa("sql", bases["finished"], query)
        assert whole.returncode == 0
        path = bases["finished"] / kind / f"{SEALED}.parquet"
        footer = int.from_bytes(path.read_bytes()[-8:-4], "little") + 8
        rows = 1 - footer / path.stat().st_size
        for step in range(12):
            folder = copy_of(bases["finished"], tmp_path, f"{kind}-{step}")
            flip(folder / kind / path.name, rows * (step + 0.5) / 12)
            done = lycosa("sql", folder, query)
            shutil.rmtree(folder)
            if done.returncode == 0 and done.stdout != whole.stdout:
                silent.append((kind, step, done.stdout))
            assert done.returncode in (0, 5), done.stderr
    assert silent == []


# -- sealed records ---------------------------------------------------------------------------


@pytest.mark.parametrize("how", ["empty", "overwrite", "swap"])
def test_a_segment_whose_records_are_gone_goes_aside_and_is_asked_for_again(
    bases: dict[str, Path], server: SocketWeb, tmp_path: Path, how: str
) -> None:
    folder = copy_of(bases["finished"], tmp_path)
    warc = folder / "warc" / f"{SEALED}.warc.gz"
    if how == "empty":
        cut(warc, 0)
    elif how == "overwrite":
        overwrite(warc)
    else:
        swap(folder, warc)
    assert lycosa("verify", folder).returncode == 10
    done = lycosa("verify", folder, "--repair")
    assert done.returncode == 0, done.stdout + done.stderr
    assert not warc.exists() and not (folder / "pages" / f"{SEALED}.parquet").exists()
    aside = folder / "damaged"
    assert (aside / "warc" / warc.name).exists() and (aside / f"pages/{SEALED}.parquet").exists()
    for options in ((), ("--quick",)):
        assert lycosa("verify", folder, *options).returncode == 0
    resumed = lycosa("resume", folder, "--quiet")
    assert (resumed.returncode, resumed.stderr) == (0, "")
    assert complaints(folder) == []
    kept = "select count(*), count(distinct url) from pages where outcome = 'kept'"
    assert lycosa("sql", folder, kept).stdout.splitlines()[1] == "55,55"


@pytest.mark.parametrize("shorter", [1, 2, 150])
def test_records_under_a_name_whose_first_record_was_longer_go_aside(
    bases: dict[str, Path], server: SocketWeb, tmp_path: Path, shorter: int
) -> None:
    """First records of two files may differ by a few bytes, which are no room for a record."""
    folder = copy_of(bases["killed"], tmp_path)
    warc = folder / "warc" / f"{OPEN}.warc.gz"
    content = warc.read_bytes()
    _, length, _ = next(members(warc))
    block = b"x" * length
    headers = f"WARC/1.1\r\nWARC-Type: warcinfo\r\nWARC-Filename: {SEALED}.warc.gz\r\n"
    while True:
        text = f"{headers}Content-Length: {len(block)}\r\n\r\n".encode() + block + b"\r\n\r\n"
        member = stored_member(text)
        if len(member) <= length - shorter:
            break
        block = block[:-1]
    assert len(member) == length - shorter
    warc.write_bytes(member + content[length:])
    again = copy_of(folder, tmp_path, "again")
    done = lycosa("verify", folder, "--repair")
    assert done.returncode == 0, done.stdout + done.stderr
    assert lycosa("resume", folder, "--quiet").returncode == 0
    assert complaints(folder) == []
    assert lycosa("verify", folder).stdout.startswith("clean")
    assert lycosa("resume", again, "--quiet").returncode != 70


# -- index/ -----------------------------------------------------------------------------------

INDEXED = (
    "index/study/ranks.parquet",
    "index/study/study.json",
    "index/study/heads/lycosa-0-00001.parquet",
    "index/main_text/resiliparse/lycosa-0-00001.parquet",
    "index/text/00000001/store/meta.json",
    "index/triples/00000001/ledger.sqlite",
    "index/triples/current",
)


@pytest.mark.parametrize("place", INDEXED)
def test_verify_names_a_changed_byte_of_an_index_and_repair_puts_it_aside(
    bases: dict[str, Path], tmp_path: Path, place: str
) -> None:
    folder = copy_of(bases["finished"], tmp_path)
    assert lycosa("verify", folder).returncode == 0
    overwrite(folder / place) if place.endswith(".sqlite") else flip(folder / place, 0.5)
    found = lycosa("verify", folder)
    assert found.returncode == 10 and place in found.stdout
    done = lycosa("verify", folder, "--repair")
    assert done.returncode == 0, done.stdout + done.stderr
    for command in ("study", "index"):
        again = lycosa(command, folder)
        assert again.returncode == 0, again.stderr
    assert lycosa("sql", folder, "select count(*) from ranks").stdout.splitlines()[1] == "55"
    assert lycosa("verify", folder).returncode == 0


def test_a_missing_table_of_a_study_ends_only_queries_that_name_it(
    bases: dict[str, Path], tmp_path: Path
) -> None:
    folder = copy_of(bases["finished"], tmp_path)
    (folder / "index" / "study" / "ranks.parquet").unlink()
    done = lycosa("sql", folder, COUNT.format("pages where outcome = 'kept'"))
    assert (done.returncode, done.stderr) == (0, "") and done.stdout.splitlines()[1] == "55"
    done = lycosa("sql", folder, "select count(*) from depths")
    assert (done.returncode, done.stderr) == (0, "")
    done = lycosa("sql", folder, "select url from ranks")
    assert done.returncode == 5 and "ranks.parquet: is not there" in done.stderr
