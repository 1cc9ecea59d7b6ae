"""Triples sent to a store that talks like RDF4J: all of them, each once, in few requests."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from lycosa.analysis.triples import export as export_module
from lycosa.analysis.triples.export import export, protocol_of
from lycosa.errors import QueryError
from triple_stores import Rdf4jServer
from unit.analysis.triples.segments import block, seal


@pytest.fixture
def server() -> Iterator[Rdf4jServer]:
    running = Rdf4jServer()
    yield running
    running.close()


def test_the_address_tells_the_protocol() -> None:
    assert protocol_of("http://x.test/rdf4j-server/repositories/a/statements") == "rdf4j"
    assert protocol_of("http://x.test/store?default=") == "graph-store"


def test_pages_are_sent_in_batches_and_nothing_twice(server: Rdf4jServer, tmp_path: Path) -> None:
    seal(tmp_path, 1, *(block(f"a.test/{n}", 10, "x", "y") for n in range(1200)))
    done = export(tmp_path, server.url)
    assert (done.pages, done.quads) == (1200, 2400)
    assert len(server.store) == 2400
    posts = [request for request in server.requests if request[0] == "POST"]
    assert len(posts) == 3
    before = len(server.requests)
    assert export(tmp_path, server.url) == (0, 0, 0)
    assert len(server.requests) == before


def test_pages_fetched_again_replace_their_graphs(server: Rdf4jServer, tmp_path: Path) -> None:
    blank = block("a.test/0", 10)._replace(
        quads=b'_:f1 <http://p.test/says> "blank" <http://a.test/0> .\n'
    )
    seal(tmp_path, 1, blank, block("a.test/1", 10, "old"), block("a.test/2", 10, "old"))
    export(tmp_path, server.url)
    seal(tmp_path, 2, block("a.test/1", 20, "new"), block("a.test/2", 20), block("a.test/3", 20))
    assert export(tmp_path, server.url)[:2] == (2, 1)
    found = sorted((quad.graph_name.value, quad.object.value) for quad in server.store)
    assert found == [("http://a.test/0", "blank"), ("http://a.test/1", "new")]


def test_after_a_failure_it_goes_on_where_it_was(
    server: Rdf4jServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(export_module, "BATCH_PAGES", 10)
    seal(tmp_path, 1, *(block(f"a.test/{n}", 10, "x") for n in range(100)))
    server.fails_after = 9
    with pytest.raises(QueryError, match="status 500"):
        export(tmp_path, server.url)
    assert len(server.store) == 40
    server.fails_after = 10**9
    assert export(tmp_path, server.url).pages == 60
    assert len(server.store) == 100


def test_what_was_sent_and_not_taken_down_is_replaced_by_the_same(
    server: Rdf4jServer, tmp_path: Path
) -> None:
    class Killed(BaseException):
        pass

    def kill(name: str) -> None:
        raise Killed

    made = block("a.test/1", 10)._replace(
        quads=b'_:f1 <http://p.test/says> "blank" <http://a.test/1> .\n'
    )
    seal(tmp_path, 1, made)
    with pytest.raises(Killed):
        export(tmp_path, server.url, reach=kill)
    assert len(server.store) == 1
    assert export(tmp_path, server.url).quads == 1
    assert len(server.store) == 1


def test_each_receiver_has_books_of_its_own(server: Rdf4jServer, tmp_path: Path) -> None:
    seal(tmp_path, 1, block("a.test/1", 10, "x"))
    other = Rdf4jServer()
    try:
        assert export(tmp_path, server.url).quads == export(tmp_path, other.url).quads == 1
    finally:
        other.close()


def test_a_user_and_a_password_are_sent_and_not_written_down(
    server: Rdf4jServer, tmp_path: Path
) -> None:
    seal(tmp_path, 1, block("a.test/1", 10, "x"))
    export(tmp_path, server.url.replace("http://", "http://ann:s%20cret@"))
    assert server.authorization == {"Basic YW5uOnMgY3JldA=="}
    notes = b"".join(path.read_bytes() for path in (tmp_path / "index" / "exports").iterdir())
    assert b"cret" not in notes


def test_long_addresses_are_dropped_in_several_requests(
    server: Rdf4jServer, tmp_path: Path
) -> None:
    pages = [f"a.test/{'x' * 900}{n}" for n in range(30)]
    seal(tmp_path, 1, *(block(page, 10, "x") for page in pages))
    export(tmp_path, server.url)
    assert len(server.store) == 30
    assert max(len(query) for _, query, _ in server.requests) < 8000


@pytest.mark.parametrize("url", ["ftp://a.test/", "a.test", "http://"])
def test_what_is_no_address_is_refused(url: str, tmp_path: Path) -> None:
    with pytest.raises(QueryError, match="not the URL of a triple store"):
        export(tmp_path, url)


def test_a_store_that_does_not_run_is_named(tmp_path: Path) -> None:
    seal(tmp_path, 1, block("a.test/1", 10, "x"))
    server = Rdf4jServer()
    server.close()
    with pytest.raises(QueryError, match="cannot be reached"):
        export(tmp_path, server.url)
