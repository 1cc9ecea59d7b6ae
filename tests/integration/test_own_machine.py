"""A crawl of a server on this machine needs no flag, and asks that server alone.

Beside the server that is crawled others listen: on the same port of other loopback addresses, and
on another port. The pages lead to them in every way that the web knows, and they must never see a
connection; no name may be looked up, either.
"""

from __future__ import annotations

import json
import socket
from collections.abc import Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from pathlib import Path
from typing import Any

import pytest

from integration.small_servers import (
    PAGE,
    Asked,
    Told,
    client,
    fails,
    reply,
    replying,
    run,
    serving,
    serving_answers,
)
from lycosa.crawl.scope import NOT_OPENED
from lycosa.model.job import read_job
from lycosa.model.records import Outcome
from lycosa.model.url import url_of
from lycosa.runtime.directory import CrawlDirectory
from name_server import Found, Question, ThreadedNameServer
from warm import lycosa

ALSO = ("127.0.0.2", "::1")
"""Other loopback addresses, on which the port of the server is listened to."""

SPELLINGS = ("127.0.0.2", "127.2", "0x7f.2", "[::1]", "[::ffff:127.0.0.2]", "127.0.0.2.")


def site(pages: dict[str, tuple[int, str]]) -> AbstractContextManager[int]:
    """Serve pages on 127.0.0.1; a status of 301 or 302 redirects to the text."""

    def answer(asked: Asked) -> Told:
        status, text = pages.get(asked.path, (404, ""))
        return Told(status, text, {"Location": text} if status in (301, 302) else {})

    return serving_answers(answer)


@contextmanager
def strangers(port: int) -> Iterator[list[socket.socket]]:
    """Listen where nothing may arrive: the port on other addresses, and another port."""
    with ExitStack() as stack:
        found = []
        for address, number in [*((one, port) for one in ALSO), ("127.0.0.1", 0)]:
            family = socket.AF_INET6 if ":" in address else socket.AF_INET
            one = stack.enter_context(socket.socket(family, socket.SOCK_STREAM))
            one.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            one.bind((address, number))
            one.listen()
            one.setblocking(False)
            found.append(one)
        yield found


def visitors(found: list[socket.socket]) -> int:
    came = 0
    for one in found:
        try:
            one.accept()[0].close()
        except BlockingIOError:
            continue
        came += 1
    return came


def linking(*urls: str) -> tuple[int, str]:
    return 200, "<title>x</title>words " + "".join(f"<a href='{url}'>to</a>" for url in urls)


def outcomes_of(path: Path) -> dict[str, Outcome | None]:
    directory = CrawlDirectory.open(path)
    return {
        url_of(state.table.key(page)): state.outcome_of(page)
        for state in directory.states(directory.job()).values()
        for page in range(len(state.table))
    }


def test_a_typed_server_is_crawled_at_once_and_nothing_else_is_asked(tmp_path: Path) -> None:
    pages: dict[str, tuple[int, str]] = {"/one": linking("/two"), "/two": linking()}
    questions: list[Question] = []

    def asked(question: Question) -> Found:
        questions.append(question)
        return Found(["127.0.0.1"], 60)

    with site(pages) as port, strangers(port) as found, ThreadedNameServer(asked) as names:
        other = found[-1].getsockname()[1]
        away = [f"http://{host}:{port}/x" for host in SPELLINGS]
        away += [f"http://localhost:{other}/x", f"http://127.0.0.1:{port}/x", "http://example.org/"]
        away += ["http://rebound.example/", "https://localhost/"]
        moves = {f"/to/{number}": (302, url) for number, url in enumerate(away)}
        pages |= {"/": linking(*away, *moves, "/one"), **moves}
        pages["/one"] = (200, f"<img src='http://localhost:{other}/p'><a href='/two'>2</a>")
        seed, path = f"localhost:{port}", tmp_path / "c"
        wide = ["--include", "localhost", "--include", "example.org", "--include", "regex:."]
        ran = lycosa(
            *("crawl", seed, "-o", path, "--mining", "off", "--requisites", *wide),
            *("--set", f"fetch.name_servers={names.address}"),
        )
        assert ran.returncode == 0, ran.stderr
        assert f"{seed}: read as http://{seed}" in ran.stderr
        assert f"asks {seed} and nothing else, with short pauses" in ran.stderr
        home = f"http://{seed}/"
        kept = [url for url, outcome in outcomes_of(path).items() if outcome is Outcome.KEPT]
        assert sorted(kept) == [home, f"{home}one", f"{home}two"]
        status = json.loads(lycosa("status", path, "--json").stdout)
        assert status["refusals"][NOT_OPENED] == 2 * len(away) + 1
        assert read_job(path / "crawl.toml").fetch.loopback_origins == (seed,)

        pages["/new"] = linking(f"http://127.0.0.1:{other}/y")
        assert lycosa("add", path, f"{home}new").returncode == 0
        refused = lycosa("add", path, f"http://localhost:{other}/", "http://example.org/")
        assert refused.returncode == 1 and "loopback_origins" in refused.stderr
        assert lycosa("resume", path).returncode == 0
        assert outcomes_of(path)[f"{home}new"] is Outcome.KEPT
        assert visitors(found) == 0
    assert questions == []


