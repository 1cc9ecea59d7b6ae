"""Errors for tables of a sealed segment that are missing or unreadable, with the remedy.

A segment that has an index is sealed, and a sealed segment has a table of every kind. Without this
check, a crawl from which a table was removed would merely look smaller.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pyarrow as pa

from lycosa._support import beneath
from lycosa.errors import StoreError
from lycosa.storage.archive.layout import (
    CDX,
    DIGESTS,
    ITEMS,
    JOURNAL,
    QUADS,
    SEALED,
    TRIPLES,
    cdx_path,
    digests_path,
    names_in,
    sealed_path,
)


def require_table(folder: Path, kind: str) -> None:
    """Raise `StoreError` when a sealed segment lacks its table of this kind."""
    there = {*names_in(folder, kind, SEALED), *names_in(folder, kind, JOURNAL)}
    for name in names_in(folder, CDX, ".cdxj"):
        if name not in there:
            raise missing(folder, sealed_path(folder, kind, name))


def require_index(folder: Path) -> None:
    """Raise `StoreError` when a sealed segment lacks its index."""
    there = {*names_in(folder, CDX, ".cdxj"), *names_in(folder, "pages", JOURNAL)}
    for name in names_in(folder, "pages", SEALED):
        if name not in there:
            raise missing(folder, cdx_path(folder, name))


def require_quads(folder: Path) -> None:
    """Raise `StoreError` when the quads that a segment was sealed with are gone."""
    _require_listed(folder, TRIPLES, QUADS)


def require_items(folder: Path) -> None:
    """Raise `StoreError` when the items that a segment was sealed with are gone."""
    _require_listed(folder, ITEMS, SEALED)


def _require_listed(folder: Path, part: str, ending: str) -> None:
    """Look for files that only some segments have, and that the list of digests names."""
    for name in names_in(folder, DIGESTS, ".sha256"):
        place = f"{part}/{name}{ending}"
        try:
            listed = beneath.read_bytes(digests_path(folder, name))
        except OSError:
            continue
        if place.encode() in listed and not (folder / place).exists():
            raise missing(folder, folder / place)


def missing(folder: Path, path: Path) -> StoreError:
    """Return the error about a file that is not there."""
    return StoreError(
        f"{path}: is not there\n  make it anew from the records: lycosa verify {folder} --repair"
    )


def unreadable(folder: Path, what: object, error: BaseException) -> StoreError:
    """Return the error about a file that cannot be read."""
    why = " ".join(str(error).split())[:200]
    return StoreError(
        f"{what}: cannot be read: {why}\n"
        f"  see what is damaged: lycosa verify {folder}   mend it: lycosa verify {folder} --repair"
    )


@contextmanager
def damage_told(folder: Path, what: object) -> Iterator[None]:
    """Turn Arrow's errors about damaged bytes into ours, which name the remedy."""
    try:
        yield
    except FileNotFoundError:
        raise  # the segment may have been sealed meanwhile: the reader begins again
    except (pa.ArrowException, UnicodeDecodeError, OSError) as error:
        if isinstance(error, OSError) and error.errno is not None:
            raise
        raise unreadable(folder, what, error) from error
