"""Sealing what a kill, a full disk or damage left: all that counts is kept, and nothing else."""

from __future__ import annotations

import errno
import os
import random
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from warcio.archiveiterator import ArchiveIterator

from lycosa.errors import StoreError
from lycosa.model.records import Place
from lycosa.model.url import key_of
from lycosa.storage.archive.archive import ArchiveStore
from lycosa.storage.archive.files import Appendable
from lycosa.storage.archive.layout import KINDS, cdx_path, journal_path, warc_names, warc_path
from lycosa.storage.archive.reader import captures, find, table
from lycosa.storage.segments.sealing import seal_dead
from lycosa.storage.tables import arrow_functions
from lycosa.storage.tables.rows import signed, url_id
from seeds import examples
from unit.storage.archive.exchanges import capture, check_archive, failure, robots
from unit.storage.segments.sealed import Killed, always, among, column, responses, url


def test_what_a_kill_left_without_an_event_is_dropped(tmp_path: Path) -> None:
    killed = ArchiveStore(tmp_path)
    counted = {killed.append(capture(number)) for number in range(5)}
    killed.flush()
    for number in range(5, 8):
        killed.append(capture(number))
    killed.flush()
    killed.append(capture(8))
    killed.abandon()
    store = ArchiveStore(tmp_path)
    counted |= {store.append(capture(number)) for number in range(5, 8)}
    store.flush()
    sealed = store.seal(among(counted), decided=store.segment)
    assert [(one.segment, one.kept, one.dropped) for one in sealed] == [(1, 5, 3)]
    assert sorted(store.read(place).url for place in counted) == [url(n) for n in range(8)]
    store.seal(among(counted))
    store.close()
    assert responses(tmp_path) == [url(number) for number in range(8)]
    assert sorted(map(str, column(tmp_path, "pages", "url"))) == [url(n) for n in range(8)]
    assert len(column(tmp_path, "text", "text")) == 8
    assert len(column(tmp_path, "links", "kind")) == 24
    check_archive(tmp_path)


def test_what_does_not_count_among_what_does_is_overwritten(tmp_path: Path) -> None:
    store = ArchiveStore(tmp_path)
    places = [
        store.append(capture(n, os.urandom(n * 30_000) if n < 8 else None)) for n in range(20)
    ]
    lost = {2, 3, 5, 7, 18}
    counted = {place for number, place in enumerate(places) if number not in lost}
    sealed = store.seal(among(counted))
    assert [(one.kept, one.dropped) for one in sealed] == [(15, 5)]
    for number, place in enumerate(places):
        if number in lost:
            with pytest.raises(StoreError):
                store.read(place)
        else:
            assert store.read(place).url == url(number)
    store.close()
    assert responses(tmp_path) == [url(n) for n in range(20) if n not in lost]
    assert len(column(tmp_path, "pages", "url")) == 15
    check_archive(tmp_path)


def test_every_page_is_counted_by_its_own_key(tmp_path: Path) -> None:
    killed = ArchiveStore(tmp_path)
    for number in range(6):
        killed.append(capture(number))
    killed.close()
    keys: list[str] = []

    def is_counted(place: Place, key: str) -> bool:
        keys.append(key)
        return int(key.rpartition("/")[2]) % 2 == 0

    assert [one.dropped for one in seal_dead(tmp_path, is_counted)] == [3]
    assert keys == [key_of(url(number)) for number in range(6)]
    assert responses(tmp_path) == [url(0), url(2), url(4)]
    check_archive(tmp_path)


def test_a_page_whose_row_is_gone_is_asked_about_by_the_key_of_its_url(tmp_path: Path) -> None:
    killed = ArchiveStore(tmp_path)
    killed.append(capture(1))
    killed.flush()
    killed.append(capture(2))
    killed._current.warc.flush(False)  # type: ignore[union-attr] # its rows are lost by the kill
    killed.abandon()
    asked: list[str] = []
    seal_dead(tmp_path, lambda place, key: not asked.append(key) and key.endswith("1"))  # type: ignore[func-returns-value]
    assert asked == [key_of(url(1)), key_of(url(2))]


def test_robots_files_and_failures_always_count(tmp_path: Path) -> None:
    killed = ArchiveStore(tmp_path)
    killed.append(capture(1))
    killed.append(robots(2))
    killed.append(capture(3))
    killed.append(failure(4))
    killed.append(capture(5))
    killed.close()
    store = ArchiveStore(tmp_path)
    store.seal(lambda place, key: False)
    store.close()
    assert responses(tmp_path) == ["http://h2.example.org/robots.txt"]
    assert column(tmp_path, "pages", "outcome") == ["timeout"]
    assert column(tmp_path, "hosts", "outcome") == ["kept"]
    check_archive(tmp_path)


