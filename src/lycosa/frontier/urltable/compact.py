"""The URL table that crawls use: compiled trees, and sealed sites in a vault.

The trees are in `_table.pyx`. Here is what need not be quick: walks over everything, sealing,
and snapshots. A site that is sealed is cut into chunks of some 16,000 keys. A chunk holds
the keys in order, each without what it shares with the one before, compressed; the numbers
and marks beside them in as many bits as they need. Of a sealed site there stay in memory: for
every chunk its first path and its place, for every URL the four bytes that say in which chunk
it is.

Cost: finding a URL of a sealed site, or its key, reads and uncompresses one chunk, unless it
is one of the `RECENT_CHUNKS`; sealing a site and bringing it back are linear in its URLs.
"""

from __future__ import annotations

import struct
from bisect import bisect_right
from collections.abc import Iterator
from typing import NamedTuple

import msgspec
import zstandard

from lycosa.failpoints import reach
from lycosa.frontier.urltable._table import Table, run_entries, run_find, run_path
from lycosa.frontier.urltable.segments import is_node, segment_end
from lycosa.frontier.urltable.vaults import MemoryVault, Place, Vault

CHUNK_URLS = 16_384
"""At least so many, if the site has them: at 4,096 a URL took half a byte more on disk."""
RECENT_CHUNKS = 1
_LEVEL = 9
_SIZE = struct.Struct("<I")


class _Chunk(NamedTuple):
    site: int
    place: Place


class _Sealed(NamedTuple):
    """Of a site that is put away: its chunks, and the first path of each."""

    chunks: list[int]
    firsts: list[bytes]


