"""The process that reads pages apart: it forks for each page, and for each try.

    python -m lycosa.runtime.isolation.process SOCKET PARENT

It loads the readers once, so that a page begins with a fork alone. In that fork all readers read
the page at once, within limits. If it dies, another fork runs the readers one after the other, each
in a fork of its own: links first, then the others, and structured data form by form. A reader that
dies is named, and the result has the findings of the others. Structured data of the forms that can
be read is then read together, as in the worker.

Always true: a fork that takes longer or more memory than the limits is killed; when the worker
dies or closes the socket, all processes here end; none of them has the network.

Cost: 11 ms of CPU a page, 0.8 s to start, and as much memory as the readers' modules take, once.
"""

from __future__ import annotations

import ctypes
import gc
import marshal
import mmap
import os
import pickle
import resource
import select
import signal
import struct
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from math import inf
from pathlib import Path
from typing import NamedTuple

from lycosa._support.channel import frame
from lycosa._support.decoders import msgpack_decoder
from lycosa._support.failpoints import arm_from_environment
from lycosa._support.sandbox import give_up_network
from lycosa.crawl.suspects.findings import Asked, Findings
from lycosa.errors import QueryError
from lycosa.model.records import Answer, Outcome
from lycosa.runtime.isolation.parcels import Parcel, Setup
from lycosa.runtime.isolation.readers import LINKS, Readers

_LENGTH = struct.Struct("<I")
MOST_AT_ONCE = 4
"""Pages read in parallel, so that a slow page does not delay the others."""
_DIES_WITH_PARENT = 1
"""PR_SET_PDEATHSIG of linux/prctl.h."""
_DONE = b"\x01"
_FIRST = b"""<p property=x:a>a<p itemscope><i itemprop=x:b>b</i><meta property=og:title content=c>
<a href=/>d</a><script type=application/ld+json>{"@context": "http://schema.org", "name": "e"}"""
"""A page with all syntaxes: reading it loads the readers' modules once, for all forks."""


class _Limits(NamedTuple):
    seconds: float
    memory_bytes: int


def main(descriptor: str, parent: str) -> None:
    """Read pages until the worker closes the socket."""
    _die_with(int(parent))
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    worker = int(descriptor)
    os.set_inheritable(worker, False)
    arm_from_environment()
    first = _receive(worker)
    if first is None:
        os._exit(0)
    setup: Setup = pickle.loads(first.content)
    with suppress(QueryError):  # a kernel without seccomp: the worker reads with the network, too
        give_up_network()
    readers = Readers(setup.job, has_plugins=setup.has_plugins)
    readers.read(Asked(200, (), {}, _FIRST, "http://a.test/", "/", "b"))
    gc.collect()
    gc.freeze()
    gc.disable()  # a collection would write to, and so copy, the pages that all forks share
    _serve(worker, readers, _Limits(setup.seconds, setup.memory_bytes))
    os._exit(0)


class _Fork(NamedTuple):
    """A process that reads one page."""

    number: int
    pid: int
    found: int
    """The file in memory that it writes to."""
    packed: bytes
    is_first: bool
    """Whether all readers read at once, within limits; if not, one after the other."""
    deadline: float


def _serve(worker: int, readers: Readers, limits: _Limits) -> None:
    """Fork a process for each incoming page, and send its findings on."""
    forks: dict[int, _Fork] = {}
    poll = select.poll()
    while True:
        poll.register(worker, select.POLLIN if len(forks) < MOST_AT_ONCE else 0)
        soonest = min((fork.deadline for fork in forks.values()), default=inf)
        wait = None if soonest == inf else max(0.0, soonest - time.monotonic()) * 1000
        for ready, _ in poll.poll(wait):
            if ready == worker:
                came = _receive(worker)
                if came is None:
                    return
                _begin(forks, poll, readers, came, limits)
            else:
                _end(forks, poll, readers, ready, limits, worker)
        for watched, fork in forks.items():
            if time.monotonic() >= fork.deadline:
                os.kill(fork.pid, signal.SIGKILL)
                forks[watched] = fork._replace(deadline=inf)


def _begin(
    forks: dict[int, _Fork],
    poll: select.poll,
    readers: Readers,
    page: Parcel,
    limits: _Limits,
    *,
    is_first: bool = True,
) -> None:
    """Let a process read a page."""
    found, deadline = os.memfd_create("found"), inf
    read = _all_at_once if is_first else _one_by_one
    pid = _forked(partial(read, readers, page.content, limits, found))
    if is_first and limits.seconds:
        deadline = time.monotonic() + limits.seconds
    watched = os.pidfd_open(pid)
    forks[watched] = _Fork(page.number, pid, found, page.content, is_first, deadline)
    poll.register(watched, select.POLLIN)


def _end(
    forks: dict[int, _Fork],
    poll: select.poll,
    readers: Readers,
    watched: int,
    limits: _Limits,
    worker: int,
) -> None:
    """Send on the findings of an ended process; if it died, run the readers one by one."""
    fork = forks.pop(watched)
    poll.unregister(watched)
    os.close(watched)
    os.waitpid(fork.pid, 0)
    content = _content(fork.found)
    if content.endswith(_DONE) or not fork.is_first:
        _write(worker, frame(Parcel(fork.number, content[: -len(_DONE)])))
    else:
        _begin(forks, poll, readers, Parcel(fork.number, fork.packed), limits, is_first=False)


