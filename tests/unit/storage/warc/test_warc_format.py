from __future__ import annotations

import gzip
import io
import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st
from warcio.archiveiterator import ArchiveIterator

from lycosa.storage.warc import warc_format
from lycosa.storage.warc.warc_format import LEAST_BLANK_BYTES

ID = "<urn:uuid:00000000-0000-4000-8000-000000000000>"


@given(st.integers(LEAST_BLANK_BYTES, 200_000) | st.integers(LEAST_BLANK_BYTES, 1_500))
def test_a_blank_record_has_exactly_the_length_that_is_asked_for(length: int) -> None:
    content = warc_format.blank(length, ID, 1.7e9)
    assert len(content) == length
    decoder = zlib.decompressobj(31)
    record = warc_format.parse(decoder.decompress(content))
    assert decoder.eof
    assert not decoder.unused_data
    assert record.type == "metadata"
    assert record.block.strip(b"\0") == b""


@pytest.mark.parametrize("near", [10, 100, 1_000, 10_000, 65_000, 65_535, 100_000, 130_000])
def test_a_blank_record_has_its_length_also_where_a_digit_is_added(near: int) -> None:
    for length in range(max(near + 200, 300), near + 500):
        assert len(warc_format.blank(length, ID, 1.7e9)) == length


def test_a_blank_record_too_short_to_be_one_is_refused() -> None:
    for length in (2, 100, LEAST_BLANK_BYTES - 1):
        with pytest.raises(ValueError, match=f"cannot be {length} bytes long"):
            warc_format.blank(length, ID, 1.7e9)


def test_blank_records_are_passed_over_by_others() -> None:
    page = warc_format.pack(f"WARC-Type: metadata\r\nWARC-Record-ID: {ID}\r\n", b"x: y\r\n")
    stream = io.BytesIO(page + warc_format.blank(70_000, ID, 1.7e9) + page)
    assert len(list(ArchiveIterator(stream))) == 3


@given(st.binary(), st.binary())
def test_any_gzip_reads_a_record(first: bytes, second: bytes) -> None:
    content = gzip.decompress(warc_format.pack("WARC-Type: response\r\n", first, second))
    record = warc_format.parse(content)
    assert (record.type, record.block) == ("response", first + second)


@given(st.floats(0, 4e9), st.floats(0, 4e9))
def test_a_date_has_microseconds(first: float, second: float) -> None:
    for moment in (first, second, first):
        text = warc_format.date(moment)
        assert len(text) == len("2023-11-14T22:13:21.000000Z")
        whole, rest = divmod(round(moment * 1_000_000), 1_000_000)
        assert text.endswith(f".{rest:06d}Z")
        assert warc_format.date(float(whole))[:19] == text[:19]


def test_a_value_cannot_begin_a_line() -> None:
    assert warc_format.fields({"agent": "a\r\nWARC-Type: b"}) == b"agent: a WARC-Type: b\r\n"


@pytest.mark.parametrize("content", [b"", b"HTTP/1.1 200 OK\r\n\r\n", b"WARC/1.1\r\n"])
def test_what_is_no_record_is_refused(content: bytes) -> None:
    with pytest.raises(ValueError, match="not a WARC record"):
        warc_format.parse(content)
