from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lycosa.fetch.coding.chunks import Framing, dechunk


@given(st.lists(st.binary(min_size=1, max_size=50)), st.sampled_from([b"", b";name=value", b"  "]))
def test_what_was_cut_into_chunks_is_put_together(pieces: list[bytes], extension: bytes) -> None:
    sent = b"".join(b"%x%s\r\n%s\r\n" % (len(p), extension, p) for p in pieces) + b"0\r\n\r\n"
    assert dechunk(sent) == (b"".join(pieces), Framing.WHOLE)


@given(st.lists(st.binary(min_size=1, max_size=20), min_size=1), st.data())
def test_a_body_cut_short_gives_its_beginning(pieces: list[bytes], data: st.DataObject) -> None:
    sent = b"".join(b"%X\r\n%s\r\n" % (len(piece), piece) for piece in pieces) + b"0\r\n\r\n"
    content, framing = dechunk(sent[: data.draw(st.integers(0, len(sent) - 5))])
    assert framing is Framing.CUT
    assert b"".join(pieces).startswith(content)


@given(st.binary())
def test_no_bytes_make_it_raise(sent: bytes) -> None:
    dechunk(sent)


@pytest.mark.parametrize(
    ("sent", "content", "framing"),
    [
        (b"3\nabc\n0\n\n", b"abc", Framing.WHOLE),
        (b"3\r\nabc\r\n0\r\nTrailer: x\r\n\r\n", b"abc", Framing.WHOLE),
        (b"3\r\nabc\r\n0", b"abc", Framing.CUT),
        (b"003\r\nabc\r\n0\r\n\r\n", b"abc", Framing.WHOLE),
        (b"zz\r\n", b"", Framing.BAD),
        (b"-3\r\nabc\r\n", b"", Framing.BAD),
        (b"0x3\r\nabc\r\n", b"", Framing.BAD),
        (b"1_0\r\nabc\r\n", b"", Framing.BAD),
        (b"\r\nabc", b"", Framing.BAD),
        (b"3\r\nabcde\r\n0\r\n\r\n", b"abc", Framing.BAD),
        (b"3" * 20_000, b"", Framing.BAD),
        (b"fffffffffffffffff\r\n", b"", Framing.BAD),
        (b"ffffffffffffffff\r\nabc", b"abc", Framing.CUT),
    ],
)
def test_framing(sent: bytes, content: bytes, framing: Framing) -> None:
    assert dechunk(sent) == (content, framing)
