"""Processes that answer questions: what they promise however the question is spelt."""

from __future__ import annotations

import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import msgspec
import psutil
import pytest

from lycosa.analysis.triples.answer_pool import AnswerPool, AnswerProcess, raise_unless_answer
from lycosa.analysis.triples.index import Index
from lycosa.analysis.triples.protocol import Query, QueryReply, QueryRequest, Refused, receive, send
from lycosa.errors import QueryError
from lycosa.model.job import Job
from lycosa.runtime.directory import CrawlDirectory
from unit.analysis.triples.segments import block, seal

UNCHECKED = """
import sys
from lycosa.analysis.triples import answer_process, sparql
sparql.check = lambda question: None
answer_process.main(*sys.argv[1:])
"""
"""The process without its friendly half: every question is put to the store."""

FORBIDDEN = """
import os, sys
from lycosa._support import sandbox
machine = sandbox.MACHINES[os.uname().machine]
refused = {"seccomp": machine.seccomp_number}
sandbox._install(machine.seccomp_number, sandbox.filter_for(machine._replace(refused=refused)))
os.execv(sys.executable, [sys.executable, *sys.argv[1:]])
"""
"""A kernel that lets no process have a filter, as some containers do."""


class Listener:
    """Counts who comes, by TCP and by UDP."""

    def __init__(self) -> None:
        self._tcp = socket.create_server(("127.0.0.1", 0))
        self._udp = socket.socket(type=socket.SOCK_DGRAM)
        self._udp.bind(("127.0.0.1", 0))
        self.port: int = self._tcp.getsockname()[1]
        self.visits = 0
        for wait in (self._tcp.accept, lambda: self._udp.recvfrom(1000)):
            threading.Thread(target=self._count, args=(wait,), daemon=True).start()

    def _count(self, wait: object) -> None:
        assert callable(wait)
        while True:
            try:
                found = wait()[0]
            except OSError:
                return
            self.visits += 1
            if isinstance(found, socket.socket):
                found.close()

    def close(self) -> None:
        for waiting in (self._tcp, self._udp):
            with waiting:
                waiting.shutdown(socket.SHUT_RDWR) if waiting is self._tcp else None


@pytest.fixture
def crawl(tmp_path: Path) -> Path:
    folder = tmp_path / "c"
    CrawlDirectory.create(folder, Job())
    seal(folder, 1, block("a.test/1", 10, "one"), block("a.test/2", 10, "two"))
    Index(folder).update()
    return folder


@pytest.fixture
def listener() -> Iterator[Listener]:
    made = Listener()
    yield made
    made.close()


def answers(command: list[str], *questions: str) -> list[QueryReply]:
    """Return how a process answers questions, the last frame of each."""
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe) as process:
        assert process.stdin is not None and process.stdout is not None
        said: list[QueryReply] = []
        frame = receive(process.stdout)
        for question in ("", *questions):
            if question:
                send(process.stdin, QueryRequest(Query(question), 20, 0))
                frame = receive(process.stdout)
            while frame is not None:
                said.append(msgspec.msgpack.decode(frame, type=QueryReply))
                if said[-1].kind not in ("begin", "piece"):
                    break
                said.pop()
                frame = receive(process.stdout)
        process.stdin.close()
    return said


def test_without_the_check_the_kernel_alone_keeps_service_from_asking(
    crawl: Path, listener: Listener
) -> None:
    there = f"http://127.0.0.1:{listener.port}/x"
    command = [sys.executable, "-c", UNCHECKED, str(crawl), "0", "0"]
    said = answers(
        command,
        f"SELECT * {{ SERVICE <{there}> {{ ?s ?p ?o }} }}",
        f"SELECT * {{ SERVICE SILENT <{there}> {{ ?s ?p ?o }} }}",
        f"SELECT * {{ SERVICE <http://localhost:{listener.port}/x> {{ ?s ?p ?o }} }}",
        "SELECT * { SERVICE <http://name.test/x> { ?s ?p ?o } }",
        f"SELECT * {{ SERVICE <https://127.0.0.1:{listener.port}/x> {{ ?s ?p ?o }} }}",
        "SELECT * { SERVICE <file:///etc/passwd> { ?s ?p ?o } }",
        "ASK { ?s ?p 'one' }",
    )
    kinds = [answered.kind for answered in said]
    # SILENT means that a service that cannot be asked counts for nothing (SPARQL 1.1, Federation).
    assert kinds == ["ready", "failed", "answer", "failed", "failed", "failed", "failed", "answer"]
    assert listener.visits == 0


