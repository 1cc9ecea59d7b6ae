"""What is kept of an exchange: the bytes as they were sent, and how they are read back."""

from __future__ import annotations

import gzip
import random
import zlib
from pathlib import Path

import brotli
import pytest
import zstandard
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace
from warcio.archiveiterator import ArchiveIterator

from lycosa.model.records import Answer, Capture, KeyedLink, LinkKind, Outcome, Place
from lycosa.storage.archive.archive import ArchiveStore
from lycosa.storage.archive.layout import warc_names, warc_path
from lycosa.storage.archive.reader import rows, table
from seeds import examples
from unit.storage.archive.archived import always, records, sha1
from unit.storage.archive.exchanges import (
    answer,
    capture,
    check_archive,
    chunked,
    failure,
    keyed,
    links_to,
    robots,
)
from warc_tools import ask_fastwarc, ask_warcio

SAME = f"<p>the same {random.Random(5).randbytes(1500).hex()}</p>".encode()


def test_an_exchange_is_read_before_and_after_it_is_flushed_and_sealed(tmp_path: Path) -> None:
    store = ArchiveStore(tmp_path)
    page = capture(1)
    place = store.append(page)
    links = keyed(page.links)
    for step in (lambda: None, store.flush, lambda: store.seal(always)):
        step()
        stored = store.read(place)
        assert stored.url == "http://example.org/page/1"
        assert (stored.status, stored.headers) == (200, page.answer.headers)
        assert stored.body == stored.sent == page.answer.body
        assert stored.head == page.answer.head
        assert store.links(place) == links
        assert isinstance(store.links(place)[0].kind, LinkKind)
    store.close()
    other = ArchiveStore(tmp_path, worker=3)
    assert other.read(place).body == page.answer.body
    assert other.links(place) == links
    other.close()


def test_the_file_holds_what_was_said_byte_for_byte(tmp_path: Path) -> None:
    store = ArchiveStore(tmp_path, info={"software": "Lycosa", "robots": "rfc9309"})
    page = capture(1)
    place = store.append(page)
    store.close()
    info, request, response, metadata = records(tmp_path)
    assert info[0] == "warcinfo"
    assert b"software: Lycosa\r\nrobots: rfc9309\r\n" in info[2]
    assert (request[0], request[2]) == ("request", page.answer.asked)
    assert response[0] == "response"
    assert response[2] == page.answer.head + page.answer.sent
    headers = response[1]
    assert headers["WARC-IP-Address"] == "192.0.2.7"
    assert headers["WARC-Payload-Digest"] == sha1(page.answer.body)
    assert "WARC-Block-Digest" not in headers
    assert headers["WARC-Date"] == "2023-11-14T22:13:21.000000Z"
    for beside in (request, metadata):
        assert beside[1]["WARC-Concurrent-To"] == headers["WARC-Record-ID"]
    assert metadata[2].decode().splitlines() == [
        "distance: 21",
        "outcome: kept",
        f"payload-digest: {sha1(page.answer.body)}",
        "outlink: http://example.org/page/2 anchor next",
        "outlink: http://example.org/page/3 anchor next",
        "outlink: http://example.org/page/4 anchor next",
    ]
    content = (tmp_path / "warc" / "lycosa-0-00001.warc.gz").read_bytes()
    member = gzip.decompress(content[place.offset : place.offset + place.length])
    assert member.startswith(b"WARC/1.1\r\nWARC-Type: response\r\n")
    assert member.endswith(page.answer.sent + b"\r\n\r\n")
    check_archive(tmp_path)


def test_a_body_in_chunks_is_kept_in_chunks_and_digested_without(tmp_path: Path) -> None:
    body = b"<p>chunks</p>" * 50
    headers = (("Content-Type", "text/html"), ("Transfer-Encoding", "chunked"))
    store = ArchiveStore(tmp_path)
    place = store.append(capture(1, reply=answer(body, headers=headers, sent=chunked(body))))
    stored = store.read(place)
    assert (stored.sent, stored.payload, stored.body) == (chunked(body), body, body)
    store.close()
    response, metadata = records(tmp_path)[2:]
    assert "WARC-Payload-Digest" not in response[1]
    assert f"payload-digest: {sha1(body)}".encode() in metadata[2]
    assert table(tmp_path, "pages", ["digest"]).to_pylist() == [{"digest": sha1(body)}]
    check_archive(tmp_path)


