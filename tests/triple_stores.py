"""Triple stores that tests send to: Oxigraph's server, and one that talks like RDF4J.

RDF4J itself is a program for Java; what stands here answers its documented requests: `POST` adds
quads to the statements and gives blank nodes names of its own, `DELETE` drops contexts.
"""

from __future__ import annotations

import contextlib
import http.server
import subprocess
import sys
import threading
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, quote, urlsplit

import pyoxigraph

COUNT = "SELECT (COUNT(*) AS ?n) { GRAPH ?g { ?s ?p ?o } }"


@contextlib.contextmanager
def oxigraph(folder: Path) -> Iterator[str]:
    """Run Oxigraph's server; yields its address."""
    port = free_port()
    program = Path(sys.executable).with_name("oxigraph")
    bind = f"127.0.0.1:{port}"
    command = [str(program), "serve", "--location", str(folder), "--bind", bind]
    with subprocess.Popen(command, stderr=subprocess.DEVNULL) as server:
        try:
            address = f"http://127.0.0.1:{port}"
            deadline = time.monotonic() + 60
            while not answers(address):
                assert server.poll() is None and time.monotonic() < deadline
                time.sleep(0.01)
            yield address
        finally:
            server.kill()


def free_port() -> int:
    with http.server.HTTPServer(("127.0.0.1", 0), http.server.BaseHTTPRequestHandler) as server:
        return int(server.server_address[1])


def answers(address: str) -> bool:
    try:
        with urllib.request.urlopen(f"{address}/"):
            return True
    except OSError:
        return False


def graphs_at(address: str) -> dict[str, int]:
    """Return how many triples each graph of an Oxigraph server has."""
    query = "SELECT ?g (COUNT(*) AS ?n) { GRAPH ?g { ?s ?p ?o } } GROUP BY ?g"
    request = urllib.request.Request(
        f"{address}/query?query={quote(query)}", headers={"Accept": "text/csv"}
    )
    with urllib.request.urlopen(request) as answer:
        _, *rows = answer.read().decode().split()
    return {graph: int(count) for graph, count in (row.rsplit(",", 1) for row in rows)}


class Rdf4jServer:
    """The statements of one repository."""

    def __init__(self) -> None:
        self.store = pyoxigraph.Store()
        self.requests: list[tuple[str, str, int]] = []
        self.authorization: set[str | None] = set()
        self.fails_after = 10**9
        """From this request on the answer is 500."""
        outer = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                self.answer(outer.take(self.command, self.path, self.body(), dict(self.headers)))

            do_DELETE = do_PUT = do_POST  # noqa: N815

            def body(self) -> bytes:
                return self.rfile.read(int(self.headers.get("Content-Length", "0")))

            def answer(self, status: int) -> None:
                self.send_response(status)
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, *_: Any) -> None:
                pass

        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)
        self._thread.start()
        port = self._server.server_address[1]
        self.url = f"http://127.0.0.1:{port}/rdf4j-server/repositories/crawl/statements"

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def take(self, method: str, target: str, body: bytes, headers: dict[str, str]) -> int:
        parts = urlsplit(target)
        self.requests.append((method, parts.query, len(body)))
        self.authorization.add(headers.get("Authorization"))
        if len(self.requests) > self.fails_after:
            return 500
        if not parts.path.endswith("/statements"):
            return 404
        if method == "DELETE":
            for context in parse_qs(parts.query)["context"]:
                assert context[0] == "<" and context[-1] == ">"
                self.store.remove_graph(pyoxigraph.NamedNode(context[1:-1]))
        elif method == "POST":
            assert headers["Content-Type"] == "application/n-quads"
            quads = pyoxigraph.parse(body, pyoxigraph.RdfFormat.N_QUADS, rename_blank_nodes=True)
            self.store.extend(list(quads))
        else:
            return 405
        return 204
