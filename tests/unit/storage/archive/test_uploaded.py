"""What a machine has uploaded is read as it stands in its directory, by places of the log."""

from __future__ import annotations

from pathlib import Path

import pytest

from lycosa.errors import Elsewhere, StoreError
from lycosa.model.job import Job
from lycosa.model.records import Place
from lycosa.operate.inspect.audit import _address_gaps, _overlaps, _tolerance
from lycosa.operate.inspect.request_record import Exchange
from lycosa.operate.inspect.steered import Steered
from lycosa.runtime.uploads.family import family, manifest_of, packed, sealed_names
from lycosa.runtime.verify.other_directories import check_uploaded
from lycosa.runtime.verify.report import Report
from lycosa.storage.archive.archive import ArchiveStore
from lycosa.storage.archive.layout import MOST_IN_DIRECTORY
from lycosa.storage.archive.uploaded import BLOCK_BYTES, UploadedRecords
from lycosa.storage.archive.uploaded_tables import UploadedTables
from lycosa.storage.objects.folder import FolderObjects
from lycosa.storage.objects.manifests import bury_segment, manifest_key
from lycosa.storage.segments.sealing import everything
from unit.storage.archive.exchanges import capture


class Shared:
    """The directory of one machine, and the store."""

    def __init__(self, folder: Path) -> None:
        self.objects = FolderObjects(folder / "crawl")
        self.store = ArchiveStore(folder / "machine")
        self.store.begin_life("life-1", 1)
        self.places = [self.store.append(capture(number)) for number in range(3)]

    def upload(self) -> None:
        self.store.flush()
        self.store.seal(everything)
        for name in sealed_names(self.store.folder):
            files = family(self.store.folder, name)
            for key, path in files.items():
                self.objects.put(key, path)
            manifest = manifest_of(name, files, is_shared=True)
            self.objects.create(manifest_key(name.segment), packed(manifest))


def test_records_are_read_as_they_stand_in_the_directory(tmp_path: Path) -> None:
    shared = Shared(tmp_path)
    shared.upload()
    records = UploadedRecords(shared.objects)
    for place in shared.places:
        assert records.exchange(place) == shared.store.read(place)
        assert records.links(place) == shared.store.links(place)
        assert records.validators(place) == shared.store.validators(place)
    assert records.links(Place(shared.places[0].segment, 0, 0)) == []


def test_a_record_over_the_edge_of_a_block_is_whole(tmp_path: Path) -> None:
    shared = Shared(tmp_path)
    body = bytes((n * n + n // 7) % 251 for n in range(3 * BLOCK_BYTES))
    place = shared.store.append(capture(7, body))
    after = shared.store.append(capture(8, body[1:]))
    shared.upload()
    records = UploadedRecords(shared.objects)
    assert records.exchange(place).body == body
    assert records.links(place) == shared.store.links(place)
    assert records.exchange(after).body == body[1:]


def test_what_was_not_uploaded_is_elsewhere_and_its_machine_is_named(tmp_path: Path) -> None:
    shared = Shared(tmp_path)
    records = UploadedRecords(shared.objects, {1: "m1"}.__getitem__)
    with pytest.raises(Elsewhere, match=r"m1 \(directory 1\) has not uploaded it"):
        records.links(shared.places[0])
    shared.upload()
    assert records.links(shared.places[0]) == shared.store.links(shared.places[0])


def test_what_was_given_up_is_lost(tmp_path: Path) -> None:
    shared = Shared(tmp_path)
    bury_segment(shared.objects, shared.places[0].segment, "m1")
    shared.upload()
    with pytest.raises(Elsewhere, match="was lost with another machine"):
        UploadedRecords(shared.objects).exchange(shared.places[0])
    assert list(UploadedTables(shared.objects).names()) == []


def test_rows_are_read_segment_by_segment(tmp_path: Path) -> None:
    shared = Shared(tmp_path)
    shared.upload()
    tables = UploadedTables(shared.objects)
    (name,) = tables.names()
    damage: list[StoreError] = []
    batches = list(tables.rows(name, "pages", ["url", "offset"], damage.append))
    assert [row["offset"] for batch in batches for row in batch.to_pylist()] == [
        place.offset for place in shared.places
    ]
    assert list(tables.names(except_for={name.segment})) == []
    shared.objects.put(f"hosts/{name}.parquet", Path(__file__))
    assert list(tables.rows(name, "hosts", ["url"], damage.append)) == []
    assert "hosts/" in str(damage[0])


def test_verify_says_which_machine_has_not_uploaded_what(tmp_path: Path) -> None:
    shared = Shared(tmp_path)
    shared.upload()
    report = Report(tmp_path)
    place = f"file://{tmp_path}"
    report.job = Job.of(seeds=["http://a.test/"], store={"place": place}, log={"name": "crawl"})
    first, missing, lost = (MOST_IN_DIRECTORY * n + 1 for n in (1, 2, 3))
    bury_segment(shared.objects, lost, "m3")
    check_uploaded(report, [first, missing, lost, lost + 1], {lost + 1}, {2: "m2"})
    assert [finding.what for finding in report.findings] == [
        f"segment {missing} of m2 not in the store yet",
        f"segment {lost} of the machine of directory 3 given up, but the log still names pages in"
        " it",
    ]
    assert report.is_clean


def exchange(began: float, ended: float, directory: int) -> Exchange:
    url, host, address = "http://a.test/", "a.test", "10.0.0.1"
    return Exchange(began, ended, url, host, address, 200, False, True, directory)


def test_machines_share_the_rate_of_an_address_and_not_its_turns() -> None:
    both = [exchange(1.0, 2.0, 1), exchange(1.5, 2.5, 2), exchange(1.8, 2.8, 2)]
    steered = Steered(Job.of(politeness={"ip_delay_seconds": 0.1}), (), {}, {})
    assert len(list(_address_gaps(both, steered))) == 1
    assert len(list(_overlaps(both, "host", [one.host for one in both]))) == 1
    assert _tolerance(both[0], both[1]) > 1 > _tolerance(both[1], both[2])
