"""Sealed files of quads for tests, made without a crawl."""

from __future__ import annotations

from pathlib import Path

from lycosa.analysis.triples.index import Index
from lycosa.storage.archive.layout import TRIPLES, Name, quads_path
from lycosa.storage.tables.quads import Block, quads_of, write_sealed


def block(page: str, moment: int, *said: str) -> Block:
    """Return what a page, as in `a.test/1`, said at a moment."""
    url = f"http://{page}"
    triples = "".join(f'<{url}> <http://p.test/says> "{text}" .\n' for text in said)
    return Block(url, hash((page, moment)) % 1_000_000, moment, quads_of(triples.encode(), url))


def seal(folder: Path, number: int, *blocks: Block) -> Path:
    """Write a segment."""
    (folder / TRIPLES).mkdir(parents=True, exist_ok=True)
    path = quads_path(folder, Name(number, 0))
    write_sealed(path, blocks)
    return path


def said(index: Index) -> dict[str, set[str]]:
    """Return what each page says, as the index has it."""
    pages: dict[str, set[str]] = {}
    with index.reading() as store:
        for quad in store:
            page = str(quad.graph_name.value).removeprefix("http://")
            pages.setdefault(page, set()).add(quad.object.value)
    return pages
