"""What a figure is given, and what it hands back."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from typing import TypeVar

Case = TypeVar("Case")
Found = TypeVar("Found")


@dataclass(frozen=True)
class Made:
    """Tables as Markdown and pictures as SVG, by their names."""

    tables: Mapping[str, str]
    pictures: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Run:
    """How a figure is made."""

    say: Callable[[str], None]
    """Tells how far the figure has come."""
    is_small: bool = False
    """Whether it is made to see that it works, in seconds, and not for its numbers."""

    def each(
        self,
        measure: Callable[[Case], Found],
        cases: Sequence[Case],
        processes: int = 1,
    ) -> dict[Case, Found]:
        """Measure case by case, and tell of each. Crawls in virtual time may share the cores."""
        if processes == 1 or self.is_small:
            return self._told(cases, map(measure, cases))
        with ProcessPoolExecutor(processes) as pool:
            return self._told(cases, pool.map(measure, cases))

    def _told(self, cases: Sequence[Case], results: Iterable[Found]) -> dict[Case, Found]:
        found = {}
        for number, (case, result) in enumerate(zip(cases, results, strict=True), 1):
            found[case] = result
            self.say(f"{number} of {len(cases)}: {case}")
        return found
