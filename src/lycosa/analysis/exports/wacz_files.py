"""Some pages of a crawl as a WACZ: those of hosts, of a topic, or all that may be exported.

A page that asks for `noarchive` is left out with its records. The records of the other pages are
copied into WARC files of their own (`warc_files`), beside the file to be written, with an index and
a list of pages; `storage.wacz` makes the archive of them. The requisites of a page are included,
from any host.

Cost: the selected records are on the disk twice until the archive is complete.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple

from lycosa._support import beneath
from lycosa.analysis.exports.export import add_computed
from lycosa.analysis.exports.of_topic import rows_of_topic
from lycosa.analysis.exports.warc_files import write_records
from lycosa.analysis.exports.withheld import wishes_obeyed, without_withheld
from lycosa.analysis.study.tables import Connection, all_rows, connected, quoted
from lycosa.errors import LycosaError
from lycosa.model.records import REQUISITE_KINDS, Place
from lycosa.runtime.directory import CrawlDirectory
from lycosa.storage.wacz.parts import COLUMNS, Parts, selected, write_pages
from lycosa.storage.warc import cdx

_ENTRY = ["url", "content_type", "status", "digest", "warc", "offset", "record"]


class Chosen(NamedTuple):
    """The selection of pages of an archive."""

    hosts: tuple[str, ...] = ()
    """Only pages of these hosts; empty for all."""
    topic: str = ""
    """Only pages about this topic; empty for all."""
    with_withheld: bool = False
    """Also pages that ask not to be archived."""


class Selection(NamedTuple):
    """The archive of the chosen pages, while its files exist."""

    parts: Parts
    withheld: int
    """Number of fetches left out because their pages ask for it."""


@contextmanager
def selection(folder: Path, chosen: Chosen, target: Path) -> Iterator[Selection]:
    """Write the files of the chosen pages beside `target`; they are removed at the end."""
    work = target.with_name(f"{target.name}.parts")
    shutil.rmtree(work, ignore_errors=True)
    try:
        work.mkdir()
    except OSError as error:
        raise LycosaError(f"{target}: cannot be written: {error.strerror}") from None
    try:
        with connected(all_rows(folder, ("pages", "links"))) as connection:
            count = _choose(connection, folder, chosen)
            yield Selection(_written(connection, folder, work), count)
    finally:
        shutil.rmtree(work, ignore_errors=True)


def _choose(connection: Connection, folder: Path, chosen: Chosen) -> int:
    """Make the table `chosen`; return the number of fetches left out at their pages' request."""
    add_computed(connection, folder)
    extract = CrawlDirectory.open(folder).job().extract
    wishes = [] if chosen.with_withheld else wishes_obeyed(extract, "pages")
    allowed, count = without_withheld(connection, "pages", wishes)
    begin = allowed
    if chosen.topic:
        begin = rows_of_topic(connection, "pages", allowed, chosen.topic, without_seeds=False)
    if chosen.hosts:
        hosts = ", ".join(quoted(host) for host in chosen.hosts)
        connection.execute(f"create view of_hosts as select * from {begin} where host in ({hosts})")
        begin = "of_hosts"
    kinds = ", ".join(quoted(kind.name.lower()) for kind in sorted(REQUISITE_KINDS))
    connection.execute(f"""
        create table chosen as
        with recursive needed(url_id) as (
            select url_id from {begin}
            union
            select links.target_id from needed
            join links on links.source_id = needed.url_id and links.kind in ({kinds})
        )
        select * from {allowed}
        where length > 0 and (fetch_id in (select fetch_id from {begin})
            or url_id in (select url_id from needed except select url_id from {begin}))
    """)
    if not connection.execute("select count(*) from chosen").fetchone()[0]:
        what = f"the hosts {', '.join(chosen.hosts)}" if chosen.hosts else "this crawl"
        raise LycosaError(
            f"{folder}: no stored page of {what} may be exported\n"
            f"  hosts that were crawled: lycosa sql {folder} 'select distinct host from pages'"
        )
    return count


def _written(connection: Connection, folder: Path, work: Path) -> Parts:
    """Write records, index and list of the chosen pages."""
    info = {
        "software": f"Lycosa/{version('lycosa')}",
        "format": "WARC File Format 1.1",
        "description": f"pages of the crawl {folder.resolve().name}",
    }
    sources = {name: work / name.rpartition("/")[2] for name in _LISTS}
    sorter = cdx.Sorter()
    for (warc,) in connection.execute("select distinct warc from chosen order by 1").fetchall():
        rows = _rows(connection, f"select * from chosen where warc = {quoted(warc)}", _ENTRY)
        by_offset = {row["offset"]: row for row in rows}
        write_records(folder, {warc: by_offset}, work / warc, info, _lister(by_offset, sorter))
        sources[f"archive/{warc}"] = work / warc
    with beneath.open_new(
        sources["indexes/index.cdxj"], "w", encoding="ascii", newline="\n"
    ) as file:
        sorter.write(file)
    listed = _rows(connection, 'select * from chosen order by warc, "offset"', COLUMNS)
    chosen = (row | {"noarchive": None, "began": row["began_microseconds"]} for row in listed)
    main_page = write_pages(
        ([row[column] for column in COLUMNS] for row in chosen), sources["pages/pages.jsonl"]
    )
    return selected(folder, sources, main_page)


_LISTS = ("pages/pages.jsonl", "indexes/index.cdxj")


def _lister(
    by_offset: dict[int, dict[str, Any]], sorter: cdx.Sorter
) -> Callable[[str, int, Place], None]:
    def on_written(name: str, offset: int, place: Place) -> None:
        row = by_offset[offset]
        if row["outcome"].lower() == "not_modified":
            return
        entry = cdx.IndexEntry(
            url=row["url"],
            began=row["began_microseconds"],
            content_type=row["content_type"] or "",
            status=row["status"],
            digest=row["digest"],
            length=place.length,
            offset=place.offset,
            file=name,
            is_revisit=False,
        )
        sorter.add(cdx.line(entry))

    return on_written


def _rows(connection: Connection, query: str, columns: list[str]) -> list[dict[str, Any]]:
    """Return some columns of rows; those that older segments lack are None."""
    there = {name for name, *_ in connection.execute("describe chosen").fetchall()}
    wanted = ", ".join(
        f'"{name}"' if name in there else f'null as "{name}"'
        for name in dict.fromkeys([*columns, "began", "outcome"])
    )
    found = connection.sql(f"select {wanted}, epoch_us(began) as began_microseconds from ({query})")
    rows: list[dict[str, Any]] = found.to_arrow_table().to_pylist()
    return rows
