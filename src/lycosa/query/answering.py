"""How a process begins that answers the queries of strangers: bounded, and without network."""

from __future__ import annotations

import ctypes
import resource
import signal
import sys

from lycosa.errors import QueryError
from lycosa.query.protocol import QueryReply, send
from lycosa.sandbox import give_up_network

_SIGNAL_WHEN_PARENT_ENDS = 1
"""PR_SET_PDEATHSIG of linux/prctl.h."""


def begin(memory_bytes: int, *, ends_with_parent: bool) -> bool:
    """Give up the network and say so on standard output; returns whether queries are accepted."""
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
