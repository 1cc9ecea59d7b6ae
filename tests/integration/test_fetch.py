"""A crawl is copied from its store: the same bytes, however often that is interrupted."""

from __future__ import annotations

import hashlib
import json
import random
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest

from faulty_objects import FaultyObjects
from integration.fetch_starts import Web, start, web_of
from lycosa.errors import ConfigError, FormatError, ObjectsUnavailable
from lycosa.operate import fetching
from lycosa.runtime.uploads.family import family, packed, sealed_names
from lycosa.storage.objects.folder import FolderObjects
from lycosa.storage.objects.manifests import Content, Manifest, bury_segment
from needs import UNSHARE
from servers.fixtures import SharedPostgres
from warm import lycosa

PARTS = ("warc", "cdx", "pages", "links", "text", "hosts", "triples", "digests")


class Crawled(NamedTuple):
    """A crawl with a store, and the directories of the machines that have shared it."""

    machines: list[Path]
    store: Path
    name: str

    @property
    def place(self) -> str:
        return self.store.as_uri()


@pytest.fixture(scope="module", autouse=True)
def own_addresses(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Wait for no other crawl of this machine that asks the same loopback address."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("LYCOSA_RUNTIME_DIR", str(tmp_path_factory.mktemp("run")))
        yield


@pytest.fixture(
    scope="module",
    params=["one machine", pytest.param("two machines", marks=pytest.mark.soak)],
)
def crawled(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Crawled:
    folder = tmp_path_factory.mktemp("crawls")
    store = folder / "store"
    store.mkdir()
    if request.param == "one machine":
        with web_of("library", folder) as web:
            path = folder / "one"
            done = lycosa("crawl", *web.seeds, "-o", path, *web.flags(store))
            assert done.returncode == 0, done.stderr
        return Crawled([path], store, next(store.iterdir()).name)
    server: SharedPostgres = request.getfixturevalue("postgres")
    with web_of("small", folder) as web:
        return crawled_by_two(web, server.url, store, folder)


def crawled_by_two(web: Web, server: str, store: Path, folder: Path) -> Crawled:
    one, two = folder / "one", folder / "two"
    flags = [*web.flags(store), "--max-pages", "200", "--log", server]
    with start("crawl", *web.seeds, "-o", one, *flags) as first:
        while not list(store.glob("*/crawl.toml")):
            assert first.poll() is None, first.stderr and first.stderr.read()
            time.sleep(0.02)
        name = next(store.glob("*/crawl.toml")).parent.name
        while (done := lycosa("join", server, "--list")).stdout.count(name) == 0:
            assert done.returncode == 0, done.stderr
        with start("join", server, name, "-o", two) as second:
            said = [process.communicate()[1] for process in (first, second)]
    assert (first.returncode, second.returncode) == (0, 0), said
    return Crawled([one, two], store, name)


@pytest.fixture(scope="module")
def copy(crawled: Crawled, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("copies") / "mycrawl"
    done = lycosa("fetch", crawled.place, path)
    assert done.returncode == 0, done.stderr
    return path


@pytest.fixture(scope="module")
def together(crawled: Crawled, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The directories of both machines, laid into one by hand."""
    path = tmp_path_factory.mktemp("together") / "mycrawl"
    path.mkdir()
    shutil.copy(crawled.machines[0] / "crawl.toml", path)
    if len(crawled.machines) > 1:
        (path / "log").mkdir()  # the log is in a server
    for machine in crawled.machines:
        for part in PARTS:
            shutil.copytree(machine / part, path / part, dirs_exist_ok=True)
    return path


def tree(path: Path) -> dict[str, str]:
    """Return the SHA-256 of every file of content."""
    return {
        str(file.relative_to(path)): hashlib.sha256(file.read_bytes()).hexdigest()
        for part in PARTS
        for file in sorted((path / part).glob("*"))
        if not file.name.startswith(".")
    }


def test_a_copy_has_the_bytes_of_all_machines(copy: Path, together: Path, crawled: Crawled) -> None:
    assert tree(copy) == tree(together)
    assert all(sealed_names(machine) for machine in crawled.machines), "all have worked"


def rows(path: Path) -> dict[str, list[str]]:
    """Return the rows of every table that a study has made."""
    tables = sorted((path / "index" / "study").glob("*.parquet"))
    return {
        table.name: sorted(repr(_rounded(row)) for row in pq.read_table(table).to_pylist())
        for table in tables
    }


def _rounded(value: object) -> object:
    """Sums of floats depend on their order, and that on threads."""
    if isinstance(value, float):
        return float(f"{value:.9g}")
    if isinstance(value, dict):
        return {name: _rounded(one) for name, one in value.items()}
    return [_rounded(one) for one in value] if isinstance(value, list) else value


def url_in(path: Path) -> str:
    table = pq.read_table(path / "pages", columns=["url", "status"])
    return str(pc.max(table.filter(pc.equal(table["status"], 200))["url"]))


@pytest.mark.parametrize("crawled", ["one machine"], indirect=True)
def test_a_copy_is_studied_without_its_log(copy: Path) -> None:
    done = lycosa("study", copy, "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["pages"] == 19
    assert b"<html" in lycosa("cat", copy, url_in(copy)).stdout.encode()
    assert "a copy, without the log" in lycosa("status", copy).stdout
    done = lycosa("resume", copy)
    assert done.returncode == 4
    assert "is a copy of a crawl" in done.stderr
    assert not (copy / "log" / "log.sqlite").exists()


@pytest.mark.soak
def test_study_report_query_and_export_of_a_copy_are_those_of_the_crawl(
    copy: Path, together: Path
) -> None:
    found: list[dict[str, object]] = []
    for path in (copy, together):
        told: dict[str, object] = {}
        for words in (["study"], ["index"], ["report"]):
            done = lycosa(words[0], path, *words[1:])
            assert done.returncode == 0, (words, done.stderr)
        told["study"] = rows(path)
        triples = "select * where { graph ?g { ?s ?p ?o } } order by ?g ?s ?p ?o"
        rows_of_triples = lycosa("sparql", path, triples, "--format", "csv").stdout.splitlines()
        # An index gives nodes without a name names of its own.
        told["triples"] = sorted(re.sub("_:[0-9a-f]+", "_:", row) for row in rows_of_triples)
        told["sql"] = lycosa("sql", path, "select count(*), sum(size_bytes) from pages").stdout
        for table in ("pages", "links", "text"):
            told[table] = sorted(
                lycosa("export", table, path, "--format", "jsonl").stdout.split("\n")
            )
        page = (path / "report" / "index.html").read_text()
        told["report"] = [line for line in page.splitlines() if "Studied" not in line]
        told["cat"] = lycosa("cat", path, url_in(path)).stdout
        found.append(told)
    ours, expected = found
    assert any(vocabulary in str(ours["triples"]) for vocabulary in ("schema.org", "terms.test"))
    for name, value in expected.items():
        assert ours[name] == value, name


# -- interrupted, damaged, given up ---------------------------------------------------------


@pytest.fixture
def store(crawled: Crawled, tmp_path: Path) -> Crawled:
    """A store of its own for a test that changes it."""
    shutil.copytree(crawled.store, tmp_path / "store")
    return crawled._replace(store=tmp_path / "store")


def objects_of(crawled: Crawled) -> FolderObjects:
    return FolderObjects(crawled.store / crawled.name)


@pytest.mark.soak
@pytest.mark.parametrize("crawled", ["one machine"], indirect=True)
def test_a_lost_crawl_is_restored_from_its_copy(store: Crawled, tmp_path: Path) -> None:
    path = tmp_path / "mycopy"
    assert lycosa("fetch", store.place, path).returncode == 0
    done = lycosa("verify", path, "--repair")
    assert done.returncode == 0, done.stdout + done.stderr
    status = json.loads(lycosa("status", path, "--json").stdout)
    before = json.loads(lycosa("status", store.machines[0], "--json").stdout)
    assert not status["is_copy"]
    assert [status[name] for name in ("pages", "bytes", "pending")] == [
        before[name] for name in ("pages", "bytes", "pending")
    ]


def test_the_second_call_copies_what_is_new(store: Crawled, tmp_path: Path) -> None:
    path, folder = tmp_path / "mycopy", store.store / store.name
    manifests = sorted((folder / "manifests").iterdir())
    held = manifests[1:]
    for manifest in held:
        manifest.rename(tmp_path / manifest.name)
    assert "1 segment copied" in lycosa("fetch", store.place, path).stdout
    for manifest in held:
        (tmp_path / manifest.name).rename(manifest)
    told = json.loads(lycosa("fetch", store.place, path, "--json").stdout)
    assert (told["segments"], told["here"]) == (len(held), 1)
    told = json.loads(lycosa("fetch", store.place, path, "--json").stdout)
    assert (told["segments"], told["bytes"], told["here"]) == (0, 0, len(manifests))


class Killed(BaseException):
    """Ends a copy at once, as a kill does."""


class KillingObjects(FaultyObjects):
    """Ends the process, as it were, after some calls, in the middle of a file at times."""

    left = 0

    def read(self, key: str, start: int = 0, length: int | None = None) -> bytes | None:
        self.left -= 1
        if self.left < 0:
            raise Killed
        content = super().read(key, start, length)
        if content and length and len(content) > 1 and self.left % 2:
            return content[: len(content) // 2]  # a part of a part: the rest is asked for again
        return content


def test_a_copy_killed_at_any_call_gives_the_same_bytes(
    store: Crawled, copy: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, chance, kills = tmp_path / "mycopy", random.Random(5), 0
    monkeypatch.setattr(fetching, "FIRST_PAUSE_SECONDS", 0.0001)
    while True:
        killing = KillingObjects(objects_of(store), 0.3, chance)
        killing.left = 2 + kills * chance.randrange(2, 6)
        monkeypatch.setattr(fetching, "open_objects", lambda *_, one=killing: one)
        try:
            done = fetching.fetch_crawl(store.place, store.name, path)
        except Killed:
            kills += 1
            continue
        break
    assert kills >= 1
    assert not done.damaged
    assert tree(path) == tree(copy)
    assert not list(path.rglob("*.tmp"))


def test_a_killed_process_is_gone_on_with(store: Crawled, copy: Path, tmp_path: Path) -> None:
    path, kills = tmp_path / "mycopy", 0
    for delay in (0.1, 0.2, 0.3, 0.4, 0.5):
        with start_fetch(store.place, path) as child:
            while not path.exists() and child.poll() is None:
                time.sleep(0.001)
            time.sleep(random.Random(delay).random() * 0.05)
            kills += child.poll() is None
            child.send_signal(signal.SIGKILL)
    assert lycosa("fetch", store.place, path).returncode == 0
    assert kills >= 3
    assert tree(path) == tree(copy)


def start_fetch(place: str, path: Path) -> subprocess.Popen[bytes]:
    return subprocess.Popen([sys.executable, "-m", "lycosa", "fetch", place, str(path)])


def test_a_file_that_has_changed_is_moved_aside_and_copied_again(
    store: Crawled, copy: Path, tmp_path: Path
) -> None:
    path = tmp_path / "mycopy"
    lycosa("fetch", store.place, path)
    name = sealed_names(path)[0]
    victim = family(path, name)[f"warc/{name}.warc.gz"]
    victim.write_bytes(b"x" + victim.read_bytes()[1:])
    (path / "cdx" / f"{name}.cdxj").unlink()  # so that the segment is looked at again
    done = lycosa("fetch", store.place, path)
    assert done.returncode == 0, done.stderr
    assert "1 file had changed here" in done.stdout
    assert (path / "damaged" / "warc" / victim.name).exists()
    assert tree(path) == tree(copy)


def test_a_damaged_object_is_named_and_its_segment_left_out(store: Crawled, tmp_path: Path) -> None:
    path, folder = tmp_path / "mycopy", store.store / store.name
    victim = min((folder / "pages").iterdir())
    whole = victim.read_bytes()
    for broken in (whole[:-1], b"", b"x" * len(whole)):
        victim.write_bytes(broken)
        done = lycosa("fetch", store.place, path)
        assert done.returncode == 10
        assert f"pages/{victim.name}: the object is damaged or gone" in done.stderr
        assert not (path / "pages" / victim.name).exists()
    victim.write_bytes(whole)
    assert lycosa("fetch", store.place, path).returncode == 0
    assert (path / "pages" / victim.name).read_bytes() == whole


def test_a_segment_that_was_given_up_is_left_out(store: Crawled, tmp_path: Path) -> None:
    path = tmp_path / "mycopy"
    bury_segment(objects_of(store), 999, "the operator")
    done = lycosa("fetch", store.place, path)
    assert done.returncode == 0
    assert "1 segment given up by the operator: left out" in done.stdout


def test_a_store_that_does_not_answer_ends_the_command(
    store: Crawled, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fetching, "PATIENCE_SECONDS", 0.3)
    silent = FaultyObjects(objects_of(store), 1.0, random.Random())
    monkeypatch.setattr(fetching, "open_objects", lambda *_: silent)
    with pytest.raises(ObjectsUnavailable, match="repeat the command: it continues"):
        fetching.fetch_crawl(store.place, store.name, tmp_path / "mycopy")
    assert silent.failures >= 2


@pytest.mark.needs("mounts")
def test_a_full_disk_is_told(store: Crawled, tmp_path: Path) -> None:
    small = tmp_path / "small"
    small.mkdir()
    fetch = f"{sys.executable} -m lycosa fetch {store.place} {small}/mycopy"
    script = f"mount -t tmpfs -o size=64k lycosa {small} && exec {fetch}"
    command = [*UNSHARE, "sh", "-c", script]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 5, done.stderr
    assert "the disk has no room" in done.stderr
    assert "repeat the command: it continues" in done.stderr


def test_another_folder_is_not_overwritten(store: Crawled, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    (other / "thesis.tex").touch()
    with pytest.raises(ConfigError, match="not a copy of a crawl"):
        fetching.fetch_crawl(store.place, store.name, other)
    with pytest.raises(ConfigError, match="the crawl's own directory"):
        fetching.fetch_crawl(store.place, store.name, store.machines[0])
    with pytest.raises(ConfigError, match="holds no crawl whose name begins with zz"):
        fetching.choose_crawl(store.place, "zz")
    empty = tmp_path / "empty"
    empty.mkdir()
    with pytest.raises(ConfigError, match="contains no crawl"):
        fetching.choose_crawl(empty.as_uri())


def test_a_manifest_cannot_name_a_file_outside(store: Crawled, tmp_path: Path) -> None:
    for number, key in enumerate(("../x", "/etc/x", "log/log.sqlite", "a/b/c", "crawl.toml"), 7000):
        bad = Manifest(number, files={key: Content(0, "")})
        objects = FolderObjects(store.store / store.name)
        objects.create(f"manifests/{number}.json", packed(bad))
        with pytest.raises(FormatError, match="not a file of a segment"):
            fetching.fetch_crawl(store.place, store.name, tmp_path / f"copy{number}")
        (store.store / store.name / "manifests" / f"{number}.json").unlink()
