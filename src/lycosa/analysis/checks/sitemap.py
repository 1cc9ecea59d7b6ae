"""Writes a sitemap of a crawl (https://www.sitemaps.org/protocol.html).

Listed are pages that search engines are meant to show: kept HTML with status 200, neither `noindex`
nor with a canonical URL elsewhere. `lastmod` is the Last-Modified header, where the server sent
one. A file holds at most 50,000 URLs and 50 MB; more are split, and an index names the parts.
"""

from __future__ import annotations

import gzip
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple
from xml.sax.saxutils import escape

from lycosa.analysis.checks.run import make_ready
from lycosa.analysis.statistics.heads import HEADS, heads_of
from lycosa.analysis.study.results import Results
from lycosa.analysis.study.segment_cache import add_derived
from lycosa.analysis.study.tables import all_rows, connected, require_rows
from lycosa.errors import LycosaError
from lycosa.model.url import canonicalize
from lycosa.runtime.directory import CrawlDirectory
from lycosa.storage.archive.files import temporary

MOST_URLS = 50_000
MOST_BYTES = 50_000_000
_SPACE = "http://www.sitemaps.org/schemas/sitemap/0.9"
_LISTED = """
    select url, strftime(last_modified, '%Y-%m-%dT%H:%M:%SZ') as changed
    from indexable left join heads using (url_id, fetch_id)
    {where} order by url
"""


class SitemapEntry(NamedTuple):
    """A page of a sitemap."""

    url: str
    changed: str | None
    """When it last changed, as the protocol writes it."""


class Written(NamedTuple):
    """A sitemap that was written."""

    urls: int
    sites: int
    files: list[Path]
    """The requested file first; then, if that is an index, the parts."""


def export_sitemap(
    folder: Path, target: Path, base: str = "", prefix: str = "", most_urls: int = MOST_URLS
) -> Written:
    """Write a sitemap of the pages whose URLs begin with `prefix`.

    `base` is the URL of the folder in which the files will be published; an index needs it.
    """
    entries = list(_entries(folder, prefix))
    sites = len({"/".join(entry.url.split("/", 3)[:3]) for entry in entries})
    parts = list(split(entries, most_urls, MOST_BYTES))
    if len(parts) > 1 and canonicalize(base) is None:
        raise LycosaError(
            f"{len(entries):,} URLs need {len(parts)} files and an index that names the files'"
            " URLs\n"
            "  give the URL where they will be published: --base https://example.org/"
        )
    if len(parts) == 1:
        _write(target, _urls(parts[0]))
        return Written(len(entries), sites, [target])
    stem, suffix = target.name.partition(".")[::2]
    files = [target.with_name(f"{stem}-{n}.{suffix}") for n in range(1, len(parts) + 1)]
    for file, part in zip(files, parts, strict=True):
        _write(file, _urls(part))
    _write(target, _index(f"{base.rstrip('/')}/{file.name}" for file in files))
    return Written(len(entries), sites, [target, *files])


def split(
    entries: list[SitemapEntry], most_urls: int, most_bytes: int
) -> Iterator[list[SitemapEntry]]:
    """Divide entries into files that are neither too long nor too large; at least one file."""
    part: list[SitemapEntry] = []
    size = 0
    for entry in entries:
        length = len(_url(entry).encode())
        if part and (len(part) == most_urls or size + length > most_bytes - 1000):
            yield part
            part, size = [], 0
        part.append(entry)
        size += length
    yield part


def _entries(folder: Path, prefix: str) -> Iterator[SitemapEntry]:
    directory = CrawlDirectory.open(folder)
    rows = all_rows(folder, ("links", "pages"))
    require_rows(folder, rows[0])
    results = Results(folder)
    where = "where starts_with(url, ?)" if prefix else ""
    with results.locked(), connected(rows, results.folder) as connection:
        (pages,) = (some for some in rows if some.kind == "pages")
        heads = heads_of(folder, pages, results.folder, lambda done, total: None)
        add_derived(connection, HEADS, heads)
        make_ready(connection, directory, rows, results.folder, lambda done, total: None)
        query = _LISTED.format(where=where)
        for url, changed in connection.execute(query, [prefix] if prefix else []).fetchall():
            yield SitemapEntry(url, changed)


def _url(entry: SitemapEntry) -> str:
    changed = ""
    if entry.changed is not None:
        changed = f"<lastmod>{entry.changed}</lastmod>"
    return f"<url><loc>{escape(entry.url)}</loc>{changed}</url>\n"


def _urls(entries: Iterable[SitemapEntry]) -> Iterator[str]:
    yield f'<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="{_SPACE}">\n'
    yield from map(_url, entries)
    yield "</urlset>\n"


def _index(urls: Iterable[str]) -> Iterator[str]:
    yield f'<?xml version="1.0" encoding="UTF-8"?>\n<sitemapindex xmlns="{_SPACE}">\n'
    yield from (f"<sitemap><loc>{escape(url)}</loc></sitemap>\n" for url in urls)
    yield "</sitemapindex>\n"


def _write(path: Path, lines: Iterable[str]) -> None:
    new = temporary(path)
    try:
        if path.suffix == ".gz":
            with gzip.open(new, "wt", encoding="utf-8") as file:
                file.writelines(lines)
        else:
            with new.open("w", encoding="utf-8") as plain:
                plain.writelines(lines)
        new.rename(path)
    except OSError as error:
        raise LycosaError(f"{path}: cannot be written: {error.strerror}") from None