@pytest.mark.parametrize("coding", ["gzip", "deflate", "br", "zstd"])
def test_a_coded_body_is_kept_as_sent_and_read_as_meant(tmp_path: Path, coding: str) -> None:
    body = b"<p>coded</p>" * 50
    sent = {
        "gzip": gzip.compress,
        "deflate": zlib.compress,
        "br": brotli.compress,
        "zstd": zstandard.ZstdCompressor().compress,
    }[coding](body)
    store = ArchiveStore(tmp_path)
    reply = answer(body, headers=(("Content-Encoding", coding),), sent=sent)
    stored = store.read(store.append(capture(1, reply=reply)))
    assert (stored.payload, stored.body) == (sent, body)
    store.close()
    assert table(tmp_path, "pages", ["digest"])["digest"].to_pylist() == [sha1(sent)]
    check_archive(tmp_path, has_brotli=coding == "br")


def test_a_truncated_answer_says_so(tmp_path: Path) -> None:
    store = ArchiveStore(tmp_path)
    place = store.append(capture(1, reply=answer(b"half of", truncated=True)))
    assert store.read(place).is_truncated
    store.close()
    assert records(tmp_path)[2][1]["WARC-Truncated"] == "length"
    check_archive(tmp_path)


def test_the_same_payload_is_kept_once(tmp_path: Path) -> None:
    store = ArchiveStore(tmp_path)
    body = SAME
    first = store.append(capture(1, body))
    second = store.append(capture(2, body))
    store.flush()
    third = store.append(capture(3, body))
    elsewhere = store.append(capture(4, body, key="org.other:/"))
    assert store.read(elsewhere).type == "response"
    for place in (first, second, third):
        assert store.read(place).body == body
    assert store.read(first).type == "response"
    assert store.read(third).type == "revisit"
    assert store.links(third) == [(f"org.example:/page/{n}", LinkKind.ANCHOR) for n in (4, 5, 6)]
    store.seal(always)
    assert store.read(second).body == body
    store.close()
    revisits = [record for record in records(tmp_path) if record[0] == "revisit"]
    assert len(revisits) == 2
    headers = revisits[0][1]
    assert headers["WARC-Profile"].endswith("/1.1/revisit/identical-payload-digest")
    assert headers["WARC-Refers-To-Target-URI"] == "http://example.org/page/1"
    assert headers["WARC-Refers-To-Date"] == "2023-11-14T22:13:21.000000Z"
    assert headers["WARC-Payload-Digest"] == sha1(body)
    assert revisits[0][2] == capture(2).answer.head
    assert table(tmp_path, "links").num_rows == 12
    check_archive(tmp_path, has_revisits=True)


def test_an_unchanged_page_adds_no_links_and_no_text(tmp_path: Path) -> None:
    store = ArchiveStore(tmp_path)
    first = capture(1, SAME)
    again = capture(1, reply=answer(first.answer.body, began=1.8e9))
    places = [store.append(first), store.append(again)]
    assert store.read(places[1]).type == "revisit"
    assert store.links(places[1]) == store.links(places[0])
    store.seal(always)
    store.close()
    assert table(tmp_path, "pages").num_rows == 2
    assert table(tmp_path, "links").num_rows == 3
    assert table(tmp_path, "text").num_rows == 1


def test_an_answer_without_news_is_a_revisit_without_a_payload(tmp_path: Path) -> None:
    store = ArchiveStore(tmp_path)
    reply = answer(b"", status=304)
    store.append(capture(1, outcome=Outcome.NOT_MODIFIED, reply=reply, links=0))
    store.seal(always)
    store.close()
    record = records(tmp_path)[2]
    assert record[0] == "revisit"
    assert record[1]["WARC-Profile"].endswith("server-not-modified")
    assert (tmp_path / "cdx" / "lycosa-0-00001.cdxj").read_text() == ""
    check_archive(tmp_path)


