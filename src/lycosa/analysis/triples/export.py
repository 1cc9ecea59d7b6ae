"""Sends the graphs of a crawl to another triple store over HTTP, page by page, each once.

It speaks two protocols:

    graph-store   SPARQL 1.1 Graph Store HTTP Protocol: `PUT ?graph=<page>` replaces the graph of
                  a page, `DELETE` drops it; one request a page, over one connection
    rdf4j         RDF4J (once Sesame): `DELETE …/statements?context=<page>` for the pages of a
                  batch, then `POST …/statements` with the quads of all of them

A ledger, one file for each receiver, records what the receiver acknowledged. So an export that
was stopped or killed continues where it was, and a later export sends only what is new. If a kill
comes between an acknowledgement and its record, that page or batch is sent again: both protocols
then replace the graph by the same graph, and nothing is stored twice.

Redirects are not followed but reported, since the user may have meant another address.
"""

from __future__ import annotations

import base64
import hashlib
import http.client
import ssl
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple
from urllib.parse import quote, unquote, urlsplit, urlunsplit

from lycosa._support import beneath
from lycosa.analysis.triples.changes import Change, Changes, grouped
from lycosa.analysis.triples.index import GROUP_BYTES
from lycosa.analysis.triples.ledger import Ledger, segment_files
from lycosa.errors import QueryError

GRAPH_STORE, RDF4J = "graph-store", "rdf4j"
BATCH_BYTES = 2_000_000
BATCH_PAGES = 500
SECONDS = 120.0
"""The time limit of a request."""

_TRIES = 3
_LONGEST_QUERY = 6000
"""The longest query string that servers accept."""


class Exported(NamedTuple):
    """The result of an export."""

    pages: int
    """Number of pages whose graphs were replaced or dropped."""
    quads: int
    requests: int


def _ignore(_: object) -> None:
    pass


def protocol_of(url: str) -> str:
    """Return the protocol that fits a URL."""
    return RDF4J if urlsplit(url).path.rstrip("/").endswith("/statements") else GRAPH_STORE


def export(
    folder: Path,
    url: str,
    protocol: str | None = None,
    on_progress: Callable[[Exported], None] = _ignore,
    reach: Callable[[str], None] = _ignore,
) -> Exported:
    """Send the graphs of sealed segments that the receiver does not have."""
    receiver = _Receiver(url)
    senders: dict[str, type[_Rdf4j] | type[_GraphStore]] = {RDF4J: _Rdf4j, GRAPH_STORE: _GraphStore}
    sender = senders[protocol or protocol_of(url)](receiver)
    ledger = Ledger(_ledger_path(folder, receiver.address), is_busy=True)
    done = Exported(0, 0, 0)
    try:
        files = segment_files(folder)
        if ledger.is_outdated(files):
            # Entries of pages stay valid; graphs of forgotten hosts stay at the receiver.
            ledger.forget_segments()
        for group in grouped(ledger.missing(files), GROUP_BYTES):
            for batch in _batches(Changes(group, ledger)):
                for sent in sender.send(batch):
                    reach("export.sent")
                    ledger.note_pages((change.page, change.entry) for change in sent)
                    done = Exported(
                        done.pages + sum(not change.is_silent for change in sent),
                        done.quads + sum(change.entry.quads for change in sent),
                        receiver.requests,
                    )
                on_progress(done)
            ledger.note_segments(group)
    finally:
        ledger.close()
        receiver.close()
    return done


def _ledger_path(folder: Path, address: str) -> Path:
    name = hashlib.blake2b(address.encode(), digest_size=8).hexdigest()
    path = folder / "index" / "exports" / f"{name}.sqlite"
    path.parent.mkdir(parents=True, exist_ok=True)
    note = path.with_suffix(".txt")
    if not note.exists():
        beneath.write_text(note, f"{address}\n")
    return path


def _batches(changes: Changes) -> Iterator[list[Change]]:
    batch: list[Change] = []
    size = 0
    for change in changes:
        batch.append(change)
        size += len(change.block.quads)
        if size >= BATCH_BYTES or len(batch) >= BATCH_PAGES:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


