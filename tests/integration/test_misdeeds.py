"""The misdeeds of the test web over real sockets: each is what its name says."""

from __future__ import annotations

import socket
import ssl
import time
import zlib
from collections.abc import Iterator

import pytest

from integration.socket_client import NO_PAUSES, Heard, ask, connect, get, shout
from lycosa.model.records import Outcome
from lycosa_testweb import Referee
from lycosa_testweb.servers.raw import Certificate, Door
from lycosa_testweb.servers.server import SocketWeb
from lycosa_testweb.webs import misdeeds as deeds
from lycosa_testweb.webs.misbehaviour import GOOD_PAGES, MisbehavingWeb
from lycosa_testweb.webs.misdeeds import Tempo

pytestmark = pytest.mark.quick

Bad = tuple[MisbehavingWeb, SocketWeb]


@pytest.fixture(scope="module")
def bad() -> Iterator[Bad]:
    web = MisbehavingWeb(tempo=Tempo(drip_seconds=0.02, silence_seconds=30.0), hops=50)
    with SocketWeb(web, referee=Referee(NO_PAUSES, web)) as server:
        yield web, server


def hear(bad: Bad, name: str, **limits: float) -> Heard:
    _, server = bad
    most = int(limits.get("most", 1 << 30))
    return shout(server, f"http://{name}.bad.test/bad", most=most, wait=limits.get("wait", 10.0))


def good_page(bad: Bad, name: str) -> bytes:
    web, _ = bad
    misdeed = web.misdeeds[name]
    return web._good(misdeed, "/bad").body


@pytest.mark.parametrize(
    ("name", "complaint"),
    [
        ("self-signed", "self-signed certificate"),
        ("unknown-issuer", "unable to get local issuer|self-signed certificate in"),
        ("expired", "expired"),
        ("wrong-host", "Hostname mismatch"),
    ],
)
def test_bad_certificates_are_bad_in_one_way(bad: Bad, name: str, complaint: str) -> None:
    web, server = bad
    url = f"https://{name}.bad.test/"
    assert web.certificate(f"{name}.bad.test") is not Certificate.GOOD
    with pytest.raises(ssl.SSLCertVerificationError, match=complaint):
        get(server, url)
    assert web.truth[url] >= {Outcome.CONNECT_FAILURE}


def test_the_rest_of_every_site_that_can_be_reached_is_good(bad: Bad) -> None:
    web, server = bad
    for misdeed in web.misdeeds.values():
        if misdeed.is_lost or misdeed.door is Door.SLOW:
            continue
        for path in ("/", *GOOD_PAGES, *misdeed.leads_to):
            status, _, body = get(server, f"{misdeed.origin}{path}")
            assert status == 200 and b"<title>" in body
        assert get(server, f"{misdeed.origin}/robots.txt")[0] == 404


def test_drip_drips(bad: Bad) -> None:
    heard = hear(bad, "drip", most=150)
    assert heard.promised == 3600 > len(heard.body)
    assert hear(bad, "drip-head", most=5).data == b"HTTP/"


def test_silence_is_silent(bad: Bad) -> None:
    heard = hear(bad, "silence", wait=0.2)
    assert (heard.data, heard.ending) == (b"", "silence")
    heard = hear(bad, "half-and-silence", wait=0.2)
    assert heard.ending == "silence"
    assert 0 < len(heard.body) < heard.promised


@pytest.mark.parametrize("name", ["endless-head", "endless-body", "endless-chunks"])
def test_what_has_no_end_goes_on(bad: Bad, name: str) -> None:
    heard = hear(bad, name, most=3_000_000)
    assert heard.ending == "enough"
    assert (b"\r\n\r\n" in heard.data) == (name != "endless-head")


def test_the_bomb_holds_ten_gigabytes(bad: Bad) -> None:
    heard = hear(bad, "bomb")
    assert heard.ending == "close"
    assert b"Content-Encoding: gzip" in heard.head
    first, block, zeros = deeds._packed()
    assert len(heard.body) == len(first) + 2000 * len(block) < 10_000_000
    assert 2000 * zeros == deeds.BOMB_BYTES
    unpacker = zlib.decompressobj(31)
    assert unpacker.decompress(first).startswith(b"<!doctype html>")
    unpacked = sum(len(unpacker.decompress(block)) for _ in range(2))
    assert unpacked == 2 * zeros
    assert not unpacker.eof


