"""Caches what a study computes from each sealed segment: one file per segment, beside the study.

Some inputs of a study are in no table: headers of answers, texts, quads. Reading them takes
longer than all the rest, so it is done once, and `index/study/<name>/` keeps the result. A file
there is valid as long as its source is unchanged and `version`, which stands for the way it is
computed, is the same. Open segments are computed again each time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq

from lycosa._support import beneath
from lycosa.analysis.study.tables import Connection, add_files
from lycosa.errors import StoreError
from lycosa.storage.archive.files import temporary
from lycosa.storage.archive.index_lists import list_beside
from lycosa.storage.segments.digests import read_list, write_list
from lycosa.storage.tables.extra import DAMAGE
from lycosa.storage.tables.missing_tables import damage_told
from lycosa.storage.tables.parquet_files import require_types

_SOURCE = b"lycosa.source"

OnSegment = Callable[[int, int], None]
"""Called with the number of segments done, and of all segments."""


class Kind(NamedTuple):
    """A kind of result that is computed from segments."""

    name: str
    schema: pa.Schema
    version: str


class Derived(NamedTuple):
    """Results of one kind for all segments of a crawl."""

    files: list[Path]
    """Results of sealed segments."""
    opened: pa.Table
    """Results of open segments."""


def derive(
    store: Path,
    kind: Kind,
    sources: Sequence[Path],
    make: Callable[[Path], Iterator[pa.Table]],
    on_segment: OnSegment,
) -> list[Path]:
    """Compute what is missing, and remove files whose segments are gone."""
    folder = store / kind.name
    folder.mkdir(parents=True, exist_ok=True)
    targets = [folder / f"{source.name.partition('.')[0]}.parquet" for source in sources]
    for path in set(folder.iterdir()) - set(targets):
        path.unlink()
    known = _digests(folder)
    for number, (source, target) in enumerate(zip(sources, targets, strict=True), 1):
        if _bring_up_to_date(kind, source, target, make):
            known.pop(f"{folder.name}/{target.name}", None)
        on_segment(number, len(targets))
    write_list(list_beside(folder), targets, known)
    return targets


def _digests(folder: Path) -> dict[str, str]:
    """Return the digests of an earlier run; none if their list is damaged."""
    path = list_beside(folder)
    try:
        return read_list(path, path.parent) or {}
    except StoreError:
        return {}


def known(store: Path, kind: Kind) -> Derived:
    """Return the results of an earlier study."""
    return Derived(sorted((store / kind.name).glob("*.parquet")), kind.schema.empty_table())


def add_derived(connection: Connection, kind: Kind, derived: Derived) -> None:
    """Add the results to the database as a table, named after their kind."""
    connection.register(f"open_{kind.name}", derived.opened)
    parts = [f"select * from open_{kind.name}"]
    if derived.files:
        add_files(connection, f"sealed_{kind.name}", derived.files, kind.schema)
        parts.append(f"select * from sealed_{kind.name}")
    connection.execute(f"create view {kind.name} as {' union all by name '.join(parts)}")


def _bring_up_to_date(
    kind: Kind, source: Path, target: Path, make: Callable[[Path], Iterator[pa.Table]]
) -> bool:
    """Compute one file if it is not up to date; return whether it was computed."""
    state = source.stat()
    columns = " ".join(kind.schema.names)
    made_from = f"{kind.version} {columns} {state.st_size} {state.st_mtime_ns}".encode()
    if _made_from(target, kind.schema) == made_from:
        return False
    schema = kind.schema.with_metadata({_SOURCE: made_from})
    crawl = source.parent.parent
    with (
        damage_told(crawl, source),
        pq.ParquetWriter(
            beneath.new_place(temporary(target)), schema, compression="zstd"
        ) as writer,
    ):
        for table in make(source):
            writer.write_table(table.cast(schema))
    temporary(target).rename(target)
    return True


def _made_from(target: Path, schema: pa.Schema) -> bytes | None:
    """Return the source of a file; None if there is no sound one with these columns."""
    try:
        footer = pq.read_metadata(beneath.checked(target))
        require_types(footer, schema)
    except (FileNotFoundError, *DAMAGE):
        return None
    found: bytes | None = (footer.metadata or {}).get(_SOURCE)
    return found
