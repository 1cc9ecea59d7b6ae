"""A process that answers the queries of strangers: bounded, and without network.

It reads requests from standard input and replies on standard output, from the newest generation of
an index, until there are no more.
"""

from __future__ import annotations

import ctypes
import os
import resource
import signal
import sys
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, suppress
from typing import Protocol, TypeVar

from lycosa._support.decoders import msgpack_decoder
from lycosa._support.sandbox import give_up_network
from lycosa.analysis.triples.protocol import QueryReply, receive, send
from lycosa.errors import LycosaError, QueryError


class TimedRequest(Protocol):
    """A request with the seconds that its answer may take; then the process is killed."""

    @property
    def seconds(self) -> float:
        """Seconds that the answer may take."""


_Request = TypeVar("_Request", bound=TimedRequest)

_SIGNAL_WHEN_PARENT_ENDS = 1
"""PR_SET_PDEATHSIG of linux/prctl.h."""


def run(
    limits: Sequence[str],
    kind: type[_Request],
    current: Callable[[], object],
    opened: Callable[[], AbstractContextManager[Callable[[_Request], QueryReply]]],
) -> None:
    """Answer all requests, and end the process.

    `limits` are its arguments: the bytes of memory it may use, and whether it ends with its parent.
    `opened` opens the generation that is `current`, and gives what answers from it.
    """
    memory_bytes, ends_with_parent = map(int, limits)
    if not _begin(memory_bytes, ends_with_parent=bool(ends_with_parent)):
        return
    with suppress(BrokenPipeError):
        _answer_all(kind, current, opened)
    os._exit(0)  # the buffers have no reader any more, and libraries' threads need not be awaited


def _answer_all(
    kind: type[_Request],
    current: Callable[[], object],
    opened: Callable[[], AbstractContextManager[Callable[[_Request], QueryReply]]],
) -> None:
    requests, replies = sys.stdin.buffer, sys.stdout.buffer
    frame = receive(requests)
    while frame is not None:
        generation = current()
        try:
            with opened() as answer:
                while frame is not None and current() == generation:
                    request = msgpack_decoder(kind).decode(frame)
                    signal.setitimer(signal.ITIMER_REAL, request.seconds)
                    reply = answer(request)
                    signal.setitimer(signal.ITIMER_REAL, 0)
                    send(replies, reply)
                    frame = receive(requests)
                del answer
        except LycosaError as error:
            send(replies, QueryReply("failed", str(error)))
            frame = receive(requests)


def _begin(memory_bytes: int, *, ends_with_parent: bool) -> bool:
    """Give up the network and say so on standard output; return whether queries are accepted."""
    if ends_with_parent:
        ctypes.CDLL(None).prctl(_SIGNAL_WHEN_PARENT_ENDS, ctypes.c_ulong(signal.SIGKILL), 0, 0, 0)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    if memory_bytes:
        resource.setrlimit(resource.RLIMIT_AS, (memory_bytes, memory_bytes))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    try:
        give_up_network()
    except QueryError as error:
        send(sys.stdout.buffer, QueryReply("unguarded", str(error)))
        return False
    send(sys.stdout.buffer, QueryReply("ready"))
    return True
