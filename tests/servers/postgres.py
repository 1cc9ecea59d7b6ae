"""A PostgreSQL server in a folder: the newest in /usr/lib/postgresql, with fsync as in production.

PostgreSQL refuses to run as root; then it runs as `postgres` (the user that Debian's package
makes) or `nobody`. It listens on a socket in its folder, where everybody who can enter is trusted,
and with TLS on a loopback address, where it asks for a password (`PASSWORD`).
"""

from __future__ import annotations

import os
import pwd
import shutil
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import trustme

from servers.processes import free_address, spawn, temporary_folder, wait_until

PORT = 5432
USER = "lycosa"
PASSWORD = "spider"


def find_postgres() -> Path | None:
    """Return the folder of the newest PostgreSQL's programs."""
    found = [path.parent for path in Path("/usr/lib/postgresql").glob("*/bin/postgres")]
    return max(found, key=lambda folder: int(folder.parent.name), default=None)


class PostgresServer:
    """One server; `start` after `stop` or `kill` finds the same data."""

    def __init__(
        self, folder: Path, settings: dict[str, str] | None = None, superuser: str = USER
    ) -> None:
        programs = find_postgres()
        if programs is None:
            raise RuntimeError("no PostgreSQL is installed: apt-get install postgresql")
        self.folder = folder
        self._superuser = superuser
        self.address = free_address(PORT)
        self._programs = programs
        self._user = _unprivileged_user()
        self._log = folder / "server.log"
        self._data = folder / "data"
        self._process: subprocess.Popen[bytes] | None = None
        self._settings = {
            "listen_addresses": self.address,
            "port": str(PORT),
            "unix_socket_directories": str(folder),
            "ssl": "on",
            "ssl_cert_file": str(folder / "server.pem"),
            "ssl_key_file": str(folder / "server.key"),
            "max_connections": "200",
            "shared_buffers": "32MB",
            "timezone": "UTC",
        } | (settings or {})
        self._make()

    @property
    def url(self) -> str:
        """Where it listens; without a password, as every log wants it."""
        return f"postgresql://{self._superuser}@/postgres?host={self.folder}"

    @property
    def tls_url(self) -> str:
        """Its loopback address, by TLS; the password comes from elsewhere."""
        root = self.folder / "root.pem"
        return (
            f"postgresql://{USER}@{self.address}:{PORT}/postgres"
            f"?sslmode=verify-full&sslrootcert={root}"
        )

    @property
    def socket_path(self) -> str:
        """The path of its Unix socket."""
        return str(self.folder / f".s.PGSQL.{PORT}")

    @property
    def pid(self) -> int:
        """The number of the running process."""
        assert self._process is not None
        return self._process.pid

    def start(self, **settings: str) -> None:
        """Start it, perhaps with other settings, and return when it answers."""
        command: list[str | Path] = [self._programs / "postgres", "-D", self._data]
        for name, value in (self._settings | settings).items():
            command += ["-c", f"{name}={value}"]
        # SIGQUIT is PostgreSQL's immediate shutdown: its own children end, too.
        self._process = spawn(command, self._log, user=self._user, last_signal=signal.SIGQUIT)
        ready = [str(self._programs / "pg_isready"), "-q", "-h", str(self.folder), "-d", "postgres"]
        wait_until(
            lambda: subprocess.run(ready, check=False).returncode == 0, self._process, self._log
        )

    def stop(self) -> None:
        """End it as an operator would, without waiting for its clients."""
        self._end(signal.SIGINT)

    def base_backup(self, target: Path) -> None:
        """Copy the data of the running server, with the write-ahead log of that time."""
        target.parent.mkdir(parents=True, exist_ok=True)
        command: list[str | Path] = [self._programs / "pg_basebackup", "-D", target]
        command += ["-X", "stream", "-c", "fast", "--no-sync"]
        command += ["-h", self.folder, "-p", str(PORT), "-U", self._superuser]
        subprocess.run(command, check=True, capture_output=True)

    def kill(self) -> None:
        """End it as a crash does: the next start recovers from its write-ahead log."""
        process = self._process
        if process is not None:
            children = _children(process.pid)
            process.send_signal(signal.SIGKILL)
            process.wait(30)
            for child in children:  # a machine that fails takes all of them at once
                _kill_if_there(child)
            self._process = None

    def _end(self, how: signal.Signals) -> None:
        if self._process is not None:
            self._process.send_signal(how)
            self._process.wait(60)
            self._process = None

    def _make(self) -> None:
        authority = trustme.CA()
        identity = authority.issue_cert(self.address)
        authority.cert_pem.write_to_path(self.folder / "root.pem")
        identity.cert_chain_pems[0].write_to_path(self.folder / "server.pem")
        key = self.folder / "server.key"
        identity.private_key_pem.write_to_path(key)
        key.chmod(0o600)
        password = self.folder / "password"
        password.write_text(PASSWORD, encoding="ascii")
        if self._user is not None:
            self.folder.chmod(0o755)
            for path in (self.folder, *self.folder.iterdir()):
                shutil.chown(path, self._user, pwd.getpwnam(self._user).pw_gid)
        made = spawn(
            [
                *(self._programs / "initdb", "-D", self._data, "-U", self._superuser, "--no-sync"),
                *("--auth-local=trust", "--auth-host=scram-sha-256", f"--pwfile={password}"),
                *("--encoding=UTF8", "--locale=C", "--no-instructions"),
            ],
            self._log,
            user=self._user,
        )
        if made.wait(120):
            raise RuntimeError(f"initdb failed:\n{self._log.read_text(errors='replace')}")


@contextmanager
def postgres_server(
    folder: Path | None = None, *, in_memory: bool = False, settings: dict[str, str] | None = None
) -> Iterator[PostgresServer]:
    """Run a server in an empty folder, or in a temporary one; it ends with the block."""
    with temporary_folder(in_memory=in_memory) as own:
        server = PostgresServer(folder or own, settings)
        server.start()
        try:
            yield server
        finally:
            server.stop()


def _unprivileged_user() -> str | None:
    if os.geteuid() != 0:
        return None
    names = {entry.pw_name for entry in pwd.getpwall()}
    return "postgres" if "postgres" in names else "nobody"


def _children(pid: int) -> list[int]:
    told = Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="ascii")
    return [int(word) for word in told.split()]


def _kill_if_there(pid: int) -> None:
    with suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)
