"""The archive as bytes by range, and the same bytes written to a file."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from lycosa.errors import StoreError
from lycosa.storage.wacz.layout import ZipMember
from lycosa.storage.wacz.parts import Parts
from lycosa.storage.wacz.virtual import VirtualWacz

HERE = Path(__file__)
"""A file that lies on another file system than `tmp_path` where that one is in memory."""


def archive_of(folder: Path, *sources: Path | bytes) -> VirtualWacz:
    members = [
        ZipMember(
            f"part-{number}", len(one) if isinstance(one, bytes) else one.stat().st_size, 0, one
        )
        for number, one in enumerate(sources)
    ]
    return VirtualWacz(folder, parts=Parts(members, "", 0, ""))


@pytest.mark.parametrize("block", [1, 7, 300, 4096, 1 << 20])
def test_written_in_blocks_of_any_size_it_has_the_bytes_that_are_read(
    tmp_path: Path, block: int
) -> None:
    near = tmp_path / "near"
    near.write_bytes(os.urandom(2500))
    wacz = archive_of(tmp_path, near, b"", b"small", HERE, near)
    target = os.open(tmp_path / "target", os.O_RDWR | os.O_CREAT)
    for start in range(0, wacz.size, block):
        wacz.write(target, start, start + block)
    whole = wacz.bytes(0, wacz.size)
    assert os.pread(target, wacz.size + 1, 0) == whole
    assert near.read_bytes() in whole and HERE.read_bytes() in whole
    os.close(target)
    wacz.close()


def test_a_file_that_was_cut_short_is_not_written(tmp_path: Path) -> None:
    near = tmp_path / "near"
    near.write_bytes(bytes(2500))
    wacz = archive_of(tmp_path, near)
    near.write_bytes(bytes(100))
    with (tmp_path / "target").open("wb") as target, pytest.raises(StoreError, match="has changed"):
        wacz.write(target.fileno(), 0, wacz.size)
    wacz.close()