def test_errors_redirects_robots_files_and_failures_leave_their_traces(tmp_path: Path) -> None:
    store = ArchiveStore(tmp_path)
    reply = answer(b"gone", status=404)
    lost = store.append(capture(1, outcome=Outcome.NOT_FOUND, reply=reply, links=0))
    reply = answer(b"", status=301, headers=(("Location", "/page/3"),))
    moved = store.append(capture(2, outcome=Outcome.REDIRECTED, reply=reply, links=1))
    failed = store.append(failure(4))
    rules = store.append(robots(5))
    assert failed.length == 0
    assert store.links(failed) == []
    assert store.links(moved) == [KeyedLink("org.example:/page/3", LinkKind.ANCHOR)]
    assert store.read(lost).status == 404
    assert store.read(rules).body.startswith(b"User-agent")
    store.flush()
    pages = table(tmp_path, "pages", ["outcome", "status", "warc"]).to_pylist()
    assert pages == [
        {"outcome": "not_found", "status": 404, "warc": "lycosa-0-00001.warc.gz"},
        {"outcome": "redirected", "status": 301, "warc": "lycosa-0-00001.warc.gz"},
        {"outcome": "timeout", "status": 0, "warc": None},
    ]
    hosts = table(tmp_path, "hosts", ["url", "outcome"]).to_pylist()
    assert hosts == [{"url": "http://h5.example.org/robots.txt", "outcome": "kept"}]
    assert table(tmp_path, "links").num_rows == table(tmp_path, "text").num_rows == 0
    store.close()
    check_archive(tmp_path)


def test_a_simulated_answer_is_given_a_head(tmp_path: Path) -> None:
    headers = (("content-type", "text/html"), ("content-encoding", "gzip"))
    store = ArchiveStore(tmp_path)
    place = store.append(capture(1, reply=Answer(200, headers, b"<p>", 1.0, 2.0)))
    stored = store.read(place)
    assert stored.head == b"HTTP/1.1 200 OK\r\ncontent-type: text/html\r\nContent-Length: 3\r\n\r\n"
    assert stored.body == b"<p>"
    store.close()
    assert [record[0] for record in records(tmp_path)] == ["warcinfo", "response", "metadata"]
    check_archive(tmp_path)


@pytest.mark.parametrize(
    "head",
    [
        b"HTTP/1.1 200\r\n\r\n",
        b"HTTP/1.0 200 OK\nA: b\n\n",
        b"HTTP/1.1 200 OK\nA: b\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nno colon\r\nA: b\r\n\r\n",
        b"HTTP/1.1 200 OK\r\n: no name\r\nA: b\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nA: b\r\n folded\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nA: b\r\n \r\nC: d\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nA: \xff\xfe\x00\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nA: b\r\nA: b",
        b"HTTP/1.1 200 OK\r\nContent-Length: nonsense\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nA: " + b"x" * 70_000 + b"\r\n\r\n",
    ],
)
def test_a_strange_head_is_kept_and_no_checker_complains(tmp_path: Path, head: bytes) -> None:
    store = ArchiveStore(tmp_path)
    body = b"\r\n<p>body</p>\r\n\r\n"
    reply = Answer(200, (), body, 1.7e9, 1.7e9, None, False, b"", head, body)
    place = store.append(capture(1, reply=reply))
    stored = store.read(place)
    store.close()
    block = records(tmp_path)[1][2]
    assert block.startswith(head)
    assert block.endswith(body)
    assert (stored.head + stored.sent) == block
    check_archive(tmp_path)


