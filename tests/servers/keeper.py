"""Keeps one server, or one cluster of servers, for all processes of a test run.

The first process that needs a server starts this one, beside the run; the others read where it
listens. Every user holds a shared lock on a file. When the last user is gone, killed or not, the
kernel has released the locks: then this process gets the file for itself and ends the servers.

POSIX locks are used because children do not inherit them: a process forked by a test does not
keep the servers alive.

    python keeper.py FOLDER postgres|nats|seaweed
"""

from __future__ import annotations

import fcntl
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import IO, Any

_held: list[IO[bytes]] = []


def attach(kind: str) -> dict[str, Any]:
    """Return what the run's server tells of itself; the first caller starts it."""
    run = os.environ.get("PYTEST_XDIST_TESTRUNUID") or str(os.getpid())
    folder = Path(tempfile.gettempdir()) / f"lycosa-servers-{os.getuid()}"
    folder.mkdir(mode=0o700, exist_ok=True)
    with (folder / f"{kind}.start").open("ab") as gate:
        fcntl.lockf(gate, fcntl.LOCK_EX)
        generation = 0
        while True:
            place = folder / f"{kind}-{run}-{generation}"
            place.mkdir(exist_ok=True)
            users = (place / "users").open("a+b")
            try:
                fcntl.lockf(users, fcntl.LOCK_SH | fcntl.LOCK_NB)
            except OSError:  # all users of this one were gone, and it is ending
                users.close()
                generation += 1
                continue
            _held.append(users)
            if not (place / "told").exists():
                _start(place, kind)
            told: dict[str, Any] = json.loads((place / "told").read_text(encoding="utf-8"))
            return told


def _start(place: Path, kind: str) -> None:
    log = place / "log"
    with log.open("ab") as output:
        process = subprocess.Popen(
            [sys.executable, __file__, place, kind],
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            env=os.environ | {"PYTHONPATH": str(Path(__file__).parents[1])},
            start_new_session=True,
        )
    end = time.monotonic() + 120
    while not (place / "told").exists():
        if process.poll() is not None or time.monotonic() > end:
            raise RuntimeError(f"{kind} did not start:\n{log.read_text(errors='replace')}")
        time.sleep(0.02)
    process.returncode = 0  # it outlives this process, and nobody waits for it here


def _serve(place: Path, kind: str) -> None:
    from servers import nats_cluster, postgres_server, seaweed_server

    if kind == "postgres":
        with postgres_server(in_memory=True) as server:
            told = {"url": server.url, "tls_url": server.tls_url, "pid": server.pid}
            _tell_and_wait(place, told)
    elif kind == "seaweed":
        with seaweed_server(in_memory=True) as store:
            _tell_and_wait(place, {"endpoint": store.endpoint})
    else:
        with nats_cluster(3, in_memory=True) as cluster:
            _tell_and_wait(place, {"urls": cluster.urls, "monitoring": cluster.monitoring_urls})


def _tell_and_wait(place: Path, told: dict[str, Any]) -> None:
    with (place / "users").open("a+b") as users:
        new = place / "told.new"
        new.write_text(json.dumps(told), encoding="utf-8")
        new.rename(place / "told")
        # Every user locked the file before it read what we tell.
        fcntl.lockf(users, fcntl.LOCK_EX)


def main(words: list[str]) -> None:
    """Serve until all users are gone, then remove the folder."""
    place = Path(words[0])
    try:
        _serve(place, words[1])
    finally:
        shutil.rmtree(place, ignore_errors=True)


if __name__ == "__main__":
    main(sys.argv[1:])
