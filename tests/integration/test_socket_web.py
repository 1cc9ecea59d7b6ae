"""The test web over real sockets: the same answers, and the command that serves them."""

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
from collections.abc import Iterator
from pathlib import Path

import pytest

from integration.socket_client import NO_PAUSES, PATIENCE, ask, connect, get, shout, wait_for
from lycosa.errors import LycosaError
from lycosa.model.records import Outcome
from lycosa_testweb import (
    Faults,
    GeneratedWeb,
    GraphWeb,
    Referee,
    Reply,
    request_for,
)
from lycosa_testweb.referee.record import judge, read
from lycosa_testweb.servers.server import Listen, SocketWeb
from lycosa_testweb.webs.quotes import COOKIE, LOGIN, NAME, PASSWORD, TOKEN, QuotesWeb

pytestmark = pytest.mark.quick

MOMENT = 1_700_000_000.0


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


@pytest.mark.parametrize(
    ("length", "status"),
    [(b"", b"411"), (b"Content-Length: x\r\n", b"411"), (b"Content-Length: 99999\r\n", b"413")],
)
def test_forms_without_a_fit_length_are_refused(length: bytes, status: bytes) -> None:
    with SocketWeb(QuotesWeb(), tls=False) as server:
        with socket.create_connection(server.endpoint(LOGIN), timeout=5) as client:
            client.sendall(b"POST /login HTTP/1.1\r\nHost: quotes.test\r\n" + length + b"\r\n")
            assert client.recv(1 << 16).split(b" ")[1] == status
        assert server.requests == 0


def test_a_posted_form_comes_in_pieces_and_opens_a_session() -> None:
    form = f"username={NAME}&password={PASSWORD}&csrf_token={TOKEN}".encode()
    head = b"POST /login HTTP/1.1\r\nHost: quotes.test\r\nContent-Length: %d\r\n\r\n" % len(form)
    more = b"GET /favourites/ HTTP/1.1\r\nHost: quotes.test\r\nCookie: %s\r\n" % COOKIE.encode()
    with (
        SocketWeb(QuotesWeb(), tls=False) as server,
        socket.create_connection(server.endpoint(LOGIN), timeout=5) as client,
    ):
        client.sendall(head + form[:7])
        client.sendall(form[7:] + more + b"Connection: close\r\n\r\n")
        heard = b"".join(iter(lambda: client.recv(1 << 16), b""))
        assert server.requests == 2
    answer, _, page = heard.partition(b"\r\n\r\nHTTP/1.1 ")
    assert answer.startswith(b"HTTP/1.1 302 ")
    assert b"\r\nSet-Cookie: " + COOKIE.encode() in answer
    assert page.startswith(b"200 OK") and b"<title>Favourites</title>" in page


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
        two = SocketWeb(web, tls=False, listen=Listen(port=one.http_port))
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
    web = GraphWeb({}, faults=Faults(failures={url: failure}))
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


def test_an_unknown_name_is_an_error_and_not_a_guess() -> None:
    server = SocketWeb(GraphWeb({"http://a.test/": []}), tls=False)
    with pytest.raises(LycosaError, match="no host nobody"):
        server.endpoint("http://nobody.test/")
    with pytest.raises(LycosaError, match="not running"):
        print(server.hosts_file)


def test_a_reply_with_a_strange_status_is_sent_as_it_is() -> None:
    class Strange(GraphWeb):
        def answer(self, request: object, moment: float) -> Reply:
            return Reply(799, (), b"what?")

    with SocketWeb(Strange({"http://a.test/": []}), tls=False) as server:
        assert get(server, "http://a.test/")[0::2] == (799, b"what?")


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


# -- the command -------------------------------------------------------------------------


def test_the_command_serves_records_and_judges(tmp_path: Path) -> None:
    record = tmp_path / "record.jsonl"
    command = [sys.executable, "-m", "lycosa_testweb", "--kind", "tree", "--levels", "2"]
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
