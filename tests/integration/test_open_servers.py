"""A log server that accepts everybody on a network is warned of, with the command to type.

Each test runs in a network namespace of its own, whose loopback interface has the address 10.9.8.7
beside 127.0.0.1: an address of a network, which no other machine can reach.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from servers.nats import find_nats_server

ADDRESS = "10.9.8.7"
TESTS = Path(__file__).parents[1]
OPEN = f"{ADDRESS}:4222: accepts everybody who can reach it, and they can change the crawl"
CLEAR = "is not connected by TLS with a checked certificate"
REMEDY = "make keys and certificates: lycosa cluster keys FOLDER --host HOST1"

pytestmark = pytest.mark.needs("own-addresses")


def inside(folder: Path, script: str, **variables: str) -> str:
    """Run a shell script in a namespace; return what it printed."""
    begin = f"ip link set lo up && ip addr add {ADDRESS}/32 dev lo\n"
    done = subprocess.run(
        ["unshare", "--net", "--pid", "--fork", "--kill-child", "bash", "-c", begin + script],
        cwd=folder,
        env=os.environ | {"PYTHON": sys.executable, **variables},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
        timeout=120,
    )
    return done.stdout


def nats(folder: Path, configuration: str, *commands: str, **variables: str) -> str:
    """Run commands of `lycosa` beside a NATS server."""
    (folder / "nats.conf").write_text(configuration, encoding="utf-8")
    script = f'"$SERVER" -c nats.conf -l server.log &\n{READY}\n'
    script += "\n".join(f"$PYTHON -m lycosa {words}" for words in commands)
    return inside(folder, f"{script}\nkill %1", SERVER=str(find_nats_server()), **variables)


READY = """touch server.log
for n in $(seq 200); do grep -q 'is ready' server.log && break; sleep 0.05; done"""
JETSTREAM = 'jetstream { store_dir: "data" }\n'


def test_a_nats_server_without_credentials_is_warned_of(tmp_path: Path) -> None:
    listen = f"listen: {ADDRESS}:4222\n"
    said = nats(tmp_path, listen + JETSTREAM, f"join nats://{ADDRESS} --list")
    assert f"nats://{OPEN}; it {CLEAR}\n  {REMEDY}" in said
    assert said.count("accepts everybody") == 1


def test_the_same_server_on_loopback_is_not(tmp_path: Path) -> None:
    said = nats(tmp_path, "listen: 127.0.0.1:4222\n" + JETSTREAM, "join nats://127.0.0.1 --list")
    assert said == ""


def test_a_nats_server_with_a_password_in_the_clear_is_warned_of_for_that(tmp_path: Path) -> None:
    users = "authorization { user: me, password: secret }\n"
    listen = f"listen: {ADDRESS}:4222\n{users}"
    join = f"join nats://me@{ADDRESS} --list"
    said = nats(tmp_path, listen + JETSTREAM, join, LYCOSA_NATS_PASSWORD="secret")
    assert f"nats://{ADDRESS}:4222: {CLEAR}" in said
    assert "accepts everybody" not in said


POSTGRES = f"""
import os, subprocess, sys
from servers.postgres import PASSWORD, PostgresServer
from servers.processes import temporary_folder

with temporary_folder(in_memory=True) as folder:
    server = PostgresServer(folder)
    access = f"local all all trust\\nhost all all all {{os.environ['METHOD']}}\\n"
    (folder / "data" / "pg_hba.conf").write_text(access)
    server.start(listen_addresses="{ADDRESS}")
    command = [sys.executable, "-m", "lycosa", "join", "--list"]
    command.append("postgresql://lycosa@{ADDRESS}/postgres")
    subprocess.run(command, env=os.environ | {{"PGPASSWORD": PASSWORD}})
    server.stop()
"""


@pytest.mark.needs("postgresql")
@pytest.mark.parametrize(("method", "is_open"), [("trust", True), ("scram-sha-256", False)])
def test_a_postgresql_that_trusts_everybody_is_warned_of(
    tmp_path: Path, method: str, is_open: bool
) -> None:
    (tmp_path / "served.py").write_text(POSTGRES, encoding="utf-8")
    path = os.pathsep.join(filter(None, [str(TESTS), os.environ.get("PYTHONPATH")]))
    said = inside(tmp_path, "$PYTHON served.py", METHOD=method, PYTHONPATH=path)
    server = f"postgresql://lycosa@{ADDRESS}/postgres: "
    assert (f"{server}accepts everybody" in said) is is_open, said
    assert CLEAR in said
    assert f"lycosa cluster keys FOLDER --postgres {ADDRESS}" in said
