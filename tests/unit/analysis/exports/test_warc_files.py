"""Records of some pages are copied whole, also those that stand with another page."""

from __future__ import annotations

import gzip
from pathlib import Path

from warcio.archiveiterator import ArchiveIterator

from lycosa.analysis.exports.export import Rows, export
from lycosa.model.url import key_of
from unit.analysis.study.drawn_crawl import Fetch, write_with_topics
from warc_tools import ask_fastwarc, ask_warcio

BODY = "<html>the same page under two addresses " + " ".join(map(str, range(2_000)))
"""Packed it is longer than a record that refers to another one."""


def test_a_revisit_becomes_a_response_with_its_payload(tmp_path: Path) -> None:
    first, copy, other = (key_of(f"http://a.test/{name}") for name in ("", "b", "c"))
    fetches = [Fetch(first, body=BODY), Fetch(copy, body=BODY, depth=1), Fetch(other, depth=1)]
    topics = {first: ("art", 0.9), copy: ("art", 0.9), other: ("music", 0.9)}
    write_with_topics(tmp_path / "crawl", fetches, topics)
    kept = [path.read_bytes() for path in (tmp_path / "crawl").glob("warc/*.gz")]
    assert b"WARC-Type: revisit" in b"".join(map(gzip.decompress, kept))
    target = tmp_path / "art.warc.gz"
    export(tmp_path / "crawl", "pages", "warc", target, rows=Rows("art", without_seeds=True))
    ask_warcio(target)
    ask_fastwarc(target, with_payloads=True)
    with target.open("rb") as file:
        found = [
            (record.rec_type, record.rec_headers.get_header("WARC-Target-URI"), body)
            for record in ArchiveIterator(file)
            if (body := record.content_stream().read()) and record.rec_type != "warcinfo"
        ]
    assert [(kind, url) for kind, url, _ in found if kind != "request"] == [
        ("response", "http://a.test/b"),
        ("metadata", "http://a.test/b"),
    ]
    assert next(body for kind, _, body in found if kind == "response") == BODY.encode()
    assert [path.read_bytes() for path in (tmp_path / "crawl").glob("warc/*.gz")] == kept
