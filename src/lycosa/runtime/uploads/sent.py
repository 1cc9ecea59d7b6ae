"""Remembers the segments in the store, so that a start need not ask for all of them.

    # lycosa sent 1 s3://bucket/crawls/0b3f…
    1;
    2;

The file (`log/sent`) is a cache: the manifests in the store decide. It is rewritten when the crawl
gets another place. A line that a kill has cut short is ignored, and so is a foreign file.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

from lycosa._support import beneath
from lycosa.frontier.fold.state import PartitionState
from lycosa.storage.archive.layout import MOST_IN_DIRECTORY
from lycosa.storage.objects.manifests import MANIFESTS
from lycosa.storage.objects.protocol import Objects

_HEAD = "# lycosa sent 1 "


class Sent:
    """The segments of one crawl directory that are stored at one place."""

    def __init__(self, path: Path, place: str) -> None:
        self._path = path
        self._place = place
        lines = _lines(path)
        self.is_new = lines[:1] != [_HEAD + place]
        """Whether this directory has never sent anything to this place."""
        self._segments = set() if self.is_new else _numbers(lines)

    def __contains__(self, segment: int) -> bool:
        return segment in self._segments

    def __len__(self) -> int:
        return len(self._segments)

    def begin(self) -> None:
        """Write the head of the file, if it has none for this place."""
        if self.is_new:
            self._path.parent.mkdir(exist_ok=True)
            temporary = self._path.with_suffix(".writing")
            beneath.write_text(temporary, f"{_HEAD}{self._place}\n")
            temporary.rename(self._path)
            self.is_new = False

    def add(self, segment: int) -> None:
        """Note that a manifest exists."""
        self.begin()
        self._segments.add(segment)
        with beneath.open_file(self._path, "a", encoding="utf-8") as file:
            file.write(f"\n{segment};\n")


def _lines(path: Path) -> list[str]:
    try:
        return beneath.read_text(path, errors="replace").splitlines()
    except FileNotFoundError:
        return []


def _numbers(lines: list[str]) -> set[int]:
    return {int(line[:-1]) for line in lines[1:] if line[:-1].isdecimal() and line[-1] == ";"}


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
