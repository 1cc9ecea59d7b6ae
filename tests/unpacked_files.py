"""The content of all files of a folder, unpacked: no secret may be in it."""

from __future__ import annotations

import gzip
from pathlib import Path

import zstandard


def everything_in(folder: Path) -> dict[Path, bytes]:
    """Return the content of all files, unpacked."""
    found = {}
    for path in folder.rglob("*"):
        if not path.is_file():
            continue
        content = path.read_bytes()
        if path.name.endswith(".gz"):
            content += gzip.decompress(content)
        elif path.suffix == ".zst":
            content += zstandard.ZstdDecompressor().stream_reader(content).read()
        found[path] = content
    return found
