"""Of a manifest and a tombstone the first one holds."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from lycosa.errors import FormatError
from lycosa.simulation.cluster.content import MemoryObjects
from lycosa.storage.objects.manifests import (
    Content,
    Manifest,
    bury_segment,
    manifest_key,
    read_manifest,
)

SEGMENT = 1_048_577
WHOLE = Manifest(SEGMENT, 0, 1, {"warc/lycosa-0-1048577.warc.gz": Content(10, "ab")})


def test_a_segment_without_a_manifest_gets_a_tombstone() -> None:
    objects = MemoryObjects()
    assert read_manifest(objects, SEGMENT) is None
    assert bury_segment(objects, SEGMENT, "m3").lost
    assert not objects.create(manifest_key(SEGMENT), msgspec.json.encode(WHOLE))
    assert read_manifest(objects, SEGMENT) == Manifest(SEGMENT, lost=True, by="m3")


def test_a_segment_that_was_uploaded_is_not_buried() -> None:
    objects = MemoryObjects()
    objects.create(manifest_key(SEGMENT), msgspec.json.encode(WHOLE))
    assert bury_segment(objects, SEGMENT, "m3") == WHOLE
    assert WHOLE.warc == "warc/lycosa-0-1048577.warc.gz"


def test_a_tombstone_by_another_hand_is_one() -> None:
    objects = MemoryObjects()
    bury_segment(objects, SEGMENT, "m3")
    assert bury_segment(objects, SEGMENT, "3").by == "m3"


def test_a_damaged_manifest_is_named(tmp_path: Path) -> None:
    objects = MemoryObjects()
    objects.create(manifest_key(SEGMENT), b"{")
    with pytest.raises(FormatError, match=r"manifests/1048577\.json"):
        read_manifest(objects, SEGMENT)
