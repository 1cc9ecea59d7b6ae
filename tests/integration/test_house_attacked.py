"""`lycosa serve` attacked: half requests, slow requests, strangers at SPARQL, seeds on loopback.

The server is the command itself, and its clients are real sockets.
"""

from __future__ import annotations

import contextlib
import http.client
import json
import selectors
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote, urlencode, urlsplit

import pytest
from rdflib import Graph, Literal, URIRef
from rdflib.plugins.stores.sparqlstore import SPARQLStore
from SPARQLWrapper import JSON, SPARQLWrapper
from SPARQLWrapper.SPARQLExceptions import Unauthorized

from integration.endpoint_client import SAYS, crawl_of
from integration.replayed_crawl import crawled, replaying
from integration.small_servers import serving_site
from unit.analysis.triples.segments import block

__all__ = ["crawled"]

API = "/api/v1"
FORMULA = "=WEBSERVICE(A1)"
HALVES = 260
"""More than the server has connections."""
BEGINNINGS = (
    b"",
    b"GET /heal",
    b"GET /health HTTP/1.1\r\nHost: localhost\r\nX-Half: ",
    b"POST /sparql HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/sparql-query\r\n"
    b"Content-Length: 900000\r\n\r\nASK",
    b"POST /api/v1/crawls HTTP/1.1\r\nHost: localhost\r\nContent-Length: 900000\r\n\r\n{",
)
LATEST_SECONDS = 25.0
"""A request has 15 s for its head and 15 s for its body; some of these are late by now."""


class House(NamedTuple):
    """A running server."""

    host: str
    port: int
    token: str

    @property
    def bearer(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.token}"}

    @property
    def sparql(self) -> str:
        return f"http://{self.host}:{self.port}/sparql"

    def ask(
        self,
        path: str,
        headers: dict[str, str] | None = None,
        method: str = "GET",
        body: Any = None,
        seconds: float = 30,
    ) -> tuple[int, bytes]:
        connection = http.client.HTTPConnection(self.host, self.port, timeout=seconds)
        sent = {**(headers or {})}
        if body is not None:
            sent["Content-Type"] = "application/json"
        try:
            connection.request(method, path, json.dumps(body) if body is not None else None, sent)
            answer = connection.getresponse()
            return answer.status, answer.read()
        finally:
            connection.close()

    def opened(self, source: str = "127.0.0.1") -> socket.socket:
        return socket.create_connection((self.host, self.port), 20, (source, 0))


@contextlib.contextmanager
def house(place: Path, token_file: Path, *flags: str) -> Iterator[House]:
    command = [sys.executable, "-m", "lycosa", "serve", str(place), "--port", "0"]
    command += ["--token", str(token_file), *flags]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        parts = urlsplit(process.stdout.readline().removeprefix("serving at ").strip())
        try:
            yield House(parts.hostname or "", parts.port or 0, token_file.read_text().strip())
        finally:
            process.send_signal(signal.SIGTERM)
            process.wait(timeout=30)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = [block("a.test/7", 10, "text 7"), block("a.test/8", 10, FORMULA)]
    return crawl_of(tmp_path_factory.mktemp("house") / "crawl", *made)


@pytest.fixture(scope="module")
def served(folder: Path) -> Iterator[House]:
    with house(folder, folder.parent / "token") as running:
        yield running


# -- half requests ---------------------------------------------------------------------------


@pytest.mark.parametrize("has_many", [False, True], ids=["one-address", "many-addresses"])
def test_half_requests_shut_no_client_out(served: House, has_many: bool) -> None:
    with contextlib.ExitStack() as stack:
        for number in range(HALVES):
            source = f"127.0.{number // 200}.{number % 200 + 2}" if has_many else "127.0.0.1"
            half = stack.enter_context(served.opened(source))
            half.sendall(BEGINNINGS[number % len(BEGINNINGS)])
        for _ in range(5):
            began = time.monotonic()
            assert served.ask("/health")[0] == 200
            assert served.ask(f"{API}/crawls", served.bearer)[0] == 200
            assert time.monotonic() - began < 20


