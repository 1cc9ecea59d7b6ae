"""Counts the structured data of pages by vocabulary, class and property.

The quads of a crawl stand in files of their own (`storage.tables.quads`), one block per fetch. The
uses of each property and class are counted once per block; `said` holds these counts for all sealed
segments (`segment_cache`). The newest block of a page is the one that counts; if it is empty, the
page has no structured data any more.

    vocabularies   the namespaces of properties, and of classes where the property is rdf:type
    classes        the classes of things
    properties     the properties of things

A triple of a blank node tells its form, because each form names blank nodes differently
(`extract.structured.distiller`). Of the others only Open Graph and Twitter cards are known to be
meta elements; `kind` is empty for the rest.

Cost: one regular expression per block and one addition in C per quad; no triple store is needed.
"""

from __future__ import annotations

import re
from array import array
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

import pyarrow as pa
from xxhash import xxh3_64_intdigest

from lycosa.analysis.study.results import Results
from lycosa.analysis.study.segment_cache import Derived, Kind, OnSegment, derive
from lycosa.analysis.study.tables import Connection
from lycosa.storage.archive.layout import (
    QUAD_JOURNAL,
    QUADS,
    TRIPLES,
    names_in,
    quad_journal_path,
    quads_path,
)
from lycosa.storage.tables.quads import Block, blocks
from lycosa.storage.tables.rows import signed

SAID = Kind(
    "said",
    pa.schema(
        [
            ("fetch_id", pa.int64()),
            ("use", pa.int64()),
            ("kind", pa.string()),
            ("class", pa.string()),
            ("property", pa.string()),
            ("times", pa.int32()),
        ]
    ),
    "1",
)

_KINDS = {b"r": "rdfa", b"j": "json-ld", b"m": "microdata"}
"""Forms by the text after the label of a fetch in the name of a blank node."""

_TYPE = "http://www.w3.org/1999/02/22-rdf-syntax-ns#type"
_QUAD = re.compile(
    rb"^(?:_:f[0-9a-f]++([rjm])\d*+|[^ \n]++) <(?:%b> <([^>]*+)>|([^>]*+)>)[^\n]*+\n"
    % re.escape(_TYPE.encode()),
    re.MULTILINE,
)
_NOTHING = (b"", b"", b"")
_BATCH_ROWS = 200_000

Use = tuple[bytes, bytes, bytes]
"""The mark of a form, and a class or a property, as the expression finds them."""

_META = "^https?://(ogp[.]me/ns|dev[.]twitter[.]com/cards#)"
_VOCABULARY = r"regexp_replace(coalesce(class, property), '([#/])[^#/]*$', '\1')"
"""The name of a property or class without its last part."""

_PREPARATIONS = (
    """
    create temp table newest_said as
    select arg_max(fetch_id, fetched_at) as fetch_id, hash(any_value(site)) as site
    from fetches semi join said using (fetch_id) group by url_id
    """,
    """
    create temp table currently_said as
    select fetch_id, site, use, times from said join newest_said using (fetch_id) where times > 0
    """,
    f"""
    create temp table uses as
    with found as (
        select use, any_value(kind) as kind, any_value(class) as class,
            any_value(property) as property
        from said group by use
    )
    select use, class, property, {_VOCABULARY} as vocabulary,
        case when kind is null and regexp_matches(property, '{_META}') then 'meta' else kind end
            as kind
    from found
    """,
)
"""Uses are numbered, so that each name is parsed once."""

_TABLES = {"vocabularies": "vocabulary, kind", "classes": "class", "properties": "property"}


class Quads(NamedTuple):
    """The files of quads at one moment."""

    sealed: list[Path]
    opened: list[Path]


def quads_now(folder: Path) -> Quads:
    """List the segments with quads, each once, even if it is sealed meanwhile."""
    found = Quads([], [])
    names = {*names_in(folder, TRIPLES, QUADS), *names_in(folder, TRIPLES, QUAD_JOURNAL)}
    for name in sorted(names):
        path = quads_path(folder, name)
        if path.exists():
            found.sealed.append(path)
        else:
            found.opened.append(quad_journal_path(folder, name))
    return found


def said_in(quads: Quads, store: Path, on_segment: OnSegment) -> Derived:
    """Count the uses in all blocks; the counts of sealed segments are kept in `store`."""
    files = derive(store, SAID, quads.sealed, lambda path: _counted(blocks(path)), on_segment)
    opened = [table for path in quads.opened for table in _counted(_blocks_of_open(path))]
    return Derived(files, pa.concat_tables([SAID.schema.empty_table(), *opened]))


def _blocks_of_open(journal: Path) -> Iterator[Block]:
    """Yield the blocks of a segment that was open a moment ago."""
    sealed = journal.with_name(journal.name.removesuffix(QUAD_JOURNAL) + QUADS)
    found = list(blocks(journal, is_sealed=False))
    yield from found or blocks(sealed)


def _counted(found: Iterable[Block]) -> Iterator[pa.Table]:
    names: dict[Use, int] = {}
    fetches, codes, times = array("q"), array("i"), array("i")
    for block in found:
        counts = Counter(_QUAD.findall(block.quads)) or {_NOTHING: 0}
        for use, number in counts.items():
            fetches.append(block.fetch_id)
            codes.append(names.setdefault(use, len(names)))
            times.append(number)
        if len(codes) >= _BATCH_ROWS:
            yield _table(names, fetches, codes, times)
            names, fetches, codes, times = {}, array("q"), array("i"), array("i")
    yield _table(names, fetches, codes, times)


def _table(
    names: dict[Use, int], fetches: array[int], codes: array[int], times: array[int]
) -> pa.Table:
    places = pa.array(codes, pa.int32())

    def column(values: Iterable[str | None]) -> pa.Array:
        return pa.array(values, pa.string()).take(places)

    numbers = pa.array([_number(use) for use in names], pa.int64()).take(places)
    kinds = column([_KINDS.get(mark) for mark, _, _ in names])
    classes = column([_text(name) for _, name, _ in names])
    properties = column([_TYPE if kind else _text(name) for _, kind, name in names])
    columns = [pa.array(fetches, pa.int64()), numbers, kinds, classes, properties]
    columns.append(pa.array(times, pa.int32()))
    return pa.Table.from_arrays(columns, schema=SAID.schema)


def _number(use: Use) -> int:
    """Return the number that stands for a use in all segments."""
    return signed(xxh3_64_intdigest(b" ".join(use)))


def _text(name: bytes) -> str | None:
    return name.decode("utf-8", "replace") or None


def write_vocabularies(connection: Connection, results: Results) -> None:
    """Write the three tables, from `said` and `fetches`."""
    for preparation in _PREPARATIONS:
        connection.execute(preparation)
    for name, columns in _TABLES.items():
        times = "triples" if name == "vocabularies" else "uses"
        results.write(
            connection,
            name,
            f"select {columns}, count(distinct fetch_id) as pages, sum(times)::bigint as {times},"
            " count(distinct site) as sites from currently_said join uses using (use)"
            f" where {columns.partition(',')[0]} is not null"
            f" group by all order by {times} desc, {columns}",
        )
