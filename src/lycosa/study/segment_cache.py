"""What is made of a segment once: a file beside the study for every sealed segment.

Some of what a study needs stands in no row: in heads of answers, in texts, in quads. To read those
takes longer than all the rest, so it is done once, and `index/study/<name>/` keeps what came of it.
A file there is good as long as what it was made from is what it was, and as long as we would make
the same of it, which `version` says. Of open segments everything is made anew every time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq

from lycosa.store.missing_tables import damage_told
from lycosa.store.sealing import temporary
from lycosa.study.tables import Connection, add_files

_SOURCE = b"lycosa.source"

OnSegment = Callable[[int, int], None]
"""Is told how many segments are done, and how many there are."""


class Kind(NamedTuple):
    """What is made of segments."""

    name: str
    schema: pa.Schema
    version: str


class Derived(NamedTuple):
    """What was made of all segments of a crawl."""

    files: list[Path]
    """Of sealed ones."""
    opened: pa.Table
    """Of open ones."""


def derive(
    store: Path,
    kind: Kind,
    sources: Sequence[Path],
    make: Callable[[Path], Iterator[pa.Table]],
    on_segment: OnSegment,
) -> list[Path]:
    """Make what is missing, and remove what belongs to no segment any more."""
    folder = store / kind.name
    folder.mkdir(parents=True, exist_ok=True)
    targets = [folder / f"{source.name.partition('.')[0]}.parquet" for source in sources]
    for path in set(folder.iterdir()) - set(targets):
        path.unlink()
    for number, (source, target) in enumerate(zip(sources, targets, strict=True), 1):
        _bring_up_to_date(kind, source, target, make)
        on_segment(number, len(targets))
    return targets


def known(store: Path, kind: Kind) -> Derived:
    """Return what has been made before."""
    return Derived(sorted((store / kind.name).glob("*.parquet")), kind.schema.empty_table())


def add_derived(connection: Connection, kind: Kind, derived: Derived) -> None:
    """Make it a table of the database, by the name of its kind."""
    connection.register(f"open_{kind.name}", derived.opened)
    parts = [f"select * from open_{kind.name}"]
    if derived.files:
        add_files(connection, f"sealed_{kind.name}", derived.files)
        parts.append(f"select * from sealed_{kind.name}")
    connection.execute(f"create view {kind.name} as {' union all by name '.join(parts)}")


def _bring_up_to_date(
    kind: Kind, source: Path, target: Path, make: Callable[[Path], Iterator[pa.Table]]
) -> None:
    state = source.stat()
    columns = " ".join(kind.schema.names)
    made_from = f"{kind.version} {columns} {state.st_size} {state.st_mtime_ns}".encode()
    if _made_from(target) == made_from:
        return
    schema = kind.schema.with_metadata({_SOURCE: made_from})
    crawl = source.parent.parent
    with (
        damage_told(crawl, source),
        pq.ParquetWriter(temporary(target), schema, compression="zstd") as writer,
    ):
        for table in make(source):
            writer.write_table(table.cast(schema))
    temporary(target).rename(target)


def _made_from(target: Path) -> bytes | None:
    try:
        found: bytes | None = (pq.read_schema(target).metadata or {}).get(_SOURCE)
    except (FileNotFoundError, pa.ArrowInvalid):
        return None
    return found
