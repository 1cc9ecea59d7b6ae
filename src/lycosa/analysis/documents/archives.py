"""Archives whose contents are bounded: a few kilobytes can unpack to gigabytes."""

from __future__ import annotations

import zipfile
from io import BytesIO
from typing import IO

from lycosa.analysis.documents.document import DAMAGED, ENCRYPTED, TOO_LARGE, Unreadable

MOST_BYTES = 100_000_000
"""Most bytes of all parts of an archive, unpacked."""
MOST_PARTS = 20_000
_ENCRYPTED_FLAG = 1


class Archive:
    """A zip archive with a limit on its unpacked size; raises `Unreadable` beyond it."""

    def __init__(self, body: bytes, most_bytes: int = MOST_BYTES) -> None:
        try:
            self._zip = zipfile.ZipFile(BytesIO(body))
        except (zipfile.BadZipFile, ValueError, OSError, NotImplementedError):
            raise Unreadable(DAMAGED) from None
        self.names = frozenset(self._zip.namelist())
        if len(self.names) > MOST_PARTS:
            raise Unreadable(TOO_LARGE)
        self.left_bytes = most_bytes

    def open(self, name: str) -> _Part:
        """Open a part; a missing part counts as damage."""
        try:
            info = self._zip.getinfo(name)
            if info.flag_bits & _ENCRYPTED_FLAG:
                raise Unreadable(ENCRYPTED)
            return _Part(self, self._zip.open(info))
        except (KeyError, zipfile.BadZipFile, NotImplementedError, ValueError, OSError):
            raise Unreadable(DAMAGED) from None

    def content(self, name: str) -> bytes:
        """Return the content of a part."""
        pieces = []
        part = self.open(name)
        while piece := part.read():
            pieces.append(piece)
        return b"".join(pieces)


class _Part:
    """A part, open for reading."""

    def __init__(self, archive: Archive, file: IO[bytes]) -> None:
        self._archive = archive
        self._file = file

    def read(self, most_bytes: int = 65_536) -> bytes:
        """Return the next bytes; the archive's limit counts them."""
        try:
            content = self._file.read(min(most_bytes, 1 << 20))
        except (zipfile.BadZipFile, EOFError, OSError, ValueError):
            raise Unreadable(DAMAGED) from None
        except Exception as error:  # zlib.error, and the errors of other codings
            raise Unreadable(DAMAGED) from error
        self._archive.left_bytes -= len(content)
        if self._archive.left_bytes < 0:
            raise Unreadable(TOO_LARGE)
        return content
