"""Revisits within a partition, and what becomes of them when the host they lean on is forgotten."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from msgspec.structs import replace

from lycosa.model.records import Capture, Place
from lycosa.model.url.key import url_of
from lycosa.storage.archive.archive import ArchiveStore
from lycosa.storage.archive.layout import CDX, warc_names, warc_path
from lycosa.storage.archive.reader import captures, find, table
from lycosa.storage.segments.removal import forget_host
from lycosa.storage.warc.record_reader import members
from unit.storage.archive.exchanges import answer, capture, check_archive, chunked

GOES, STAYS, OTHER = "org.bad", "org.example", "org.example.www"
SAME = f"<html><title>same</title>{random.Random(7).randbytes(3000).hex()}".encode()


def of_partition(made: Capture, partition: int) -> Capture:
    return replace(made, request=replace(made.request, partition=partition))


def page(number: int, key: str, body: bytes = SAME, partition: int = 3) -> Capture:
    return of_partition(capture(number, body, key=key), partition)


def kinds(folder: Path) -> dict[str, str]:
    rows = table(folder, "pages", ["url", "record"]).to_pylist()
    return {row["url"]: row["record"] for row in rows}


def crawled(folder: Path) -> list[Place]:
    """Make an archive of two segments; returns the places of the copies that stay."""
    store = ArchiveStore(folder)
    store.append(page(0, f"{GOES}:/original"))
    places = [store.append(page(1, f"{STAYS}:/copy/1"))]
    store.append(page(2, f"{STAYS}:/alone", b"<html>alone"))
    store.roll()
    places.append(store.append(page(3, f"{OTHER}:/a/longer/way/to/the/very/same/copy/2")))
    body = b"<html>" + b"chunk " * 400
    headers = (("Content-Type", "text/html"), ("Transfer-Encoding", "chunked"))
    for number, key in enumerate((f"{GOES}:/chunked", f"{STAYS}:/chunked"), 4):
        reply = answer(body, began=1.7e9 + number, headers=headers, sent=chunked(body))
        place = store.append(of_partition(capture(number, key=key, reply=reply), 3))
        places += [place] if key.startswith(STAYS) else []
    store.append(page(6, f"{GOES}:/own", b"<html>own"))
    store.seal(lambda place, key: True)
    store.close()
    return places


def test_a_payload_is_stored_once_in_a_partition_whatever_its_hosts(tmp_path: Path) -> None:
    store = ArchiveStore(tmp_path)
    for number, (key, partition) in enumerate(
        [("org.a:/", 3), ("org.b:/", 3), ("org.c:/", 4), ("org.a:/again", 3)]
    ):
        store.append(page(number, key, partition=partition))
    store.seal(lambda place, key: True)
    store.close()
    assert kinds(tmp_path) == {
        "http://a.org/": "response",
        "http://b.org/": "revisit",
        "http://c.org/": "response",
        "http://a.org/again": "revisit",
    }
    # Content that another host has sent is this page's own content: it has its text and links.
    urls = table(tmp_path, "text", ["url"]).column("url").to_pylist()
    assert len(urls) == 4
    check_archive(tmp_path, has_revisits=True)


def check_forgotten(folder: Path, places: list[Place]) -> None:
    for url in (f"{STAYS}:/copy/1", f"{OTHER}:/a/longer/way/to/the/very/same/copy/2"):
        stored = find(folder, url_of(url))
        assert stored is not None and stored.body == SAME
    found = find(folder, url_of(f"{STAYS}:/chunked"))
    assert found is not None and found.body == b"<html>" + b"chunk " * 400
    assert find(folder, url_of(f"{GOES}:/original")) is None
    for name in warc_names(folder):
        for _, _, record in members(warc_path(folder, name)):
            assert "bad.org" not in str(record.headers)
            assert b"bad.org" not in record.block or record.type == "metadata"
    with_record = [row for row in table(folder, "pages").to_pylist() if row["length"]]
    kept = {(row["offset"], row["length"]) for row in with_record}
    assert {(place.offset, place.length) for place in places} <= kept, "places never move"
    assert len(list(captures(folder))) == 4
    check_archive(folder, has_revisits=True)


def test_records_that_lean_on_a_forgotten_host_stand_on_their_own(tmp_path: Path) -> None:
    places = crawled(tmp_path)
    assert list(kinds(tmp_path).values()).count("revisit") == 3
    forgotten = forget_host(tmp_path, "bad.org")
    assert forgotten.records == 3
    check_forgotten(tmp_path, places)
    lines = [line for path in (tmp_path / CDX).glob("*") for line in path.read_text().splitlines()]
    copies = [line for line in lines if "example.org/copy/1" in line]
    assert sum("warc/revisit" in line for line in copies) == 1
    assert len(copies) == 2, "replay finds the payload by the URL and the moment of the revisit"


class Killed(BaseException):
    """What a test kills a forgetting with."""


@pytest.mark.parametrize("at", range(1, 9))
def test_a_forgetting_that_was_killed_is_completed(tmp_path: Path, at: int) -> None:
    places = crawled(tmp_path)
    passed = 0

    def reach(name: str) -> None:
        nonlocal passed
        passed += 1
        if passed == at:
            raise Killed

    with pytest.raises(Killed):
        forget_host(tmp_path, "bad.org", reach)
    stays = find(tmp_path, url_of(f"{STAYS}:/copy/1"))
    assert stays is not None and stays.body == SAME
    forget_host(tmp_path, "bad.org")
    check_forgotten(tmp_path, places)
    assert not list(tmp_path.glob("warc/*.leaning"))