def test_a_segment_of_which_nothing_counts_is_removed(tmp_path: Path) -> None:
    killed = ArchiveStore(tmp_path)
    killed.append(capture(1))
    killed.close()
    newborn = ArchiveStore(tmp_path)
    newborn.append(capture(2))
    newborn.abandon()
    store = ArchiveStore(tmp_path)
    store.seal(lambda place, key: False)
    assert warc_names(tmp_path) == []
    assert [path for kind in KINDS for path in (tmp_path / kind).iterdir()] == []
    store.close()


def steps_of_sealing() -> int:
    """Return how many fail points one sealing passes."""
    return 1 + 1 + 5 + 4


@pytest.mark.parametrize("death", range(steps_of_sealing()))
def test_a_kill_in_the_middle_of_sealing_loses_nothing(tmp_path: Path, death: int) -> None:
    killed = ArchiveStore(tmp_path)
    counted = {killed.append(capture(number)) for number in range(6)}
    killed.append(robots(7))
    killed.append(failure(8))
    killed.append(capture(9))
    killed.close()
    passed = 0

    def reach(name: str) -> None:
        nonlocal passed
        passed += 1
        if passed == death + 1:
            raise Killed(name)

    sealer = ArchiveStore(tmp_path)
    with pytest.raises(Killed):
        sealer.seal(among(counted), reach=reach)
    sealer.abandon()
    between = set(map(str, column(tmp_path, "pages", "url")))
    assert between >= {url(number) for number in range(6)}
    sealer = ArchiveStore(tmp_path)
    sealer.seal(among(counted))
    for number, place in enumerate(sorted(counted)):
        assert sealer.read(place).url == url(number)
    sealer.close()
    assert responses(tmp_path) == [*map(url, range(6)), "http://h7.example.org/robots.txt"]
    assert sorted(map(str, column(tmp_path, "pages", "url"))) == [*map(url, range(6)), url(8)]
    assert len(column(tmp_path, "links", "kind")) == 18
    assert len(column(tmp_path, "hosts", "url")) == 1
    name = warc_names(tmp_path)[0]
    assert len(cdx_path(tmp_path, name).read_text().splitlines()) == 7
    left = [path.name for path in tmp_path.rglob("*") if path.suffix in (".tmp", ".arrows")]
    assert left == []
    check_archive(tmp_path)


lives = st.lists(
    st.tuples(
        st.lists(st.sampled_from(["page", "page", "robots", "failure", "flush", "commit"])),
        st.integers(0, 12),
        st.integers(0, 40),
    ),
    min_size=1,
    max_size=4,
)


@given(lives, st.integers(0, 1 << 30))
@settings(max_examples=examples(60), deadline=None)
def test_every_page_that_counts_is_there_once_after_any_kills(
    tmp_path_factory: pytest.TempPathFactory,
    plan: list[tuple[list[str], int, int]],
    seed: int,
) -> None:
    """Lives that append, flush and commit, tear their last bytes and die while sealing."""
    folder = tmp_path_factory.mktemp("crawl")
    chance = random.Random(seed)
    counted: dict[Place, str] = {}
    number = 0

    def dying(after: int) -> object:
        def reach(name: str) -> None:
            nonlocal after
            after -= 1
            if after < 0:
                raise Killed(name)

        return reach

    for steps, death, torn in plan:
        store = ArchiveStore(folder, roll_bytes=4_000)
        try:
            store.seal(among(counted), reach=dying(death))  # type: ignore[arg-type]
        except Killed:
            store.abandon()
            continue
        fresh: list[tuple[Place, str]] = []
        for step in steps:
            number += 1
            if step == "page":
                fresh.append((store.append(capture(number)), url(number)))
            elif step == "robots":
                store.append(robots(number))
            elif step == "failure":
                store.append(failure(number))
            else:
                decided = store.segment
                store.flush()
                if step == "commit":
                    counted.update(fresh)
                    fresh.clear()
                    if chance.random() < 0.5:
                        store.seal(among(counted), decided=decided)
        if torn and chance.random() < 0.5:
            _tear(folder, store, torn, counted)
        store.abandon()
    store = ArchiveStore(folder)
    store.seal(among(counted))
    for place, target in counted.items():
        assert store.read(place).url == target
    store.close()
    wanted = sorted(counted.values())
    assert sorted(one for one in responses(folder) if "robots" not in one) == wanted
    assert sorted(one.url for one in captures(folder)) == wanted
    pages = table(folder, "pages", ["url", "outcome"]).to_pylist()
    assert sorted(row["url"] for row in pages if row["outcome"] == "kept") == wanted
    assert sorted(column(folder, "text", "text")) == sorted(  # type: ignore[type-var]
        f"The text of page {target.rpartition('/')[2]}." for target in wanted
    )
    for target in wanted:
        found = find(folder, target)
        assert found is not None
        assert found.url == target
    for name in warc_names(folder):
        with warc_path(folder, name).open("rb") as file:
            for record in ArchiveIterator(file, check_digests="raise"):
                record.raw_stream.read()


