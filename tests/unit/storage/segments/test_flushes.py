"""A power cut that took parts of an open segment is noticed: by checksums, and by zeros."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from lycosa.model.records import Place
from lycosa.storage.archive.archive import ArchiveStore
from lycosa.storage.archive.layout import KINDS, Name, flushes_path, journal_path, warc_path
from lycosa.storage.segments import sealing
from lycosa.storage.segments.flushes import cut_torn
from lycosa.storage.segments.survey import survey
from lycosa.storage.warc.record_reader import members
from unit.storage.archive.exchanges import capture

NAME = Name(1, 0)


def everything(place: Place, key: str) -> bool:
    """Count all records, as a function that reads keys."""
    return True


def open_segment(folder: Path, pages: int = 12) -> list[Place]:
    """Write a segment, one flush a page, and leave it as a dead process does."""
    store = ArchiveStore(folder)
    places = []
    for number in range(pages):
        places.append(store.append(capture(number)))
        store.flush()
    store.abandon()
    return places


def test_an_intact_segment_is_left_as_it_is(tmp_path: Path) -> None:
    open_segment(tmp_path)
    before = {kind: journal_path(tmp_path, kind, NAME).read_bytes() for kind in KINDS}
    cut_torn(tmp_path, NAME)
    after = {kind: journal_path(tmp_path, kind, NAME).read_bytes() for kind in KINDS}
    assert after == before
    assert not survey(tmp_path, NAME, everything).is_damaged


@pytest.mark.parametrize("kind", ["links", "text", "pages"])
@pytest.mark.parametrize("share", [0.3, 0.6, 0.97])
def test_zeros_within_rows_cost_the_records_behind_them(
    tmp_path: Path, kind: str, share: float
) -> None:
    places = open_segment(tmp_path)
    path = journal_path(tmp_path, kind, NAME)
    content = bytearray(path.read_bytes())
    at = int(len(content) * share)
    at += next(n for n in range(len(content)) if content[at + n])  # a byte that is not zero
    content[at : at + 16] = bytes(16)
    path.write_bytes(content)
    cut_torn(tmp_path, NAME)
    assert path.read_bytes() == bytes(content[: path.stat().st_size])
    assert path.stat().st_size <= at
    found = survey(tmp_path, NAME, everything)
    assert found.is_damaged
    whole = [place.offset for place in places[: len(found.whole)]]
    assert sorted(found.whole) == whole and len(whole) < len(places)


@pytest.mark.parametrize("block", [0, 1, 3])
def test_a_block_of_zeros_within_records_costs_them(tmp_path: Path, block: int) -> None:
    places = open_segment(tmp_path)
    path = warc_path(tmp_path, NAME)
    content = bytearray(path.read_bytes())
    first = (places[4].offset // 512 + 1 + block) * 512
    content[first : first + 512] = bytes(512)
    path.write_bytes(content)
    found = survey(tmp_path, NAME, everything)
    lost = {place.offset for place in found.lost}
    assert lost and found.is_damaged
    assert lost.isdisjoint(found.whole)
    assert lost | set(found.whole) == {place.offset for place in places}
    assert len(lost) <= 2


def test_every_exchange_that_has_a_part_of_a_lost_block_is_lost(tmp_path: Path) -> None:
    """Also one that ends within the block: what follows it is lost, too."""
    places = open_segment(tmp_path)
    path = warc_path(tmp_path, NAME)
    content = path.read_bytes()
    begins = [offset for offset, _, record in members(path) if record.type == "request"]
    for first in range(512, len(content) - 512, 512):
        torn = content[:first] + bytes(512) + content[first + 512 :]
        path.write_bytes(torn)
        changed = {
            place.offset
            for place, begin, end in zip(places, begins, [*begins[1:], len(content)], strict=True)
            if torn[begin:end] != content[begin:end]
        }
        assert {place.offset for place in survey(tmp_path, NAME, everything).lost} == changed


def test_zeros_at_the_end_of_the_records_cost_the_last_one(tmp_path: Path) -> None:
    places = open_segment(tmp_path)
    path = warc_path(tmp_path, NAME)
    content = path.read_bytes()
    path.write_bytes(content[:-40] + bytes(40))
    found = survey(tmp_path, NAME, everything)
    assert [place.offset for place in found.lost] == [places[-1].offset]


def test_checksums_that_are_lost_cost_the_rows_behind_them(tmp_path: Path) -> None:
    places = open_segment(tmp_path)
    path = flushes_path(tmp_path, NAME)
    content = path.read_bytes()
    step = len(content) // len(places)
    path.write_bytes(content[: 5 * step] + bytes(len(content) - 5 * step))
    cut_torn(tmp_path, NAME)
    found = survey(tmp_path, NAME, everything)
    assert sorted(found.whole) == [place.offset for place in places[:5]]


def test_rows_of_an_older_version_are_taken_as_they_are(tmp_path: Path) -> None:
    open_segment(tmp_path)
    flushes_path(tmp_path, NAME).unlink()
    before = journal_path(tmp_path, "pages", NAME).read_bytes()
    cut_torn(tmp_path, NAME)
    assert journal_path(tmp_path, "pages", NAME).read_bytes() == before


def test_a_flush_that_failed_is_written_down_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = ArchiveStore(tmp_path)
    store.append(capture(1))
    with monkeypatch.context() as patch:
        patch.setattr("os.pwritev", lambda *words: (_ for _ in ()).throw(OSError(28, "full")))
        with pytest.raises(Exception, match="no room"):
            store.flush()
    store.append(capture(2))
    store.flush()
    store.abandon()
    before = {kind: journal_path(tmp_path, kind, NAME).stat().st_size for kind in KINDS}
    cut_torn(tmp_path, NAME)
    assert {kind: journal_path(tmp_path, kind, NAME).stat().st_size for kind in KINDS} == before


def test_the_number_of_a_segment_that_is_removed_is_not_given_again(tmp_path: Path) -> None:
    open_segment(tmp_path, 2)
    (tmp_path / "warc" / ".numbers").write_bytes(b"")  # a power cut may take what is in it
    store = ArchiveStore(tmp_path)
    store.seal(lambda place, key: False)
    assert list((tmp_path / "warc").glob("*.gz")) == []
    assert store.append(capture(3)).segment == 2
    store.abandon()


def test_records_that_come_back_without_their_rows_are_no_sealed_segment(tmp_path: Path) -> None:
    """Nothing counts in a segment: a cut has kept the removal of its rows, and lost the other."""
    open_segment(tmp_path)
    path, kept = warc_path(tmp_path, NAME), tmp_path / "kept"
    removed = sealing._remove_journals

    def removing(*given: object) -> None:
        os.link(path, kept)
        removed(*given)  # type: ignore[arg-type]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sealing, "_remove_journals", removing)
        sealing.seal_dead(tmp_path, lambda place, key: False)
    kept.rename(path)
    assert sealing.unsealed(tmp_path) == [NAME]
    sealing.seal_dead(tmp_path, lambda place, key: False)
    assert not path.exists() and sealing.unsealed(tmp_path) == []
