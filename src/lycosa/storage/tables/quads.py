"""The structured data of pages as N-Quads, with the page's URL as the graph.

A file of quads is N-Quads in consecutive zstd frames; the quads of one page never span two frames.
A comment above the quads of a page says which fetch they come from:

    # page <http://example.org/> fetch -1234567890 at 1700000000123456
    <http://example.org/> <http://ogp.me/ns#title> "Example" <http://example.org/> .

The numbers are `fetch_id` and `fetched_at` of its row in `pages`, the latter in microseconds. A
fetched page without structured data has the comment alone: so a page that dropped its structured
data is known to have none now. Other tools skip comments.

While a segment is open its file grows by one frame per flush; sealing rewrites it with larger
frames and without the fetches that do not count.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import IO

import zstandard

from lycosa._support import beneath
from lycosa._support.tuples import NamedTuple
from lycosa.errors import StoreError
from lycosa.model.records import Capture
from lycosa.storage.archive.files import Appendable
from lycosa.storage.tables.rows import fetch_id, microseconds, signed

FRAME_BYTES = 4_000_000
"""How much stands in a frame of a sealed file, before compression."""

_READ_BYTES = 1_000_000
_LEVEL = 3
_HEAD = rb"# page <([^>\n]*)> fetch (-?\d+) at (\d+)\n"
_BEGINNING = b"# page <"


class Block(NamedTuple):
    """The structured data that one fetch of a page gave."""

    url: str
    fetch_id: int
    """As it stands in the rows: signed."""
    fetched_at: int
    """In microseconds."""
    quads: bytes

    def written(self) -> bytes:
        """Return the block as it stands in a file."""
        return (
            f"# page <{self.url}> fetch {self.fetch_id} at {self.fetched_at}\n".encode()
            + self.quads
        )


def block_of(capture: Capture) -> bytes:
    """Return the quads of a page, with what the row of its fetch says."""
    url, moment = capture.request.url, capture.answer.ended
    number = signed(fetch_id(capture.key, moment))
    quads = quads_of(capture.triples or b"", url)
    return Block(url, number, microseconds(moment), quads).written()


def quads_of(triples: bytes, url: str) -> bytes:
    """Return N-Triples as N-Quads whose graph is the page."""
    return triples.replace(b" .\n", b" <" + url.encode() + b"> .\n")


class QuadJournal:
    """The quads of an open segment."""

    def __init__(self, path: Path) -> None:
        self.file = Appendable(path, is_digested=True)
        self._compressor = zstandard.ZstdCompressor(level=_LEVEL, write_checksum=True)

    def append(self, blocks: list[bytes]) -> None:
        """Take blocks into the buffer of the file, as one frame."""
        if blocks:
            self.file.append(self._compressor.compress(b"".join(blocks)))


def blocks(path: Path, *, is_sealed: bool = True) -> Iterator[Block]:
    """Yield the blocks of a file; of an open one those that are whole, as a kill may have left it.

    A sealed file that cannot be read to its end is an error.
    """
    try:
        with beneath.open_file(path, "rb") as file:
            for frame in _frames(file):
                yield from _split(frame)
    except FileNotFoundError:
        return
    except zstandard.ZstdError as error:
        if is_sealed:
            raise StoreError(
                f"{path}: cannot be read: {error}\n"
                f"  make it again from the records: lycosa verify {path.parent.parent} --repair"
            ) from None


def _frames(file: IO[bytes]) -> Iterator[bytes]:
    """Yield the content of every frame that is whole; ZstdError when one is not."""
    decompressor = zstandard.ZstdDecompressor()
    frame = decompressor.decompressobj()
    pieces: list[bytes] = []
    is_inside = False
    while data := file.read(_READ_BYTES):
        while data:
            is_inside = True
            pieces.append(frame.decompress(data))
            if not frame.eof:
                break
            yield b"".join(pieces)
            data, pieces, is_inside = frame.unused_data, [], False
            frame = decompressor.decompressobj()
    if is_inside:
        raise zstandard.ZstdError("the last frame is not whole")


def _split(frame: bytes) -> Iterator[Block]:
    """Yield the blocks of a frame: none goes over its end."""
    start = 0
    while start < len(frame):
        end = frame.find(b"\n" + _BEGINNING, start)
        end = len(frame) if end < 0 else end + 1
        yield _block(frame[start:end])
        start = end


def _block(text: bytes) -> Block:
    head = re.match(_HEAD, text)
    if head is None:
        raise StoreError(
            f"a block of quads begins with {text[:60]!r}\n  restore the file from a copy"
        )
    return Block(head[1].decode(), int(head[2]), int(head[3]), text[head.end() :])


def write_sealed(path: Path, kept: Iterable[Block]) -> int:
    """Write blocks to a new file; returns how many there are."""
    compressor = zstandard.ZstdCompressor(level=_LEVEL, write_checksum=True)
    count = size = 0
    some: list[bytes] = []
    with beneath.open_new(path, "wb") as file:
        for block in kept:
            text = block.written()
            some.append(text)
            count, size = count + 1, size + len(text)
            if size >= FRAME_BYTES:
                file.write(compressor.compress(b"".join(some)))
                some, size = [], 0
        file.write(compressor.compress(b"".join(some)))
    return count


def rewrite(path: Path, to: Path, is_dropped: Callable[[Block], bool]) -> int:
    """Rewrite a file without some blocks, if it has any of them; return how many."""
    dropped = sum(1 for block in blocks(path) if is_dropped(block))
    if dropped:
        write_sealed(to, (block for block in blocks(path) if not is_dropped(block)))
    return dropped
