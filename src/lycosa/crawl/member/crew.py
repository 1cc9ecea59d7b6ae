"""Several members of a cluster on one machine, under one supervisor.

Each member is a process with a crawl directory of its own: `DIR/1`, `DIR/2` and so on. In the
cluster they are members like any other. Addresses are asked one at a time among all processes of a
machine.

Always true:
  * a member that dies is started again, after pauses that grow from 1 s to 1 min; a member that
    ends in order, or with an error that a restart cannot repair, is not;
  * the first stop request stops all members cleanly, the second at once;
  * when the supervisor dies, the kernel kills the members.
"""

from __future__ import annotations

import dataclasses
import logging
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path

from lycosa import errors
from lycosa.channel import Channel
from lycosa.config import Job
from lycosa.crawl.apart.watching import Watching
from lycosa.crawl.budget import Limit
from lycosa.crawl.directory import CrawlDirectory
from lycosa.crawl.member.crew_member import Ended, Failed, Message, Reported, Said
from lycosa.crawl.processes import run
from lycosa.crawl.processes.main_loop import MainLoop
from lycosa.crawl.processes.signals import Stop
from lycosa.crawl.status.progress import Listener, Pace, Progress, add_up
from lycosa.errors import LogError, LycosaError
from lycosa.marks import LOOK_SECONDS
from lycosa.memory import worker_environment

FIRST_PAUSE_SECONDS = 1.0
MOST_PAUSE_SECONDS = 60.0
SETTLED_SECONDS = 120.0
"""Running time after which the next restart begins with the shortest pause again."""
LASTING = ("ConfigError", "FormatError", "PluginError", "Refused")
"""Errors that a restart cannot repair."""

log_messages = logging.getLogger(__name__)


