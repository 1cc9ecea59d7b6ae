"""Which segments of a crawl the store does not have, and which machines they lie on."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from lycosa.frontier.fold.state import PartitionState
from lycosa.objects.manifests import MANIFESTS
from lycosa.objects.protocol import Objects
from lycosa.store.layout import MOST_IN_DIRECTORY


def missing_segments(
    states: Iterable[PartitionState], objects: Objects, machines: Mapping[int, str]
) -> dict[str, int]:
    """Return how many segments that the log names have no manifest, by the name of the machine.

    `machines` has the machine of each directory. While members crawl, these are also the segments
    that they write to. One that was given up has a manifest that says so.
    """
    named = {segment for state in states for segment in state.segment_ends}
    named -= {
        int(stem)
        for found in objects.list(MANIFESTS.rstrip("/"))
        if (stem := found.key.removeprefix(MANIFESTS).removesuffix(".json")).isdigit()
    }
    counts: dict[str, int] = {}
    for segment in sorted(named):
        directory = segment // MOST_IN_DIRECTORY
        name = machines.get(directory, "") or f"directory {directory}"
        counts[name] = counts.get(name, 0) + 1
    return counts
