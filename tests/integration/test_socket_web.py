"""The test web over real sockets: the same answers, seen by the referee, and real misdeeds."""

from __future__ import annotations

import http.client
import json
import os
import signal
import socket
import ssl
import subprocess
import sys
import time
import zlib
from collections.abc import Iterator
from pathlib import Path

import pytest

from lycosa.errors import LycosaError
from lycosa.records import Outcome
from lycosa.testweb import (
    BreachKind,
    GeneratedWeb,
    GraphWeb,
    Group,
    Referee,
    RefereeRules,
    Reply,
    Robots,
    request_for,
)
from lycosa.testweb import misdeeds as deeds
from lycosa.testweb.misbehaviour import GOOD_PAGES, MisbehavingWeb
from lycosa.testweb.misdeeds import Tempo
from lycosa.testweb.parts import take_apart
from lycosa.testweb.raw import Certificate, Door
from lycosa.testweb.record import judge, read
from lycosa.testweb.server import SOCKET_TOLERANCE_SECONDS, SocketWeb

MOMENT = 1_700_000_000.0
PATIENCE = 10.0
NO_PAUSES = RefereeRules(0.0, 0.0, tolerance_seconds=SOCKET_TOLERANCE_SECONDS)


def connect(server: SocketWeb, url: str) -> http.client.HTTPConnection:
    place, port = server.endpoint(url)
    if not url.startswith("https:"):
        return http.client.HTTPConnection(place, port, timeout=PATIENCE)
    context = server.tls_context()
    raw = socket.create_connection((place, port), timeout=PATIENCE)
    connection = http.client.HTTPSConnection(place, port, timeout=PATIENCE)
    connection.sock = context.wrap_socket(raw, server_hostname=take_apart(url).host)
    return connection


def ask(connection: http.client.HTTPConnection, url: str) -> http.client.HTTPResponse:
    parts = take_apart(url)
    host = url.partition("://")[2].partition("/")[0]
    connection.request("GET", parts.target, headers={"Host": host, "User-Agent": "lycosa"})
    return connection.getresponse()


def get(server: SocketWeb, url: str) -> tuple[int, list[tuple[str, str]], bytes]:
    connection = connect(server, url)
    try:
        response = ask(connection, url)
        return response.status, response.getheaders(), response.read()
    finally:
        connection.close()


def shout(server: SocketWeb, url: str, *, most: int = 1 << 30, wait: float = PATIENCE) -> Heard:
    """Ask by hand, and say what was heard and how it ended."""
    parts = take_apart(url)
    heard = bytearray()
    with socket.create_connection(server.endpoint(url), timeout=wait) as client:
        client.sendall(f"GET {parts.target} HTTP/1.1\r\nHost: {parts.host}\r\n\r\n".encode())
        while len(heard) < most:
            try:
                data = client.recv(1 << 16)
            except TimeoutError:
                return Heard(bytes(heard), "silence")
            except ConnectionResetError:
                return Heard(bytes(heard), "reset")
            if not data:
                return Heard(bytes(heard), "close")
            heard += data
    return Heard(bytes(heard), "enough")


class Heard:
    def __init__(self, data: bytes, ending: str) -> None:
        self.ending = ending
        self.data = data
        self.head, _, self.body = data.partition(b"\r\n\r\n")

    @property
    def promised(self) -> int:
        line = next(line for line in self.head.split(b"\r\n") if line.startswith(b"Content-Length"))
        return int(line.partition(b":")[2])


# -- the plain server --------------------------------------------------------------------


@pytest.fixture(scope="module")
def small() -> Iterator[tuple[GeneratedWeb, SocketWeb]]:
    web = GeneratedWeb.small(3)
    with SocketWeb(web, clock=lambda: MOMENT, silence_seconds=0.2) as server:
        yield web, server


