"""The first thing that a worker's process runs: what has to happen before anything is loaded.

    python -m lycosa.crawl.processes.boot DIRECTORY SOCKET PARENT POST

Signals are the supervisor's to hear (`member`), also while this process is still loading.
"""

import signal
import sys

from lycosa.memory import enlarge_arenas, expect_much


def join(arguments: list[str]) -> int:
    """Be a worker until its supervisor says that all is done; returns the exit code."""
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)
    enlarge_arenas()
    expect_much()
    from lycosa.crawl.processes.worker_process import main

    return main(arguments)


if __name__ == "__main__":
    sys.exit(join(sys.argv[1:]))
