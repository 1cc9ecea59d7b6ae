"""Archives beyond 4 GiB: read by Python's own zipfile, of files that are holes."""

from __future__ import annotations

import io
import os
import struct
import zipfile
from pathlib import Path

import pytest

from lycosa.errors import StoreError
from lycosa.storage.wacz.layout import Piece, ZipMember, pieces_of


class Pieces(io.RawIOBase):
    """The archive as a file that is nowhere written."""

    def __init__(self, pieces: list[Piece]) -> None:
        self._pieces, self._at = pieces, 0
        self.size = pieces[-1].start + pieces[-1].size

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = 0) -> int:
        self._at = offset + (0, self._at, self.size)[whence]
        return self._at

    def tell(self) -> int:
        return self._at

    def read(self, size: int = -1) -> bytes:
        stop = self.size if size < 0 else min(self.size, self._at + size)
        assert stop - self._at < 1_000_000
        found = b""
        for piece in self._pieces:
            begin, end = max(self._at, piece.start), min(stop, piece.start + piece.size)
            if begin < end and isinstance(piece.source, bytes):
                found += piece.source[begin - piece.start : end - piece.start]
            elif begin < end:
                found += bytes(end - begin)
        self._at = stop
        return found


def hole(path: Path, size: int) -> Path:
    path.touch()
    os.truncate(path, size)
    return path


def test_an_archive_beyond_4_gib_has_zip64_fields_in_its_directory_alone(tmp_path: Path) -> None:
    size = 3_000_000_000
    large = hole(tmp_path / "large", size)
    members = [ZipMember(f"archive/{n}", size, 0, large) for n in range(3)]
    members.append(ZipMember("last", 5, 0x3610A686, b"hello"))
    file = Pieces(pieces_of(members))
    with zipfile.ZipFile(file) as archive:
        assert [found.filename for found in archive.infolist()] == [m.name for m in members]
        assert archive.read("last") == b"hello"
        for found in archive.infolist():
            file.seek(found.header_offset)
            header = file.read(30)
            assert header[:4] == b"PK\x03\x04"
            assert struct.unpack("<HH", header[26:30]) == (len(found.filename), 0), "no extra field"


def test_a_file_of_4_gib_is_refused(tmp_path: Path) -> None:
    path = hole(tmp_path / "too-large", 1 << 32)
    with pytest.raises(StoreError, match="4 GiB or more"):
        pieces_of([ZipMember("indexes/index.cdxj", 1 << 32, 0, path)])
