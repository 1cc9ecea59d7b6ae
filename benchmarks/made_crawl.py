"""Makes crawl directories without crawling, to measure the programs that read them.

`make_rows` writes pages and links alone: pages on a hundredth as many hosts, links whose degrees
follow power laws (exponent 2.5 in, 3 out), URLs of 40 characters.

`make_short` adds texts of a given length to these: the beginning of a paragraph and the number of
the page, so that words become more with the pages.

`make_whole` writes everything that a study reads:

    pages    one in 32 has moved, one in 64 is gone; one in 20 shares its bytes with 19 others,
             one in ten is one of a hundred near duplicates; a third names no language
    links    ten a page, of all kinds; one in ten leads to a host that was never asked
    text     one to eight paragraphs of 500 letters
    hosts    a robots file for each
    triples  of every third page, eight quads
    warc     a head for every page: nothing but what a study reads of an answer
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from pathlib import Path

import duckdb
import numpy as np
import pyarrow.parquet as pq

from lycosa.model.job import Job
from lycosa.runtime.directory import CrawlDirectory
from lycosa.storage.archive.layout import Name, make_folders, quads_path, sealed_path, warc_path
from lycosa.storage.tables.quads import Block, write_sealed
from lycosa.storage.tables.rows import SCHEMAS

SEGMENT_PAGES = 1_000_000
HEADS = 64
PARAGRAPHS, PARAGRAPH_LENGTH = 16_384, 500
WORDS = 50_000


def make_rows(folder: Path, pages: int, links: int) -> None:
    """Write the pages and links of a crawl that never was."""
    _make(folder, pages, links, {"pages": _PAGES, "links": _LINKS}, _VALUES)


def make_short(folder: Path, pages: int, links: int, letters: int) -> None:
    """Write the pages, links and short texts of a crawl that never was."""
    text = f"left(getvariable('pool')[1 + page * 31 % {PARAGRAPHS}], {letters}) || ' n' || page"
    queries = {"pages": _PAGES, "links": _LINKS, "text": _PAGES}
    _make(folder, pages, links, queries, _VALUES | {"text": text})


def make_whole(folder: Path, pages: int, links: int) -> None:
    """Write all of a crawl that never was."""
    values = {**_VALUES, **_MORE_VALUES}
    queries = {"hosts": _HOSTS, "pages": _PAGES, "links": _LINKS, "text": _PAGES}
    _make(folder, pages, links, queries, values)


def _make(
    folder: Path, pages: int, links: int, queries: dict[str, str], values: dict[str, str]
) -> None:
    if (folder / "ready").exists():
        return
    CrawlDirectory.create(folder, Job.of(seeds=["http://www.h0.test/"]))
    make_folders(folder)
    heads = _heads()
    connection = duckdb.connect()
    connection.execute("set preserve_insertion_order = false")
    connection.execute("set variable pool = ?", [_paragraphs()])
    hosts = max(pages // 100, 1)
    for number, low in enumerate(range(0, pages, SEGMENT_PAGES)):
        name = Name(number + 1, 0)
        count = min(SEGMENT_PAGES, pages - low)
        numbers = {
            "low": low,
            "count": count,
            "pages": pages,
            "hosts": hosts,
            "links": round(links * count / pages),
            "low_host": hosts * low // pages,
            "high_host": hosts * (low + count) // pages,
            "warc": warc_path(folder, name).name,
            "head_bytes": len(heads[0]),
        }
        for kind, query in queries.items():
            given = values | ({"text": _VALUES["text"]} if kind == "links" else {})
            columns = ", ".join(
                f"({given.get(field.name, 'null')})::{_type(field.type)} as {field.name}"
                for field in SCHEMAS[kind]
            )
            statement = (
                f"copy (with drawn as ({query}) select {columns} from drawn)"
                f" to '{sealed_path(folder, kind, name)}' (format parquet, compression zstd)"
            )
            connection.execute(statement.format(**numbers))
        if "hosts" in queries:
            with warc_path(folder, name).open("wb") as file:
                for _ in range(-(-count // HEADS)):
                    file.write(b"".join(heads))
            quads = _blocks(sealed_path(folder, "pages", name))
            write_sealed(quads_path(folder, name), quads)
    (folder / "ready").touch()


def _heads() -> list[bytes]:
    """Return records of equal length: one in 32 of them is a redirect."""
    servers = ("nginx/1.24.0", "Apache", "cloudflare", "Microsoft-IIS/10.0")
    found = []
    for number in range(HEADS):
        status = "301 Moved" if number < 2 else "404 Not Found" if number == 2 else "200 OK"
        lines = [
            f"HTTP/1.1 {status}",
            f"Server: {servers[number % 4]}",
            f"Last-Modified: Tue, {1 + number % 28:02} Aug 2023 10:00:00 GMT",
            "Content-Type: text/html; charset=utf-8",
            "Cache-Control: max-age=600",
        ]
        if number < 2:
            lines.append("Location: /section/page-5")
        if number % 3 == 0:
            lines.append("Strict-Transport-Security: max-age=31536000")
        head = "\r\n".join(lines)
        head += f"\r\nX-Padding: {'x' * (400 - len(head))}\r\n\r\n"
        record = f"WARC/1.1\r\nWARC-Type: response\r\nContent-Length: {len(head)}\r\n\r\n{head}"
        packer = zlib.compressobj(0, wbits=31)
        found.append(packer.compress(record.encode()) + packer.flush())
    assert len({len(record) for record in found}) == 1
    return found


def _paragraphs() -> list[str]:
    """Return texts of made-up words, the frequent ones short, as in any language."""
    random = np.random.default_rng(1)
    letters = np.array(list("etaoinshrdlucmfwygpbvk"))
    words = ["".join(random.choice(letters, 1 + int(number**0.22))) for number in range(WORDS)]
    weights = 1.0 / np.arange(1, len(words) + 1)
    drawn = random.choice(len(words), (PARAGRAPHS, 150), p=weights / weights.sum())
    return [" ".join(words[word] for word in some)[:PARAGRAPH_LENGTH] for some in drawn.tolist()]


def _blocks(pages: Path) -> Iterator[Block]:
    with pq.ParquetFile(pages) as file:
        for batch in file.iter_batches(100_000, columns=["fetch_id", "url"]):
            rows = batch.to_pydict()
            for fetch, url in zip(rows["fetch_id"][::3], rows["url"][::3], strict=True):
                node = f"_:f{fetch:x}j0"
                said = _QUADS.replace("NODE", node).replace("PAGE", url)
                yield Block(url, fetch, 1_700_000_000_000_000, said.encode())


_SCHEMA = "http://schema.org/"
_QUADS = f"""\
NODE <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <{_SCHEMA}Article> <PAGE> .
NODE <{_SCHEMA}headline> "A headline of some length that says little" <PAGE> .
NODE <{_SCHEMA}url> <PAGE> <PAGE> .
NODE <{_SCHEMA}datePublished> "2023-11-14"^^<http://www.w3.org/2001/XMLSchema#date> <PAGE> .
<PAGE> <http://ogp.me/ns#title> "A headline of some length" <PAGE> .
<PAGE> <http://ogp.me/ns#type> "article" <PAGE> .
<PAGE> <http://ogp.me/ns#image> <http://img.test/1.jpg> <PAGE> .
<PAGE> <http://purl.org/dc/terms/creator> "somebody"@en <PAGE> .
"""

_PAGES = "select range as page, 0 as target from range({low}, {low} + {count})"
_HOSTS = "select range as page, 0 as target from range({low_host}, {high_host})"
_LINKS = """
    select {low} + floor({count} * random() ** 2)::bigint as page,
        (floor({pages} * random() ** 3)::bigint * 7368787 + 12345) % {pages} as target
    from range({links}) order by page
