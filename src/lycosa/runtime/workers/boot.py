"""Entry point of a worker process: ignore signals and set memory up, then load the rest.

    python -m lycosa.runtime.workers.boot DIRECTORY SOCKET PARENT ASSIGNMENT

Only the supervisor reacts to SIGINT and SIGTERM, so this module ignores both before it imports
`worker_process`: a Ctrl-C must not kill a worker that is still loading.
"""

import signal
import sys

from lycosa._support import lean_arrow
from lycosa._support.memory import enlarge_arenas, expect_much, restore_environment


def boot(arguments: list[str]) -> int:
    """Run a worker process until its supervisor ends it; return the exit code."""
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)
    restore_environment()
    enlarge_arenas()
    expect_much()
    lean_arrow.load(with_numpy=not lean_arrow.has_no_plugins(arguments[0]))
    from lycosa.runtime.workers.worker_process import main

    return main(arguments)


if __name__ == "__main__":
    sys.exit(boot(sys.argv[1:]))
