"""The format of spilled sites: chunks of compressed frames, with a dictionary for each site.

The table knows a spilled URL by its chunk: some 16,000 keys of a site in order. Their
numbers and marks are one piece in the vault, in as few bits as possible. Their texts are
`FRAME_URLS` to a frame, so that a look-up decompresses little: the lengths of keys and of their
shared prefixes in one zstd stream, their bytes in another. Frames are small, and a small stream
compresses badly: so the bytes of a large site are compressed with a dictionary, which is a
sample of them from all over the site.

Of a spilled site there stay in memory the first path and the position of every frame; of one with
a single frame, as most sites of a broad crawl are, only the positions, in a few bytes. The latest
reads are cached: one dictionary, the numbers of one chunk, the text of one frame.

Cost: finding a path reads and decompresses a frame and reads the numbers of a chunk.
"""

from __future__ import annotations

import struct
from array import array
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import accumulate

import zstandard

from lycosa._support.failpoints import reach
from lycosa._support.tuples import NamedTuple
from lycosa.frontier.urltable._table import (
    run_count,
    run_entries,
    run_find,
    run_index,
    run_number,
    run_path,
    run_tails,
)
from lycosa.frontier.urltable.vaults import Extent, Vault

FRAME_URLS = 1_024
"""At 512 a URL took 0.15 bytes more on disk, and finding it three fifths of the time."""
CHUNK_FRAMES = 16
"""More of them take fewer bits of memory for each URL, and longer to look for a number."""
_LEVEL = 9
_SIZE = struct.Struct("<I")
_SMALL = struct.Struct("<IIQIQI")
"""A chunk of one frame: site, size, extent of the numbers, extent of the frame."""
_MOST_SAMPLED = 65_536
_SAMPLED_SHARE = 64
"""A dictionary is this part of the bytes, and `_MOST_SAMPLED` at most."""
_LEAST_SAMPLED = 4_096
"""A site with less to sample has no dictionary."""
_LEAST_PIECE = 512
"""Of a frame at least so much is sampled, or nothing."""

_NO_DICTIONARY = -1
"""In place of a site: all sites of one frame share what decompresses them."""

Run = tuple[bytes, bytes, int]
"""A frame's text, the numbers of its chunk, and which of them is the frame's first."""


class Chunk(NamedTuple):
    """The index of a chunk that stays in memory; one entry per frame, in columns."""

    site: int
    size: int
    numbers: Extent
    firsts: list[bytes]
    begins: array[int]
    """How many keys of the chunk stand before each frame."""
    offsets: array[int]
    sizes: array[int]

    def extent(self, frame: int) -> Extent:
        """Return the extent of a frame."""
        return Extent(self.offsets[frame], self.sizes[frame])


class _Spilled(NamedTuple):
    """A spilled site: its chunks, and the first path of each."""

    chunks: list[int]
    firsts: list[bytes]
    dictionary: Extent | None


