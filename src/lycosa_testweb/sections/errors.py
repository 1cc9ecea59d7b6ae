"""Pages that fail, one for every status and failure, for ever or for a while."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from lycosa.model.records import Outcome
from lycosa_testweb.generated.page import Page
from lycosa_testweb.generated.section import Ground
from lycosa_testweb.mixing import digest
from lycosa_testweb.windows import Windows

STATUSES = (
    *(400, 401, 403, 404, 405, 406, 410, 418, 451),
    *(500, 501, 502, 503, 504),
    *(299, 999),
)
FAILURES = {
    "refused": (Outcome.CONNECT_FAILURE, 0.02),
    "silent": (Outcome.TIMEOUT, 20.0),
    "cut": (Outcome.CUT_SHORT, 0.1),
    "garbled": (Outcome.BAD_ANSWER, 0.05),
}
_PASSING = ("500", "502", "503", "504", *FAILURES)
_WHILE = Windows(period_seconds=600.0, window_seconds=200.0)


@dataclass(frozen=True, slots=True)
class Errors:
    """A page for every status and failure; under `passing/` they fail a third of the time."""

    folder: str = "errors"
    statuses: tuple[int, ...] = STATUSES
    passing: Windows = _WHILE

    def entries(self, ground: Ground, moment: float) -> list[str]:
        """Link to all of them."""
        base = ground.base(self.folder)
        names = [*(str(status) for status in self.statuses), *FAILURES]
        names += [f"passing/{name}" for name in _PASSING]
        return [base + name for name in names]

    def page(self, ground: Ground, rest: str, query: str, moment: float) -> Page | None:
        """Fail as the path says."""
        name = rest.removeprefix("passing/")
        is_passing = name != rest
        if query:
            return None
        if is_passing:
            if name not in _PASSING:
                return None
            if not self.passing.open_until(moment, ground.seed, digest(name)):
                return ground.plain(f"Here after all: {name}")
        if name in FAILURES:
            failure, seconds = FAILURES[name]
            return Page(failure=failure, failure_seconds=seconds, is_passing=is_passing)
        if is_passing or (name.isdecimal() and int(name) in self.statuses):
            return ground.plain(f"Status {name}")._replace(status=int(name), is_passing=is_passing)
        return None

    def pages(self, ground: Ground) -> Iterator[str]:
        """Yield those that are pages, at least for a while; 299 is an odd 2xx."""
        base = ground.base(self.folder)
        yield from (f"{base}passing/{name}" for name in _PASSING)
        yield from (f"{base}{status}" for status in self.statuses if 200 <= status < 300)
