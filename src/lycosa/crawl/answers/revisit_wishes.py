"""When a page asks to be visited again (`revisit-after`); only crawls that revisit pages ask.

A page that was not modified sends no body: what is kept of it is read again, some tenths of a
millisecond in a crawl that has nothing else to do for that page.
"""

from __future__ import annotations

from lycosa.crawl.answers.page_answer import PageAnswer
from lycosa.crawl.ports import Archive, Store
from lycosa.errors import LycosaError
from lycosa.model.records import Outcome


class RevisitWishes:
    """Reads the wishes of pages; one per worker, where the job revisits."""

    def __init__(self, store: Store) -> None:
        self._archive = store if isinstance(store, Archive) else None

    def seconds(self, answered: PageAnswer) -> float:
        """Return after how long a page asks to be visited again; 0.0 if it does not say."""
        from lycosa.extract.revisit_after import revisit_after_seconds  # most crawls never ask

        if answered.outcome is Outcome.KEPT:
            return revisit_after_seconds(answered.answer.body)
        place = answered.state.place_of(answered.page)
        if answered.outcome is not Outcome.NOT_MODIFIED or place is None or self._archive is None:
            return 0.0
        try:
            return revisit_after_seconds(self._archive.read(place).body)
        except LycosaError:  # another machine has it, or it is damaged
            return 0.0
