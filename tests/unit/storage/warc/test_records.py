"""The compiled writing of records gives what plain Python gives, byte for byte."""

from __future__ import annotations

import os
import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lycosa.model.records import Answer, Capture, LinkKind, Outcome, Purpose, Request, Validators
from lycosa.model.url.key import key_of
from lycosa.storage.warc import _records, warc_format
from lycosa.storage.warc.exchange import Conversion, Earlier
from unit.storage.archive.exchanges import answer, chunked, links_to
from unit.storage.warc import plain_records

CHANCE = bytes(range(10))
NAMES = ("Content-Type", "Content-Encoding", "Transfer-Encoding", "X-Ä", "Server")
VALUES = st.sampled_from(["text/html", "gzip", "chunked", "gzip, chunked", ""])
HEADS = st.builds(
    lambda lines, end: (
        b"HTTP/1.1 200 OK\r\n" + b"".join(n + b": " + v + b"\r\n" for n, v in lines) + end
    ),
    st.lists(st.tuples(st.sampled_from([b"A", b"B C", b"X-\xe4"]), st.binary(max_size=9))),
    st.sampled_from([b"\r\n", b"", b"\n", b"\n\n", b"\r\n\r\n\r\n", b"x" * 30_000 + b"\r\n\r\n"]),
)
TEXTS = st.text(max_size=12) | st.just("\ud800 alone")
MOMENTS = st.floats(0, 4e9) | st.just(1.7e9) | st.just(1.7e9 + 0.9999995)
ADDRESSES = st.sampled_from(
    ["127.0.0.1:80", "127.0.0.1", "[::1]:80", "[::1]", "::1", "", "[", "[x", "fe80::1%eth0"]
)


@st.composite
def answers(draw: st.DrawFn) -> Answer:
    headers = tuple(draw(st.lists(st.tuples(st.sampled_from(NAMES), VALUES), max_size=4)))
    body = draw(st.binary(max_size=200) | st.just(b"long " * 2000))
    by_name = {name.lower(): value for name, value in reversed(headers)}
    return Answer(
        draw(st.sampled_from([200, 304, 404, 599])),
        headers,
        body,
        draw(MOMENTS),
        5e9,
        truncated=draw(st.booleans()),
        asked=draw(st.sampled_from([b"", b"GET / HTTP/1.1\r\n\r\n"])),
        head=draw(HEADS | st.just(b"")),
        sent=draw(st.sampled_from([body, chunked(body)])),
        by_name=draw(st.sampled_from([None, by_name])),
        truncated_by=draw(st.sampled_from(["length", "time"])),
    )


@st.composite
def captures(draw: st.DrawFn) -> Capture:
    held = draw(st.sampled_from([None, Validators("e", "", "2026-01-01T00:00:00Z"), Validators()]))
    address = draw(ADDRESSES)
    url = draw(st.sampled_from(["http://example.org/", "http://ä.example/ü"]))
    return Capture(
        key=key_of("http://example.org/"),
        purpose=Purpose.PAGE,
        outcome=draw(st.sampled_from(list(Outcome))),
        distance=draw(st.integers(0, 70_000)),
        request=Request(url, "h", address, Purpose.PAGE, "agent", 10, validators=held),
        answer=draw(answers()),
        links=links_to(
            [key_of("http://example.org/a"), key_of("http://example.org/b")],
            LinkKind.ANCHOR,
            rel=draw(TEXTS),
        ),
        rule=draw(st.sampled_from(["", "siblings"])),
        source_url=draw(TEXTS),
        unread=draw(st.sampled_from(["", "scan", "scan triples"])),
        picture=draw(st.binary(max_size=20)),
    )


def both(
    capture: Capture, patch: pytest.MonkeyPatch
) -> tuple[_records.Writer, plain_records.Writer]:
    patch.setattr(os, "urandom", lambda size: CHANCE[:size])
    url = capture.request.url
    return (
        _records.Writer(_records.Ids(), capture, url),
        plain_records.Writer(plain_records.Ids(), capture, url),
    )


@given(captures())
def test_every_record_is_that_of_plain_python(capture: Capture) -> None:
    with pytest.MonkeyPatch.context() as patch:
        compiled, plain = both(capture, patch)
    message, as_plain = (made.message_of(capture.answer) for made in (_records, plain_records))
    assert (message.head, message.sent) == (as_plain.head, as_plain.sent)
    assert message.is_chunked == as_plain.is_chunked
    assert message.payload_bytes == as_plain.payload_bytes
    assert _records.tag_of(capture.answer, message) == plain_records.tag_of(
        capture.answer, as_plain
    )
    members, main = compiled.ordinary(message)
    asked = [plain.request()] if capture.answer.asked else []
    digest = as_plain.payload_digest
    assert members == [*asked, plain.response(as_plain), plain.metadata(digest)]
    assert main == len(asked)
    earlier = Earlier("http://example.org/ä", "2026-01-01T00:00:00Z", "f.warc.gz", 17)
    assert compiled.shorter(message, earlier) == plain.shorter(as_plain, earlier)
    assert compiled.not_modified(message, "http://e/") == plain.not_modified(as_plain, "http://e/")
    of = Conversion("<urn:uuid:1>", "2026-01-01T00:00:00Z")
    for one in (of, None):
        assert compiled.conversion(message, one) == plain.conversion(as_plain, one)
    assert compiled.picture() == plain.picture()
    assert compiled.metadata(digest, 300) == plain.metadata(digest, 300)


@given(MOMENTS)
def test_dates_are_those_of_plain_python(moment: float) -> None:
    assert _records.date(moment) == plain_records.date(moment)


def test_ids_count_up_and_differ_between_segments() -> None:
    some, others = _records.Ids(), _records.Ids()
    ids = [some.next() for _ in range(300)] + [others.next() for _ in range(300)]
    assert len(set(ids)) == 600
    assert {len(one) for one in ids} == {47}


@pytest.mark.parametrize(
    ("address", "plain"),
    [
        ("127.0.0.1:80", "127.0.0.1"),
        ("127.0.0.1", "127.0.0.1"),
        ("[::1]:8080", "::1"),
        ("[::1]", "::1"),
        ("::1", "::1"),
        ("fe80::1", "fe80::1"),
    ],
)
def test_an_address_is_written_without_its_port(address: str, plain: str) -> None:
    request = Request("http://e.org/", "e.org", address, Purpose.PAGE, "agent", 10)
    capture = Capture(
        key_of("http://e.org/"), Purpose.PAGE, Outcome.KEPT, 0, request, answer(b"body")
    )
    writer = _records.Writer(_records.Ids(), capture, request.url)
    written = zlib.decompress(writer.response(_records.message_of(capture.answer)), 31)
    assert warc_format.parse(written).headers["WARC-IP-Address"] == plain


def test_what_is_no_record_of_ours_is_refused() -> None:
    for wrong in (object(), "text", answer(b"")):
        with pytest.raises(TypeError):
            _records.Writer(_records.Ids(), wrong, "http://e.org/")  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        _records.message_of("text")  # type: ignore[arg-type]
