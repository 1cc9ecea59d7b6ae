"""How far a log is, as the disk has it: the last sequence of each partition, and its owner.

A sealed segment carries the positions of the log at its sealing (`store.segments.digests`). The log
is brought to the disk first, so no power cut leaves a log that ends before them.
"""

from __future__ import annotations

from lycosa.log.protocol import Log
from lycosa.store.segments.digests import Positions


def durable_positions(log: Log) -> Positions:
    """Bring the log to the disk, and return how far it is; partitions without a batch are left out.

    Everything that was committed before the call is in it. Reads of a log in a server may be old:
    the positions are then too low, never too high.
    """
    heads = log.heads()
    log.sync()
    return {number: (head.log, head.owner) for number, head in enumerate(heads) if head.log}
