"""A served SPARQL endpoint, and a client that asks it."""

from __future__ import annotations

import contextlib
import http.client
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple
from urllib.parse import quote, urlsplit

from rdflib import URIRef

from lycosa.analysis.triples.index import Index
from lycosa.model.job import Job
from lycosa.runtime.directory import CrawlDirectory
from lycosa.storage.tables.quads import Block
from unit.analysis.triples.segments import seal

SAYS = URIRef("http://p.test/says")


class Served(NamedTuple):
    url: str
    folder: Path
    process: subprocess.Popen[str]


@contextlib.contextmanager
def serving(folder: Path, *flags: str) -> Iterator[Served]:
    command = [sys.executable, "-m", "lycosa", "serve", str(folder), "--port", "0"]
    command += ["--only", "sparql", "--public-sparql", *flags]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        line = process.stdout.readline()
        try:
            yield Served(line.removeprefix("serving at ").strip(), folder, process)
        finally:
            process.send_signal(signal.SIGTERM)
            assert process.wait(timeout=30) == 0


def crawl_of(folder: Path, *made: Block) -> Path:
    CrawlDirectory.create(folder, Job())
    seal(folder, 1, *made)
    Index(folder).update()
    return folder


def ask(
    served: Served,
    question: str,
    method: str = "GET",
    headers: dict[str, str] | None = None,
    body: str | None = None,
    target: str = "",
) -> tuple[int, str, bytes]:
    parts = urlsplit(served.url)
    connection = http.client.HTTPConnection(parts.netloc, timeout=60)
    try:
        path = target or f"{parts.path}?query={quote(question)}"
        connection.request(method, path, body, headers or {})
        answer = connection.getresponse()
        return answer.status, answer.headers.get("Content-Type", ""), answer.read()
    finally:
        connection.close()