class Chunks:
    """All spilled sites of a table."""

    def __init__(self, vault: Vault) -> None:
        self._vault = vault
        self._chunks: dict[int, Chunk] = {}
        self._sites: dict[int, _Spilled] = {}
        self._small_chunks: dict[int, bytes] = {}
        """Chunks that are a whole site in one frame, as `_SMALL`: a `Chunk` takes 1 kB."""
        self._small_sites: dict[int, int] = {}
        """The chunks of such sites."""
        self._next = 0
        self._frames = 0
        self._recent: tuple[Extent, bytes] | None = None
        self._recent_numbers: tuple[Extent, bytes] | None = None
        self._recent_site: tuple[int, zstandard.ZstdDecompressor] | None = None

    def __len__(self) -> int:
        return len(self._chunks) + len(self._small_chunks)

    def bytes_held(self) -> int:
        """Return roughly what is in memory."""
        kept = [found[1] for found in (self._recent, self._recent_numbers) if found is not None]
        dictionary = _MOST_SAMPLED if self._recent_site is not None else 0
        return (
            sum(map(len, kept))
            + dictionary
            + 700 * len(self._chunks)
            + 100 * self._frames
            + 400 * len(self._sites)
            + 240 * len(self._small_sites)
        )

    # -- putting away ---------------------------------------------------------------------

    def put(
        self, site: int, runs: Sequence[tuple[list[tuple[bytes, bytes]], bytes]]
    ) -> list[tuple[int, int]]:
        """Write a site to the vault, all of it or nothing; return its chunks and their URL counts.

        `runs` are for each chunk its frames (first path, text) and its numbers.
        """
        extents: list[Extent] = []

        def keep(data: bytes) -> Extent:
            reach("urls.before-seal")
            extents.append(self._vault.put(data))
            return extents[-1]

        sample = _sample([text for frames, _ in runs for _, text in frames])
        compressor = zstandard.ZstdCompressor(_LEVEL, dict_data=_dictionary(sample))
        made = []
        try:
            dictionary = keep(sample) if sample else None
            for frames, numbers in runs:
                kept = [keep(_packed(text, compressor)) for _, text in frames]
                ends = list(accumulate(run_count(text) for _, text in frames))
                made.append(
                    Chunk(
                        site,
                        ends[-1],
                        keep(numbers),
                        [first for first, _ in frames],
                        array("I", [0, *ends[:-1]]),
                        array("Q", [extent.offset for extent in kept]),
                        array("I", [extent.size for extent in kept]),
                    )
                )
        except OSError:
            # The disk is full: the whole site stays in memory, its room in the file is freed.
            for extent in extents:
                self._vault.drop(extent)
            raise
        chunks = list(range(self._next, self._next + len(made)))
        self._next += len(made)
        # Most sites are small, and 1 kB for each would be more than their URLs take.
        if dictionary is None and len(made) == 1 and len(made[0].firsts) == 1:
            (number,), (chunk,) = chunks, made
            self._small_sites[site] = number
            self._small_chunks[number] = _SMALL.pack(
                site, chunk.size, *chunk.numbers, *chunk.extent(0)
            )
            return [(number, chunk.size)]
        self._chunks.update(zip(chunks, made, strict=True))
        self._frames += sum(len(chunk.firsts) for chunk in made)
        self._sites[site] = _Spilled(chunks, [chunk.firsts[0] for chunk in made], dictionary)
        return [(number, self._chunks[number].size) for number in chunks]

    def drop(self, site: int) -> None:
        """Forget a site."""
        spilled = self._spilled(site)
        is_small = self._small_sites.pop(site, None) is not None
        self._sites.pop(site, None)
        for number in spilled.chunks:
            chunk = self._chunk(number)
            if is_small:
                del self._small_chunks[number]
            else:
                del self._chunks[number]
                self._frames -= len(chunk.firsts)
            for extent in (chunk.numbers, *map(chunk.extent, range(len(chunk.firsts)))):
                self._vault.drop(extent)
        if spilled.dictionary is not None:
            self._vault.drop(spilled.dictionary)
        self.forget_recent()

    def forget_recent(self) -> None:
        """Keep nothing of what was read."""
        self._recent = self._recent_numbers = self._recent_site = None

    # -- asking ---------------------------------------------------------------------------

    def site_of(self, chunk: int) -> int:
        """Return the site whose keys a chunk holds."""
        return self._chunk(chunk).site

    def find(self, site: int, path: bytes) -> int:
        """Return the number of a path, or -1."""
        spilled = self._spilled(site)
        at = bisect_right(spilled.firsts, path) - 1
        if at < 0:
            return -1
        chunk = self._chunk(spilled.chunks[at])
        frame = bisect_right(chunk.firsts, path) - 1
        index = run_find(self._text(chunk, frame), path)
        return run_number(self._numbers(chunk), chunk.begins[frame] + index) if index >= 0 else -1

    def path(self, number: int, chunk_number: int) -> tuple[bytes, bool]:
        """Return the path of a number in a chunk, and whether it is marked."""
        chunk = self._chunk(chunk_number)
        index, is_marked = run_index(self._numbers(chunk), chunk.size, number)
        frame = bisect_right(chunk.begins, index) - 1
        return run_path(self._text(chunk, frame), index - chunk.begins[frame]), is_marked

    def entries(self, site: int, path: bytes) -> list[tuple[bytes, int]]:
        """Return paths and numbers of one frame of a site, from a path on; none at the end."""
        for text, numbers, begin in self._runs_from(site, path):
            entries = [entry for entry in run_entries(text, numbers, begin) if entry[0] >= path]
            if entries:
                return entries
        return []

    def runs(self, site: int) -> Iterator[Run]:
        """Yield all frames of a site, in order."""
        return self._runs_from(site, b"")

    def _runs_from(self, site: int, path: bytes) -> Iterator[Run]:
        """Yield the frames of a site from the one on in which a path stands or would stand."""
        spilled = self._spilled(site)
        for number in spilled.chunks[max(bisect_right(spilled.firsts, path) - 1, 0) :]:
            chunk = self._chunk(number)
            first = max(bisect_right(chunk.firsts, path) - 1, 0)
            for frame in range(first, len(chunk.firsts)):
                yield self._text(chunk, frame), self._numbers(chunk), chunk.begins[frame]

    # -- reading --------------------------------------------------------------------------

    def _spilled(self, site: int) -> _Spilled:
        number = self._small_sites.get(site)
        return self._sites[site] if number is None else _Spilled([number], [b""], None)

    def _chunk(self, number: int) -> Chunk:
        packed = self._small_chunks.get(number)
        if packed is None:
            return self._chunks[number]
        site, size, at, length, offset, frame = _SMALL.unpack(packed)
        return Chunk(
            site,
            size,
            Extent(at, length),
            [b""],  # no path stands before it
            array("I", [0]),
            array("Q", [offset]),
            array("I", [frame]),
        )

    def _numbers(self, chunk: Chunk) -> bytes:
        if self._recent_numbers is None or self._recent_numbers[0] != chunk.numbers:
            self._recent_numbers = chunk.numbers, self._vault.get(chunk.numbers)
        return self._recent_numbers[1]

    def _text(self, chunk: Chunk, frame: int) -> bytes:
        extent = chunk.extent(frame)
        if self._recent is None or self._recent[0] != extent:
            data = self._vault.get(extent)
            (size,) = _SIZE.unpack_from(data)
            decompress = self._decompressor(chunk.site).decompress
            heads, tails = data[_SIZE.size : _SIZE.size + size], data[_SIZE.size + size :]
            self._recent = extent, zstandard.decompress(heads) + decompress(tails)
        return self._recent[1]

    def _decompressor(self, site: int) -> zstandard.ZstdDecompressor:
        if site in self._small_sites:
            site = _NO_DICTIONARY
        if self._recent_site is None or self._recent_site[0] != site:
            extent = None if site == _NO_DICTIONARY else self._sites[site].dictionary
            sample = self._vault.get(extent) if extent is not None else b""
            self._recent_site = site, zstandard.ZstdDecompressor(_dictionary(sample))
        return self._recent_site[1]


def _packed(text: bytes, compressor: zstandard.ZstdCompressor) -> bytes:
    """Return a frame as it lies in the vault."""
    at = run_tails(text)
    heads = zstandard.compress(text[:at], _LEVEL)
    return _SIZE.pack(len(heads)) + heads + compressor.compress(text[at:])


def _sample(texts: Sequence[bytes]) -> bytes:
    """Return bytes from every frame, or from as many as give pieces that are worth it."""
    size = min(sum(map(len, texts)) // _SAMPLED_SHARE, _MOST_SAMPLED)
    if size < _LEAST_SAMPLED:
        return b""
    piece = max(size // len(texts), _LEAST_PIECE)
    chosen = texts[:: max(len(texts) * piece // size, 1)]
    return b"".join(text[run_tails(text) :][:piece] for text in chosen)


def _dictionary(sample: bytes) -> zstandard.ZstdCompressionDict | None:
    if not sample:
        return None
    return zstandard.ZstdCompressionDict(sample, dict_type=zstandard.DICT_TYPE_RAWCONTENT)
