"""The report of a verification: the findings, and the facts that a repair needs."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from lycosa.model.job import Job
from lycosa.runtime.verify.findings import Finding
from lycosa.runtime.verify.partition_logs import History
from lycosa.runtime.verify.segments import Segment
from lycosa.storage.archive.layout import Name
from lycosa.storage.log.places import Named

KNOWN_GAP = "history-lost "
"""Note in the log for a part of a history that no repair can restore."""


class Report:
    """Result of the verification of one crawl directory."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.findings: list[Finding] = []
        self.job: Job | None = None
        self.is_running = False
        self.partition_of: Callable[[str], int] | None = None
        """The partition of a key, if the job's partitioner is installed."""
        self.histories: dict[int, History] = {}
        self.is_log_damaged = False
        """Whether the log must be rebuilt."""
        self.segments: list[Segment] = []
        self.lost_open: list[Named] = []
        """Lost records of open segments."""
        self.gone_segments: list[int] = []
        """Segments that the log names and whose files are all gone."""
        self.index_damage: list[Path] = []
        """Files and folders of `index/` that a repair moves aside."""
        self.flipped: dict[Name, set[str]] = {}
        """Parts of open segments whose bytes have changed since they were committed."""
        self.records = 0
        """Number of records that the log refers to."""

    @property
    def is_clean(self) -> bool:
        """Whether nothing is damaged."""
        return not any(finding.is_damage for finding in self.findings)

    def find(self, file: str, what: str, remedy: str, *, is_damage: bool = True) -> None:
        """Add a finding."""
        self.findings.append(Finding(file, what, remedy, is_damage))
