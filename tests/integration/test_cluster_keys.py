"""`lycosa cluster keys`: servers that run by its files let members in, and only them."""

from __future__ import annotations

import json
import socket
import ssl
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from crawls_on_servers import PAGES, Web, web
from lycosa.errors import LogError
from lycosa.runtime.coordination.opening import open_board
from lycosa.storage.jetstream.log import JetStreamLog
from lycosa.storage.log.opening import crawls_on, open_log
from servers.keyed import free_addresses, keyed_nats, keyed_postgres
from servers.nats import CLIENT_PORT, ROUTE_PORT
from servers.processes import free_address, temporary_folder
from warm import lycosa

__all__ = ["web"]


def made(folder: Path, *flags: str) -> dict[str, str]:
    """Make keys as an operator does; return the address of the log for each machine."""
    done = lycosa("cluster", "keys", folder, "--at", "AT", "--json", *flags)
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    (address,) = told["log"]
    return {name: address.replace("AT", str(folder / name)) for name in told["machines"]}


@pytest.fixture(scope="module")
def keys(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Path, dict[str, str]]]:
    folder = tmp_path_factory.mktemp("cluster") / "keys"
    hosts = [word for address in free_addresses() for word in ("--host", address)]
    addresses = made(folder, *hosts)
    with keyed_nats(folder):
        yield folder, addresses


def test_a_crawl_is_begun_and_joined_with_keys_over_tls(
    keys: tuple[Path, dict[str, str]], web: Web, tmp_path: Path
) -> None:
    _, addresses = keys
    begin = ["crawl", *web.seeds, "-o", tmp_path / "1", "--log", addresses["operator"]]
    done = lycosa(*begin, *web.flags, "--max-pages", "5")
    assert done.returncode == 0, done.stderr
    assert "accepts everybody" not in done.stderr
    flags = ["--quiet", "--json", "--set", "limits.pages=0"]
    resumed = lycosa("resume", tmp_path / "1", *flags)
    assert resumed.returncode == 0, resumed.stderr
    status = lycosa("status", addresses["member-1"], "--json")
    assert json.loads(status.stdout)["pages"] == 2 * PAGES
    listed = lycosa("join", addresses["member-2"], "--list")
    assert web.seeds[0] in listed.stdout


def test_a_member_joins_but_makes_and_deletes_no_stream(
    keys: tuple[Path, dict[str, str]],
) -> None:
    _, addresses = keys
    log = open_log(addresses["operator"], 4, crawl="rights")
    log.note("hello", b"1")
    board = open_board(addresses["operator"], "rights")
    assert board.put("numbers", b"1", 0).revision
    board.close()
    log.close()
    member = JetStreamLog(addresses["member-1"], 4, "rights", may_begin=False)
    assert member.noted("hello") == b"1"
    assert member.note("again", b"2")
    with pytest.raises(LogError, match=r"has no permission for this.*stream\.delete"):
        member.drop()
    member.close()
    board = open_board(addresses["member-1"], "rights")
    found = board.get("numbers")
    assert found is not None
    assert found.value == b"1"
    board.close()
    with pytest.raises(LogError, match="use the operator's key"):
        open_log(addresses["member-1"], 4, crawl="another")


def test_servers_are_seen_to_sync_by_the_system_key(
    keys: tuple[Path, dict[str, str]],
) -> None:
    folder, addresses = keys
    address = f"{addresses['operator']}&system={folder / 'operator' / 'system.nk'}"
    open_log(address, 4, crawl="synced", durability="power").close()


def test_nobody_is_let_in_without_a_key_or_by_another_authority(
    keys: tuple[Path, dict[str, str]], tmp_path: Path
) -> None:
    _, addresses = keys
    bare, authority = addresses["member-1"].split("?")[0], addresses["member-1"].split("&")[0]
    others = made(tmp_path / "other", *(f"--host=n{number}.test" for number in range(3)))
    stranger = authority + "&" + others["operator"].rpartition("&")[2]
    for address in (bare, bare.replace("tls", "nats"), authority, stranger):
        with pytest.raises(LogError, match="refuses the connection"):
            crawls_on(address, 5.0)


def test_a_server_without_a_certificate_of_the_authority_gets_no_route(
    keys: tuple[Path, dict[str, str]],
) -> None:
    folder, addresses = keys
    host = addresses["operator"].removeprefix("tls://").split(",")[0]
    context = ssl.create_default_context(cafile=str(folder / "operator" / "ca.pem"))
    context.check_hostname = False
    with socket.create_connection((host, ROUTE_PORT), 10) as plain, pytest.raises(OSError):
        with context.wrap_socket(plain) as route:
            route.sendall(b"CONNECT {}\r\nPING\r\n")
            while data := route.recv(65536):
                assert b"PONG" not in data
        raise ConnectionResetError  # closed without an alert


class Greeter(threading.Thread):
    """A machine in between: it greets as a NATS server that offers no TLS, and listens."""

    def __init__(self) -> None:
        super().__init__(daemon=True)
        self.address = free_address(CLIENT_PORT)
        self.heard = b""
        self._listener = socket.create_server((self.address, CLIENT_PORT))
        self.start()

    def run(self) -> None:
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            with client:
                client.sendall(
                    b'INFO {"server_id":"x","version":"2.15.1","max_payload":1048576,'
                    b'"auth_required":true,"nonce":"abc"}\r\n'
                )
                client.settimeout(2)
                try:
                    while data := client.recv(65536):
                        self.heard += data
                        if b"PING" in data:
                            client.sendall(b"PONG\r\n")
                except OSError:
                    continue

    def close(self) -> None:
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()