def _all_at_once(readers: Readers, packed: bytes, limits: _Limits, found: int) -> None:
    """Read one page by all readers, within limits."""
    _limit(limits)
    asked = Asked(*marshal.loads(packed))
    _write(found, marshal.dumps(readers.read(asked).packed()) + _DONE)


def _one_by_one(readers: Readers, packed: bytes, limits: _Limits, found: int) -> None:
    """Read one page by one reader after the other, each within limits; name those that die."""
    asked = Asked(*marshal.loads(packed))
    _write(found, marshal.dumps(_by_each(readers, asked, limits).packed()) + _DONE)


def _by_each(readers: Readers, asked: Asked, limits: _Limits) -> Findings:
    """Let each reader read by itself; those that die are named."""
    findings, unread = Findings(), list[str]()
    for name, read in readers.steps():
        found = _tried(limits, partial(_step, read, asked, findings))
        if found is None:
            unread.append(name)
        else:
            findings = found
        if findings.outcome is not Outcome.KEPT:
            break
    forms = [] if LINKS in unread else _forms(readers, asked, findings, limits)
    readable = [form for form in forms if _distilled(readers, asked, findings, limits, [form])]
    unread += [form for form in forms if form not in readable]
    if readable:
        together = _distilled(readers, asked, findings, limits, readable)
        if together is None:
            unread += readable
        else:
            findings = together
    findings.unread = " ".join(unread)
    return findings


def _step(
    read: Callable[[Asked, Answer, Findings], None], asked: Asked, findings: Findings
) -> Findings:
    read(asked, asked.answer(), findings)  # runs in a fork, so its changes stay there
    return findings


def _forms(readers: Readers, asked: Asked, findings: Findings, limits: _Limits) -> list[str]:
    """Return the forms that a page may hold; [] if the search for them died."""

    def look() -> Findings:
        return Findings(unread=" ".join(readers.forms(asked, findings)))

    found = _tried(limits, look)
    return found.unread.split() if found is not None else []


def _distilled(
    readers: Readers, asked: Asked, findings: Findings, limits: _Limits, forms: list[str]
) -> Findings | None:
    """Return the findings with the structured data of some forms; None if a reader died of it."""

    def distil() -> Findings:
        readers.distil(asked, findings, forms)
        return findings

    return _tried(limits, distil)


def _tried(limits: _Limits, read: Callable[[], Findings]) -> Findings | None:
    """Return the findings of a fork within limits; None if it died."""
    found = os.memfd_create("tried")

    def within() -> None:
        _limit(limits)
        packed = marshal.dumps(read().packed())
        _write(found, packed + _DONE)

    pid = _forked(within)
    watched = os.pidfd_open(pid)
    poll = select.poll()
    poll.register(watched, select.POLLIN)
    if not poll.poll(limits.seconds * 1000 if limits.seconds else None):
        os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
    os.close(watched)
    content = _content(found)
    if not content.endswith(_DONE):
        return None
    return Findings.unpacked(marshal.loads(content[: -len(_DONE)]))


def _limit(limits: _Limits) -> None:
    """Bound the memory and the processor time of this process."""
    if limits.memory_bytes:
        most = _virtual_bytes() + limits.memory_bytes
        resource.setrlimit(resource.RLIMIT_AS, (most, most))
    if limits.seconds:
        seconds = int(limits.seconds) + 1
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))


def _forked(work: Callable[[], None]) -> int:
    """Do some work in a fork, which ends afterwards; return its process id."""
    parent = os.getpid()
    pid = os.fork()
    if pid:
        return pid
    code = 1
    try:
        _die_with(parent)
        work()
        code = 0
    finally:
        os._exit(code)


def _die_with(parent: int) -> None:
    _prctl(_DIES_WITH_PARENT, ctypes.c_ulong(signal.SIGKILL), 0, 0, 0)
    if os.getppid() != parent:
        os._exit(1)


_prctl = ctypes.CDLL(None).prctl


def _virtual_bytes() -> int:
    return int(Path("/proc/self/statm").read_bytes().split()[0]) * mmap.PAGESIZE


def _content(file: int) -> bytes:
    """Return the bytes that forks wrote to a file in memory, and close it."""
    with os.fdopen(file, "rb") as written:
        written.seek(0)
        return written.read()


def _write(file: int, content: bytes) -> None:
    view = memoryview(content)
    while view:
        view = view[os.write(file, view) :]


def _receive(worker: int) -> Parcel | None:
    """Return the next message, or None at the end; the sandbox leaves `read` and `write`."""
    head = _exactly(worker, _LENGTH.size)
    content = None if head is None else _exactly(worker, *_LENGTH.unpack(head))
    return None if content is None else msgpack_decoder(Parcel).decode(content)


def _exactly(worker: int, size: int) -> bytes | None:
    content = bytearray()
    while len(content) < size:
        some = os.read(worker, min(size - len(content), 1 << 20))
        if not some:
            return None
        content += some
    return bytes(content)


if __name__ == "__main__":
    main(*sys.argv[1:])