"""
_ID = "(hash({}) >> 1)"
_URL = "'http://www.h' || {0} % {{hosts}} || '.test/section/page-' || {0}"
_VALUES = {
    "url_id": _ID.format("page"),
    "source_id": _ID.format("page"),
    "target_id": _ID.format("target"),
    "fetch_id": _ID.format("page + 1000000000000"),
    "fetched_at": "to_timestamp(1700000000 + page)",
    "began": "to_timestamp(1700000000 + page)",
    "ended": "to_timestamp(1700000000 + page)",
    "key": "'test.h' || page % {hosts} || '.www:/section/page-' || page",
    "url": _URL.format("page"),
    "target_url": _URL.format("target"),
    "host": "'www.h' || page % {hosts} || '.test'",
    "address": "'192.0.2.' || page % 250",
    "outcome": "'kept'",
    "status": "200",
    "content_type": "'text/html'",
    "size_bytes": "floor(1000 / (random() + 0.001))",
    "truncated": "false",
    "digest": "'sha1:' || hash(page)",
    "offset": "0",
    "length": "0",
    "language": "'en'",
    "fingerprint": _ID.format("page + 1"),
    "distance": "21 * (page % 8)",
    "kind": "'anchor'",
    "rel": "''",
    "text": "'a link'",
    "times": "1",
}
_MORE_VALUES = {
    "outcome": "case when page % 64 < 2 then 'redirected' when page % 64 = 2 then 'not_found'"
    " else 'kept' end",
    "status": "case when page % 64 < 2 then 301 when page % 64 = 2 then 404 else 200 end",
    "digest": "'sha1:' || hash(case when page % 20 = 0 then -1 - page // 400 else page end)",
    "warc": "'{warc}'",
    "offset": "(page - {low}) * {head_bytes}",
    "length": "{head_bytes}",
    "language": "['en', 'de', 'fr', 'ja', '', ''][1 + page % 6]",
    "fingerprint": "case when page % 10 = 0 then xor(hash(page // 1000) >> 1,"
    " (1::ubigint << (page // 10 % 63))) else hash(page) >> 1 end",
    "kind": "['anchor', 'anchor', 'anchor', 'image', 'style', 'form', 'anchor', 'media']"
    "[1 + (page + target) % 8]",
    "target_url": "case when target % 10 = 0 then 'http://away' || target % 1000 || '.test/x.jpg'"
    f" else {_URL.format('target')} end",
    "target_id": f"case when target % 10 = 0 then {_ID.format('-target')}"
    f" else {_ID.format('target')} end",
    "text": "list_aggregate(list_transform(range(1 + page % 8), lambda i:"
    f" getvariable('pool')[1 + (page * 31 + i * 17) % {PARAGRAPHS}]), 'string_agg', ' ')",
}


def _type(kind: object) -> str:
    names = {"int64": "bigint", "int32": "integer", "int16": "smallint", "bool": "boolean"}
    text = str(kind)
    return "timestamptz" if text.startswith("timestamp") else names.get(text, "varchar")
