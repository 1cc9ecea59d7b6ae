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
import signal
import time
from collections.abc import Sequence
from pathlib import Path

from lycosa import errors
from lycosa.crawl.budget import Limit
from lycosa.crawl.status.progress import Listener, Pace, Progress, add_up
from lycosa.errors import LogError, LycosaError
from lycosa.model.job import Job
from lycosa.runtime.directory import CrawlDirectory
from lycosa.runtime.members.crew_member import Ended, Failed, Message, Reported, Said
from lycosa.runtime.processes import run
from lycosa.runtime.processes.main_loop import MainLoop
from lycosa.runtime.processes.signals import Stop
from lycosa.runtime.workers.child import Brood, Child, Program

FIRST_PAUSE_SECONDS = 1.0
MOST_PAUSE_SECONDS = 60.0
SETTLED_SECONDS = 120.0
"""Running time after which the next restart begins with the shortest pause again."""
LASTING = ("ConfigError", "FormatError", "LogGoneBack", "PluginError", "Refused")
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
    """A member, over all its processes."""

    def __init__(self, directory: CrawlDirectory) -> None:
        self.directory = directory
        self.progress: Progress | None = None
        self.ended: Ended | None = None
        self.failed: Failed | None = None
        self.pause_seconds = FIRST_PAUSE_SECONDS


class _Crew:
    def __init__(
        self, main: MainLoop, directories: Sequence[CrawlDirectory], listener: Listener
    ) -> None:
        self._main = main
        self._listener = listener
        self._members = {number: _Member(one) for number, one in enumerate(directories, start=1)}
        self._brood = Brood[Message](main.loop, self, "member")
        self._is_stopping = False
        self._pace = Pace()
        self._gone: list[Progress] = []

    def begin(self) -> None:
        for number in self._members:
            self._brood.start(number)
        self._main.loop.call_later(self._listener.progress_seconds, self._report)
        self._brood.watch()

    def stop(self) -> None:
        self._listener.stopping()
        self._is_stopping = True
        for child in self._brood.children.values():
            child.signal(signal.SIGTERM)
        self._brood.stopping(self._members[1].directory.job().fetch.stop_seconds)

    def close(self) -> None:
        self._brood.close()

    def ended(self) -> run.Ended:
        """Return how the crawl ended for this machine; raise the error if all members failed."""
        members = self._members.values()
        found = [one.ended for one in members if one.ended is not None]
        if not found:
            failed = next(one.failed for one in members if one.failed is not None)
            raise _error(failed)
        # After the end of a run each member counts the whole crawl; before it, only its own part.
        whole = [one for one in found if one.reason not in _PARTIAL]
        last = whole[0] if whole else found[0]
        progress = last.progress if whole else add_up(one.progress for one in found)
        requests = sum(one.progress.requests for one in found)
        requests += sum(one.requests for one in self._gone)
        progress = progress._replace(requests=requests, workers=len(members))
        return run.Ended(last.reason, self._pace.of(progress), last.is_complete)

    # -- members come and go --------------------------------------------------------------

    def program(self, number: int) -> Program:
        member = self._members[number]
        member.failed = None
        directory = member.directory
        module = "lycosa.runtime.members.crew_member"
        return Program(module, directory.path, directory.log_folder, Message, is_apart=True)

    def told(self, child: Child[Message], message: Message) -> None:
        member = self._members[child.number]
        if isinstance(message, Reported):
            member.progress = message.progress
        elif isinstance(message, Said):
            self._listener.noticed(message.text)
        elif isinstance(message, Ended):
            member.ended = message
        else:
            member.failed = message

    def buried(self, child: Child[Message], how: str, *, by_page: bool) -> float | None:
        member, name = self._members[child.number], f"member {child.number}"
        if member.ended is not None:
            return None
        how = how if member.failed is None else member.failed.text
        log_messages.warning("%s: %s", name, how)
        if member.progress is not None:
            self._gone.append(member.progress)
            member.progress = None
        is_lasting = member.failed is not None and member.failed.kind in LASTING
        if is_lasting or self._is_stopping:
            self._listener.noticed(f"{name}: {how}")
            return None
        # The next process reads apart the page that has killed this one.
        if by_page or time.monotonic() - child.began_at >= SETTLED_SECONDS:
            member.pause_seconds = FIRST_PAUSE_SECONDS
        pause, member.pause_seconds = member.pause_seconds, member.pause_seconds * 2
        member.pause_seconds = min(member.pause_seconds, MOST_PAUSE_SECONDS)
        first = how.partition("\n")[0]
        self._listener.noticed(f"{name} {first}; restarting in {pause:g} s")
        return pause

    def goes_on(self) -> bool:
        return not self._is_stopping

    def all_gone(self) -> None:
        self._main.loop.stop()

    def _report(self) -> None:
        parts = [one.progress for one in self._members.values() if one.progress is not None]
        if parts:
            found = add_up(parts, self._gone)._replace(workers=len(self._brood.children))
            self._listener.progress(self._pace.of(found))
        self._main.loop.call_later(self._listener.progress_seconds, self._report)


_PARTIAL = (str(Limit.STOPPED), str(Limit.FREE_DISK), "drained", "stopped for all")


def _error(failed: Failed) -> LycosaError:
    kind = getattr(errors, failed.kind, LogError)
    return kind(failed.text) if issubclass(kind, LycosaError) else LogError(failed.text)
