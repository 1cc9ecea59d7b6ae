"""Our HTTP/1 client and `h11` read the same answers, piece by piece, and agree, or we say why not.

Where `h11` accepts an answer, ours gives the same status, headers and body, and the same judgement
whether the connection may carry the next request. Where `h11` refuses, so does ours. Every
exception stands in `DIFFERENCES` with its reason, and has an answer that shows it.

Our client only sends GET, so answers to HEAD and CONNECT are not among these.
"""

from __future__ import annotations

import re
from typing import NamedTuple

import pytest
from hypothesis import given, seed, settings

from integration.http_answers import Play, Sent, plays
from integration.http_wires import Reading, Reference, Wire
from seeds import examples

pytestmark = pytest.mark.quick


class Difference(NamedTuple):
    """A kind of answer that we read otherwise than `h11`, on purpose."""

    name: str
    why: str
    refusal: str
    """Matches the reason for which `h11` refuses it; empty where it accepts."""
    marks: bytes
    """An expression that finds what is odd in such an answer."""
    sample: bytes
    ours: Reading
    is_kept: bool
    """Our client keeps the connection."""


def whole(body: bytes = b"", *headers: tuple[str, str], status: int = 200) -> Reading:
    return Reading("whole", status, headers, body)


OK = b"HTTP/1.1 200 OK\r\n"
ONE = b"Content-Length: 1\r\n\r\na"
CHUNKED = b"Transfer-Encoding: chunked\r\n\r\n"
TOKEN = rb"!#$%&'*+.^_`|~0-9A-Za-z-"

