"""Positions of a log on disk: the last sequence of each partition, and its owner.

A sealed segment carries the positions of the log at its sealing (`storage.segments.digests`). The
log is written to disk first, so no power cut leaves a log that ends before them.
"""

from __future__ import annotations

from lycosa.storage.log.protocol import Log
from lycosa.storage.segments.digests import Positions


def durable_positions(log: Log) -> Positions:
    """Write the log to disk and return its positions; partitions without a batch are left out.

    Everything committed before the call is included. Reads of a log on a server may be old: then
    the positions are too low, never too high.
    """
    heads = log.heads()
    log.sync()
    return {number: (head.log, head.owner) for number, head in enumerate(heads) if head.log}