def test_where_the_kernel_gives_no_filter_nothing_is_answered(crawl: Path) -> None:
    words = ["-c", FORBIDDEN, "-m", "lycosa.analysis.triples.answer_process", str(crawl), "0", "0"]
    (said,) = answers([sys.executable, *words])
    assert said.kind == "unguarded"
    assert "seccomp: Permission denied" in said.text and "CONFIG_SECCOMP_FILTER" in said.text
    served = ["serve", str(crawl), "--only", "sparql", "--port", "0"]
    for command in (["sparql", str(crawl), "ASK {}"], served):
        done = subprocess.run(
            [sys.executable, "-c", FORBIDDEN, "-m", "lycosa", *command],
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        assert (done.returncode, done.stdout) == (QueryError.exit_code, "")
        assert "queries and browsers must run without network" in done.stderr


def test_an_answer_comes_in_pieces_and_is_whole(crawl: Path) -> None:
    process = AnswerProcess(crawl)
    try:
        question = Query("SELECT * { ?s ?p ?o . ?a ?b ?c }", form="csv")
        frames = list(process.answer(QueryRequest(question, 20, 0)))
        assert [frame.kind for frame in frames] == ["begin", "piece", "answer"]
        long = " ".join(f"VALUES ?v{n} {{ 1 2 3 4 5 6 7 8 9 10 }}" for n in range(4))
        frames = list(
            process.answer(QueryRequest(Query(f"SELECT * {{ {long} }}", form="csv"), 20, 0))
        )
        assert [frames[0].kind, frames[-1].kind] == ["begin", "answer"]
        pieces = [frame.body for frame in frames[1:-1]]
        assert len(pieces) > 1
        assert b"".join(pieces).count(b"\r\n") == 10_001
    finally:
        process.end()


def test_a_process_is_used_again_and_replaced_when_it_was_ended(crawl: Path) -> None:
    pool = AnswerPool(crawl, most=1)
    try:
        many = " ".join(f"VALUES ?v{n} {{ {' '.join(map(str, range(200)))} }}" for n in range(6))
        endless = f"SELECT (COUNT(*) AS ?n) {{ {many} }}"
        assert pool.ask(Query("ASK {}"), 20).kind == "answer"
        assert pool.ask(Query(endless), 0.5).kind == "too-slow"
        assert pool.ask(Query("ASK {}"), 20).kind == "answer"
    finally:
        pool.close()


def test_what_is_raised_tells_a_refusal_from_a_failure() -> None:
    raise_unless_answer(QueryReply("answer"))
    for said, kind in ((QueryReply("refused", "no"), Refused), (None, QueryError)):
        with pytest.raises(kind):
            raise_unless_answer(said)


def test_a_question_ends_with_the_command_that_was_killed(crawl: Path) -> None:
    many = " ".join(f"VALUES ?v{n} {{ {' '.join(map(str, range(200)))} }}" for n in range(6))
    question = f"SELECT (COUNT(*) AS ?n) {{ {many} }}"
    command = [sys.executable, "-m", "lycosa", "sparql", str(crawl), question]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL) as process:
        asking = psutil.Process(process.pid)
        while not asking.children():
            time.sleep(0.01)
        (answering,) = asking.children()
        process.kill()
    assert psutil.wait_procs([answering], timeout=30)[1] == []
