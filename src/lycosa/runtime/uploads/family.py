"""The files of a sealed segment, and the manifest that names them in a store.

A segment is sealed when its index exists, which is the last of its files to be renamed.
"""

from __future__ import annotations

from pathlib import Path

import msgspec

from lycosa.storage.archive.layout import (
    CDX,
    ITEMS,
    KINDS,
    MOST_IN_DIRECTORY,
    Name,
    cdx_path,
    digests_path,
    names_in,
    quads_path,
    sealed_path,
    warc_path,
)
from lycosa.storage.objects.manifests import Content, Manifest
from lycosa.storage.segments.digests import digest


def sealed_names(folder: Path) -> list[Name]:
    """Return the sealed segments of a crawl directory, in order."""
    return names_in(folder, CDX, ".cdxj")


def family(folder: Path, name: Name) -> dict[str, Path]:
    """Return the files of a sealed segment by their keys in a store; rows of `pages` are last."""
    paths = [warc_path(folder, name), cdx_path(folder, name), digests_path(folder, name)]
    paths.append(quads_path(folder, name))
    paths += [sealed_path(folder, kind, name) for kind in (ITEMS, *KINDS)]
    return {str(path.relative_to(folder)): path for path in paths if path.exists()}


def family_bytes(folder: Path, name: Name) -> int:
    """Return the length of all files of a segment; for an open one, that of its records."""
    return sum(path.stat().st_size for path in family(folder, name).values())


def manifest_of(name: Name, files: dict[str, Path], is_shared: bool) -> Manifest:
    """Return the manifest of a family; the same files always give the same one.

    In a crawl that machines share, a segment's number tells its directory.
    """
    contents = {
        key: Content(path.stat().st_size, digest(path)) for key, path in sorted(files.items())
    }
    directory = name.segment // MOST_IN_DIRECTORY if is_shared else 0
    return Manifest(name.segment, name.worker, directory, contents)


def packed(manifest: Manifest) -> bytes:
    """Return a manifest as stored."""
    return msgspec.json.encode(manifest)