def test_lists_and_job_files_still_need_the_flag_and_the_refusal_names_it(tmp_path: Path) -> None:
    with site({"/": linking()}) as port:
        seed = f"http://localhost:{port}/"
        (tmp_path / "list").write_text(f"{seed}\n")
        (tmp_path / "job.toml").write_text(f'seeds = ["{seed}"]\n')
        contact = ("--contact", "a@example.org", "-q")
        for number, given in enumerate((["--seeds", "list"], ["--config", "job.toml"])):
            ran = lycosa("crawl", *given, "-o", f"c{number}", *contact, cwd=tmp_path)
            assert ran.returncode == 69
            assert "--allow-private" in ran.stderr
        mixed = lycosa("crawl", seed, "http://10.0.0.1/", "-o", "c3", *contact, cwd=tmp_path)
        assert mixed.returncode == 69 and mixed.stderr.count("--allow-private") == 2


@pytest.mark.parametrize("flag", [(), ("--allow-private",)])
def test_a_server_that_refuses_connections_is_given_up_and_what_helps_is_said(
    tmp_path: Path, flag: tuple[str, ...]
) -> None:
    with socket.socket() as holder:
        holder.bind(("127.0.0.1", 0))  # and nobody listens
        seed = f"http://127.0.0.1:{holder.getsockname()[1]}/"
        ran = lycosa("crawl", seed, "-o", tmp_path / "c", *flag)
    assert ran.returncode == 69
    assert json.loads(lycosa("status", tmp_path / "c", "--json").stdout)["waited_seconds"] < 30
    said = " ".join(ran.stdout.split())
    assert "no server listens; start it, then: lycosa retry" in said


@run
async def test_the_transport_itself_asks_no_other_server() -> None:
    """Were the scope fooled, the transport would still refuse: by host, by port, by address."""
    async with serving(replying(reply(PAGE))) as served, serving(replying(reply(PAGE))) as other:
        open_one = f"localhost:{served.port}"
        settings: dict[str, Any] = {"allow_private": False, "loopback_origins": (open_one,)}
        async with client(**settings) as web:
            assert (await web.get(f"http://{open_one}/")).status == 200
            for place in (f"localhost:{other.port}", f"127.0.0.1:{served.port}", "example.org"):
                fails(await web.get(f"http://{place}/"), Outcome.REFUSED_ADDRESS)
            for address in ("10.0.0.1", "93.184.215.14", "169.254.169.254", "0.0.0.0"):
                refused = await web.get(f"http://{open_one}/", address=address)
                fails(refused, Outcome.REFUSED_ADDRESS)
            assert (await web.resolve("example.org")).address == "0.0.0.0"
            assert (await web.resolve("localhost")).address == "127.0.0.1"
            transport: Any = web.transport
            transport._refuses = lambda host, address: False
            assert (await web.get(f"http://{open_one}/again")).status == 200
        assert len(served.requests) == 2 and other.connections == 0
