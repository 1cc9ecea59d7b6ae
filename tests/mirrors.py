"""A web whose hosts have pages in common, and the payloads that an archive of it must have.

A page without links has one of three texts, on every host. So most answers are stored as a
`revisit` of what another host, partition or worker has sent, or an earlier run.
"""

from __future__ import annotations

from pathlib import Path

from lycosa.model.records import Place
from lycosa.storage.archive.layout import warc_names, warc_path
from lycosa.storage.warc import warc_format
from lycosa.storage.warc.http_messages import parse_head, payload_of, split_block
from lycosa.storage.warc.record_reader import WarcFiles, members
from lycosa_testweb.generated.page import Page
from lycosa_testweb.generated.web import GeneratedWeb, _Site
from lycosa_testweb.generated.words import prose
from lycosa_testweb.mixing import digest
from lycosa_testweb.parts import Parts

TEXTS = [prose("en", "spiders", 300, number) for number in range(3)]


class MirroredWeb(GeneratedWeb):
    """Hosts of all kinds, of which each has copies of the same few pages."""

    def _page(self, site: _Site, parts: Parts, moment: float) -> Page | None:
        page = super()._page(site, parts, moment)
        if page is None or page.links or page.status != 200 or page.body is not None:
            return page
        number = digest(parts.path) % len(TEXTS)
        return page._replace(title=f"Copy {number}", text=TEXTS[number], language="en")


def check_payloads(folder: Path) -> int:
    """Return how many revisits refer to a payload; each must refer to a record that has it."""
    files, found = WarcFiles(folder), 0
    try:
        for name in warc_names(folder):
            for offset, _, record in members(warc_path(folder, name)):
                if record.type == "revisit" and "WARC-Refers-To-File-Offset" in record.headers:
                    _check(files, record, f"{warc_path(folder, name).name} {offset}")
                    found += 1
    finally:
        files.close()
    return found


def _check(files: WarcFiles, record: warc_format.Record, place: str) -> None:
    of = record.headers
    segment = int(of["WARC-Refers-To-Filename"].partition(".")[0].rpartition("-")[2])
    first = files.member(Place(segment, int(of["WARC-Refers-To-File-Offset"]), 0))
    assert first.type == "response", f"{place}: it refers to a {first.type}"
    assert first.headers["WARC-Target-URI"] == of["WARC-Refers-To-Target-URI"], place
    head, sent = split_block(first.block)
    payload = payload_of(parse_head(head)[1], sent)
    assert warc_format.digest(payload) == of["WARC-Payload-Digest"], place