def test_sockets_carry_the_bytes_of_the_pure_function(
    small: tuple[GeneratedWeb, SocketWeb],
) -> None:
    web, server = small
    checked = 0
    for host in web.hosts():
        if web.resolve(host, MOMENT).address is None:
            continue
        for url in [f"{web.home(int(host.split('.')[1][1:]))}robots.txt", *web.all_pages(host)]:
            expected = web.answer(request_for(web, url, moment=MOMENT), MOMENT)
            if expected.failure is not None:
                continue
            status, headers, body = get(server, url)
            assert (status, body) == (expected.status, expected.body), url
            assert headers[: len(expected.headers)] == list(expected.headers), url
            checked += 1
    assert checked > 100


def test_one_connection_serves_many_requests(small: tuple[GeneratedWeb, SocketWeb]) -> None:
    web, server = small
    connection = connect(server, web.home())
    ask(connection, web.home()).read()
    first = connection.sock
    for url in web.all_pages("www.s0.test"):
        ask(connection, url).read()
    assert connection.sock is first
    connection.close()


def test_a_client_that_wants_the_connection_closed_has_it_closed() -> None:
    web = GraphWeb({"http://a.test/": []})
    with (
        SocketWeb(web, tls=False) as server,
        socket.create_connection(server.endpoint("http://a.test/"), timeout=5) as client,
    ):
        client.sendall(b"GET / HTTP/1.1\r\nHost: a.test\r\nConnection: close\r\n\r\n")
        heard = b"".join(iter(lambda: client.recv(1 << 16), b""))
    assert heard.startswith(b"HTTP/1.1 200 OK\r\n")
    assert b"\r\nConnection: close\r\n" in heard


@pytest.mark.parametrize(
    ("sent", "status"),
    [
        (b"POST / HTTP/1.1\r\nHost: a.test\r\n\r\n", b"405"),
        (b"GET / HTTP/1.1\r\n\r\n", b"400"),
        (b"nonsense\r\n\r\n", b"400"),
        (b"GET / HTTP/1.1\r\nX: " + b"x" * 70_000, b"431"),
    ],
)
def test_requests_that_are_none_are_refused(sent: bytes, status: bytes) -> None:
    with SocketWeb(GraphWeb({"http://a.test/": []}), tls=False) as server:
        with socket.create_connection(server.endpoint("http://a.test/"), timeout=5) as client:
            client.sendall(sent)
            assert client.recv(1 << 16).split(b" ")[1] == status
        assert server.requests == 0


def test_every_address_of_the_web_has_a_loopback_address_of_its_own() -> None:
    web = GeneratedWeb.wide(1, hosts=60, addresses=20)
    with SocketWeb(web, tls=False) as server:
        text = server.hosts_file_text()
        assert server.hosts_file.read_text() == text
        file = server.hosts_file
        place_of: dict[str, str] = {}
        ports: dict[int, int] = {}
        for line in text.splitlines():
            first, *rest = line.split()
            if first == "port":
                ports[int(rest[0])] = int(rest[1])
            else:
                place_of.update(dict.fromkeys(rest, first))
        pairs = {(web.resolve(host, 0.0).address, place) for host, place in place_of.items()}
        assert len(pairs) == len({web for web, _ in pairs}) == len({own for _, own in pairs}) == 20
        assert all(place.startswith("127.") for place in place_of.values())
        assert ports == {80: server.http_port, 8080: server.http_port}
        with socket.create_connection(("127.0.0.21", ports[80]), timeout=5) as client:
            assert client.getpeername()[0] == "127.0.0.21"
    assert not file.exists()


def test_two_servers_run_side_by_side() -> None:
    webs = [GraphWeb({f"http://{name}.test/": []}) for name in "ab"]
    with SocketWeb(webs[0], tls=False) as one, SocketWeb(webs[1], tls=False) as two:
        assert get(one, "http://a.test/")[0] == get(two, "http://b.test/")[0] == 200


def test_a_port_that_is_taken_is_named() -> None:
    web = GraphWeb({"http://a.test/": []})
    with SocketWeb(web, tls=False) as one:
        two = SocketWeb(web, tls=False, port=one.http_port)
        with pytest.raises(LycosaError, match=f"port {one.http_port}"):
            two.start()