class CompactUrlTable(Table):
    """Implements `lycosa.frontier.urltable.contract.UrlTable`."""

    def __init__(self, vault: Vault | None = None) -> None:
        self._vault = vault if vault is not None else MemoryVault()
        self._chunks: dict[int, _Chunk] = {}
        self._next_chunk = 0
        self._sealed: dict[int, _Sealed] = {}
        self._recent: dict[int, tuple[bytes, bytes]] = {}

    # -- walks over everything ------------------------------------------------------------

    def __iter__(self) -> Iterator[str]:
        return map(self.key, range(len(self)))

    def walk(self, prefix: str = "") -> Iterator[tuple[str, int]]:
        """Yield what begins with a prefix; what comes meanwhile behind the place is met."""
        return self._walk(prefix.encode(), prefix.encode())

    def children(self, node: str) -> Iterator[str]:
        """Yield each first step below a node once, leaping over what lies below it."""
        start = prefix = node.encode()
        while True:
            for key, _ in self._walk(start, prefix):
                if key != node:
                    break
            else:
                return
            child = key[: segment_end(key, len(node))]
            yield child
            start = child.encode() + (b"\xff" if is_node(child) else b"\0")

    def _walk(self, start: bytes, prefix: bytes) -> Iterator[tuple[str, int]]:
        """Yield what begins with a prefix and does not stand before `start`."""
        name, slash, path = start.partition(b"/")
        site = self._site_from(name + slash)
        while site >= 0:
            found = self.site_name(site).encode() + b"/"
            for rest, number in self._leaves(site, path if found == name + slash else b""):
                if not (found + rest).startswith(prefix):
                    return
                yield (found + rest).decode(), number
            site = self._site_from(found + b"\xff")

    def _leaves(self, site: int, path: bytes) -> Iterator[tuple[bytes, int]]:
        """Yield paths and numbers of a site from a path on, in order."""
        while True:
            if self.is_sealed(site):
                entries = self._sealed_entries(site, path)
            else:
                entries = self._entries(site, path)
            if not entries:
                return
            yield from entries
            path = entries[-1][0] + b"\0"

    def put_into(self, vault: Vault) -> None:
        """Name the vault, before anything is sealed."""
        if self._chunks:
            raise ValueError("what is sealed is in another vault already")
        self._vault = vault

    # -- sealing --------------------------------------------------------------------------

    def seal(self, site: int) -> bool:
        """Put a site away."""
        if self.is_awake(site):
            return False
        if not self.is_sealed(site):
            runs = self._runs(site, CHUNK_URLS)
            first, end = self._next_chunk, self._next_chunk + len(runs)
            for chunk, place in enumerate(self._put([run[1:] for run in runs]), first):
                self._chunks[chunk] = _Chunk(site, place)
            self._next_chunk = end
            sizes = [_SIZE.unpack_from(text)[0] for _, text, _ in runs]
            self._put_away(site, zip(range(first, end), sizes, strict=True))
            self._sealed[site] = _Sealed(list(range(first, end)), [run[0] for run in runs])
            reach("urls.sealed")
        return True

    def _put(self, runs: list[tuple[bytes, bytes]]) -> list[Place]:
        """Put runs into the vault, all or none."""
        places: list[Place] = []
        try:
            for text, numbers in runs:
                packed = zstandard.compress(text, _LEVEL)
                reach("urls.before-seal")
                places.append(self._vault.put(_SIZE.pack(len(packed)) + packed + numbers))
        except OSError:
            for place in places:
                self._vault.drop(place)
            raise
        return places

    def unseal(self, site: int) -> None:
        """Bring a site back."""
        sealed = self._sealed.get(site)
        if sealed is not None:
            self._bring_back(site, [self._read(chunk) for chunk in sealed.chunks])
            del self._sealed[site]
            for chunk in sealed.chunks:
                self._vault.drop(self._chunks.pop(chunk).place)
                self._recent.pop(chunk, None)

    def tighten(self) -> None:
        """Give the memory back that sealing has freed; linear in what is left."""
        self._tighten()

    def is_sealed(self, site: int) -> bool:
        """Return whether a site is put away."""
        return self._is_put_away(site)

    def bytes_held(self) -> int:
        """Return what the arrays take, and roughly what sealed sites have left here."""
        recent = sum(len(text) + len(numbers) for text, numbers in self._recent.values())
        return self._native_bytes() + recent + 400 * len(self._chunks) + 300 * len(self._sealed)

    def bytes_in_use(self) -> int:
        """`bytes_held` without what `tighten` would give back."""
        return self.bytes_held() - self._free_bytes()

    def _find_sealed(self, site: int, path: bytes) -> int:
        sealed = self._sealed[site]
        at = bisect_right(sealed.firsts, path) - 1
        return run_find(*self._read(sealed.chunks[at]), path) if at >= 0 else -1

    def _sealed_path(self, number: int, chunk: int) -> tuple[bytes, bool]:
        return run_path(*self._read(chunk), number)

    def _site_of_chunk(self, chunk: int) -> int:
        return self._chunks[chunk].site

    def _sealed_entries(self, site: int, path: bytes) -> list[tuple[bytes, int]]:
        sealed = self._sealed[site]
        for chunk in sealed.chunks[max(bisect_right(sealed.firsts, path) - 1, 0) :]:
            entries = [entry for entry in run_entries(*self._read(chunk)) if entry[0] >= path]
            if entries:
                return entries
        return []

    def _read(self, chunk: int) -> tuple[bytes, bytes]:
        found = self._recent.pop(chunk, None)
        if found is None:
            data = self._vault.get(self._chunks[chunk].place)
            (size,) = _SIZE.unpack_from(data)
            text = zstandard.decompress(data[_SIZE.size : _SIZE.size + size])
            found = text, data[_SIZE.size + size :]
            if len(self._recent) >= RECENT_CHUNKS:
                del self._recent[next(iter(self._recent))]
        self._recent[chunk] = found
        return found

    # -- snapshots ------------------------------------------------------------------------

    def pack(self) -> bytes:
        """Return the sites and the run of each; the same for the same keys in the same order."""
        runs = []
        for site in range(self.site_count()):
            chunks = self._sealed[site].chunks if self.is_sealed(site) else []
            runs.append(self._whole_run(site, map(self._read, chunks)))
        names = [self.site_name(site) for site in range(self.site_count())]
        return msgspec.msgpack.encode((len(self), "\n".join(names), runs))

    def unpack(self, data: bytes) -> None:
        """Build the trees again."""
        count, names, runs = msgspec.msgpack.decode(
            data, type=tuple[int, str, list[tuple[bytes, bytes]]]
        )
        self._restore(count, names.split("\n") if runs else [], runs)
