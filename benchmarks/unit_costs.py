"""What one page, one URL, one host, one member costs, and the command that measured it.

All of it on two cores of a Neoverse-N1 (aarch64) with Python 3.11, most of it beside other work.
`python -m benchmarks.capacity --units` prints the table.
"""

from __future__ import annotations

from typing import NamedTuple


class Cost(NamedTuple):
    """One measured figure."""

    name: str
    value: float
    unit: str
    measured_by: str


_RESUME = "python benchmarks/resume.py --urls 400000 --fetches 40000 --hosts 20000"
_EIGHT = "python -m benchmarks.scale_simulation --machines 8 --hosts 12500 --partitions 128"
_RATES = "python -m benchmarks.commit_rates"
_BOARD = "python -m benchmarks.board_rates"
_SHARED = "python -m benchmarks.shared_logs --runs 3"
_TREE_A = "python -m benchmarks.store_sizes"

PROCESS_BYTES = Cost("memory of a worker process", 100e6, "bytes", "python -m benchmarks.seeds")
HOST_BYTES = Cost("memory of a host", 735, "bytes", _RESUME)
URL_BYTES = Cost("memory of a known URL", 94, "bytes", _RESUME)
PAGE_BYTES = Cost("memory of a fetched page, more", 39, "bytes", _RESUME)
SEALED_URL_BYTES = Cost(
    "memory of a URL moved to disk", 2.1, "bytes", "python -m benchmarks.bench_urltable"
)
SEALED_DISK_BYTES = Cost(
    "disk of a URL moved to disk", 11.2, "bytes", "python -m benchmarks.bench_urltable"
)

PAGE_CPU = Cost(
    "CPU of a page of 30 kB, plain HTTP, its log in a file",
    1.028e-3,
    "s",
    "python -m benchmarks.workers --hosts 8 --runs 3",
)
LOG_CPU_FACTOR = Cost("CPU of a page, log in JetStream, against a file", 1.07, "×", _SHARED)
LOG_SERVER_CPU = Cost("CPU of a page in the log's servers (JetStream, three)", 73e-6, "s", _SHARED)
SNAPSHOT_CPU = Cost(
    "CPU of a snapshot, a URL",
    0.5e-6,
    "s",
    "python -m benchmarks.frontier_scale --urls 10000000",
)
SNAPSHOT_BYTES = Cost(
    "bytes of a snapshot, a URL",
    13.5,
    "bytes",
    "python -m benchmarks.frontier_scale --urls 10000000",
)
FOLD_SECONDS = Cost("CPU to take over, a URL (snapshot, a tenth of the log)", 2.3e-6, "s", _RESUME)

EVENTS_PAGE = Cost("log, events of a page", 115, "bytes", _EIGHT)
EVENTS_HOST = Cost("log, events of a host's robots file", 152, "bytes", _EIGHT)
POST_BYTES = Cost("log, one link to another partition", 55, "bytes", _EIGHT)
ON_DISK_POSTGRES = Cost(
    "disk for a byte of log, PostgreSQL", 2.46, "×", "python -m benchmarks.logs"
)
ON_DISK_JETSTREAM = Cost(
    "disk for a byte of log, JetStream, each of three", 1.07, "×", "python -m benchmarks.logs"
)
ARCHIVED = Cost("what is left of a byte of log in the archive", 0.14, "×", _RESUME)
MESSAGES_POSTGRES = Cost("batches and posts a second, PostgreSQL", 5_544, "1/s", _RATES)
MESSAGES_JETSTREAM = Cost(
    "batches and posts a second, JetStream (three servers)", 9_054, "1/s", _RATES
)

RENEWALS = Cost("board, writes of a member", 0.2, "1/s", _EIGHT)
BOARD_WRITES = Cost("board, writes a second that JetStream takes", 471, "1/s", _BOARD)
BOARD_READ_CPU = Cost("board, CPU of a member for each record, each second", 105e-6, "s", _BOARD)
BOARD_SERVER_CPU = Cost("board, CPU of the servers for each record read", 25e-6, "s", _BOARD)

BODY_BYTES = Cost("body of a page of tree A", 30_586, "bytes", _TREE_A)
STORE_PAGE = Cost("store, a page of 30 kB: records, tables, index", 9_937, "bytes", _TREE_A)
FILES_A_SEGMENT = Cost("store, objects of a segment with its manifest", 9, "", _TREE_A)

COSTS = [cost for cost in list(globals().values()) if isinstance(cost, Cost)]
