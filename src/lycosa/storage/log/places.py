"""Lists the archived records that the log refers to, each with the event that names it.

A partition's state knows the place of each page's last answer. The log knows all places, and the
outcome of each. It is read from its beginning, so this serves `verify` and repairs, not every
start.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from lycosa.model.records import (
    AnyEvent,
    ErrandDone,
    ErrandTaken,
    Fetched,
    Forgotten,
    Outcome,
    Place,
    Rendered,
    RobotsLearned,
)
from lycosa.storage.log.format import decode_events


class Named(NamedTuple):
    """A record that the log names."""

    partition: int
    place: Place
    moment: float
    """Moment at which the answer was complete."""
    page: int = -1
    """The requested page; -1 for a robots file."""
    outcome: Outcome = Outcome.KEPT
    size_bytes: int = 0
    site: int = -1
    """The site whose robots file it is."""
    errand: str = ""
    """Site on whose behalf a robots file was requested elsewhere."""
    view: str = ""
    """The fragment of the view that the record shows, if it is one of the page's."""

    @property
    def is_page(self) -> bool:
        """Whether a page was requested."""
        return self.page >= 0


class Failure(NamedTuple):
    """A fetch without an HTTP answer: it has a row and no record."""

    partition: int
    moment: float
    page: int
    outcome: Outcome


def places_of(
    partition: int,
    batches: Iterable[tuple[int, bytes]],
    on_failure: Callable[[Failure], None] = lambda failure: None,
    on_forgotten: Callable[[int], None] = lambda host: None,
) -> Iterator[Named]:
    """Yield every record that the log of one partition names, given up or not.

    `on_forgotten` is called with a host whose earlier pages were all removed.
    """
    errands: dict[int, str] = {}
    taken = 0
    for _, batch in batches:
        for event in decode_events(batch):
            if isinstance(event, ErrandTaken):
                errands[taken] = event.site
                taken += 1
            elif isinstance(event, Forgotten):
                on_forgotten(event.host)
            elif isinstance(event, Fetched) and event.place is None:
                on_failure(Failure(partition, event.moment, event.page, event.outcome))
            elif (named := _named(partition, event, errands)) is not None:
                yield named


def _named(partition: int, event: AnyEvent, errands: dict[int, str]) -> Named | None:
    if isinstance(event, Fetched) and event.place is not None:
        return Named(
            partition, event.place, event.moment, event.page, event.outcome, event.size_bytes
        )
    if isinstance(event, Rendered) and event.place is not None:
        size, view = event.size_bytes, event.view
        return Named(
            partition, event.place, event.moment, event.page, Outcome.RENDERED, size, view=view
        )
    if isinstance(event, RobotsLearned) and event.place is not None:
        return Named(partition, event.place, event.moment, site=event.site)
    if isinstance(event, ErrandDone) and event.place is not None:
        site = errands.get(event.errand, "")
        return Named(partition, event.place, event.moment, errand=site)
    return None