class _GraphStore:
    """Sends graph by graph."""

    def __init__(self, receiver: _Receiver) -> None:
        self._receiver = receiver

    def send(self, batch: list[Change]) -> Iterator[list[Change]]:
        """Replace or drop each graph; yield the pages that the receiver has then."""
        for change in batch:
            query = f"graph={quote(change.block.url, safe='')}"
            if change.block.quads:
                self._receiver.request("PUT", query, _triples(change), "application/n-triples")
            elif not change.is_silent:
                self._receiver.request("DELETE", query, accepted=(404,))
            yield [change]


class _Rdf4j:
    """Sends many graphs in one request."""

    def __init__(self, receiver: _Receiver) -> None:
        self._receiver = receiver

    def send(self, batch: list[Change]) -> Iterator[list[Change]]:
        """Delete the graphs of a batch, then send them; yield the pages that the receiver has then.

        Graphs are dropped even if the receiver should not have them: after a kill it may.
        """
        query = ""
        for change in batch:
            if change.is_silent:
                continue
            context = f"context={quote(f'<{change.block.url}>', safe='')}"
            if query and len(query) + len(context) >= _LONGEST_QUERY:
                self._receiver.request("DELETE", query)
                query = ""
            query = f"{query}&{context}" if query else context
        if query:
            self._receiver.request("DELETE", query)
        if body := b"".join(change.block.quads for change in batch):
            self._receiver.request("POST", "", body, "application/n-quads")
        yield batch


def _triples(change: Change) -> bytes:
    return change.block.quads.replace(b" <" + change.block.url.encode() + b"> .\n", b" .\n")


class _Receiver:
    """A server that gets requests over one connection."""

    def __init__(self, url: str) -> None:
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise QueryError(
                f"{url}: is not the URL of a triple store\n  begin it with http:// or https://"
            )
        host, port = parts.hostname, parts.port
        name = f"[{host}]" if ":" in host else host
        netloc = f"{name}:{port}" if port else name
        self.address = urlunsplit((parts.scheme, netloc, parts.path or "/", parts.query, ""))
        self._target, self._query = parts.path or "/", parts.query
        self._headers: dict[str, str] = {}
        if parts.username is not None:
            words = f"{unquote(parts.username)}:{unquote(parts.password or '')}"
            token = base64.b64encode(words.encode()).decode()
            self._headers["Authorization"] = f"Basic {token}"
        self._connection: http.client.HTTPConnection
        if parts.scheme == "https":
            self._connection = http.client.HTTPSConnection(
                host, port, timeout=SECONDS, context=ssl.create_default_context()
            )
        else:
            self._connection = http.client.HTTPConnection(host, port, timeout=SECONDS)
        self.requests = 0

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()

    def request(
        self,
        method: str,
        query: str,
        body: bytes = b"",
        content_type: str = "",
        accepted: tuple[int, ...] = (),
    ) -> None:
        """Send a request; raise `QueryError` unless it succeeds."""
        query = "&".join(part for part in (self._query, query) if part)
        target = f"{self._target}?{query}" if query else self._target
        headers = dict(self._headers)
        if content_type:
            headers["Content-Type"] = content_type
        for tried in range(_TRIES):
            try:
                self._connection.request(method, target, body or None, headers)
                answer = self._connection.getresponse()
                text = answer.read(100_000)
                break
            except (http.client.HTTPException, ConnectionError) as error:
                # A server may end a connection that has been idle; replacing can be repeated.
                self._connection.close()
                if tried == _TRIES - 1:
                    raise self._unreachable(str(error)) from None
            except OSError as error:
                raise self._unreachable(error.strerror or str(error)) from None
        self.requests += 1
        if not 200 <= answer.status < 300 and answer.status not in accepted:
            said = " ".join(text.decode("utf-8", "replace").split())[:300]
            raise QueryError(
                f"{self.address}: answered {method} with status {answer.status} {said}\n"
                "  check the URL and your rights there; the next run sends only what is missing"
            )

    def _unreachable(self, why: str) -> QueryError:
        return QueryError(
            f"{self.address}: cannot be reached: {why}\n"
            "  check that the store is running; the next run sends only what is missing"
        )