def shared(job: Job, members: int) -> Job:
    """Return the job of one of several members: connections and bandwidth are divided."""
    fetch = job.fetch
    speed = max(1, fetch.bytes_per_second // members) if fetch.bytes_per_second else 0
    connections = max(1, fetch.connections // members)
    divided = dataclasses.replace(fetch, connections=connections, bytes_per_second=speed)
    return dataclasses.replace(job, fetch=divided)


def folders(path: Path, members: int) -> list[Path]:
    """Return the members' crawl directories."""
    return [path / str(number) for number in range(1, members + 1)]


def run_crew(directories: Sequence[CrawlDirectory], listener: Listener) -> run.Ended:
    """Crawl with one member for each directory, until all have ended; return how they ended."""
    with MainLoop() as main:
        crew = _Crew(main, directories, listener)
        try:
            main.loop.call_soon(crew.begin)
            main.run_until_stopped(Stop(), crew.stop)
        finally:
            crew.close()
    return crew.ended()


class _Member:
    """A member's process, and the processes that replace it after a death."""

    def __init__(self, number: int, directory: CrawlDirectory) -> None:
        self.number = number
        self.directory = directory
        self.process: subprocess.Popen[bytes] | None = None
        self.channel: Channel[Message] | None = None
        self.progress: Progress | None = None
        self.ended: Ended | None = None
        self.failed: Failed | None = None
        self.began = 0.0
        self.pause_seconds = FIRST_PAUSE_SECONDS

    def start(
        self, main: MainLoop, told: Callable[[Message], None], gone: Callable[[], None]
    ) -> None:
        ours, theirs = socket.socketpair()
        with theirs:
            words = [str(self.directory.path.absolute()), str(theirs.fileno()), str(os.getpid())]
            self.process = subprocess.Popen(
                [sys.executable, "-P", "-m", "lycosa.crawl.member.crew_member", *words],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                pass_fds=[theirs.fileno()],
                env=worker_environment(),
                start_new_session=True,  # a Ctrl-C reaches the supervisor alone
            )
        self.failed, self.began = None, main.loop.time()
        self.channel = Channel(main.loop, ours, Message)
        self.channel.listen(told, gone)

    def send(self, number: signal.Signals) -> None:
        if self.process is not None:
            with suppress(ProcessLookupError):
                self.process.send_signal(number)

    def how_it_ended(self) -> str:
        """Wait for the process, whose socket is closed; describe how it ended."""
        assert self.process is not None
        code = self.process.wait()
        if self.failed is not None:
            return self.failed.text
        return f"was killed by {signal.Signals(-code).name}" if code < 0 else f"ended with {code}"


class _Crew:
    def __init__(
        self, main: MainLoop, directories: Sequence[CrawlDirectory], listener: Listener
    ) -> None:
        self._main = main
        self._listener = listener
        self._members = [_Member(n, one) for n, one in enumerate(directories, start=1)]
        self._running: set[int] = set()
        self._waiting: set[int] = set()
        self._is_stopping = False
        self._pace = Pace()
        self._gone: list[Progress] = []
        self._reading = Watching()

    def begin(self) -> None:
        for member in self._members:
            self._start(member)
        self._main.loop.call_later(self._listener.progress_seconds, self._report)
        self._main.loop.call_later(LOOK_SECONDS, self._watch_reading)

    def stop(self) -> None:
        self._listener.stopping()
        self._reading.stopping(self._members[0].directory.job().fetch.stop_seconds)
        self._is_stopping = True
        self._waiting.clear()
        for member in self._members:
            if member.number in self._running:
                member.send(signal.SIGTERM)
        self._look()

    def close(self) -> None:
        for member in self._members:
            if member.number in self._running:
                member.send(signal.SIGKILL)
            if member.process is not None:
                member.process.wait()
            if member.channel is not None:
                member.channel.close()

    def ended(self) -> run.Ended:
        """Return how the crawl ended for this machine; raise the error if all members failed."""
        found = [one.ended for one in self._members if one.ended is not None]
        if not found:
            failed = next(one.failed for one in self._members if one.failed is not None)
            raise _error(failed)
        # After the end of a run each member counts the whole crawl; before it, only its own part.
        whole = [one for one in found if one.reason not in _PARTIAL]
        last = whole[0] if whole else found[0]
        progress = last.progress if whole else add_up(one.progress for one in found)
        requests = sum(one.progress.requests for one in found)
        requests += sum(one.requests for one in self._gone)
        progress = progress._replace(requests=requests, workers=len(self._members))
        return run.Ended(last.reason, self._pace.of(progress), last.is_complete)

    def _start(self, member: _Member) -> None:
        self._waiting.discard(member.number)
        self._running.add(member.number)
        member.start(
            self._main,
            lambda message: self._told(member, message),
            lambda: self._member_gone(member),
        )
        assert member.process is not None
        self._reading.started(member.number, member.directory.log_folder, member.process.pid)

    def _told(self, member: _Member, message: Message) -> None:
        if isinstance(message, Reported):
            member.progress = message.progress
        elif isinstance(message, Said):
            self._listener.noticed(message.text)
        elif isinstance(message, Ended):
            member.ended = message
        else:
            member.failed = message

    def _member_gone(self, member: _Member) -> None:
        self._running.discard(member.number)
        how = member.how_it_ended()
        if self._reading.died(member.number):
            member.pause_seconds = FIRST_PAUSE_SECONDS  # the next process reads that page apart
        if member.ended is None and member.progress is not None:
            self._gone.append(member.progress)
            member.progress = None
        is_lasting = member.failed is not None and member.failed.kind in LASTING
        if member.ended is None:
            log_messages.warning("member %d: %s", member.number, how)
            if is_lasting or self._is_stopping:
                self._listener.noticed(f"member {member.number}: {how}")
            else:
                self._start_later(member, how)
        self._look()

    def _start_later(self, member: _Member, how: str) -> None:
        if self._main.loop.time() - member.began >= SETTLED_SECONDS:
            member.pause_seconds = FIRST_PAUSE_SECONDS
        pause, member.pause_seconds = member.pause_seconds, member.pause_seconds * 2
        member.pause_seconds = min(member.pause_seconds, MOST_PAUSE_SECONDS)
        first = how.partition("\n")[0]
        self._listener.noticed(f"member {member.number} {first}; restarting in {pause:g} s")
        self._waiting.add(member.number)
        self._main.loop.call_later(pause, self._start_again, member)

    def _start_again(self, member: _Member) -> None:
        if member.number in self._waiting:
            self._start(member)

    def _watch_reading(self) -> None:
        for number, why in self._reading.look():
            log_messages.warning("member %d: %s; killing it", number, why)
            self._members[number - 1].send(signal.SIGKILL)
        self._main.loop.call_later(LOOK_SECONDS, self._watch_reading)

    def _look(self) -> None:
        if not self._running and not self._waiting:
            self._main.loop.stop()

    def _report(self) -> None:
        parts = [one.progress for one in self._members if one.progress is not None]
        if parts:
            found = add_up(parts, self._gone)._replace(workers=len(self._running))
            self._listener.progress(self._pace.of(found))
        self._main.loop.call_later(self._listener.progress_seconds, self._report)


_PARTIAL = (str(Limit.STOPPED), str(Limit.FREE_DISK), "drained", "stopped for all")


def _error(failed: Failed) -> LycosaError:
    kind = getattr(errors, failed.kind, LogError)
    return kind(failed.text) if issubclass(kind, LycosaError) else LogError(failed.text)
