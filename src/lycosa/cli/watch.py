"""A process that watches a crawl, which runs in its child.

The user's process becomes the watcher before it has loaded anything large, and its child does what
the command says. A child that crawls is started as a program of its own, in an environment that
gives it large memory pages (`lycosa._support.memory`). Where it cannot have them, and for `join`,
the child is forked: it needs no second start of the interpreter then.

    child ends              the watcher ends with the same code, or of the same signal
    child dies of a page    the watcher starts `resume` for the directory in another child
    child reads too long    the watcher kills it (`crawl.suspects.marks.Overseer`), and goes on as
    above a stop request          passed on; a child that is still reading one page after
                            `stop_seconds`, or at the second request, is killed for good

SIGINT and SIGTERM reach both processes where a terminal or systemd sends them, and the watcher
alone where a person names it. So the child is deaf to them and hears SIGUSR1 and SIGUSR2 instead,
which the watcher alone sends, one for each request.

Always true:
  * the child dies with the watcher, whatever the watcher dies of;
  * a child that dies without a page to blame is not started again; neither is one that dies for
    the fourth time in a row of a page that was suspected before;
  * nothing here runs for other commands than those that crawl, nor where a fail point is to kill
    the crawl for good.

Cost: one start of the interpreter (15 ms), or one fork and its copies of pages (10 ms); the watcher
wakes four times a second.
Not here: worker processes and members have a supervisor, which watches them in the same way.
"""

from __future__ import annotations

import os
import sys
import time

from lycosa._support import memory
from lycosa.crawl.suspects import marks

TYPE_CHECKING = False  # as checkers take it: `typing` would be most of what this import costs

if TYPE_CHECKING:
    import signal
    from collections.abc import Callable
    from typing import Any, NoReturn
else:
    import _signal as signal  # `signal` loads `enum`, a sixth of the watcher's memory

STOPS: dict[int, int] = {signal.SIGINT: signal.SIGUSR1, signal.SIGTERM: signal.SIGUSR2}
"""Signals that the watcher receives, with the signal that it sends to the child for each."""
MOST_DEATHS = 4
"""Deaths in a row that a child may have without a new suspect."""
BUG = 70
"""Exit code of a child that ended with an exception, perhaps one of a reader."""
INTERRUPTED = 130
FLAGS = {"--json": "as_json", "--quiet": "quiet"}
"""Flags of the screen that hold for all processes of a crawl, and the names of their values."""
_BOARD_BYTES = 1 << 16
_TRUST = "LYCOSA_TRUST"
"""The variable of `lycosa.runtime.trust.record`."""
_WATCHED = "LYCOSA_WATCHED"
"""Environment variable that tells a child its watcher's process, its board, and more."""
_HEARD: set[int] = {*STOPS, signal.SIGCHLD}

_board = -1
"""A file in memory that watcher and child share; -1 without a watcher."""
_is_restart = False


def is_restart() -> bool:
    """Return whether the watcher has started this process for one that died."""
    return _is_restart


def tell(folder: str, stop_seconds: float, flags: dict[str, Any]) -> None:
    """Tell the watcher, if there is one, how to go on with a crawl should this process die."""
    if _board >= 0:
        mark = marks.path_of(f"{folder}/log", 0)
        command = "revisit" if sys.argv[1:2] == ["revisit"] else "resume"
        words = [command, folder, *(word for word, flag in FLAGS.items() if flags[flag])]
        # settings accepted by this command count for the next one, too
        trust = os.environ.get(_TRUST, "")
        told = "\0".join((mark, str(stop_seconds), trust, *words))
        packed = told.encode("utf-8", "surrogateescape")
        os.pwrite(_board, packed, 0)
        # the last byte, so the watcher knows that the text is whole
        os.pwrite(_board, b"\n", len(packed))


def watch(*, with_large_pages: bool) -> None:
    """Start or fork a child; return in the child that does the work, once for each child."""
    global _board, _is_restart
    if told := os.environ.pop(_WATCHED, ""):
        parent, _board, starts, *mask = map(int, told.split())
        _is_restart = bool(starts)
        os.set_inheritable(_board, False)
        _become_watched(parent, set(mask))
        return
    if "LYCOSA_KILL_AT" in os.environ:
        return
    _board = os.memfd_create("watch")
    watcher = _Watcher(_board)
    start = _start_of_child() if with_large_pages else None
    mask_before = set(map(int, signal.pthread_sigmask(signal.SIG_BLOCK, _HEARD)))
    parent = os.getpid()
    while True:
        pid = start(mask_before) if start is not None else os.fork()
        if not pid:
            _become_watched(parent, mask_before)
            return
        words = watcher.oversee(pid)
        os.ftruncate(_board, 0)
        sys.argv[1:] = words
        if watcher.trust:
            os.environ[_TRUST] = watcher.trust
        _is_restart = True


