"""Lists the segments of a crawl that the store lacks, with their machines."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from lycosa.frontier.fold.state import PartitionState
from lycosa.storage.archive.layout import MOST_IN_DIRECTORY
from lycosa.storage.objects.manifests import MANIFESTS
from lycosa.storage.objects.protocol import Objects


def missing_segments(
    states: Iterable[PartitionState], objects: Objects, machines: Mapping[int, str]
) -> dict[str, int]:
    """Return how many segments that the log names lack a manifest, by machine.

    `machines` has the machine of each directory. While members crawl, their open segments are
    included. A segment that was given up has a manifest with that note.
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
