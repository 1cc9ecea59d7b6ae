"""The URL table that crawls use: compiled trees in memory, and spilled sites in a vault.

The trees are in `_table.pyx`, the format of spilled sites is in `chunks.py`. This module has
the parts that need not be quick: walks over everything, spilling, and snapshots. For a spilled URL
the table keeps the number of its chunk: four bytes, or less than one where its neighbours by number
are spilled too and `tighten` was called. (The compiled code says *sealed* for spilled.)

Cost: finding a URL of a spilled site, or its key, reads and decompresses a frame of some 1,000;
spilling a site and bringing it back are linear in its URLs.
"""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from lycosa._support.failpoints import reach
from lycosa.frontier.urltable._table import Table
from lycosa.frontier.urltable.chunks import CHUNK_FRAMES, FRAME_URLS, Chunks
from lycosa.frontier.urltable.segments import is_node, segment_end
from lycosa.frontier.urltable.vaults import MemoryVault, Vault


class CompactUrlTable(Table):
    """Implements `lycosa.frontier.urltable.contract.UrlTable`."""

    frame_urls = FRAME_URLS
    chunk_frames = CHUNK_FRAMES

    def __init__(self, vault: Vault | None = None) -> None:
        self._chunks = Chunks(vault if vault is not None else MemoryVault())

    # -- walks over everything ------------------------------------------------------------

    def __iter__(self) -> Iterator[str]:
        return map(self.key, range(len(self)))

    def walk(self, prefix: str = "") -> Iterator[tuple[str, int]]:
        """Yield what begins with a prefix, also keys that are added meanwhile further on."""
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
            if self.is_spilled(site):
                entries = self._chunks.entries(site, path)
            else:
                entries = self._entries(site, path)
            if not entries:
                return
            yield from entries
            path = entries[-1][0] + b"\0"

    def put_into(self, vault: Vault) -> None:
        """Set the vault, before any site is spilled."""
        if self._chunks:
            raise ValueError("sites are spilled to another vault already")
        self._chunks = Chunks(vault)

    # -- spilling -------------------------------------------------------------------------

    def spill(self, site: int) -> bool:
        """Move a resting site's URLs to the vault."""
        if self.is_awake(site):
            return False
        if not self.is_spilled(site):
            runs = self._runs(site, self.frame_urls, self.chunk_frames)
            self._put_away(site, self._chunks.put(site, runs))
            reach("urls.sealed")
        return True

    def unseal(self, site: int) -> None:
        """Bring a site back; the compiled trees call this when they need it."""
        self.bring_back(site)

    def bring_back(self, site: int) -> None:
        """Bring a site back."""
        if self.is_spilled(site):
            self._bring_back(site, list(self._chunks.runs(site)))
            self._chunks.drop(site)

    def tighten(self) -> None:
        """Give back the memory that spilling has freed; linear in what is left."""
        self._chunks.forget_recent()
        self._tighten()

    def is_spilled(self, site: int) -> bool:
        """Return whether a site is in the vault."""
        return self._is_put_away(site)

    def bytes_held(self) -> int:
        """Return the bytes of the arrays, and roughly those that spilled sites keep in memory."""
        return self._native_bytes() + self._chunks.bytes_held()

    def bytes_in_use(self) -> int:
        """`bytes_held` without what `tighten` would give back."""
        return self.bytes_held() - self._free_bytes()

    def _find_sealed(self, site: int, path: bytes) -> int:
        return self._chunks.find(site, path)

    def _sealed_path(self, number: int, chunk: int) -> tuple[bytes, bool]:
        return self._chunks.path(number, chunk)

    def _site_of_chunk(self, chunk: int) -> int:
        return self._chunks.site_of(chunk)

    # -- snapshots ------------------------------------------------------------------------

    def pack(self) -> bytes:
        """Return the sites and the run of each; the same for the same keys in the same order."""
        runs = []
        for site in range(self.site_count()):
            spilled = self._chunks.runs(site) if self.is_spilled(site) else ()
            runs.append(self._whole_run(site, spilled))
        names = [self.site_name(site) for site in range(self.site_count())]
        return msgspec.msgpack.encode((len(self), "\n".join(names), runs))

    def unpack(self, data: bytes) -> None:
        """Build the trees again."""
        count, names, runs = msgspec.msgpack.decode(
            data, type=tuple[int, str, list[tuple[bytes, bytes]]]
        )
        self._restore(count, names.split("\n") if runs else [], runs)
