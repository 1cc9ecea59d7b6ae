"""What the store does not have is named, with the machine that has it."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

from lycosa.frontier.fold.state import PartitionState
from lycosa.runtime.uploads.sent import missing_segments
from lycosa.storage.archive.layout import MOST_IN_DIRECTORY
from lycosa.storage.objects.manifests import bury_segment, manifest_key
from lycosa.storage.objects.opening import open_objects


def state_with(*segments: int) -> PartitionState:
    state = PartitionState()
    state.segment_ends = dict.fromkeys(segments, 10)
    return state


def test_segments_without_a_manifest_are_counted_by_machine(tmp_path: Path) -> None:
    first, second, third = (number * MOST_IN_DIRECTORY for number in (1, 2, 3))
    states = [state_with(first, second, second + 1), state_with(second, third, third + 1)]
    with closing(open_objects(f"file://{tmp_path}", "crawl")) as objects:
        machines = {1: "a", 2: "b"}
        assert missing_segments(states, objects, machines) == {"a": 1, "b": 2, "directory 3": 2}
        objects.create(manifest_key(first), b"{}")
        objects.create(manifest_key(third), b"{}")
        bury_segment(objects, second, "forget b")  # given up, and said to be: not missing
        assert missing_segments(states, objects, machines) == {"b": 1, "directory 3": 1}
