"""The report of a verification: the findings, and what a repair needs to know about them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from lycosa.config import Job
from lycosa.crawl.verify.findings import Finding
from lycosa.crawl.verify.partition_logs import History
from lycosa.crawl.verify.segments import Segment
from lycosa.log.places import Named
from lycosa.store.layout import Name

KNOWN_GAP = "history-lost "
"""The log's note for a part of a history that no repair can bring back."""


class Report:
    """What a verification found in one crawl directory."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.findings: list[Finding] = []
        self.job: Job | None = None
        self.is_running = False
        self.partition_of: Callable[[str], int] | None = None
        """The partition of a key, where the job's partitioner is at hand."""
        self.histories: dict[int, History] = {}
        self.is_log_damaged = False
        """Whether the log must be rebuilt."""
        self.segments: list[Segment] = []
        self.lost_open: list[Named] = []
        """Lost records of open segments."""
        self.gone_segments: list[int] = []
        """Segments that the log names, and that have no file any more."""
        self.index_damage: list[Path] = []
        """Files and folders of `index/` that a repair moves aside."""
        self.flipped: dict[Name, set[str]] = {}
        """Parts of open segments whose bytes have changed since they were committed."""
        self.records = 0
        """How many records the log refers to."""

    @property
    def is_clean(self) -> bool:
        """Whether nothing is damaged."""
        return not any(finding.is_damage for finding in self.findings)

    def find(self, file: str, what: str, remedy: str, *, is_damage: bool = True) -> None:
        """Add a finding."""
        self.findings.append(Finding(file, what, remedy, is_damage))