def test_ports_of_the_hosts_header_make_sites() -> None:
    annex = "http://a.test:8080/"
    web = GraphWeb({"http://a.test/": [], annex: []})
    with SocketWeb(web, tls=False) as server:
        assert b"a.test:8080" in get(server, annex)[2]
        assert b"a.test:8080" not in get(server, "http://a.test/")[2]
        named = f"http://a.test:{server.http_port}/"
        assert get(server, named) == get(server, "http://a.test/")


def test_ipv6_addresses_become_the_one_loopback_address() -> None:
    urls: dict[str, list[str]] = {f"http://{name}.test/": [] for name in "ab"}
    web = GraphWeb(urls, addresses={"a.test": "2001:db8::7"})
    with SocketWeb(web, tls=False) as server:
        assert server.endpoint("http://a.test/")[0] == "::1"
        assert get(server, "http://a.test/")[0] == get(server, "http://b.test/")[0] == 200


def test_latencies_are_scaled() -> None:
    web = GraphWeb({"http://a.test/": []}, latency=20.0)
    with SocketWeb(web, tls=False, time_scale=0.01) as server:
        began = time.monotonic()
        get(server, "http://a.test/")
        assert 0.2 <= time.monotonic() - began < 5.0


@pytest.mark.parametrize(
    ("failure", "ending"),
    [
        (Outcome.CONNECT_FAILURE, "reset"),
        (Outcome.TIMEOUT, "silence"),
        (Outcome.CUT_SHORT, "close"),
        (Outcome.BAD_ANSWER, "close"),
    ],
)
def test_failures_of_a_web_happen_for_real(failure: Outcome, ending: str) -> None:
    url = "http://a.test/x"
    web = GraphWeb({}, failures={url: failure})
    referee = Referee(NO_PAUSES, web, keep_history=True)
    with SocketWeb(web, referee=referee, tls=False) as server:
        heard = shout(server, url, wait=0.3)
        assert heard.ending == ending
        if failure is Outcome.CUT_SHORT:
            assert heard.promised == 2 * len(heard.body) > 0
        elif failure is Outcome.BAD_ANSWER:
            assert not heard.data.startswith(b"HTTP") and heard.data
        else:
            assert heard.data == b""
        wait_for(lambda: referee.in_flight == 0)
    told = Outcome.CUT_SHORT if failure is Outcome.TIMEOUT else failure
    assert [entry.failure for entry in referee.history] == [told]


def wait_for(is_so: object) -> None:
    assert callable(is_so)
    deadline = time.monotonic() + PATIENCE
    while not is_so():
        assert time.monotonic() < deadline, "waited in vain"
        time.sleep(0.002)


def test_an_unknown_name_is_an_error_and_not_a_guess() -> None:
    server = SocketWeb(GraphWeb({"http://a.test/": []}), tls=False)
    with pytest.raises(LycosaError, match="no host nobody"):
        server.endpoint("http://nobody.test/")
    with pytest.raises(LycosaError, match="not running"):
        print(server.hosts_file)


# -- TLS ---------------------------------------------------------------------------------


def test_tls_is_trusted_by_the_authority_and_by_nothing_else() -> None:
    urls = [f"https://h{number}.test/" for number in range(150)]
    with SocketWeb(GraphWeb({url: [] for url in urls})) as server:
        for url in (urls[0], urls[149], urls[7]):
            assert get(server, url)[0] == 200
        stranger = ssl.create_default_context()
        with (
            socket.create_connection(server.endpoint(urls[0]), timeout=5) as raw,
            pytest.raises(ssl.SSLCertVerificationError),
        ):
            stranger.wrap_socket(raw, server_hostname="h0.test")


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


# -- the referee -------------------------------------------------------------------------


