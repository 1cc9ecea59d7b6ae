"""The compiled packing of records against its twin in plain Python, and against `zlib`."""

from __future__ import annotations

import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lycosa.store.warc import _packing, pure_packing


@given(st.lists(st.binary(max_size=200), max_size=4))
def test_digests(content: list[bytes]) -> None:
    assert _packing.digest(*content) == pure_packing.digest(*content)


@given(st.text(max_size=60), st.lists(st.binary(max_size=300), max_size=3))
def test_records(headers: str, blocks: list[bytes]) -> None:
    packed = _packing.pack(headers, *blocks)
    assert packed == pure_packing.pack(headers, *blocks)
    length = sum(map(len, blocks))
    beginning = f"WARC/1.1\r\n{headers}Content-Length: {length}\r\n\r\n".encode()
    assert zlib.decompress(packed, 31) == beginning + b"".join(blocks) + b"\r\n\r\n"


def test_what_is_no_text_is_refused() -> None:
    for pack in (_packing.pack, pure_packing.pack):
        with pytest.raises(UnicodeEncodeError):
            pack("WARC-Target-URI: \ud800\r\n")
