"""Pages that change at known rates.

The changes of a page are a Poisson process that can be evaluated at any moment: time is cut
into slots of one mean interval, the number of changes in a slot is drawn by hash from the
Poisson distribution of mean 1, and their moments are drawn evenly over the slot. A version
is named by its slot and its index in it, so versions only grow, and two are equal exactly
when nothing changed between.
"""

from __future__ import annotations

from dataclasses import dataclass

from lycosa_testweb.generated.numbered import Numbered
from lycosa_testweb.generated.page import Page
from lycosa_testweb.generated.section import Ground
from lycosa_testweb.mixing import fraction

_POISSON_1 = (0.367879, 0.735759, 0.919699, 0.981012, 0.996340, 0.999406, 1.0)
_MOST = len(_POISSON_1)


def _changes(key: int, slot: int) -> int:
    chance = fraction(key, slot)
    return next(count for count, share in enumerate(_POISSON_1) if chance < share)


def version_at(key: int, mean_seconds: float, moment: float) -> int:
    """Return the version of a page that changes every `mean_seconds` on average."""
    slot, inside = divmod(moment, mean_seconds)
    number = int(slot)
    done = sum(
        fraction(key, number, change, 1) * mean_seconds <= inside
        for change in range(_changes(key, number))
    )
    while not done:
        number -= 1
        done = _changes(key, number)
    return number * _MOST + done


def changed_at(key: int, mean_seconds: float, moment: float) -> float:
    """Return when a page that changes every `mean_seconds` on average changed last."""
    number = int(moment // mean_seconds)
    while True:
        start = number * mean_seconds
        changes = (
            start + fraction(key, number, change, 1) * mean_seconds
            for change in range(_changes(key, number))
        )
        past = [change for change in changes if change <= moment]
        if past:
            return max(past)
        number -= 1


@dataclass(frozen=True, slots=True)
class News(Numbered):
    """Pages whose mean time between changes doubles from one to the next."""

    count: int = 4
    fastest_seconds: float = 3600.0
    folder: str = "news"

    def mean_seconds(self, number: int) -> float:
        """Return a page's mean time between changes."""
        return self.fastest_seconds * 2.0**number

    def version(self, ground: Ground, number: int, moment: float) -> int:
        """Return a page's version."""
        return version_at(ground.seed ^ number, self.mean_seconds(number), moment)

    def page(self, ground: Ground, rest: str, query: str, moment: float) -> Page | None:
        """Return the page in its present version."""
        number = self.number_at(rest)
        if query or number < 0:
            return None
        version = self.version(ground, number, moment)
        text = f"{ground.prose(version * 64 + number)} Version {version}."
        return Page(f"News {number}", text, language=ground.language)