def _start_of_child() -> Callable[[set[int]], int] | None:
    """Return the call that starts this command with large memory pages; None if that is impossible.

    The command is `sys.argv`; what stands before it (the interpreter and its options) stays.
    """
    count = len(sys.argv) - 1
    is_known = count > 0 and sys.orig_argv[-count:] == sys.argv[1:]
    if not is_known or not sys.executable or memory.anew_environment() is None:
        return None
    options = sys.orig_argv[1:-count]

    def start(mask: set[int]) -> int:
        told = " ".join(map(str, (os.getpid(), _board, int(_is_restart), *mask)))
        environment = {**os.environ, **(memory.anew_environment() or {}), _WATCHED: told}
        words = [sys.executable, *options, *sys.argv[1:]]
        os.set_inheritable(_board, True)
        try:
            return os.posix_spawn(sys.executable, words, environment)
        # The interpreter was moved, or memory is short: this process can still do the work.
        except OSError:
            return os.fork()

    return start


def _become_watched(parent: int, mask: set[int]) -> None:
    from lycosa._support.memory._arenas import die_with_parent

    die_with_parent()
    if os.getppid() != parent:
        os._exit(INTERRUPTED)
    marks.led_by(parent)
    for number in STOPS:
        signal.signal(number, _ignore)  # not SIG_IGN, which programs that are started inherit
    signal.signal(signal.SIGUSR1, signal.default_int_handler)
    signal.pthread_sigmask(signal.SIG_SETMASK, mask)


def _ignore(*_: object) -> None:
    """Do nothing: the watcher receives the signal, too."""


class _Watcher:
    """Supervises the children, one after the other."""

    def __init__(self, board: int) -> None:
        self._board = board
        self._suspects: set[int] = set()
        self._deaths = 0
        self._stops = 0
        self._stopped_at = 0.0
        self.trust = ""
        """The digests of operator settings that the last child had accepted."""

    def oversee(self, pid: int) -> list[str]:
        """Watch a child to its end; return the words that start the next one."""
        mark, stop_seconds, words, overseer = "", 0.0, list[str](), None
        is_killed = False
        while True:
            heard = signal.sigtimedwait(_HEARD, marks.LOOK_SECONDS)
            if heard is not None and heard.si_signo in STOPS:
                self._stops += 1
                self._stopped_at = self._stopped_at or time.monotonic()
                os.kill(pid, STOPS[heard.si_signo])
            ended, status = os.waitpid(pid, os.WNOHANG)
            if not words and (told := self._told()):
                mark, seconds, self.trust, *words = told
                stop_seconds, overseer = float(seconds), marks.Overseer(mark, pid)
            if ended:
                break
            if overseer is not None and not is_killed:
                is_killed = self._kills(pid, overseer, stop_seconds)
        # A mark of an earlier process says nothing of what this child was reading.
        found = marks.read(mark) if mark else None
        code = os.waitstatus_to_exitcode(status)
        if found is None or found.process != pid or not self._may_go_on(code, found):
            _end_as(code, is_stopped=bool(self._stops) and is_killed)
        self._say(f"the crawl's process (pid {pid}) died; it goes on in another one")
        return words

    def _told(self) -> list[str]:
        told = os.pread(self._board, _BOARD_BYTES, 0).decode("utf-8", "surrogateescape")
        return told[:-1].split("\0") if told.endswith("\n") else []

    def _kills(self, pid: int, overseer: marks.Overseer, stop_seconds: float) -> bool:
        """Kill a child that has been reading one page for too long; return whether it was."""
        now = time.monotonic()
        must_end = self._stops > 1 or (self._stops and now > self._stopped_at + stop_seconds)
        why = overseer.look(now, marks.LOOK_SECONDS if must_end else 0.0)
        if why:
            self._say(f"{why}: killing process {pid}")
            os.kill(pid, signal.SIGKILL)
        return bool(why)

    def _may_go_on(self, code: int, found: marks.Words) -> bool:
        """Return whether another child may succeed after one that ended with this code."""
        is_death = code < 0 or (code == BUG and found.is_reading)
        if not is_death or self._stops:
            return False
        if found.page in self._suspects or found.page == marks.NO_PAGE:
            self._deaths += 1
        else:
            self._suspects.add(found.page)
            self._deaths = 0
        return self._deaths < MOST_DEATHS

    def _say(self, text: str) -> None:
        try:
            os.write(2, f"lycosa: {text}\n".encode())
        except OSError:
            return  # the terminal is gone, but the crawl goes on


def _end_as(code: int, *, is_stopped: bool) -> NoReturn:
    """End as the child has ended: with its code, or by its signal."""
    if is_stopped:
        os._exit(INTERRUPTED)
    if code >= 0:
        os._exit(code)
    heard = {sent: number for number, sent in STOPS.items()}
    number = heard.get(-code, -code)
    if number != signal.SIGKILL:
        signal.signal(number, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_SETMASK, ())
    os.kill(os.getpid(), number)
    os._exit(INTERRUPTED)
