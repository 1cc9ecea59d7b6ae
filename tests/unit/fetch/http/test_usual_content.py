"""The content of ordinary answers is what the plain composing of answers gives."""

from __future__ import annotations

import gzip

from hypothesis import given
from hypothesis import strategies as st

from lycosa.fetch.http._exchange import usual_content
from lycosa.fetch.http.answers import _content

names = st.sampled_from(
    ["Content-Encoding", "content-encoding", "Transfer-Encoding", "transfer-encoding", "Server"]
)
values = st.sampled_from(["gzip", "chunked", "GZIP", "identity", "gzip, chunked", "br", "", "x"])


@st.composite
def bodies(draw: st.DrawFn) -> bytes:
    sent = draw(st.sampled_from([b"", b"abc", b"a" * 1000]))
    for _ in range(draw(st.integers(0, 2))):
        sent = gzip.compress(sent, 1, mtime=0)
    sent += draw(st.sampled_from([b"", b"", b"tail", gzip.compress(b"more", mtime=0)]))
    sent = sent[: draw(st.sampled_from([None, None, -1, -9, 15]))]
    if draw(st.booleans()):
        end = draw(
            st.sampled_from([b"0\r\n\r\n", b"0\r\n\r\n", b"", b"x\r\n", b"0\r\nT: x\r\n\r\n"])
        )
        sent = (b"%x\r\n%b\r\n" % (len(sent), sent) if sent else b"") + end
    return sent


@given(
    st.lists(st.tuples(names, values), max_size=3), bodies(), st.sampled_from([3, 999, 1000, 9999])
)
def test_usual_content_is_the_plain_one(
    headers: list[tuple[str, str]], sent: bytes, most: int
) -> None:
    found = usual_content(tuple(headers), sent, max(most, len(sent)))
    if found is not None:
        assert (*found, None) == _content(sent, tuple(headers), max(most, len(sent)), False)


def test_what_most_servers_send_is_usual() -> None:
    packed = gzip.compress(b"page " * 100, 1, mtime=0)
    chunked = b"%x\r\n%b\r\n0\r\n\r\n" % (len(packed), packed)
    headers = (("Transfer-Encoding", "chunked"), ("Content-Encoding", "gzip"))
    assert usual_content(headers, chunked, 10_000) == (b"page " * 100, False)
    assert usual_content(headers, chunked, 499) == ((b"page " * 100)[:499], True)
    assert usual_content(headers, chunked[:-9], 10_000) is None


def test_what_follows_a_member_of_gzip_is_not_usual() -> None:
    packed = gzip.compress(b"page " * 100, 1, mtime=0)
    headers = (("Content-Encoding", "gzip"),)
    assert usual_content(headers, packed, 10_000) == (b"page " * 100, False)
    for behind in (b"tail", packed):
        assert usual_content(headers, packed + behind, 10_000) is None