def test_text_that_is_not_unicode_harms_nobody(tmp_path: Path) -> None:
    store = ArchiveStore(tmp_path)
    page = capture(1)
    links = links_to(["org.example:/x"], texts=["\ud800"], rel="a\r\nWARC/1.1\ud800")
    bad = Capture(
        *(page.key, page.purpose, page.outcome, 21, page.request, page.answer, links),
        "title \udfff",
    )
    place = store.append(bad)
    assert store.links(place) == [KeyedLink("org.example:/x", LinkKind.ANCHOR)]
    store.seal(always)
    store.close()
    assert table(tmp_path, "pages", ["title"])["title"].to_pylist() == ["title ?"]
    assert table(tmp_path, "links", ["text"])["text"].to_pylist() == ["?"]
    check_archive(tmp_path)


paths = st.text("abcXYZ019-._~%/", max_size=12).filter(lambda path: "%" not in path)


exchanges = st.builds(
    lambda path, body, status, moment, is_chunked, links: capture(
        0,
        key=f"org.example:/{path.replace('//', '/').strip('./')}",
        reply=answer(
            body,
            status,
            moment,
            (("Transfer-Encoding", "chunked"),) if is_chunked else (("X-A", "é"),),
            chunked(body, 7) if is_chunked else body,
        ),
        links=links,
    ),
    paths,
    st.binary(max_size=300),
    st.integers(200, 599),
    st.floats(1e9, 3e9),
    st.booleans(),
    st.integers(0, 4),
)


@given(st.lists(st.none() | exchanges, max_size=8))
@settings(max_examples=examples(60), suppress_health_check=[HealthCheck.too_slow], deadline=None)
def test_what_is_appended_is_what_is_read(
    tmp_path_factory: pytest.TempPathFactory, steps: list[Capture | None]
) -> None:
    folder = tmp_path_factory.mktemp("crawl")
    store = ArchiveStore(folder, roll_bytes=5_000)
    appended: list[tuple[Place, Capture]] = []
    for step in steps:
        if step is None:
            store.flush()
        else:
            appended.append((store.append(step), step))
    for is_sealed in (False, True):
        for place, page in appended:
            stored = store.read(place)
            assert (stored.status, stored.body) == (page.answer.status, page.answer.body)
            assert stored.headers == page.answer.headers
            assert stored.url == page.request.url
            assert store.links(place) == keyed(page.links)
        if not is_sealed:
            store.seal(always)
    store.close()
    keys = [key for batch in rows(folder, "pages") for key in batch["key"].to_pylist()]
    assert sorted(keys) == sorted(page.key for _, page in appended)
    for name in warc_names(folder):
        with warc_path(folder, name).open("rb") as file:
            for record in ArchiveIterator(file, check_digests="raise"):
                record.raw_stream.read()


def test_the_tools_of_others_notice_a_byte_that_is_wrong(tmp_path: Path) -> None:
    store = ArchiveStore(tmp_path)
    store.append(capture(1, b"<p>what was said</p>" * 9))
    store.flush()
    store.seal(always)
    store.close()
    check_archive(tmp_path)
    (name,) = warc_names(tmp_path)
    path = warc_path(tmp_path, name)
    said = gzip.decompress(path.read_bytes())
    assert said.count(b"what was said") == 9
    path.write_bytes(gzip.compress(said.replace(b"what was said", b"what was sa1d", 1)))
    with pytest.raises(AssertionError, match=r"^warcio check "):
        ask_warcio(path)
    with pytest.raises(AssertionError, match=r"^fastwarc check "):
        ask_fastwarc(path, with_payloads=True)


def test_a_partition_that_was_lost_begins_another_segment_and_refers_to_nothing(
    tmp_path: Path,
) -> None:
    """Its exchanges that were dropped may be overwritten: the same content is stored again."""
    store = ArchiveStore(tmp_path)

    def append(partition: int) -> Place:
        one = capture(1, SAME)
        return store.append(replace(one, request=replace(one.request, partition=partition)))

    first, other = append(3), append(4)
    store.lose(3, 7)
    again, of_other = append(3), append(4)
    assert (first.segment, other.segment, again.segment, of_other.segment) == (1, 1, 2, 2)
    assert store.read(again).type == "response"
    assert store.read(of_other).type == "revisit"
    assert store.read(append(3)).type == "revisit"
    store.close()