def test_the_referee_sees_what_a_polite_client_does() -> None:
    web = GraphWeb({"http://a.test/": ["http://a.test/1", "http://a.test/2"]})
    referee = Referee(NO_PAUSES, web)
    with SocketWeb(web, referee=referee, tls=False) as server:
        for path in ("robots.txt", "", "1", "2", "none"):
            get(server, f"http://a.test/{path}")
        server.settle()
        assert (referee.verdict, server.requests) == ("clean", 5)
        assert referee.statistics.statuses == {200: 3, 404: 2}
        get(server, "http://a.test/1")
    assert [breach.kind for breach in referee.breaches] == [BreachKind.ASKED_TWICE]


def test_the_referee_measures_pauses_and_overlaps_by_the_real_clock() -> None:
    web = GraphWeb({f"http://a.test/{number}": [] for number in range(4)}, latency=30.0)
    rules = RefereeRules(0.2, 0.0, tolerance_seconds=SOCKET_TOLERANCE_SECONDS)
    referee = Referee(rules, web)
    with SocketWeb(web, referee=referee, tls=False, time_scale=0.01) as server:
        get(server, "http://a.test/robots.txt")
        time.sleep(0.2)
        get(server, "http://a.test/0")
        assert referee.verdict == "clean"
        get(server, "http://a.test/1")
        assert [breach.kind for breach in referee.breaches] == [BreachKind.HOST_PAUSE]
    assert referee.statistics.requests == 3


def test_an_answer_ends_when_its_last_byte_is_out() -> None:
    large = Robots((Group("*", ()),), bytes_after=30_000_000)
    web = GraphWeb({"http://a.test/": []}, robots={"a.test": large})
    referee = Referee(NO_PAUSES, web)
    with SocketWeb(web, referee=referee, tls=False) as server:
        connection = connect(server, "http://a.test/")
        response = ask(connection, "http://a.test/robots.txt")
        response.read(1_000_000)
        server.settle()
        assert referee.in_flight == 1
        assert len(response.read()) > 28_000_000
        server.settle()
        assert referee.in_flight == 0
        assert ask(connection, "http://a.test/").read()
        connection.close()
    assert referee.verdict == "clean"


def test_large_answers_pass_through_tls() -> None:
    large = Robots((Group("*", ()),), bytes_after=10_000_000)
    web = GraphWeb({"https://a.test/": []}, robots={"a.test": large})
    referee = Referee(NO_PAUSES, web)
    with SocketWeb(web, referee=referee) as server:
        connection = connect(server, "https://a.test/")
        expected = web.answer(request_for(web, "https://a.test/robots.txt"), 0.0).body
        assert ask(connection, "https://a.test/robots.txt").read() == expected
        assert ask(connection, "https://a.test/").read()
        connection.close()
        server.settle()
    assert (referee.verdict, referee.in_flight) == ("clean", 0)


def test_requests_sent_ahead_overlap() -> None:
    web = GraphWeb({"http://a.test/": ["http://a.test/1"]}, latency=10.0)
    referee = Referee(NO_PAUSES, web)
    with SocketWeb(web, referee=referee, tls=False, time_scale=0.01) as server:
        get(server, "http://a.test/robots.txt")
        place = server.endpoint("http://a.test/")
        with socket.create_connection(place, timeout=PATIENCE) as client:
            client.sendall(
                b"GET / HTTP/1.1\r\nHost: a.test\r\n\r\nGET /1 HTTP/1.1\r\nHost: a.test\r\n"
                b"Connection: close\r\n\r\n"
            )
            heard = b"".join(iter(lambda: client.recv(1 << 16), b""))
    assert heard.count(b"HTTP/1.1 200 OK") == 2
    assert {breach.kind for breach in referee.breaches} == {
        BreachKind.HOST_OVERLAP,
        BreachKind.ADDRESS_OVERLAP,
    }


def test_redirects_of_robots_files_count_as_robots_files() -> None:
    robots = Robots((Group("*", ()),), hops=2)
    web = GraphWeb({"http://a.test/": []}, robots={"a.test": robots})
    referee = Referee(NO_PAUSES, web)
    with SocketWeb(web, referee=referee, tls=False) as server:
        url = "http://a.test/robots.txt"
        for _ in range(3):
            _, headers, _ = get(server, url)
            url = dict(headers).get("Location", "")
        get(server, "http://a.test/")
    assert (url, referee.verdict) == ("", "clean")


