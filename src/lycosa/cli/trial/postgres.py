"""A PostgreSQL server for a trial: the newest in /usr/lib/postgresql, on a socket in a folder.

PostgreSQL refuses to run as root; then it runs as `postgres` (the user of Debian's package) or
`nobody`. Only its own user and root can enter its folder, and both are trusted.
"""

from __future__ import annotations

import os
import pwd
import shutil
import signal
import subprocess
from pathlib import Path

from lycosa.cli.trial.children import end, last_lines, spawn, wait_until
from lycosa.errors import LogError

USER = "lycosa"
DATABASE = "postgres"
_INSTALLED = Path("/usr/lib/postgresql")
_PREPARE_SECONDS = 120.0


class PostgresServer:
    """A PostgreSQL server with its data in a folder."""

    name = "one PostgreSQL"

    def __init__(self, folder: Path) -> None:
        self._programs = find_programs()
        self._folder = folder / "postgresql"
        self._output = folder / "postgresql.log"
        self._user = _unprivileged_user()
        self.processes: list[subprocess.Popen[bytes]] = []

    @property
    def url(self) -> str:
        """The address of the log."""
        return f"postgresql://{USER}@/{DATABASE}?host={self._folder}"

    def start(self) -> None:
        """Make an empty database and start the server; return when it answers."""
        self._folder.mkdir(mode=0o700)
        if self._user != "-":
            self._folder.parent.chmod(0o711)  # the user may enter this folder, but not list it
            shutil.chown(self._folder, self._user, pwd.getpwnam(self._user).pw_gid)
        data = self._folder / "data"
        made = spawn(
            [
                *(self._programs / "initdb", "-D", data, "-U", USER, "--auth=trust"),
                *("--encoding=UTF8", "--locale=C", "--no-instructions"),
            ],
            self._output,
            user=self._user,
        )
        if made.wait(_PREPARE_SECONDS):
            raise LogError(f"initdb failed:\n{last_lines(self._output)}")
        server = spawn(
            [
                *(self._programs / "postgres", "-D", data, "-c", "listen_addresses="),
                *("-c", f"unix_socket_directories={self._folder}", "-c", "max_connections=200"),
            ],
            self._output,
            user=self._user,
            last_signal=signal.SIGQUIT,  # an immediate shutdown: its own children end, too
        )
        self.processes.append(server)
        ready: list[str | Path] = [self._programs / "pg_isready", "-q", "-d", DATABASE]
        ready += ["-h", self._folder]
        wait_until(
            lambda: subprocess.run(ready, check=False).returncode == 0,
            server,
            self._output,
            "PostgreSQL",
        )

    def stop(self) -> None:
        """End the server without waiting for its clients."""
        for process in self.processes:
            end(process, signal.SIGQUIT)


def find_programs() -> Path:
    """Return the folder of the newest PostgreSQL's programs; raises if there is none."""
    found = [path.parent for path in _INSTALLED.glob("*/bin/postgres")]
    if not found:
        raise LogError(
            f"no PostgreSQL is installed in {_INSTALLED}\n"
            "  install it: sudo apt-get install postgresql\n"
            "  or try it with NATS, which is the default: --log nats"
        )
    return max(found, key=lambda folder: int(folder.parent.name))


def _unprivileged_user() -> str:
    """Return the user as which root runs the server; `-` for other users than root."""
    if os.geteuid() != 0:
        return "-"
    names = {entry.pw_name for entry in pwd.getpwall()}
    return "postgres" if "postgres" in names else "nobody"
