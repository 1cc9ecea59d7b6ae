"""A member process under a supervisor (`crew`): crawls one directory and reports its progress.

    python -m lycosa.runtime.members.crew_member DIRECTORY SOCKET PARENT

The crawl is the same as `lycosa resume DIRECTORY`, with a socket in place of a screen. SIGTERM
stops it cleanly. When its supervisor dies, the kernel kills it. Committed work stays, and the next
process of the directory ends this process's life at once.
"""

from __future__ import annotations

import faulthandler
import socket
import sys
from collections.abc import Callable
from pathlib import Path

import msgspec

from lycosa._support.channel import frame
from lycosa._support.memory import enlarge_arenas, expect_much, restore_environment
from lycosa.crawl.status.progress import Listener, Progress
from lycosa.errors import LycosaError
from lycosa.runtime.directory import CrawlDirectory
from lycosa.runtime.log_file import said_to
from lycosa.runtime.processes.machine import die_with
from lycosa.runtime.processes.run import run_crawl

PROGRESS_SECONDS = 1.0


class Reported(msgspec.Struct, frozen=True, tag=True, array_like=True):
    """Report of the member's progress."""

    progress: Progress


class Said(msgspec.Struct, frozen=True, tag=True, array_like=True):
    """Notice for a person."""

    text: str


class Ended(msgspec.Struct, frozen=True, tag=True, array_like=True):
    """Sent when the member has ended in order."""

    reason: str
    progress: Progress
    is_complete: bool


class Failed(msgspec.Struct, frozen=True, tag=True, array_like=True):
    """Sent when the member has ended with an error that has a text."""

    kind: str
    """Name of a class in `lycosa.errors`, or in the module of the error itself."""
    text: str


Message = Reported | Said | Ended | Failed


def main(arguments: list[str]) -> int:
    """Crawl until the run is over; return the exit code."""
    restore_environment()
    enlarge_arenas()
    expect_much()
    faulthandler.enable()
    path, descriptor, parent = arguments
    die_with(int(parent))
    with socket.socket(fileno=int(descriptor)) as line:
        return _crawl(CrawlDirectory(Path(path)), lambda message: line.sendall(frame(message)))


def _crawl(directory: CrawlDirectory, send: Callable[[msgspec.Struct], None]) -> int:
    listener = Listener(
        progress=lambda progress: send(Reported(progress)),
        progress_seconds=PROGRESS_SECONDS,
        refused_seed=lambda seed, why: send(Said(f"{seed}: not a usable seed: {why}")),
        seed_failed=lambda seed, why: send(Said(f"{seed}: cannot be reached: {why}")),
        waiting=lambda why: send(Said(why)),
        noticed=lambda why: send(Said(why)),
    )
    try:
        with said_to(directory.messages):
            ended = run_crawl(directory, listener=listener)
    except KeyboardInterrupt:
        return 130
    except (LycosaError, OSError) as error:
        send(Failed(type(error).__name__, str(error)))
        return 1
    send(Ended(ended.reason, ended.progress, ended.is_complete))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