def test_a_robots_file_may_be_left_after_500_kibibytes() -> None:
    robots = Robots((Group("*", ()),), bytes_after=30_000_000)
    web = GraphWeb({"http://a.test/": []}, robots={"a.test": robots})
    referee = Referee(NO_PAUSES, web)
    with SocketWeb(web, referee=referee, tls=False) as server:
        assert shout(server, "http://a.test/robots.txt", most=600_000).ending == "enough"
        wait_for(lambda: referee.in_flight == 0)
        get(server, "http://a.test/")
    assert referee.verdict == "clean"


def test_a_kill_ends_what_was_under_way_and_is_forgiven() -> None:
    web = GraphWeb({"http://a.test/": []}, latency=1000.0)
    referee = Referee(NO_PAUSES, web, keep_history=True)
    with SocketWeb(web, referee=referee, tls=False, time_scale=1.0) as server:
        place = server.endpoint("http://a.test/")
        with socket.create_connection(place, timeout=PATIENCE) as client:
            client.sendall(b"GET /robots.txt HTTP/1.1\r\nHost: a.test\r\n\r\n")
            wait_for(lambda: referee.in_flight == 1)
            server.client_killed()
        assert (referee.in_flight, referee.statistics.killed) == (0, 1)
        server.time_scale = 0.0
        get(server, "http://a.test/robots.txt")
        get(server, "http://a.test/")
    assert referee.verdict == "clean"
    assert [entry.was_killed for entry in referee.history] == [True, False, False]


# -- the command -------------------------------------------------------------------------


def test_the_command_serves_records_and_judges(tmp_path: Path) -> None:
    record = tmp_path / "record.jsonl"
    command = [sys.executable, "-m", "lycosa.testweb", "--kind", "tree", "--levels", "2"]
    command += ["--fanout", "2", "--hosts", "2", "--no-tls", "--delay", "0", "--ip-delay", "0"]
    command += ["--report", "--record", str(record)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        told = list(iter(process.stdout.readline, "ready\n"))
        hosts = Path(told[0].split()[1]).read_text().splitlines()
        assert told[1:] == ["seed http://www.s0.test/\n", "seed http://www.s1.test/\n"]
        port = int(hosts[2].split()[2])
        seen = 0
        for path in ("/robots.txt", "/", "/1.html", "/2.html"):
            connection = http.client.HTTPConnection(hosts[0].split()[0], port, timeout=PATIENCE)
            connection.request("GET", path, headers={"Host": "www.s0.test"})
            seen += connection.getresponse().status == 200
            connection.close()
        assert seen == 3
        os.kill(process.pid, signal.SIGUSR1)
        wait_for(lambda: [entry["event"] for entry in read(record)][-1:] == ["killed"])
        process.terminate()
        report = process.stdout.read()
    assert process.returncode == 0
    assert report.startswith("verdict: clean\n")
    assert "4 requests" in report
    web = GeneratedWeb.tree(2, 2, hosts=2)
    referee = Referee(NO_PAUSES, web)
    judge(record, referee)
    assert (referee.verdict, referee.statistics.statuses) == ("clean", {404: 1, 200: 3})
    assert [json.loads(line)["event"] for line in record.read_text().splitlines()] == [
        *(["began", "ended"] * 4),
        "killed",
    ]


# -- misdeeds ----------------------------------------------------------------------------

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


def test_a_reply_with_a_strange_status_is_sent_as_it_is() -> None:
    class Strange(GraphWeb):
        def answer(self, request: object, moment: float) -> Reply:
            return Reply(799, (), b"what?")

    with SocketWeb(Strange({"http://a.test/": []}), tls=False) as server:
        assert get(server, "http://a.test/")[0::2] == (799, b"what?")
