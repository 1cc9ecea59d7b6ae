"""`lycosa` as a user types it, in a process that need not load everything anew.

A command does its work in some hundredths of a second and takes ten times as long to load what it
needs. So one process loads that once and forks for every command. Each still runs in a process of
its own: `python -m lycosa` with its own folder, environment, streams and exit code.

`crawl` and `resume` begin by starting themselves anew, to get large pages of memory, unless the
user has turned those off (`GLIBC_TUNABLES`); here they are off. What is sent a signal or loses its
reader, in the tests of that, is started in full (`in_full`); and in `test_commands.py` and the
how-to pages every command is, once.
"""

from __future__ import annotations

import atexit
import importlib
import json
import os
import runpy
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import IO, NoReturn

LOADED = [
    "lycosa.cli.main",
    *(f"lycosa.cli.{name}" for name in ("check", "tools", "publishing.export")),
    *(f"lycosa.cli.running.{name}" for name in ("crawl", "edit", "steer")),
    *(f"lycosa.cli.reading.{name}" for name in ("content", "inspect", "query", "verify")),
    *(f"lycosa.cli.analysis.{name}" for name in ("compare", "report", "study")),
    *("duckdb", "lycosa.runtime.directory", "lycosa.operate.checking.batch", "scipy.sparse.linalg"),
    *(
        "lycosa.operate.inspect.audit",
        "lycosa.operate.inspect.edits",
        "lycosa.operate.inspect.explain",
    ),
    *(
        "lycosa.analysis.report.build",
        "lycosa.analysis.study.build",
        "lycosa.analysis.study.sql",
        "lycosa.analysis.checks.run",
    ),
    *(
        "lycosa.analysis.triples.index",
        "lycosa._support.extras",
        "pyarrow.dataset",
        "rich._emoji_codes",
    ),
    *("lycosa.frontier.schedulers.breadth_first", "lycosa.runtime.workers.supervisor"),
    *("lycosa.simulation.simulation", "lycosa_testweb.generated.web"),
    *("lycosa.runtime.processes.run", "lycosa.fetch.http.tls"),
    *(f"lycosa.cli.{name}" for name in ("cluster.status", "cluster.lead")),
    *(
        "lycosa.cli.screen.cluster",
        "lycosa.runtime.shared_log.orders",
        "lycosa.runtime.shared_log.distant",
    ),
    *(f"lycosa.cli.topics.{name}" for name in ("train", "show", "label", "crawl")),
    *(
        "lycosa.analysis.topics.keywords",
        "lycosa.analysis.topics.splitting",
        "lycosa.analysis.topics.seeds",
    ),
    *(
        "lycosa.storage.postgres.log",
        "lycosa.storage.jetstream.log",
        "lycosa.runtime.coordination.opening",
    ),
]
MOST_SECONDS = 120
AS_IT_IS = {"GLIBC_TUNABLES": "glibc.malloc.hugetlb=0"}
"""A crawl that finds this does not start itself anew."""
STREAMS = ((os.O_RDONLY, "in"), (os.O_WRONLY, "out"), (os.O_WRONLY, "err"))


def lycosa(*words: object, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    """Run a command; returns its exit code and what it said."""
    return run_module("lycosa", *words, cwd=cwd)


def run_module(
    module: str, *words: object, cwd: Path | None = None
) -> subprocess.CompletedProcess[str]:
    """Run a module by its name, as `python -m` does; what takes too long ends by SIGALRM."""
    asked, told = server()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for _, stream in STREAMS:
            (folder / stream).touch()
        command = [module, *map(str, words)]
        given = {"command": command, "folder": str(cwd or Path.cwd()), "streams": name}
        asked.write(json.dumps({**given, "environment": {**os.environ, **AS_IT_IS}}) + "\n")
        asked.flush()
        code = int(told.readline())
        out, err = ((folder / stream).read_text() for stream in ("out", "err"))
    return subprocess.CompletedProcess(command, code, out, err)


def in_full(*words: object, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    """Run a command in a process that begins with nothing."""
    command = [sys.executable, "-m", "lycosa", *map(str, words)]
    return subprocess.run(
        command, cwd=cwd, capture_output=True, text=True, timeout=MOST_SECONDS, check=False
    )


@cache
def server() -> tuple[IO[str], IO[str]]:
    """Start the process that forks; returns where to ask it and where it tells."""
    pipe = subprocess.PIPE
    process = subprocess.Popen([sys.executable, __file__], stdin=pipe, stdout=pipe, text=True)
    assert process.stdin is not None and process.stdout is not None
    atexit.register(process.wait, 30)
    atexit.register(process.stdout.close)
    atexit.register(process.stdin.close)
    return process.stdin, process.stdout


def prepare(words: list[str]) -> None:
    """Load the model of languages once: of a small study that is the greater part."""
    if "study" in words or "report" in words:
        from lycosa.extract.text.language_detector import supported

        supported()


def requests() -> Iterator[dict[str, object]]:
    """Fork for every line that comes in, and tell how each ended; yields in the forks alone."""
    with os.fdopen(os.dup(0)) as lines, os.fdopen(os.dup(1), "w", buffering=1) as answers:
        for line in lines:
            request = json.loads(line)
            prepare(request["command"])
            process = os.fork()
            if process == 0:
                yield request
                return
            print(os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]), file=answers)


def become(command: list[str], folder: str, streams: str, environment: dict[str, str]) -> NoReturn:
    """Be the command that was typed."""
    for number, (flags, name) in enumerate(STREAMS):
        file = os.open(Path(streams) / name, flags)
        os.dup2(file, number)
        os.close(file)
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    signal.alarm(MOST_SECONDS)
    sys.argv = command
    runpy.run_module(command[0], run_name="__main__", alter_sys=True)
    sys.exit()


def main() -> None:
    """Load everything, and wait for commands."""
    for name in LOADED:
        importlib.import_module(name)
    for request in requests():
        become(**request)  # type: ignore[arg-type]
    os._exit(0)


if __name__ == "__main__":
    main()
