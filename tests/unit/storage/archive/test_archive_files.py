"""The files of an archive: segments, their numbers, a full disk, threads, places that are none."""

from __future__ import annotations

import errno
import os
import threading
from pathlib import Path

import pytest

from lycosa.errors import StoreError
from lycosa.model.records import Place
from lycosa.storage.archive.archive import ArchiveStore
from lycosa.storage.archive.layout import warc_names
from lycosa.storage.archive.reader import table
from unit.storage.archive.archived import always
from unit.storage.archive.exchanges import (
    capture,
    check_archive,
    robots,
)


def test_a_full_segment_is_followed_by_another(tmp_path: Path) -> None:
    store = ArchiveStore(tmp_path, roll_bytes=4_000)
    places = [store.append(capture(number)) for number in range(20)]
    assert {place.segment for place in places} == set(range(1, 8))
    for number, place in enumerate(places):
        assert store.read(place).body == capture(number).answer.body
    store.flush()
    sealed = store.seal(always, decided=3)
    assert [one.segment for one in sealed] == [1, 2]
    for number, place in enumerate(places):
        assert store.links(place)[0].key == f"org.example:/page/{number + 1}"
    store.seal(always)
    store.close()
    assert table(tmp_path, "pages").num_rows == 20
    check_archive(tmp_path)


def test_workers_share_the_numbers_of_segments(tmp_path: Path) -> None:
    stores = [ArchiveStore(tmp_path, worker=worker) for worker in range(3)]
    places = [store.append(capture(number)) for number, store in enumerate(stores)]
    assert [place.segment for place in places] == [1, 2, 3]
    for store in stores:
        store.flush()
    assert stores[2].read(places[0]).body == capture(0).answer.body
    assert [str(name) for name in warc_names(tmp_path)] == [
        f"lycosa-{worker}-0000{worker + 1}" for worker in range(3)
    ]
    for store in stores:
        store.close()


@pytest.mark.parametrize("remembered", [None, b"", b"x1", b"1"])
def test_the_number_of_a_segment_is_never_given_twice(
    remembered: bytes | None, tmp_path: Path
) -> None:
    """The log may know places of a segment whose files are gone, and say that they are lost."""
    store = ArchiveStore(tmp_path)
    store.append(capture(1))
    store.seal(always)
    store.close()
    numbers = tmp_path / "warc" / ".numbers"
    if remembered is None:
        for path in tmp_path.rglob("lycosa-0-00001*"):
            path.unlink()
    else:
        numbers.write_bytes(remembered)
    again = ArchiveStore(tmp_path)
    assert again.append(capture(2)).segment == 2
    again.close()


def test_a_full_disk_loses_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = ArchiveStore(tmp_path)
    really_write = os.pwrite
    places = []
    for number, room in enumerate((0, 50, 700, 2_500, 4_000)):
        places.append(store.append(capture(number)))
        left = [room]

        def write_little(
            file: int, content: memoryview, offset: int, left: list[int] = left
        ) -> int:
            if left[0] == 0:
                raise OSError(errno.ENOSPC, "No space left on device")
            written = really_write(file, content[: left[0]], offset)
            left[0] -= written
            return written

        def write_some(file: int, chunks: list[bytes], offset: int) -> int:
            return write_little(file, memoryview(b"".join(chunks)), offset)

        monkeypatch.setattr(os, "pwrite", write_little)
        monkeypatch.setattr(os, "pwritev", write_some)
        with pytest.raises(StoreError, match=r"no room for .* more bytes\n  make room"):
            store.flush()
        assert store.read(places[number]).body == capture(number).answer.body
    monkeypatch.undo()
    store.flush()
    store.seal(always)
    store.close()
    assert table(tmp_path, "pages").num_rows == 5
    assert table(tmp_path, "links").num_rows == 15
    check_archive(tmp_path)


def test_power_durability_syncs_every_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = ArchiveStore(tmp_path, durability="power")
    store.append(capture(1))
    store.append(robots(2))
    synced: list[str] = []
    really_sync = os.fsync

    def sync(file: int) -> None:
        synced.append(Path(f"/proc/self/fd/{file}").readlink().parent.name)
        really_sync(file)

    monkeypatch.setattr(os, "fsync", sync)
    store.flush()
    parts = ["warc", "links", "text", "hosts", "pages", "digests"]
    assert synced[-6:] == parts
    assert set(synced[:-6]) == {tmp_path.name, tmp_path.parent.name}  # the names of the files
    store.flush()
    assert len(synced) == 8 + 6
    store.close()


def test_appending_while_others_flush_and_read_keeps_every_row_and_record(tmp_path: Path) -> None:
    store = ArchiveStore(tmp_path, roll_bytes=60_000)
    is_done = threading.Event()
    places: list[Place] = []
    troubles: list[Exception] = []

    def beside() -> None:
        while not is_done.is_set():
            try:
                store.flush()
                if places:
                    assert store.read(places[len(places) // 2]).status == 200
                store.seal(always, decided=places[-1].segment if places else 0)
            except Exception as error:
                troubles.append(error)
                return

    threads = [threading.Thread(target=beside) for _ in range(2)]
    for thread in threads:
        thread.start()
    for number in range(600):
        places.append(store.append(capture(number)))
    is_done.set()
    for thread in threads:
        thread.join()
    assert not troubles
    for number, place in enumerate(places):
        assert store.read(place).body == capture(number).answer.body
    store.seal(always)
    store.close()
    assert sorted(table(tmp_path, "pages", ["key"])["key"].to_pylist()) == sorted(
        capture(number).key for number in range(600)
    )
    assert table(tmp_path, "links").num_rows == 1800


def test_a_closed_store_takes_and_gives_nothing(tmp_path: Path) -> None:
    store = ArchiveStore(tmp_path)
    place = store.append(capture(1))
    store.close()
    store.close()
    with pytest.raises(StoreError, match="closed"):
        store.append(capture(2))
    with pytest.raises(StoreError, match="closed"):
        store.read(place)


def test_a_place_that_is_none_is_an_error(tmp_path: Path) -> None:
    store = ArchiveStore(tmp_path)
    place = store.append(capture(1))
    store.flush()
    with pytest.raises(StoreError, match=r"offset 99999: .* beyond the end"):
        store.read(Place(1, 99_999, 50))
    with pytest.raises(StoreError, match=r"segment 7, .* no such segment"):
        store.read(place._replace(segment=7))
    with pytest.raises(StoreError, match="a metadata record stands there"):
        store.read(Place(1, place.offset + place.length, 0))
    with pytest.raises(StoreError, match=r"is not .* bytes long"):
        store.read(place._replace(length=place.length + 5))
    store.close()


def test_a_folder_that_cannot_be_made_is_a_store_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(
        StoreError, match=r"no file of the archive can be made there: .*\n  check who owns"
    ):
        ArchiveStore(tmp_path / "file")