def test_lengths_lie(bad: Bad) -> None:
    page = good_page(bad, "length-too-long")
    heard = hear(bad, "length-too-long")
    assert (heard.ending, heard.promised, heard.body) == ("close", 2 * len(page), page)
    heard = hear(bad, "length-too-short", wait=0.2)
    assert (heard.ending, heard.body[: heard.promised]) == (
        "silence",
        good_page(bad, "length-too-short"),
    )
    assert len(heard.body) > heard.promised
    assert b"Content-Length: plenty" in hear(bad, "length-no-number").head
    assert hear(bad, "two-lengths").head.count(b"Content-Length") == 2


def test_chunks_are_bad(bad: Bad) -> None:
    heard = hear(bad, "bad-chunks")
    assert b"\r\nsome\r\n" in heard.body
    assert int(heard.body.partition(b"\r\n")[0], 16) > 0
    assert hear(bad, "huge-chunk").body.startswith(b"fffffffffffffff0\r\n")
    heard = hear(bad, "no-last-chunk")
    assert heard.ending == "close"
    assert not heard.data.endswith(b"0\r\n\r\n")


def test_headers_are_bad(bad: Bad) -> None:
    assert b"\r\nno colon here\r\n: no name\r\n" in hear(bad, "bad-headers").head
    heard = hear(bad, "huge-head")
    assert len(heard.head) > deeds.HUGE_HEAD_BYTES - 1000
    assert heard.body == good_page(bad, "huge-head")
    assert b"\r\nLocation:\r\n" in hear(bad, "empty-header", wait=0.2).head


def test_what_is_not_http_is_not_http(bad: Bad) -> None:
    assert hear(bad, "bad-status").data.startswith(b"HTTP/banana fine")
    assert hear(bad, "no-head").data == good_page(bad, "no-head")
    assert len(hear(bad, "noise").data) == 5000
    heard = hear(bad, "nothing")
    assert (heard.data, heard.ending) == (b"", "close")


def test_resets_are_resets(bad: Bad) -> None:
    heard = hear(bad, "reset-at-once")
    assert (heard.data, heard.ending) == (b"", "reset")
    heard = hear(bad, "reset-midway")
    assert heard.ending == "reset"
    assert 0 < len(heard.body) < heard.promised


def test_promises_are_broken_on_every_page(bad: Bad) -> None:
    _, server = bad
    for path in ("/bad", "/", *GOOD_PAGES):
        heard = shout(server, f"http://broken-promise.bad.test{path}")
        assert b"Connection: keep-alive" in heard.head
        assert (heard.ending, len(heard.body)) == ("close", heard.promised)


def test_stuffing_follows_a_good_answer(bad: Bad) -> None:
    heard = hear(bad, "stuffing", wait=0.2)
    assert heard.ending == "silence"
    page = good_page(bad, "stuffing")
    assert heard.body[: heard.promised] == page
    assert heard.body[len(page) :].startswith(b"HTTP/1.1 200 OK")
    assert hear(bad, "early-hints", wait=0.2).data.count(b"HTTP/1.1") == 3


def test_packing_is_broken(bad: Bad) -> None:
    heard = hear(bad, "not-packed", wait=0.2)
    assert b"gzip" in heard.head and heard.body == good_page(bad, "not-packed")
    heard = hear(bad, "half-packed", wait=0.2)
    unpacker = zlib.decompressobj(31)
    assert unpacker.decompress(heard.body)
    assert (heard.promised, unpacker.eof) == (len(heard.body), False)


def test_a_slow_door_opens_in_the_end(bad: Bad) -> None:
    _, server = bad
    began = time.monotonic()
    assert get(server, "http://slow-door.bad.test/good/1.html")[0] == 200
    assert time.monotonic() - began >= 0.5


def test_nobody_opens_a_deaf_door(bad: Bad) -> None:
    _, server = bad
    with pytest.raises(TimeoutError):
        socket.create_connection(server.endpoint("http://deaf.bad.test/"), timeout=0.3)
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(server.endpoint("http://shut.bad.test/"), timeout=0.3)


def test_chains_are_as_long_as_was_asked_for(bad: Bad) -> None:
    _, server = bad
    connection = connect(server, "http://chain.bad.test/bad")
    target, hops = "/bad", 0
    while target:
        response = ask(connection, f"http://chain.bad.test{target}")
        response.read()
        target = response.getheader("Location") or ""
        hops += bool(target)
    assert hops == 50
    connection.close()


def test_the_server_outlives_all_of_it(bad: Bad) -> None:
    web, server = bad
    names = [name for name, misdeed in web.misdeeds.items() if misdeed.raw is not None]
    for name in names:
        hear(bad, name, most=1, wait=0.1)
    assert server._crash is None
    assert get(server, "http://noise.bad.test/")[0] == 200
