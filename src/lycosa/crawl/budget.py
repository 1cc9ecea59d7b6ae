"""Keep a crawl within its limits on pages, bytes, time and disk.

A fetch starts only with a reservation. A limit of n pages means that exactly n pages are kept,
not n and a few that were on their way: pages kept and pages reserved together never exceed the
limit, and a fetch that keeps nothing gives its reservation back. The size of a page is not known
beforehand, so a fetch reserves as many bytes as a page may have. When fewer are left, one fetch at
a time gets the rest, and a page that does not fit ends the crawl without being kept.

Always true:
  * kept + reserved ≤ limit, in pages and in bytes;
  * a reservation is ended exactly once, by `keep` or by `give_back`;
  * time that the crawl is halted counts in no limit.

The operator may change limits while the crawl runs (`adopt`). A limit that is lowered below what is
kept and under way ends the crawl with both: what is under way is not thrown away.

A kill loses reservations without harm: on resume only pages that the log counts as kept count.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum

from lycosa._support.regex import Expression
from lycosa.model.job import Job
from lycosa.model.job.requests import Limits
from lycosa.model.job.sections import until_pattern
from lycosa.model.url import canonicalize


class Limit(StrEnum):
    """Reasons to end a crawl while URLs are pending."""

    PAGES = "pages"
    BYTES = "bytes"
    SECONDS = "seconds"
    FREE_DISK = "free disk"
    FOUND = "found"
    LOGIN = "not logged in"
    STOPPED = "stopped"


Target = str | Expression


def targets_of(job: Job) -> list[Target]:
    """Return the pages that end the crawl when they are found (`[limits] until`)."""
    return [until_pattern(entry) or canonicalize(entry) or entry for entry in job.limits.until]


def is_wanted(url: str, targets: list[Target]) -> bool:
    """Return whether a page is one of the targets."""
    return any(t == url if isinstance(t, str) else t.search(url) for t in targets)


class TimeAndDisk:
    """The limits on time and disk, which are reached even while no page is fetched."""

    def __init__(self, job: Job, free_disk: Callable[[], int]) -> None:
        self._limits = job.limits
        self._largest = job.fetch.largest_body_bytes
        self._free_disk = free_disk
        self._targets = targets_of(job)
        self._deadline = float("inf")
        self._began: float | None = None
        self._halted_at: float | None = None
        self.reached: Limit | None = None

    def begin_at(self, began: float) -> None:
        """Count the time from a moment: from when the crawl would have begun without a break."""
        self._began = began
        self._deadline = began + self._limits.seconds if self._limits.seconds else float("inf")

    @property
    def is_halted(self) -> bool:
        """Whether the time stands still."""
        return self._halted_at is not None

    def halt(self, now: float) -> None:
        """Let the time stand still."""
        self._halted_at = now if self._halted_at is None else self._halted_at

    def go_on(self, now: float) -> None:
        """Let the time run again."""
        if self._halted_at is not None:
            passed, self._halted_at = now - self._halted_at, None
            self._deadline += passed
            if self._began is not None:
                self._began += passed

    def adopt(self, limits: Limits) -> None:
        """Go by other limits from now on; one that was reached by the old ones may not be now."""
        self._limits = limits
        if self.reached in (Limit.PAGES, Limit.BYTES, Limit.SECONDS):
            self.reached = None
        if self._began is not None:
            self.begin_at(self._began)

    def look(self, now: float) -> None:
        """Check whether the time is up or the disk nearly full."""
        self._look_at_time(now)
        if self._free_disk() < self._limits.free_disk_bytes:
            self.reach(Limit.FREE_DISK)

    def next_moment(self) -> float:
        """Return the moment at which the time is up."""
        is_standing = self.reached or self._halted_at is not None
        return float("inf") if is_standing else self._deadline

    def _look_at_time(self, now: float) -> None:
        if now >= self._deadline and self._halted_at is None:
            self.reach(Limit.SECONDS)

    def reach(self, limit: Limit) -> None:
        """End the crawl for a reason; the first one counts."""
        self.reached = self.reached or limit


class Budget(TimeAndDisk):
    """Counts pages and bytes for all workers of one process."""

    def __init__(self, job: Job, free_disk: Callable[[], int] = lambda: 1 << 62) -> None:
        super().__init__(job, free_disk)
        self._reserved_bytes = 0
        self.reserved_pages = 0
        self.kept_pages = 0
        self.kept_bytes = 0
        self._allowed_pages, self._allowed_bytes = job.limits.pages, job.limits.bytes
        """Most that may be kept and reserved; here the whole limit."""
        self._is_rest = True
        """Whether one fetch may have the last bytes, which are fewer than a page may need."""

    def resume(self, kept_pages: int, kept_bytes: int, seconds_run: float, now: float) -> None:
        """Start from the totals in the log."""
        self.kept_pages = kept_pages
        self.kept_bytes = kept_bytes
        self.begin_at(now - seconds_run)
        self._look_at_pages_and_bytes()

    def adopt(self, limits: Limits) -> None:
        """Go by other limits, and see whether one is reached."""
        super().adopt(limits)
        self._allowed_pages, self._allowed_bytes = limits.pages, limits.bytes
        self._look_at_pages_and_bytes()

    def reserve(self, now: float) -> int | None:
        """Return how many bytes a fetch may bring; None when no fetch may start now."""
        if now >= self._deadline:
            self._look_at_time(now)
        if self.reached:
            return None
        limits = self._limits
        if limits.pages and self.kept_pages + self.reserved_pages >= self._allowed_pages:
            self._run_short()
            return None
        size = self._largest
        if limits.bytes:
            left = self._allowed_bytes - self.kept_bytes - self._reserved_bytes
            if left < size:
                if self.reserved_pages or not self._is_rest or left <= 0:
                    self._run_short()
                    return None
                size = left
        self._reserved_bytes += size
        self.reserved_pages += 1
        return size

    def keep(self, reserved_bytes: int, size_bytes: int, url: str) -> bool:
        """End a reservation with a page; False if it does not fit and must not be kept."""
        self.reserved_pages -= 1
        self._reserved_bytes -= reserved_bytes
        limits = self._limits
        if limits.bytes and size_bytes > reserved_bytes:
            self.reach(Limit.BYTES)
            return False
        self.kept_pages += 1
        self.kept_bytes += size_bytes
        # Most pages are far from a limit, and need no look.
        if self.kept_pages >= limits.pages > 0 or self.kept_bytes >= limits.bytes > 0:
            self._look_at_pages_and_bytes()
        if self._targets and is_wanted(url, self._targets):
            self.reach(Limit.FOUND)
        return True

    def give_back(self, reserved_bytes: int) -> None:
        """End a reservation that kept nothing."""
        self.reserved_pages -= 1
        self._reserved_bytes -= reserved_bytes

    def uncount(self, pages: int, size_bytes: int) -> None:
        """Take back pages that were kept in a partition which has passed to another owner."""
        self.kept_pages -= pages
        self.kept_bytes -= size_bytes
        limits = self._limits
        if (self.reached is Limit.PAGES and self.kept_pages < limits.pages) or (
            self.reached is Limit.BYTES and self.kept_bytes < limits.bytes
        ):
            self.reached = None

    def _run_short(self) -> None:
        """Learn that a reservation was refused, because all that is allowed is kept or reserved."""

    def _look_at_pages_and_bytes(self) -> None:
        if self._limits.pages and self.kept_pages >= self._limits.pages:
            self.reach(Limit.PAGES)
        if self._limits.bytes and self.kept_bytes >= self._limits.bytes:
            self.reach(Limit.BYTES)
