"""Where an answer begins and ends: against the decoder of chunks."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import plain_chunks
from lycosa.fetch.coding._chunks import ChunkReader
from lycosa.fetch.coding.chunks import Framing, dechunk
from lycosa.fetch.http.http1 import may_be_http


def test_what_begins_otherwise_is_no_answer() -> None:
    assert may_be_http(b"HT") and may_be_http(b"HTTP/1.1 200")
    assert not may_be_http(b"SSH-2.0") and not may_be_http(b"\r\nHTTP")


pieces = st.lists(st.binary(max_size=40), max_size=6)


def chunked(bodies: list[bytes], line_end: bytes, trailer: bytes) -> bytes:
    chunks = b"".join(b"%x;e=1%s%s%s" % (len(b), line_end, b, line_end) for b in bodies if b)
    return chunks + b"0" + line_end + trailer + line_end


@given(
    pieces,
    st.sampled_from([b"\r\n", b"\n"]),
    st.sampled_from([b"", b"T: x\r\n"]),
    st.binary(max_size=20),
    st.integers(1, 50),
)
def test_chunks_end_where_they_end_however_they_are_cut(
    bodies: list[bytes], line_end: bytes, trailer: bytes, rest: bytes, step: int
) -> None:
    sent = chunked(bodies, line_end, trailer)
    assert dechunk(sent).framing is Framing.WHOLE
    assert taken(sent + rest, step) == len(sent)
    if sent[:-1]:
        assert taken(sent[:-1], step) is None


@given(st.binary(max_size=200), st.integers(1, 50))
def test_whatever_comes_the_chunk_reader_agrees_with_the_decoder(data: bytes, step: int) -> None:
    end, framing = taken(data, step), dechunk(data).framing
    if framing is Framing.CUT:
        assert end is None
    elif framing is Framing.BAD and end is None:
        # The decoder knows it from half a line already; the reader waits for its end.
        assert b"\n" not in data.rpartition(b"\n")[2]


almost = st.lists(
    st.sampled_from(
        [
            *(b"0", b"1", b"a", b"F", b"10", b"00", b"fffffffffffffffff", b"x", b"abc", b"-", b"_"),
            *(
                b"\r",
                b"\n",
                b"\r\n",
                b";",
                b" ",
                b"\t",
                b"\r\n0\r\n\r\n",
                b"1\r\na\r\n",
                b"3;e\nabc\n",
                b"1\r\naX\n",
            ),
            *(b"9" * 17, b"0" * 16, b";" + b"e" * 16_384, b"\n" + b"1" * 16_385),
        ]
    ),
    max_size=12,
)


@given(almost, st.integers(1, 40))
def test_the_compiled_reader_and_decoder_are_the_plain_ones(parts: list[bytes], step: int) -> None:
    sent = b"".join(parts)
    assert dechunk(sent) == plain_chunks.dechunk(sent)
    one, other = ChunkReader(), plain_chunks.ChunkReader()
    step = max(step, len(sent) // 200)
    for at in range(0, len(sent), step):
        end = one.take(sent[at : at + step])
        assert (end, one.is_broken) == (other.take(sent[at : at + step]), other.is_broken)
        if end is not None:
            break


@pytest.mark.parametrize(
    "sent",
    [
        b"x\r\n",
        b"3\r\nabcd\r\n",
        b"3\r\nabcX\n0\r\n\r\n",
        b"3\r\nabc\r\r\n",
        b"3\r\r\n",
        b"1" * 20_000,
    ],
)
def test_broken_chunks_are_known_to_be_broken(sent: bytes) -> None:
    reader = ChunkReader()
    assert reader.take(sent) == len(sent) and reader.is_broken
    assert dechunk(sent).framing is Framing.BAD


def test_whole_chunks_are_not_broken() -> None:
    reader = ChunkReader()
    assert reader.take(b"3\r\nabc\r\n0\r\n\r\n") == 13 and not reader.is_broken


def taken(data: bytes, step: int) -> int | None:
    """Return where a reader that is fed piece by piece finds the end."""
    reader = ChunkReader()
    for at in range(0, len(data), step):
        end = reader.take(data[at : at + step])
        if end is not None:
            return at + end
    return None
