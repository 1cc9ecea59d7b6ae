"""A crawl directory is data: settings that somebody else wrote into it do nothing until accepted.

Each attack is a change of `crawl.toml` as a stranger would make it. What it would set off leaves a
trace: a file, or a connection to a port where a test listens.
"""

from __future__ import annotations

import json
import re
import shutil
import socket
from collections.abc import Iterator
from pathlib import Path
from threading import Thread

import pytest
import trustme
from starlette.testclient import TestClient

from integration.small_servers import serving_site
from lycosa.web.rest.operations import API
from served_crawl import BEARER, app_over
from warm import lycosa

UNTRUSTED = 9
USAGE = 2
OWN = "http://127.0.0.1:8890"


@pytest.fixture(autouse=True)
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Give every test a user of its own, who has accepted nothing."""
    monkeypatch.setenv("LYCOSA_STATE_DIR", str(tmp_path / "state"))
    monkeypatch.delenv("LYCOSA_TRUST", raising=False)
    return tmp_path / "state"


@pytest.fixture(scope="module")
def port() -> Iterator[int]:
    pages = "".join(f'<a href="/{n}">{n}</a>' for n in range(8))
    with serving_site(lambda path: (200, f"<title>{path}</title>{pages}")) as port:
        yield port


@pytest.fixture
def crawl(tmp_path: Path, port: int) -> Path:
    """Crawl two pages, as a colleague has done."""
    folder = tmp_path / "crawl"
    flags = ("--max-pages", 2, "--delay", 0, "--quiet")
    done = lycosa("crawl", f"http://127.0.0.1:{port}/", "-o", folder, *flags)
    assert done.returncode == 0, done.stderr
    return folder


def as_stranger(folder: Path, state: Path, section: str = "", *lines: str) -> None:
    """Forget who made the crawl, and write settings into its job."""
    shutil.rmtree(state, ignore_errors=True)
    job = folder / "crawl.toml"
    text = job.read_text()
    for line in lines:
        key = line.partition(" =")[0]
        begin = text.index(f"[{section}]")
        old = re.compile(rf"^{key} = .*$", re.MULTILINE).search(text, begin)
        assert old is not None
        text = text[: old.start()] + line + text[old.end() :]
        assert line in text
    job.write_text(text)


def digest_in(text: str) -> str:
    found = re.search(r"[0-9a-f]{32}", text)
    assert found is not None, text
    return found[0]


@pytest.fixture
def listener() -> Iterator[tuple[int, list[bytes]]]:
    """Listen on a port; gives it, and what came in by each connection."""
    came: list[bytes] = []
    with socket.create_server(("127.0.0.1", 0)) as server:

        def accept() -> None:
            while True:
                try:
                    link, _ = server.accept()
                except OSError:
                    return
                with link:
                    link.settimeout(0.2)
                    try:
                        came.append(link.recv(1_000))
                    except OSError:
                        came.append(b"")

        thread = Thread(target=accept, daemon=True)
        thread.start()
        yield server.getsockname()[1], came
        server.shutdown(socket.SHUT_RDWR)
    thread.join(5)


def test_a_crawl_of_ones_own_is_never_asked_about(crawl: Path) -> None:
    for words in (("status", crawl), ("resume", crawl, "--max-pages", 3, "--quiet")):
        done = lycosa(*words)
        assert (done.returncode, done.stderr) == (0, "")


def test_a_command_that_came_with_the_directory_is_not_run(crawl: Path, state: Path) -> None:
    canary = crawl.parent / "canary"
    as_stranger(crawl, state, "notify", f'command = "touch {canary}"')
    done = lycosa("resume", crawl, "--max-pages", 3, "--quiet")
    assert done.returncode == UNTRUSTED
    assert f'notify.command = "touch {canary}"' in done.stderr
    assert f"lycosa trust {crawl}" in done.stderr
    assert not canary.exists()
    shown = lycosa("trust", crawl)
    assert shown.returncode == 0 and "accepted" in shown.stdout
    done = lycosa("resume", crawl, "--max-pages", 3, "--quiet")
    assert (done.returncode, done.stderr) == (0, "")
    assert canary.exists()


def test_a_setting_that_changes_is_asked_about_again(crawl: Path, state: Path) -> None:
    as_stranger(crawl, state, "notify", 'command = "true"')
    assert lycosa("trust", crawl).returncode == 0
    job = crawl / "crawl.toml"
    job.write_text(job.read_text().replace('command = "true"', 'command = "false"'))
    assert lycosa("resume", crawl, "--quiet").returncode == UNTRUSTED


def test_a_program_inside_the_directory_that_changes_is_asked_about_again(
    crawl: Path, state: Path
) -> None:
    (crawl / "hook.sh").write_text("true\n")
    as_stranger(crawl, state, "notify", f'command = "sh {crawl / "hook.sh"}"')
    assert lycosa("trust", crawl).returncode == 0
    assert lycosa("resume", crawl, "--quiet").returncode == 0
    (crawl / "hook.sh").write_text("false\n")
    assert lycosa("resume", crawl, "--quiet").returncode == UNTRUSTED


@pytest.mark.parametrize(
    ("section", "line"),
    [
        ("login", 'headers = ["127.0.0.1 X-Secret: ${AWS_SECRET_ACCESS_KEY}"]'),
        ("statistics", 'file = "/nowhere/figures.csv"'),
        ("render", 'browser = "/tmp/browser"'),
        ("fetch", 'hosts_file = "/etc/hosts"'),
        ("fetch", 'proxy = "http://127.0.0.1:9"'),
        ("fetch", 'ca_file = "/etc/passwd"'),
        ("fetch", "allow_private = true"),
        ("plugins", 'use = ["anything"]'),
        ("store", 'place = "file:///tmp/store"'),
    ],
)
def test_a_crawl_with_a_strangers_setting_is_read_and_not_run(
    crawl: Path, state: Path, section: str, line: str
) -> None:
    # A job cannot have both: the origins of the colleague's own machine, and more than these.
    also = ("loopback_origins = []",) if section == "fetch" else ()
    as_stranger(crawl, state, section, line, *also)
    done = lycosa("status", crawl)
    assert done.returncode == 0
    name = f"{section}.{line.partition(' =')[0]}"
    assert "left out, because you have not accepted them" in done.stderr
    assert name in done.stderr
    for command in ("resume", "revisit"):
        done = lycosa(command, crawl, "--quiet")
        assert done.returncode == UNTRUSTED, done.stderr
        assert f"{name} = " in done.stderr


@pytest.mark.parametrize("address", ["postgresql://127.0.0.1:{}/x", "nats://127.0.0.1:{}"])
def test_no_server_that_a_directory_names_is_asked(
    crawl: Path,
    state: Path,
    listener: tuple[int, list[bytes]],
    monkeypatch: pytest.MonkeyPatch,
    address: str,
) -> None:
    port, came = listener
    monkeypatch.setenv("PGPASSWORD", "secret")
    monkeypatch.setenv("LYCOSA_NATS_TOKEN", "secret")
    as_stranger(crawl, state, "log", f'server = "{address.format(port)}"', 'name = "abc"')
    for command in ("status", "queue", "audit", "resume", "pause"):
        done = lycosa(command, crawl)
        assert done.returncode == UNTRUSTED, (command, done.stderr)
        assert address.format(port) in done.stderr
    for words in (("sql", crawl, "select count(*) from pages"), ("report", crawl)):
        done = lycosa(*words)
        assert done.returncode == 0, done.stderr
    assert came == []


@pytest.fixture
def tls_port() -> Iterator[int]:
    """Agree to TLS as a PostgreSQL server does; a client then reads its certificate and key."""
    with socket.create_server(("127.0.0.1", 0)) as server:

        def agree() -> None:
            while True:
                try:
                    link, _ = server.accept()
                except OSError:
                    return
                with link:
                    link.recv(8)
                    link.sendall(b"S")

        thread = Thread(target=agree, daemon=True)
        thread.start()
        yield server.getsockname()[1]
        server.shutdown(socket.SHUT_RDWR)
    thread.join(5)


def test_no_library_that_a_directory_names_is_loaded(
    crawl: Path, state: Path, tls_port: int
) -> None:
    """OpenSSL opens what stands before the colon, and says so where that is no library."""
    certificate, evil = crawl / "c.pem", crawl / "evil.so"
    trustme.CA().issue_cert("me.test").cert_chain_pems[0].write_to_path(certificate)
    evil.write_bytes(b"")
    key = f"sslcert={certificate}&sslkey={evil}:k"
    server = f"postgresql://127.0.0.1:{tls_port}/x?sslmode=require&connect_timeout=2&{key}"
    as_stranger(crawl, state, "log", f'server = "{server}"', 'name = "abc"')
    for command in ("status", "resume"):
        done = lycosa(command, crawl)
        assert "could not load SSL engine" not in done.stderr
        assert done.returncode in (USAGE, UNTRUSTED)
    # Not even the user's own word lets an engine through.
    lycosa("trust", crawl)
    done = lycosa("status", crawl)
    assert "could not load SSL engine" not in done.stderr
    assert "sslkey" in done.stderr


def test_a_moved_and_a_restored_crawl_stay_accepted(crawl: Path, tmp_path: Path) -> None:
    restored = tmp_path / "backup" / "crawl"
    shutil.copytree(crawl, restored)
    moved = crawl.rename(tmp_path / "elsewhere")
    for folder in (restored, moved):
        done = lycosa("resume", folder, "--max-pages", 3, "--quiet")
        assert (done.returncode, done.stderr) == (0, "")


def test_a_digest_is_enough_where_there_is_no_home(
    crawl: Path, state: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    as_stranger(crawl, state, "notify", 'command = "true"')
    refused = lycosa("resume", crawl, "--quiet")
    digest = digest_in(refused.stderr)
    assert lycosa("resume", crawl, "--quiet", "--trust", "f" * 32).returncode == UNTRUSTED
    done = lycosa("resume", crawl, "--quiet", "--trust", digest)
    assert (done.returncode, done.stderr) == (0, "")
    assert lycosa("resume", crawl, "--quiet").returncode == UNTRUSTED
    monkeypatch.setenv("LYCOSA_TRUST", digest)
    assert lycosa("resume", crawl, "--quiet").returncode == 0
    assert not state.exists()


def test_what_is_typed_on_resume_is_recorded_and_the_rest_is_not(crawl: Path, state: Path) -> None:
    flags = ("--set", "notify.command=true", "--quiet")
    assert lycosa("resume", crawl, *flags).returncode == 0
    assert lycosa("resume", crawl, "--quiet").returncode == 0
    as_stranger(crawl, state, "statistics", 'file = "/nowhere/figures.csv"')
    done = lycosa("resume", crawl, *flags)
    assert done.returncode == UNTRUSTED
    assert "statistics.file" in done.stderr
    assert "notify.command" not in done.stderr  # it was typed again


def test_several_workers_go_by_what_was_typed_where_nothing_can_be_kept(
    tmp_path: Path, port: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("LYCOSA_STATE_DIR", str(tmp_path / "file" / "state"))
    folder = tmp_path / "several"
    flags = ("--max-pages", 4, "--delay", 0, "--workers", 2, "--quiet", "--allow-private")
    done = lycosa("crawl", f"http://127.0.0.1:{port}/", "-o", folder, *flags)
    assert done.returncode == 0, done.stderr
    assert "cannot be recorded" in done.stderr
    digest = digest_in(done.stderr)
    assert lycosa("resume", folder, "--quiet").returncode == UNTRUSTED
    assert lycosa("resume", folder, "--quiet", "--trust", digest).returncode == 0


def test_a_folder_that_is_a_link_is_asked_about(crawl: Path, state: Path, tmp_path: Path) -> None:
    (crawl / "warc").rename(tmp_path / "disk")
    (crawl / "warc").symlink_to(tmp_path / "disk")
    as_stranger(crawl, state)
    done = lycosa("resume", crawl, "--quiet")
    assert done.returncode == UNTRUSTED
    assert f'folder warc = "{tmp_path / "disk"}"' in done.stderr
    assert lycosa("trust", crawl).returncode == 0
    done = lycosa("resume", crawl, "--max-pages", 3, "--quiet")
    assert (done.returncode, done.stderr) == (0, "")


def test_seeds_from_another_file_are_not_read(crawl: Path, state: Path, tmp_path: Path) -> None:
    (tmp_path / "secrets").write_text("http://127.0.0.1/secret\n")
    as_stranger(crawl, state)
    job = crawl / "crawl.toml"
    seeds = f'seeds = {{file = "{tmp_path / "secrets"}"}}'
    job.write_text(re.sub(r"^seeds = .*$", seeds, job.read_text(), count=1, flags=re.MULTILINE))
    done = lycosa("resume", crawl, "--quiet")
    assert done.returncode == UNTRUSTED
    assert "seeds.file" in done.stderr
    assert "secret" not in lycosa("status", crawl, "--json").stdout


def test_a_server_does_not_start_what_was_not_accepted(crawl: Path, state: Path) -> None:
    canary = crawl.parent / "canary"
    as_stranger(crawl, state, "notify", f'command = "touch {canary}"')
    crawls, app = app_over(crawl)
    try:
        client = TestClient(app, OWN, headers=BEARER)
        answer = client.post(f"{API}/crawls/crawl/start")
        assert answer.status_code == 422, answer.text
        assert "lycosa trust" in answer.text
    finally:
        crawls.close()
    assert not canary.exists()


def test_the_settings_are_shown_and_listed_as_json(crawl: Path, state: Path) -> None:
    as_stranger(crawl, state, "notify", 'command = "true"')
    shown = json.loads(lycosa("trust", crawl, "--show", "--json").stdout)
    assert shown["settings"]["notify.command"] == '"true"'
    assert shown["is_accepted"] is False
    accepted = json.loads(lycosa("trust", crawl, "--json").stdout)
    assert accepted["is_accepted"] is True
    listed = json.loads(lycosa("trust", "--list", "--json").stdout)
    assert [line["digest"] for line in listed] == [shown["digest"]]
    assert lycosa("trust", "--forget", shown["digest"]).returncode == 0
    assert lycosa("resume", crawl, "--quiet").returncode == UNTRUSTED
