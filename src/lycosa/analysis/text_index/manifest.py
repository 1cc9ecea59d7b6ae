"""The inputs of a generation of the text index: its `manifest.json`."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

import msgspec
from xxhash import xxh3_64_intdigest

from lycosa._support import beneath
from lycosa._support.decoders import json_decoder
from lycosa.analysis.text_index.schema import FORMAT

MANIFEST = "manifest.json"

_PEEKED_BYTES = 65_536


class Manifest(msgspec.Struct):
    """The inputs of a generation."""

    format: int = FORMAT
    segments: dict[str, tuple[int, int]] = {}
    """Size and digest of every table, by its path in the crawl directory."""
    computed: dict[str, tuple[int, int]] = {}
    """Size and time of every table of the study that was used."""
    obeys_noindex: bool = True
    is_complete: bool = False
    """Whether it holds everything of these tables; otherwise the next update goes on."""
    pages: int = 0
    languages: list[str] = []
    """The commonest languages of its pages."""
    has_ranks: bool = False
    main_text: str = ""
    """The version of the main texts; "" if there are none."""
    documents: str = ""
    """The version of the reading of documents."""

    def is_outdated(self, target: Manifest) -> bool:
        """Return whether a table in the index is gone or was rewritten: a host was forgotten.

        An index of another format, or with main texts or documents that were read in another way,
        is outdated.
        """
        known = self.segments.items()
        is_changed = any(target.segments.get(name) != found for name, found in known)
        is_read_anew = (self.main_text, self.documents) != (target.main_text, target.documents)
        return self.format != FORMAT or is_changed or is_read_anew


def read_manifest(generation: Path) -> Manifest:
    """Read the manifest of a generation."""
    return json_decoder(Manifest).decode(beneath.read_bytes(generation / MANIFEST))


def write_manifest(generation: Path, manifest: Manifest) -> None:
    """Write the manifest of a generation that is not in place yet."""
    beneath.write_bytes(generation / MANIFEST, msgspec.json.encode(manifest))


def identities(folder: Path, files: Iterable[Path]) -> dict[str, tuple[int, int]]:
    """Return size and digest of tables: of their first and last bytes."""
    found = {}
    for path in files:
        with beneath.open_file(path, "rb") as file:
            first = file.read(_PEEKED_BYTES)
            size = file.seek(0, os.SEEK_END)
            file.seek(max(0, size - _PEEKED_BYTES))
            digest = int(xxh3_64_intdigest(first + file.read(_PEEKED_BYTES))) >> 1
        found[str(path.relative_to(folder))] = (size, digest)
    return found


def states(files: dict[str, Path]) -> dict[str, tuple[int, int]]:
    """Return size and time of tables that are written whole."""
    return {name: (path.stat().st_size, path.stat().st_mtime_ns) for name, path in files.items()}
