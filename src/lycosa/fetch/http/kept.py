"""Decides which connections are kept for the next request, and for how long.

A server may close a kept connection at any moment, also in the moment in which the next request is
on its way. Then not a byte of an answer comes, and the connection was *stale*: the request may
be sent once more over a new connection (RFC 9112, 9.3.1). Carriers end such an exchange as
`STALE_CONNECTION`, and the frontier sends it again after the pause of the host.

A site whose connections have been stale twice gets a new connection for every request. A server
that says how long it keeps one (`Keep-Alive: timeout=5`) is believed, with a second to spare for
the way there and back.

Memory is bounded: after `MOST_SITES` the oldest are forgotten.
"""

from __future__ import annotations

import re
from functools import lru_cache

SPARE_SECONDS = 1.0
"""A kept connection is given up this much earlier than the server says."""

MOST_SITES = 10_000
"""How many sites are remembered whose connections were stale."""

Lane = tuple[str, ...]
"""The requests that can share a connection: those of a site and address, or of a proxy."""

_TIMEOUT = r"(?i)(?:^|[\s,;])timeout\s*=\s*\"?(\d{1,9})"
"""A text: `re` compiles it for the first server that names its time, and remembers it."""


@lru_cache(maxsize=256)
def idle_seconds(told: str) -> float | None:
    """Return how long a connection may be idle by its `Keep-Alive` header, or None."""
    found = re.search(_TIMEOUT, told)
    return None if found is None else int(found[1]) - SPARE_SECONDS


class StaleSites:
    """The sites that close kept connections when the next request arrives."""

    def __init__(self) -> None:
        self._once: dict[Lane, None] = {}
        self.often: dict[Lane, None] = {}
        """Sites that have done it twice: no connection to them is kept."""

    def note(self, lane: Lane) -> None:
        """Note that a kept connection was stale."""
        known = self._once
        if lane in known:
            del known[lane]
            known = self.often
        if len(known) >= MOST_SITES:
            del known[next(iter(known))]
        known[lane] = None