DIFFERENCES = [
    Difference(
        "blanks in a status line",
        "old servers write several blanks or a tab; browsers read them, and nothing is in doubt",
        "illegal status line",
        rb"HTTP/\d\.\d(?: [ \t]|\t)[ \t]*\d|HTTP/\d\.\d \d{3}(?=[^ \r\n])",
        b"HTTP/1.1  200\tOK\r\n" + ONE,
        whole(b"a"),
        True,
    ),
    Difference(
        "a version without its minor number",
        "`HTTP/2 200` over HTTP/1 is sent by misconfigured proxies; one request, then we close",
        "illegal status line",
        rb"HTTP/\d[ \t]",
        b"HTTP/2 200\r\n" + ONE,
        whole(b"a"),
        False,
    ),
    Difference(
        "a control character in a reason phrase",
        "nobody reads the reason; only NUL is refused",
        "illegal status line",
        rb"HTTP/[^\n]*(?:[\x0b\x0c]|\r[^\n])",
        b"HTTP/1.1 200 O\x0bK\r\n" + ONE,
        whole(b"a"),
        True,
    ),
    Difference(
        "a blank before the colon",
        "IIS modules and scripts write it; browsers take the blank off, and a client (unlike a "
        "proxy, RFC 9112, 5.1) does not pass it on",
        "illegal header line",
        rb"\n[^\n:]*[ \t\r]:",
        OK + b"X : y\r\n" + ONE,
        whole(b"a", ("x", "y")),
        True,
    ),
    Difference(
        "a header name that is no token",
        "one bad line of a script must not cost the page; it decides nothing",
        "illegal header line",
        rb"\n(?:[^\n:]*[^\n:" + TOKEN + rb"][^\n:]*)?:",
        OK + b"X Y: z\r\n: empty\r\n" + ONE,
        whole(b"a", ("x y", "z"), ("", "empty")),
        True,
    ),
    Difference(
        "a control character in a value",
        "cookies of old scripts have them; only NUL is refused, and lengths must be digits",
        "illegal header line",
        rb"[\x0b\x0c]|\r[^\n]",
        OK + b"X: a\x0bb\r\nY: c\r\r\n" + ONE,
        whole(b"a", ("x", "a\x0bb"), ("y", "c")),
        True,
    ),
    Difference(
        "a transfer coding besides chunked",
        "we can undo them; a body whose last coding is not chunked ends with its connection",
        "Only Transfer-Encoding: chunked is supported",
        rb"(?i)transfer-encoding",
        OK + b"Transfer-Encoding: identity, chunked\r\n\r\n1\r\na\r\n0\r\n\r\n",
        whole(b"a"),
        True,
    ),
    Difference(
        "the transfer coding said twice",
        "frameworks and their servers both add it; chunks within chunks are not allowed (RFC 9112, "
        "6.1), so they are taken off once",
        "multiple Transfer-Encoding headers",
        rb"(?i)transfer-encoding",
        OK + CHUNKED[:-2] + CHUNKED + b"1\r\na\r\n0\r\n\r\n",
        whole(b"a"),
        True,
    ),
    Difference(
        "a bad length beside chunks",
        "the chunks overrule the length (RFC 9112, 6.3); the connection ends behind them",
        "bad Content-Length",
        rb"(?i)transfer-encoding",
        OK + b"Content-Length: x\r\n" + CHUNKED + b"1\r\na\r\n0\r\n\r\n",
        whole(b"a"),
        False,
    ),
    Difference(
        "two lengths beside chunks",
        "the chunks overrule both (RFC 9112, 6.3); the connection ends behind them",
        "conflicting Content-Length",
        rb"(?i)transfer-encoding",
        OK + b"Content-Length: 1, 2\r\n" + CHUNKED + b"1\r\na\r\n0\r\n\r\n",
        whole(b"a"),
        False,
    ),
    Difference(
        "a bare line feed behind a chunk",
        "scripts that write chunks themselves end lines so; a size follows it, or it is refused",
        r"malformed chunk footer: bytearray\(b'\\n",
        rb"\n",
        OK + CHUNKED + b"1\r\na\n0\r\n\r\n",
        whole(b"a"),
        True,
    ),
    Difference(
        "a bare line feed behind a size",
        "the same",
        "illegal chunk header",
        rb"[^\r]\n",
        OK + CHUNKED + b"1\na\r\n0\r\n\r\n",
        whole(b"a"),
        True,
    ),
    Difference(
        "a bare line feed behind a size, and no other end of a line behind it",
        "the same; `h11` waits for one",
        "peer unexpectedly closed connection",
        rb"\n[0-9A-Fa-f]+[^\r\n]*\n(?!(?s:.)*\r\n)",
        OK + CHUNKED + b"1\r\na\r\n0\n\n",
        whole(b"a"),
        True,
    ),
    Difference(
        "a blank before an extension",
        "RFC 9112, 7.1.1 wants recipients to read it",
        "illegal chunk header",
        rb"\n[0-9A-Fa-f]+[ \t]+;",
        OK + CHUNKED + b"1 ;a\r\na\r\n0\r\n\r\n",
        whole(b"a"),
        True,
    ),
    Difference(
        "a trailer that is no header",
        "trailers are passed over: nothing that they say is used",
        "illegal header line",
        rb"(?s)\n0[^\n]*\n(?!\r?\n)",
        OK + CHUNKED + b"1\r\na\r\n0\r\nno colon\r\n\r\n",
        whole(b"a"),
        True,
    ),
    Difference(
        "a trailer that begins with a blank",
        "the same",
        "continuation line at start of headers",
        rb"\n0[^\n]*\n[ \t]",
        OK + CHUNKED + b"1\r\na\r\n0\r\n T: x\r\n\r\n",
        whole(b"a"),
        True,
    ),
    Difference(
        "a switch of protocols",
        "we never ask for one, so 101 is an answer with that status; the connection ends",
        "Received server _SWITCH_UPGRADE event",
        rb"HTTP/\S+\s+101",
        b"HTTP/1.1 101 Switching Protocols\r\n\r\n",
        whole(status=101),
        False,
    ),
    Difference(
        "a 205 with a body",
        "it must not have one (RFC 9110, 15.3.6), and browsers read none; what may still come "
        "costs the connection",
        "",
        rb"HTTP/\S+\s+205",
        b"HTTP/1.1 205 Reset Content\r\n" + ONE,
        whole(status=205),
        False,
    ),
    Difference(
        "a 205 with a broken body",
        "the same",
        "peer |illegal |malformed |continuation ",
        rb"HTTP/\S+\s+205",
        b"HTTP/1.1 205 Reset Content\r\n" + CHUNKED + b"x\r\n",
        whole(status=205),
        False,
    ),
    Difference(
        "a chunk size of more than 16 digits",
        "no chunk is that large; `h11` draws the line at 20 digits",
        "",
        rb"[0-9A-Fa-f]{17}",
        OK + CHUNKED + b"00000000000000001\r\na\r\n0\r\n\r\n",
        Reading("refused", reason="BAD_ANSWER"),
        False,
    ),
    Difference(
        "a length of more than 18 digits",
        "no body is that large; `h11` draws the line at 20 digits",
        "",
        rb"\d{19}",
        OK + b"Content-Length: 0000000000000000001\r\n\r\na",
        Reading("refused", reason="BAD_ANSWER"),
        False,
    ),
    Difference(
        "HTTP/1.0 that keeps its connection",
        "`Connection: keep-alive` was made for it; `h11` leaves it out to stay simple",
        "",
        rb"(?is)HTTP/\S+\s.*keep-alive",
        b"HTTP/1.0 200 OK\r\nConnection: keep-alive\r\n" + ONE,
        whole(b"a", ("connection", "keep-alive")),
        True,
    ),
    Difference(
        "a length and chunks",
        "RFC 9112, 6.3 lets a client read the chunks and wants it to be careful: we close",
        "",
        rb"(?is)content-length.*transfer-encoding|transfer-encoding.*content-length",
        OK + b"Content-Length: 1\r\n" + CHUNKED + b"1\r\na\r\n0\r\n\r\n",
        whole(b"a"),
        False,
    ),
    Difference(
        "another version than 1.1",
        "nobody knows what keeps a connection of HTTP/1.2: we close unless the server says so",
        "",
        rb"HTTP/(?:1\.[2-9]|[2-9]\.\d) ",
        b"HTTP/1.2 200 OK\r\n" + ONE,
        whole(b"a"),
        False,
    ),
]