def test_no_password_is_sent_in_the_clear_where_tls_was_asked_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("LYCOSA_NATS_PASSWORD", "secret-of-the-operator")
    greeter = Greeter()
    try:
        with pytest.raises(LogError, match="does not offer TLS"):
            crawls_on(f"tls://me@{greeter.address}", 2.0)
        board = open_board(f"tls://me@{greeter.address}", "crawl")
        assert board.get("numbers") is None
        board.close()
    finally:
        greeter.close()
    assert greeter.heard == b""


@pytest.mark.needs("postgresql")
def test_the_role_for_postgresql_comes_by_tls_and_may_do_no_more_than_it_must(
    web: Web, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with temporary_folder(in_memory=True) as folder:
        address = free_address(5432)
        monkeypatch.setattr("servers.postgres.free_address", lambda port: address)
        addresses = made(tmp_path / "keys", "--postgres", address)
        with keyed_postgres(folder, tmp_path / "keys" / "servers" / address):
            monkeypatch.setenv("PGPASSFILE", str(tmp_path / "keys" / "member-1" / "pgpass"))
            url = addresses["member-1"]
            _crawl_on(url, web, tmp_path)
            _does_no_more(url)
            monkeypatch.delenv("PGPASSFILE")
            with pytest.raises(LogError, match="password"):
                crawls_on(url, 5.0)


def _crawl_on(url: str, web: Web, tmp_path: Path) -> None:
    done = lycosa("crawl", web.seeds[0], "-o", tmp_path / "1", "--log", url, *web.flags)
    assert done.returncode == 0, done.stderr
    assert json.loads(lycosa("status", url, "--json").stdout)["pages"] == PAGES


def _does_no_more(url: str) -> None:
    with pytest.raises(psycopg.OperationalError, match=r"pg_hba\.conf"):
        psycopg.connect(url.replace("verify-full", "disable"))
    with pytest.raises(psycopg.OperationalError, match=r"pg_hba\.conf"):
        psycopg.connect(url.replace("/crawls?", "/postgres?"))
    with pytest.raises(psycopg.OperationalError, match="root certificate file"):
        psycopg.connect(url.replace("/ca.pem", "/other.pem"))
    for statement in (
        "CREATE ROLE another",
        "CREATE DATABASE another",
        "DROP DATABASE crawls",
        "CREATE TABLE public.another (n int)",
        "CREATE TEMP TABLE another (n int)",
        "COPY (SELECT 1) TO PROGRAM 'true'",
        "SELECT pg_read_file('/etc/hostname')",
    ):
        with psycopg.connect(url, autocommit=True) as link:
            with pytest.raises((psycopg.errors.InsufficientPrivilege, psycopg.Error)) as refused:
                link.execute(statement.encode())
            assert refused.value.sqlstate in ("42501", "55006"), statement


def test_keys_are_private_and_nothing_is_overwritten(tmp_path: Path) -> None:
    hosts = [f"--host=n{number}.example.org" for number in (1, 2, 3)]
    made(tmp_path / "keys", *hosts, "--members", "2")
    files = [path for path in (tmp_path / "keys").rglob("*") if path.is_file()]
    assert len(files) == 3 * 4 + 3 * 3
    assert {path.stat().st_mode & 0o777 for path in files} == {0o600}
    folders = [path for path in (tmp_path / "keys").rglob("*") if path.is_dir()]
    assert {path.stat().st_mode & 0o777 for path in folders} == {0o700}
    before = {path: path.read_bytes() for path in files}
    again = lycosa("cluster", "keys", tmp_path / "keys", *hosts)
    assert again.returncode == 2
    assert again.stderr.endswith("exists already\n  name a new folder: no key is overwritten\n")
    assert {path: path.read_bytes() for path in files} == before
    assert not list(tmp_path.glob(".keys-*"))


def test_the_authority_signs_nothing_more(tmp_path: Path) -> None:
    made(tmp_path / "keys", *(f"--host=n{number}.example.org,192.0.2.{number}" for number in "123"))
    assert not list((tmp_path / "keys").rglob("ca.key"))
    server = tmp_path / "keys" / "servers" / "n1.example.org"
    told = subprocess.run(
        ["openssl", "x509", "-in", server / "server.pem", "-noout", "-ext", "subjectAltName"],
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    assert "DNS:n1.example.org, IP Address:192.0.2.1" in told
    checked = ["openssl", "verify", "-x509_strict", "-CAfile", str(server / "ca.pem")]
    subprocess.run([*checked, str(server / "server.pem")], check=True, capture_output=True)


@pytest.mark.parametrize(
    ("flags", "said"),
    [
        ([], "no server is named"),
        (["--host", "n1", "--host", "n2"], "kept by 3 servers or more"),
        (["--host", "n1", "--host", "n1", "--host", "n2"], "n1: is named twice"),
        (["--host", "a b", "--host", "n1", "--host", "n2"], "is not the name or address"),
        (['--host=n1",x: "', "--host=n2", "--host=n3"], "is not the name or address"),
    ],
)
def test_a_mistake_is_told_and_nothing_is_written(
    tmp_path: Path, flags: list[str], said: str
) -> None:
    done = lycosa("cluster", "keys", tmp_path / "keys", *flags)
    assert done.returncode == 2
    assert said in done.stderr
    assert not list(tmp_path.iterdir())
