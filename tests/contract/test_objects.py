"""What every store of objects must do."""

from __future__ import annotations

import hashlib
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from lycosa.errors import ConfigError, ObjectsUnavailable, StoreError
from lycosa.storage.objects.folder import FolderObjects
from lycosa.storage.objects.opening import crawls_in, open_objects
from lycosa.storage.objects.protocol import Found, Objects

NAME = "c0ffee"


@pytest.fixture(params=["folder", "s3"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The URL of an empty place."""
    if request.param == "s3":
        return str(request.getfixturevalue("s3_store"))
    folder = tmp_path / "shared place"
    folder.mkdir()
    return folder.as_uri()


@pytest.fixture
def objects(place: str) -> Objects:
    return open_objects(place, NAME)


def file_of(path: Path, content: bytes) -> Path:
    path.write_bytes(content)
    return path


def test_an_object_is_read_as_it_was_put(objects: Objects, tmp_path: Path) -> None:
    content = os.urandom(300_000)
    objects.put("warc/lycosa-0-1048577.warc.gz", file_of(tmp_path / "one", content))
    key = "warc/lycosa-0-1048577.warc.gz"
    assert objects.read(key) == content
    assert objects.size(key) == len(content)
    assert objects.read(key, 100, 50) == content[100:150]
    assert objects.read(key, 299_990) == content[299_990:]
    assert objects.read(key, 299_990, 1000) == content[299_990:]
    assert objects.read(key, 400_000, 10) == b""


def test_an_empty_file_is_an_object(objects: Objects, tmp_path: Path) -> None:
    objects.put("cdx/empty", file_of(tmp_path / "none", b""))
    assert objects.read("cdx/empty") == b""
    assert objects.size("cdx/empty") == 0
    assert objects.download("cdx/empty", tmp_path / "copy")
    assert (tmp_path / "copy").read_bytes() == b""


def test_an_object_can_be_put_again(objects: Objects, tmp_path: Path) -> None:
    objects.put("a/b", file_of(tmp_path / "one", b"old" * 1000))
    objects.put("a/b", file_of(tmp_path / "one", b"new"))
    assert objects.read("a/b") == b"new"


def test_what_is_missing_is_none(objects: Objects, tmp_path: Path) -> None:
    assert objects.read("warc/none") is None
    assert objects.read("warc/none", 5, 5) is None
    assert objects.size("warc/none") is None
    assert not objects.download("warc/none", tmp_path / "copy")
    assert not (tmp_path / "copy").exists()
    assert list(objects.list()) == []
    assert list(objects.list("warc")) == []


def test_a_prefix_is_no_object(objects: Objects) -> None:
    objects.create("a/b/c", b"1")
    assert objects.read("a/b") is None
    assert objects.size("a/b") is None


def test_an_object_is_created_once(objects: Objects, place: str) -> None:
    assert objects.create("manifests/1.json", b"first")
    assert not objects.create("manifests/1.json", b"second")
    assert not open_objects(place, NAME).create("manifests/1.json", b"third")
    assert objects.read("manifests/1.json") == b"first"


def test_creating_the_same_bytes_again_is_the_same_creation(objects: Objects) -> None:
    """Whoever got no answer to the first try must be able to try again."""
    assert objects.create("manifests/1.json", b"first")
    assert objects.create("manifests/1.json", b"first")


def test_one_of_many_creators_wins(place: str) -> None:
    told: list[list[bool]] = []

    def create(number: int) -> None:
        own = open_objects(place, NAME)
        start.wait()
        told.append([own.create(f"m/{key}", b"%d" % number) for key in range(10)])

    start = threading.Barrier(6)
    threads = [threading.Thread(target=create, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [sum(won) for won in zip(*told, strict=True)] == [1] * 10


def test_objects_are_listed_by_key_with_their_sizes(objects: Objects) -> None:
    for key in ("b/2", "b/1", "b-c", "a", "b/x/y", "bb/1"):
        objects.create(key, key.encode() * 2)
    assert list(objects.list("b")) == [Found("b/1", 6), Found("b/2", 6), Found("b/x/y", 10)]
    assert [one.key for one in objects.list()] == ["a", "b-c", "b/1", "b/2", "b/x/y", "bb/1"]


def test_many_objects_are_listed(objects: Objects) -> None:
    keys = [f"many/{number:05}" for number in range(1100)]
    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(lambda key: objects.create(key, b"x"), keys))
    assert [one.key for one in objects.list("many")] == keys


def test_a_download_never_overwrites(objects: Objects, tmp_path: Path) -> None:
    objects.create("a", b"1")
    there = file_of(tmp_path / "there", b"mine")
    with pytest.raises(FileExistsError):
        objects.download("a", there)
    assert there.read_bytes() == b"mine"


def test_crawls_have_objects_of_their_own(objects: Objects, place: str) -> None:
    other = open_objects(place, "decaf")
    objects.create("crawl.toml", b"1")
    assert other.read("crawl.toml") is None
    assert other.create("crawl.toml", b"2")
    assert list(other.list()) == [Found("crawl.toml", 1)]
    assert crawls_in(place) == [NAME, "decaf"]


def test_a_place_says_where_it_is(objects: Objects, place: str) -> None:
    assert objects.place == f"{place}/{NAME}"


@pytest.mark.parametrize("key", ["", "../up", "a//b", "/a", "a/./b", ".incoming/x"])
def test_a_key_cannot_leave_the_place(objects: Objects, key: str) -> None:
    with pytest.raises(StoreError, match="not a key"):
        objects.read(key)


WRITER = """
import sys
from pathlib import Path
from lycosa.storage.objects.opening import open_objects
objects = open_objects(sys.argv[1], sys.argv[2])
number = int(sys.argv[4])
while True:
    objects.put(f"warc/{number:05}", Path(sys.argv[3]))
    print(number, flush=True)
    number += 1
"""


def test_a_writer_killed_while_putting_leaves_no_partial_object(
    objects: Objects, place: str, tmp_path: Path
) -> None:
    content = os.urandom(9_000_000)
    source = file_of(tmp_path / "large", content)
    acknowledged = 0
    for kill in range(3):
        first = kill * 1000
        child = subprocess.Popen(
            [sys.executable, "-c", WRITER, place, NAME, str(source), str(first)],
            stdout=subprocess.PIPE,
        )
        assert child.stdout is not None
        line = child.stdout.readline()  # one is written, the next is being written
        time.sleep(0.02 * kill)
        child.send_signal(signal.SIGKILL)
        rest = child.stdout.read().split()
        child.wait()
        child.stdout.close()
        acknowledged += len(line.split()) + len(rest)
    found = list(objects.list("warc"))
    assert len(found) >= acknowledged >= 3
    assert {one.size_bytes for one in found} == {len(content)}
    expected = hashlib.sha256(content).digest()
    for one in found[:2] + found[-2:]:
        assert hashlib.sha256(objects.read(one.key) or b"").digest() == expected


# -- a folder alone -------------------------------------------------------------------------


def test_a_folder_that_is_not_there_is_not_made(tmp_path: Path) -> None:
    missing = tmp_path / "not mounted"
    with pytest.raises(ConfigError, match="no such folder") as told:
        open_objects(missing.as_uri(), NAME)
    assert f"mkdir -p {missing}" in str(told.value)
    assert not missing.exists()


def test_a_folder_that_vanishes_is_not_made_again(tmp_path: Path) -> None:
    objects = open_objects(tmp_path.as_uri(), NAME)
    objects.create("a", b"1")
    (tmp_path / NAME).rename(tmp_path / "elsewhere")
    calls: list[Callable[[], object]] = [
        lambda: objects.create("b", b"2"),
        lambda: objects.put("c", file_of(tmp_path / "c", b"3")),
        lambda: objects.read("a"),
        lambda: objects.size("a"),
        lambda: list(objects.list("a")),
    ]
    for call in calls:
        with pytest.raises(ObjectsUnavailable, match="mounted"):
            call()
    assert not (tmp_path / NAME).exists()
    (tmp_path / "elsewhere").rename(tmp_path / NAME)
    assert objects.create("b", b"2")


def test_what_killed_writers_left_is_removed_after_a_day(tmp_path: Path) -> None:
    incoming = tmp_path / NAME / ".incoming"
    incoming.mkdir(parents=True)
    old, new = file_of(incoming / "old", b"1"), file_of(incoming / "new", b"2")
    os.utime(old, (time.time() - 90_000,) * 2)
    assert list(open_objects(tmp_path.as_uri(), NAME).list()) == []
    assert not old.exists()
    assert new.exists()


@pytest.mark.parametrize(
    "place", ["/tmp/x", "ftp://h/x", "file://host/x", "s3://", "s3://a/../b", "no"]
)
def test_a_place_of_another_kind_is_refused(place: str) -> None:
    with pytest.raises(ConfigError, match="s3://BUCKET/PREFIX, or file:///FOLDER"):
        open_objects(place, NAME)


# -- S3 alone -------------------------------------------------------------------------------


class CreatesTwice(BaseHTTPRequestHandler):
    """Takes every PUT, as services do that know no `If-None-Match`."""

    protocol_version = "HTTP/1.1"

    def do_PUT(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        self.send_response(200)
        self.send_header("ETag", '"1"')
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *words: object) -> None: ...


@pytest.fixture
def careless_service(s3_store: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), CreatesTwice) as server:
        server.daemon_threads = True
        threading.Thread(target=server.serve_forever, daemon=True).start()
        monkeypatch.setenv("AWS_ENDPOINT_URL", f"http://127.0.0.1:{server.server_port}")
        yield s3_store
        server.shutdown()


def test_a_service_that_creates_twice_is_refused(careless_service: str) -> None:
    objects = open_objects(careless_service, NAME)
    with pytest.raises(StoreError, match="ignores `If-None-Match: \\*`"):
        objects.create("crawl.toml", b"1")


def test_wrong_keys_are_told(s3_store: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "wrong")
    with pytest.raises(StoreError, match="AWS_SECRET_ACCESS_KEY") as told:
        open_objects(s3_store, NAME).read("a")
    assert not isinstance(told.value, ObjectsUnavailable)
    assert "wrong" not in str(told.value)


def test_a_missing_bucket_is_told(s3_store: str) -> None:
    with pytest.raises(StoreError, match="aws s3 mb s3://no-such-bucket"):
        open_objects("s3://no-such-bucket/x", NAME).read("a")


def test_a_service_that_is_down_is_unavailable(
    s3_store: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:1")
    objects = open_objects(s3_store, NAME)
    calls: list[Callable[[], object]] = [
        lambda: objects.put("c", file_of(tmp_path / "c", b"3")),
        lambda: objects.read("a"),
        lambda: list(objects.list("a")),
        lambda: crawls_in(s3_store),
    ]
    for call in calls:
        with pytest.raises(ObjectsUnavailable, match="AWS_ENDPOINT_URL"):
            call()


def test_a_large_object_goes_in_parts(s3_store: str, tmp_path: Path) -> None:
    objects, content = open_objects(s3_store, NAME), os.urandom(20_000_000)
    objects.put("warc/large", file_of(tmp_path / "large", content))
    assert objects.download("warc/large", tmp_path / "copy")
    assert (tmp_path / "copy").read_bytes() == content


@pytest.mark.parametrize("place", ["s3://KEY:SECRET@bucket/x", "s3://bucket/x?secret=SECRET"])
def test_a_place_with_a_secret_is_refused(place: str) -> None:
    with pytest.raises(ConfigError, match="AWS_ACCESS_KEY_ID") as told:
        open_objects(place, NAME)
    assert "SECRET@" not in str(told.value)
    assert "=SECRET" not in str(told.value)


def test_a_folder_that_goes_away_between_two_looks_is_not_made_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is mounted there may have been unmounted: nothing is to be written below it."""
    objects = FolderObjects(tmp_path / "crawl")
    assert objects.create("manifests/1.json", b"{}")
    (tmp_path / "crawl").rename(tmp_path / "away")
    monkeypatch.setattr(FolderObjects, "_made_root", lambda self: self._root)  # seen before
    with pytest.raises(ObjectsUnavailable):
        objects.create("open/2/00000001", b"part")
    assert not (tmp_path / "crawl").exists()
