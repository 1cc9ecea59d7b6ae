"""The process of `confined`: answers inputs from standard input, with limits, without network.

`python -m lycosa._support.confined_process MEMORY_BYTES SECONDS MODULE:FUNCTION GIVEN…`. It dies if
an input takes too long or crashes a library; its parent starts another process.
"""

from __future__ import annotations

import ctypes
import os
import resource
import signal
import sys
from importlib import import_module

from lycosa._support.confined import LENGTH_BYTES, TOO_LARGE_CODE, UNGUARDED_CODE
from lycosa._support.sandbox import give_up_network
from lycosa.errors import QueryError

_SIGNAL_WHEN_PARENT_ENDS = 1
"""PR_SET_PDEATHSIG of linux/prctl.h."""


def main(memory_bytes: str, seconds: str, maker: str, *given: str) -> None:
    """Answer inputs until there are no more."""
    ctypes.CDLL(None).prctl(_SIGNAL_WHEN_PARENT_ENDS, ctypes.c_ulong(signal.SIGKILL), 0, 0, 0)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    module, _, name = maker.partition(":")
    # Libraries are loaded before the memory is limited and the network gone.
    answer = getattr(import_module(module), name)(*given)
    resource.setrlimit(resource.RLIMIT_AS, (int(memory_bytes), int(memory_bytes)))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
    try:
        give_up_network()
    except QueryError:
        os._exit(UNGUARDED_CODE)
    asked, replies = sys.stdin.buffer, sys.stdout.buffer
    while len(head := asked.read(LENGTH_BYTES)) == LENGTH_BYTES:
        signal.setitimer(signal.ITIMER_REAL, float(seconds))
        try:
            reply: bytes = answer(asked.read(int.from_bytes(head, "little")))
        except (MemoryError, RecursionError):
            os._exit(TOO_LARGE_CODE)
        signal.setitimer(signal.ITIMER_REAL, 0)
        replies.write(len(reply).to_bytes(LENGTH_BYTES, "little") + reply)
        replies.flush()
    os._exit(0)


if __name__ == "__main__":
    main(*sys.argv[1:])