class Disagreement(NamedTuple):
    """Something about an answer on which the two clients differ."""

    what: str
    sent: bytes
    ours: object
    theirs: Reading
    theirs_kept: bool = False

    def is_listed(self) -> bool:
        return any(
            re.match(known.refusal, self.theirs.reason)
            and bool(known.refusal) == (self.theirs.state == "refused")
            and re.search(known.marks, self.sent)
            for known in DIFFERENCES
        )


def differences(play: Play) -> list[Disagreement]:
    """Play it to both clients, as long as they agree; return on what they do not."""
    wire, reference = Wire(), Reference()
    try:
        wire.ask()
        for sent in play:
            found = _differences(wire, reference, sent)
            if found is None or found:
                return found or []
        return []
    finally:
        wire.close()


def _differences(wire: Wire, reference: Reference, sent: Sent) -> list[Disagreement] | None:
    """Return on what they differ about one answer; None where its connection ends in peace."""
    reference.ask()
    for piece in sent.pieces:
        wire.send(piece)
        reference.take(piece)
    ours, theirs = wire.reading(), reference.reading()
    bytes_sent = b"".join(sent.pieces)
    if theirs.state == "whole" and ours.state == "waits":
        return [Disagreement("ours waits for more", bytes_sent, ours, theirs)]
    has_ended = "waits" in (ours.state, theirs.state)
    if has_ended:
        wire.end()
        reference.take(b"")
        ours, theirs = wire.reading(), reference.reading()
    assert "waits" not in (ours.state, theirs.state)
    if (ours.state, theirs.state) == ("refused", "refused"):
        wire.send(sent.stray)
        return _unless(not wire.ask(), Disagreement("kept", bytes_sent, True, theirs))
    if ours != theirs:
        return [Disagreement("read", bytes_sent, ours, theirs)]
    theirs_kept = reference.next_cycle()
    if sent.stray and not has_ended:
        wire.send(sent.stray)
        return _unless(not wire.ask(), Disagreement("spoke unasked", bytes_sent, True, theirs))
    is_kept = wire.ask()
    if is_kept != theirs_kept:
        return [Disagreement("kept", bytes_sent, is_kept, theirs, theirs_kept)]
    return [] if is_kept else None


def _unless(is_right: bool, found: Disagreement) -> list[Disagreement] | None:
    return None if is_right else [found]


def check(play: Play) -> None:
    unlisted = [found for found in differences(play) if not found.is_listed()]
    assert unlisted == []


@seed(9112)
@settings(max_examples=examples(250), deadline=None, database=None)
@given(plays)
def test_what_h11_reads_our_client_reads_alike(play: Play) -> None:
    check(play)


@pytest.mark.soak
@settings(max_examples=30_000, deadline=None)
@given(plays)
def test_what_h11_reads_our_client_reads_alike_for_long(play: Play) -> None:
    check(play)


def test_broken_chunks_cost_the_connection() -> None:
    """What the server sends next would else be read as the answer to the next request."""
    wire = Wire()
    try:
        wire.ask()
        wire.send(OK + CHUNKED + b"1\r\na\r\nsize?\r\n")
        assert wire.reading() == Reading("refused", reason="BAD_ANSWER")
        assert not wire.ask()
    finally:
        wire.close()


@pytest.mark.parametrize("known", DIFFERENCES, ids=lambda known: known.name.replace(" ", "-"))
def test_a_difference_is_as_the_table_says(known: Difference) -> None:
    sent = Sent((known.sample,))
    found = differences((sent,))
    assert len(found) == 1 and found[0].is_listed()
    assert re.match(known.refusal, found[0].theirs.reason)
    assert bool(known.refusal) == (found[0].theirs.state == "refused")
    wire = Wire()
    try:
        wire.ask()
        wire.send(known.sample)
        assert wire.reading() == known.ours
        assert wire.ask() is known.is_kept
    finally:
        wire.close()


@pytest.mark.parametrize("known", DIFFERENCES, ids=lambda known: known.name.replace(" ", "-"))
def test_no_row_of_the_table_covers_a_usual_answer(known: Difference) -> None:
    usual = OK + b"Server: nginx\r\nX: y\r\n"
    for sent in (usual + ONE, usual + CHUNKED + b"1\r\na\r\n0\r\n\r\n"):
        if known.refusal.startswith(("Only", "multiple", "bad", "conflicting", "malformed")):
            continue  # the reason alone decides
        assert re.search(known.marks, sent) is None
        assert differences((Sent((sent,)),)) == []