def _tear(folder: Path, store: ArchiveStore, torn: int, counted: dict[Place, str]) -> None:
    """Write some of what was not flushed, as a kill within a flush does."""
    really_write, left = os.pwrite, torn * 50

    def write_little(file: int, content: memoryview, offset: int) -> int:
        nonlocal left
        if left <= 0:
            raise Killed
        written = really_write(file, content[:left], offset)
        left -= written
        return written

    os.pwrite = write_little  # type: ignore[assignment]
    try:
        store.flush()
    except Killed:
        pass
    finally:
        os.pwrite = really_write


def test_a_full_disk_while_sealing_is_said_and_survived(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = ArchiveStore(tmp_path)
    store.append(capture(1))

    def full(*arguments: object, **options: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(arrow_functions, "ParquetWriter", full)
        with pytest.raises(StoreError, match="no room to seal the segment\n  make room"):
            store.seal(always)
    store.append(capture(2))
    assert len(store.seal(always)) == 2
    store.close()
    assert len(column(tmp_path, "pages", "url")) == 2


def test_damaged_journals_are_never_taken_for_a_kill(tmp_path: Path) -> None:
    killed = ArchiveStore(tmp_path)
    killed.append(capture(1))
    killed.flush()
    killed.append(capture(2))
    killed.close()
    name = warc_names(tmp_path)[0]
    path = journal_path(tmp_path, "pages", name)
    path.write_bytes(path.read_bytes()[:-200])
    before = warc_path(tmp_path, name).read_bytes()
    store = ArchiveStore(tmp_path)
    with pytest.raises(StoreError, match=r"1 records that count, or their rows, are damaged"):
        store.seal(always)
    assert warc_path(tmp_path, name).read_bytes() == before
    store.close()


def test_records_that_were_taken_away_are_missed(tmp_path: Path) -> None:
    killed = ArchiveStore(tmp_path)
    killed.append(capture(1))
    killed.close()
    warc_path(tmp_path, warc_names(tmp_path)[0]).unlink()
    store = ArchiveStore(tmp_path)
    with pytest.raises(StoreError, match="is not there, and its rows have not been sealed"):
        store.seal(always)
    store.close()


def test_what_a_power_cut_took_must_be_given_up_before_the_rest_is_sealed(tmp_path: Path) -> None:
    killed = ArchiveStore(tmp_path)
    places = [killed.append(capture(number)) for number in range(3)]
    killed.close()
    os.truncate(warc_path(tmp_path, warc_names(tmp_path)[0]), places[2].offset)
    store = ArchiveStore(tmp_path)
    with pytest.raises(StoreError, match="1 records that count, or their rows, are damaged"):
        store.seal(always)
    sealed = store.seal(lambda place, key: place != places[2])
    assert [(one.kept, one.dropped) for one in sealed] == [(2, 1)]
    store.close()
    assert responses(tmp_path) == [url(0), url(1)]
    check_archive(tmp_path)


def test_links_and_text_without_their_page_do_not_count(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = ArchiveStore(tmp_path)
    committed = store.append(capture(1))
    store.flush()
    store.append(capture(2))

    def full_before_pages(self: Appendable, is_synced: bool) -> None:
        if self.path.parent.name == "pages":
            raise StoreError("no room")
        flush(self, is_synced)

    flush = Appendable.flush
    with monkeypatch.context() as patch:
        patch.setattr(Appendable, "flush", full_before_pages)
        with pytest.raises(StoreError):
            store.flush()
    store.abandon()
    store = ArchiveStore(tmp_path)
    store.seal(lambda place, key: place.offset <= committed.offset)
    store.close()
    expected = {signed(url_id("org.example:/page/1"))}
    assert set(column(tmp_path, "links", "source_id")) == expected
    assert set(column(tmp_path, "text", "url_id")) == expected
    assert column(tmp_path, "pages", "url") == [url(1)]
    check_archive(tmp_path)