def ended(connection: socket.socket) -> tuple[bool, bytes]:
    """Return whether the server has ended a connection, and what it said before."""
    said = b""
    connection.setblocking(False)
    try:
        while piece := connection.recv(4096):
            said += piece
    except BlockingIOError:
        return False, said
    except ConnectionResetError:
        return True, said
    return True, said


def test_a_request_that_comes_byte_by_byte_is_ended_by_a_deadline(served: House) -> None:
    """Head, body, a body after the response that refuses it, and no byte at all."""
    begun = {
        "nothing": b"",
        "head": b"GET /health HTTP/1.1\r\nHost: localhost\r\nX-Slow: ",
        "body": b"POST /sparql HTTP/1.1\r\nHost: localhost\r\nContent-Length: 900000\r\n"
        b"Content-Type: application/sparql-query\r\n"
        + f"Authorization: Bearer {served.token}\r\n\r\n".encode(),
        "refused": b"POST /api/v1/crawls HTTP/1.1\r\nHost: localhost\r\nContent-Length: 900000\r\n"
        b"Content-Type: application/json\r\n\r\n",
    }
    said = dict.fromkeys(begun, b"")
    with contextlib.ExitStack() as stack, selectors.DefaultSelector() as waiting:
        open_now = {name: stack.enter_context(served.opened()) for name in begun}
        for name, connection in open_now.items():
            connection.sendall(begun[name])
            waiting.register(connection, selectors.EVENT_READ)
        until = time.monotonic() + LATEST_SECONDS
        while open_now and time.monotonic() < until:
            waiting.select(timeout=0.5)
            for name, connection in list(open_now.items()):
                with contextlib.suppress(OSError):
                    connection.send(b"x" if name != "nothing" else b"")
                has_ended, more = ended(connection)
                said[name] += more
                if has_ended:
                    waiting.unregister(connection)
                    del open_now[name]
        assert open_now == {}
    assert said["nothing"] == b""
    assert said["head"].startswith(b"HTTP/1.1 408 ")
    assert said["body"].startswith(b"HTTP/1.1 408 ")
    assert said["refused"].startswith(b"HTTP/1.1 401 ")
    assert served.ask("/health")[0] == 200


def test_every_command_that_serves_has_the_deadline(crawled: Path, tmp_path: Path) -> None:
    """The endpoint alone and replay, too; `crawled` has pages and no triples."""
    player = tmp_path / "player"
    player.mkdir()
    for name in ("ui.js", "sw.js"):
        (player / name).write_text("//\n")
    folder = crawl_of(tmp_path / "crawl", block("a.test/7", 10, "text 7"))
    with contextlib.ExitStack() as stack, selectors.DefaultSelector() as waiting:
        endpoint = stack.enter_context(house(folder, tmp_path / "token", "--only", "sparql"))
        ports = {endpoint.port, stack.enter_context(replaying(crawled, player))}
        for port in ports:
            connection = socket.create_connection(("127.0.0.1", port), 20)
            stack.enter_context(connection).sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\nX: ")
            waiting.register(connection, selectors.EVENT_READ)
        said: list[bytes] = []
        until = time.monotonic() + LATEST_SECONDS
        while len(said) < len(ports) and time.monotonic() < until:
            for key, _ in waiting.select(timeout=1):
                assert isinstance(key.fileobj, socket.socket)
                said.append(key.fileobj.recv(100)[:13])
                waiting.unregister(key.fileobj)
    assert said == [b"HTTP/1.1 408 "] * 2


# -- strangers at SPARQL ---------------------------------------------------------------------

ASK = f"/sparql?query={quote('ASK { ?s ?p ?o }')}"


