"""Packs the whole state of a partition into bytes for a snapshot, and unpacks it.

Always true: `unpack` gives an empty `Holdings` exactly the content that `pack` was given. Parts
that a snapshot of an older Lycosa lacks stay empty.
"""

from __future__ import annotations

import msgspec

from lycosa._support.decoders import converted
from lycosa.errors import FormatError
from lycosa.frontier.fold.holdings import Errand, Holdings

SNAPSHOT_VERSION = 2
"""1 had all keys as one text, in the order of their numbers; it is still read."""
_SCALARS = (
    "inbox_read",
    "owner",
    "job_digest",
    "errands_taken",
    "pending",
    "kept_pages",
    "kept_bytes",
    "ran_seconds",
    "run_began",
    "last_moment",
    "waited_seconds",
    "links_given_up",
    "losses",
    "orders",
    "paused_from",
)


def pack(holdings: Holdings, sequence: int) -> bytes:
    """Return everything as bytes, to be kept as of `sequence`."""
    scalars = {name: getattr(holdings, name) for name in _SCALARS}
    return msgspec.msgpack.encode(
        {
            "version": SNAPSHOT_VERSION,
            "sequence": sequence,
            "scalars": scalars,
            "table": holdings.table.pack(),
            "sites": holdings.site_names,
            "hosts": holdings.host_names,
            "addresses": holdings.addresses.others,
            "rules": holdings.rules,
            "errands": holdings.errands,
            "parts": sorted(holdings.requisites),
            "segments": holdings.segment_ends,
            "links_owed": sorted(holdings.links_owed),
            "limits": holdings.limits.pack(),
            "lost": {segment: sorted(some) for segment, some in holdings.lost.items()},
            "outcomes": dict(holdings.outcomes),
            "refusals": dict(holdings.refusals),
            "structured": dict(holdings.structured),
            "sources": holdings.sources.pack(),
            "probes": holdings.probes.pack(),
            "guesses": holdings.guesses.pack(),
            "traps": holdings.traps.pack(),
            "history": holdings.history.pack(),
            "popularity": holdings.popularity.pack(),
            "topics": holdings.topics.pack(),
            "rendering": holdings.rendering.pack(),
            "suspects": holdings.suspects.pack(),
            "posts": holdings.posts,
            "owed": holdings.owed.pack(),
            "batons": holdings.batons.pack(),
            "columns": [
                holdings.pages.pack(),
                holdings.fetches.pack(),
                holdings.sites.pack(),
                holdings.hosts.pack(),
            ],
        }
    )


def unpack(data: bytes, holdings: Holdings) -> None:
    """Fill an empty state from the bytes that `pack` made."""
    packed = msgspec.msgpack.decode(data)
    if packed["version"] > SNAPSHOT_VERSION:
        raise FormatError(
            f"a snapshot of state format {packed['version']}; this Lycosa reads up to"
            f" {SNAPSHOT_VERSION}\n  delete log/snapshots to fold the log instead"
        )
    holdings.sequence = packed["sequence"]
    for name, value in packed["scalars"].items():
        setattr(holdings, name, value)
    if packed["version"] > 1:
        holdings.table.unpack(packed["table"])
    elif packed["keys"]:
        holdings.table.add_many(packed["keys"].split("\n"))
    holdings.restore_names(packed["sites"], packed["hosts"])
    holdings.addresses.restore(packed.get("addresses", []))
    holdings.rules = packed["rules"]
    holdings.errands = converted(packed["errands"], dict[int, Errand])
    holdings.requisites.update(packed.get("parts", ()))
    holdings.links_owed.update(packed.get("links_owed", ()))
    holdings.limits.unpack(packed.get("limits", {}))
    holdings.segment_ends = packed.get("segments", {})
    holdings.lost = {segment: set(some) for segment, some in packed.get("lost", {}).items()}
    holdings.outcomes.update(packed["outcomes"])
    holdings.refusals.update(packed["refusals"])
    holdings.structured.update(packed.get("structured", {}))
    if "sources" in packed:
        holdings.sources.unpack(packed["sources"])
    holdings.probes.unpack(packed.get("probes", {}))
    holdings.guesses.unpack(packed.get("guesses", {}))
    holdings.traps.unpack(packed.get("traps", {}))
    holdings.history.unpack(packed.get("history", {}))
    holdings.popularity.unpack(packed.get("popularity", b""))
    holdings.topics.unpack(packed.get("topics", {}))
    holdings.rendering.unpack(packed.get("rendering", {}))
    holdings.suspects.unpack(packed.get("suspects", {}))
    holdings.posts = packed.get("posts", {})
    holdings.owed.unpack(packed.get("owed", ({}, {})))
    holdings.batons.unpack(packed.get("batons", {}))
    columns = [holdings.pages, holdings.fetches, holdings.sites, holdings.hosts]
    for column, content in zip(columns, packed["columns"], strict=True):
        column.unpack(content)
