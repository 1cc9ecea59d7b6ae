"""Sealed segments reach the store whole, once, whatever fails."""

from __future__ import annotations

import hashlib
import logging
import random
from pathlib import Path

import pytest

from faulty_objects import FaultyObjects
from lycosa.runtime.uploads import uploader as uploading
from lycosa.runtime.uploads.family import family
from lycosa.runtime.uploads.sent import Sent
from lycosa.runtime.uploads.uploader import Uploader
from lycosa.storage.archive.layout import Name
from lycosa.storage.objects.folder import FolderObjects
from lycosa.storage.objects.manifests import Manifest, bury_segment, read_manifest
from lycosa.storage.objects.protocol import Objects
from unit.runtime.uploads.made_family import make_family, wait_for

PLACE = "file:///x c0ffee"


@pytest.fixture(autouse=True)
def fast(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(uploading, "FIRST_PAUSE_SECONDS", 0.0001)
    monkeypatch.setattr(uploading, "MOST_PAUSE_SECONDS", 0.001)
    monkeypatch.setattr(uploading, "CALM_SECONDS", 0.0)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    path = tmp_path / "crawl"
    (path / "log").mkdir(parents=True)
    return path


@pytest.fixture
def store(tmp_path: Path) -> FolderObjects:
    return FolderObjects(tmp_path / "store")


def uploader_of(folder: Path, objects: Objects) -> Uploader:
    return Uploader(folder, objects, Sent(folder / "log" / "sent", PLACE), is_shared=False)


def upload_all(folder: Path, objects: Objects) -> Uploader:
    uploader = uploader_of(folder, objects)
    uploader.start()
    uploader.look_now()
    wait_for(lambda: uploader.has_looked and not uploader.left.segments)
    uploader.close()
    return uploader


def content(folder: Path) -> dict[str, bytes]:
    """Return all files of a crawl directory that belong into the store."""
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file() and path.parent.name not in ("log", ".incoming", "manifests")
    }


def check(folder: Path, store: FolderObjects, segments: range) -> None:
    there = {one.key: store.read(one.key) for one in store.list()}
    manifests = {f"manifests/{number}.json" for number in segments}
    assert {key for key in there if key.startswith("manifests/")} == manifests
    assert {key: value for key, value in there.items() if key not in manifests} == content(folder)
    for number in segments:
        manifest = read_manifest(store, number)
        assert manifest is not None
        assert manifest.files.keys() == family(folder, Name(number, 0)).keys()
        for key, file in manifest.files.items():
            value = there[key] or b""
            assert (file.bytes, file.sha256) == (len(value), hashlib.sha256(value).hexdigest())


def test_everything_sealed_is_uploaded(folder: Path, store: FolderObjects) -> None:
    chance = random.Random(1)
    for number in range(1, 6):
        make_family(folder, number, chance)
    uploader = upload_all(folder, store)
    check(folder, store, range(1, 6))
    assert uploader.left.bytes == 0


def test_an_open_segment_waits_and_counts_as_unsent(folder: Path, store: FolderObjects) -> None:
    make_family(folder, 1, random.Random(1), is_sealed=False)
    uploader = upload_all(folder, store)
    assert list(store.list()) == []
    assert uploader.left.bytes > 0


@pytest.mark.parametrize("seed", range(5))
def test_a_store_that_fails_a_third_of_its_calls_gets_everything_once(
    folder: Path, store: FolderObjects, seed: int
) -> None:
    chance = random.Random(seed)
    faulty = FaultyObjects(store, 0.3, chance)
    for number in range(1, 11):
        make_family(folder, number, chance)
    upload_all(folder, faulty)
    check(folder, store, range(1, 11))
    assert faulty.failures > 10


def test_a_killed_uploader_is_gone_on_with(folder: Path, store: FolderObjects) -> None:
    """Each try ends at another call, and the next one knows only the files on both sides."""
    chance = random.Random(3)
    for number in range(1, 4):
        make_family(folder, number, chance)
    for _ in range(40):
        uploader = uploader_of(folder, FaultyObjects(store, 0.1, chance))
        try:
            uploader._send_all()
        except Exception:
            continue
        break
    check(folder, store, range(1, 4))


def test_what_was_sent_is_not_sent_again(folder: Path, store: FolderObjects) -> None:
    make_family(folder, 1, random.Random(1))
    upload_all(folder, store)
    counting = FaultyObjects(store, 0.0, random.Random())
    upload_all(folder, counting)
    assert counting.calls == 0


def test_a_lost_memory_asks_the_store(folder: Path, store: FolderObjects) -> None:
    make_family(folder, 1, random.Random(1))
    upload_all(folder, store)
    (folder / "log" / "sent").unlink()
    counting = FaultyObjects(store, 0.0, random.Random())
    upload_all(folder, counting)
    assert counting.calls == 2, "one read: its manifest"


def test_a_segment_that_was_given_up_does_not_come_back(
    folder: Path, store: FolderObjects, caplog: pytest.LogCaptureFixture
) -> None:
    make_family(folder, 7, random.Random(1))
    bury_segment(store, 7, "the operator on m2")
    upload_all(folder, store)
    assert read_manifest(store, 7) == Manifest(7, lost=True, by="the operator on m2")
    assert [one.key for one in store.list()] == ["manifests/7.json"]
    assert "given up by the operator on m2" in caplog.text


def test_given_up_in_the_middle_of_an_upload(folder: Path, store: FolderObjects) -> None:
    make_family(folder, 7, random.Random(1))

    class Raced(FaultyObjects):
        def create(self, key: str, value: bytes) -> bool:
            bury_segment(store, 7, "operator")
            return super().create(key, value)

    upload_all(folder, Raced(store, 0.0, random.Random()))
    manifest = read_manifest(store, 7)
    assert manifest is not None
    assert manifest.lost


def test_failures_are_said_once_and_so_is_their_end(
    folder: Path, store: FolderObjects, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    make_family(folder, 1, random.Random(1))
    faulty = FaultyObjects(store, 1.0, random.Random())
    uploader = uploader_of(folder, faulty)
    uploader.start()
    wait_for(lambda: faulty.failures > 20)
    assert "failed on purpose" in uploader.left.problem
    faulty.share = 0.0
    wait_for(lambda: not uploader.left.segments and "again" in caplog.text)
    uploader.close()
    messages = [record.getMessage() for record in caplog.records]
    assert sum("uploads wait" in message for message in messages) == 1
    assert uploader.left.problem == ""


def test_a_torn_line_of_the_memory_is_no_segment(folder: Path) -> None:
    path = folder / "log" / "sent"
    sent = Sent(path, PLACE)
    sent.add(5)
    with path.open("a") as file:
        file.write("\n12")  # of 123;
    again = Sent(path, PLACE)
    again.add(9)
    assert [number for number in range(200) if number in Sent(path, PLACE)] == [5, 9]


def test_another_place_has_a_memory_of_its_own(folder: Path) -> None:
    path = folder / "log" / "sent"
    Sent(path, PLACE).add(5)
    other = Sent(path, "s3://other c0ffee")
    assert other.is_new
    assert 5 not in other
    other.add(6)
    assert 5 not in Sent(path, "s3://other c0ffee")
