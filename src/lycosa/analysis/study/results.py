"""The files of a study in `index/study/`: one Parquet file per table, and `study.json`.

Files are written under temporary names. When all are complete, `study.json` is removed, they are
renamed, and the new `study.json` is written last: if it exists, all tables are of one study. A
study that was killed at any moment leaves the old one, or none; the next one begins from nothing.

`study.json` says which columns each table has, so that a damaged footer is noticed, and from which
rows the study was made. As long as the crawl has no others, the study
is not repeated.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgspec
import pyarrow as pa
import pyarrow.parquet as pq

from lycosa._support import beneath
from lycosa._support.decoders import json_decoder
from lycosa.analysis.study.tables import Connection, add_files, quoted
from lycosa.errors import LycosaError
from lycosa.storage.archive.files import remove_temporary, sync_file, sync_folder, temporary
from lycosa.storage.archive.index_lists import LIST
from lycosa.storage.archive.lock import alone
from lycosa.storage.segments.digests import write_list
from lycosa.storage.segments.sealing import ignore
from lycosa.storage.tables.missing_tables import damage_told
from lycosa.storage.tables.parquet_files import compare_types, footer_of, types_in

VERSION = 5
"""The version of the tables; tables of another version are made again."""

_NAME = re.compile(r"[a-z][a-z0-9_]*")
"""The pattern of a table's name; other text could be a path, or SQL."""

Manifest = dict[str, Any]


class _Sound(msgspec.Struct):
    """Parts of `study.json` that are relied upon: strangers may have written the file."""

    version: int
    tables: dict[str, int]
    columns: dict[str, dict[str, str]] = {}


class Results:
    """The tables of the study of a crawl directory."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "index" / "study"
        self._manifest = self.folder / "study.json"
        self._list = self.folder / LIST
        self._written: dict[str, int] = {}

    def manifest(self) -> Manifest | None:
        """Return the content of `study.json`; None when there is no study."""
        try:
            content = beneath.read_bytes(self._manifest)
            sound = json_decoder(_Sound).decode(content)
            found: Manifest = json_decoder(Manifest).decode(content)
        except (FileNotFoundError, ValueError, msgspec.MsgspecError, RecursionError):
            return None
        return found if sound.version == VERSION else None

    def tables(self) -> dict[str, Path]:
        """Return the files of the tables by their names; none when there is no whole study."""
        manifest = self.manifest() or {}
        found = manifest.get("tables", {})
        return {name: self.path(name) for name in found if _NAME.fullmatch(name)}

    def add_to(self, connection: Connection) -> None:
        """Make the tables known to a database; refuse damaged ones."""
        columns = (self.manifest() or {}).get("columns", {})
        for name, path in self.tables().items():
            with damage_told(self.folder.parent.parent, path):
                # A study of before the columns were noted is taken as it is.
                compare_types(types_in(footer_of(path)), columns.get(name, {}), may_lack=False)
            add_files(connection, name, [path])

    def path(self, name: str) -> Path:
        """Return the path of a table."""
        return self.folder / f"{name}.parquet"

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Hold the lock of this study; the kernel releases it when the process dies."""
        busy = f"{self.folder}: another process is studying this crawl\n  wait for it to end"
        with alone(self.folder / "lock", LycosaError(busy)):
            remove_temporary(self.folder)
            yield

    def write(self, connection: Connection, name: str, query: str) -> int:
        """Write a query's answer as a table that is not valid yet; return the number of rows."""
        path = beneath.new_place(temporary(self.path(name)))
        form = "format parquet, compression zstd"
        (count,) = connection.execute(f"copy ({query}) to {quoted(path)} ({form})").fetchone()
        return self._note(name, int(count))

    def write_and_name(self, connection: Connection, name: str, query: str) -> int:
        """Write a table as above, and make it one of the database."""
        count = self.write(connection, name, query)
        add_files(connection, name, [temporary(self.path(name))])
        return count

    def write_table(self, name: str, table: pa.Table) -> int:
        """Write rows as a table that is not valid yet; return their number."""
        pq.write_table(table, beneath.new_place(temporary(self.path(name))), compression="zstd")
        return self._note(name, table.num_rows)

    def finish(self, facts: Manifest, reach: Callable[[str], None] = ignore) -> Manifest:
        """Make all new tables valid; for readers they appear at the same moment."""
        tables = dict(sorted(self._written.items()))
        columns = {name: types_in(footer_of(temporary(self.path(name)))) for name in tables}
        manifest = {"version": VERSION, "tables": tables, "columns": columns, **facts}
        for name in self._written:
            sync_file(temporary(self.path(name)))
        reach("study.written")
        self._manifest.unlink(missing_ok=True)
        self._list.unlink(missing_ok=True)
        sync_folder(self.folder)
        for name in self._written:
            temporary(self.path(name)).rename(self.path(name))
            reach("study.renamed")
        told = temporary(self._manifest)
        beneath.write_text(told, json.dumps(manifest, indent=2) + "\n")
        sync_file(told)
        told.rename(self._manifest)
        sync_folder(self.folder)
        write_list(self._list, [self._manifest, *(self.path(name) for name in self._written)])
        for path in self.folder.glob("*.parquet"):
            if path.stem not in self._written:
                path.unlink()
        return manifest

    def _note(self, name: str, rows: int) -> int:
        self._written[name] = rows
        return rows