@pytest.mark.parametrize("flags", [(), ("--only", "sparql")], ids=["pages", "only-sparql"])
def test_sparql_needs_the_token(folder: Path, tmp_path: Path, flags: tuple[str, ...]) -> None:
    with house(folder, tmp_path / "token", *flags) as served:
        form = {"Content-Type": "application/x-www-form-urlencoded"}
        for headers in ({}, {"Authorization": "Bearer wrong"}, {"Cookie": f"token={served.token}"}):
            assert served.ask(ASK, headers)[0] == 401
            assert served.ask("/sparql", headers)[0] == 401
            assert served.ask("/sparql/crawl", {**form, **headers}, "POST")[0] == 401
        assert served.ask(f"{ASK}&{urlencode({'token': served.token})}")[0] == 401
        status, answer = served.ask(ASK, served.bearer)
        assert (status, json.loads(answer)["boolean"]) == (200, True)


def test_sparql_clients_send_the_token_as_a_header(served: House) -> None:
    wrapper = SPARQLWrapper(served.sparql)
    wrapper.setQuery("SELECT ?page { GRAPH ?page { ?s ?p 'text 7' } }")
    wrapper.setReturnFormat(JSON)
    with pytest.raises(Unauthorized):
        wrapper.query()
    wrapper.addCustomHttpHeader("Authorization", f"Bearer {served.token}")
    found: Any = wrapper.query().convert()
    assert [row["page"]["value"] for row in found["results"]["bindings"]] == ["http://a.test/7"]
    graph = Graph(SPARQLStore(served.sparql, headers=served.bearer))
    assert (URIRef("http://a.test/7"), SAYS, Literal("text 7")) in graph


@pytest.mark.parametrize("flags", [(), ("--only", "sparql")], ids=["pages", "only-sparql"])
def test_public_sparql_is_answered_without_the_token_and_nothing_else_is(
    folder: Path, tmp_path: Path, flags: tuple[str, ...]
) -> None:
    with house(folder, tmp_path / "token", "--public-sparql", *flags) as served:
        assert served.ask(ASK)[0] == 200
        assert served.ask(ASK, {"Host": "evil.test"})[0] == 403
        assert served.ask(ASK, {"Origin": "http://evil.test"})[0] == 403
        assert served.ask(f"{API}/crawls")[0] == 401
        assert served.ask("/metrics")[0] == 401


def test_csv_of_the_endpoint_holds_no_formula(served: House) -> None:
    query = quote("SELECT ?said { ?page ?p ?said } ORDER BY ?said")
    headers = {**served.bearer, "Accept": "text/csv"}
    status, answer = served.ask(f"/sparql?query={query}", headers)
    assert (status, answer.decode()) == (200, f"said\r\n'{FORMULA}\r\ntext 7\r\n")


# -- a holder of the token from elsewhere ------------------------------------------------------

ELSEWHERE = (
    {"X-Forwarded-For": "192.0.2.7"},
    {"Forwarded": "for=192.0.2.7"},
    {"Via": "1.1 proxy.example.org"},
    {"X-Real-IP": "192.0.2.7"},
)


@pytest.mark.parametrize("told", ELSEWHERE, ids=[next(iter(one)) for one in ELSEWHERE])
def test_a_client_behind_a_proxy_starts_no_crawl_of_this_machine(
    tmp_path: Path, told: dict[str, str]
) -> None:
    asked: list[str] = []

    def service(path: str) -> tuple[int, str]:
        asked.append(path)
        return 200, "a service of this machine"

    with serving_site(service) as port, house(tmp_path, tmp_path / "token") as served:
        for number, seed in enumerate(
            (f"http://127.0.0.1:{port}/", f"http://localhost:{port}/", f"http://0x7f.1:{port}/")
        ):
            wanted = {"name": f"c{number}", "seeds": [seed], "max_pages": 1}
            headers = {**served.bearer, **told}
            status, answer = served.ask(f"{API}/crawls", headers, "POST", wanted)
            assert status == 403, answer
            assert b"on the machine that crawls" in answer
    assert asked == []
    assert [path.name for path in tmp_path.iterdir()] == ["token"]
