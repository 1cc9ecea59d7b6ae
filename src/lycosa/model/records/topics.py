"""Events and messages about the topics of pages, and the likely topics of URLs.

Topics are numbers: their positions in the names of the crawl's model
(`lycosa.extract.topics.model`). A budget has the number of the first topic that it covers.
`BudgetAsked` and `BudgetGiven` are messages between partition 0, which keeps the budgets, and the
others, and events of the others.
"""

from __future__ import annotations

from msgspec import Struct


class Classified(Struct, frozen=True, array_like=True, tag_field="t", tag=42):
    """Topics of a page that was kept; its own `Fetched` precedes this."""

    page: int
    topics: list[int]
    """The surest first, at most three; [] for a page without a topic."""
    confidences: list[int]
    """Confidence of each, from 0 to 255."""
    queue: int = -1
    """Topic from whose queue it was taken; -1 if the order does not use topics."""
    is_again: bool = False
    """Whether it was classified before, and this is a newer version of it."""
    has_text: bool = True
    """If False, the page has no topic, and only counts against the budget of its queue."""


class Predicted(Struct, frozen=True, array_like=True, tag_field="t", tag=43):
    """Waiting URLs that moved to the queue of another topic, or to another position in it."""

    pages: list[int]
    queues: bytes
    """A topic for each."""
    positions: bytes
    """A position for each, 0 for the best."""
    put_up: list[int] = []
    """URLs among them that were put off, and are wanted now."""
    put_off: list[int] = []
    """URLs among them that waited, and are put off now: their topic's budget is used up."""


class Hinted(Struct, frozen=True, array_like=True, tag_field="t", tag=9):
    """A page links to URLs that were sent before: its evidence about their topics."""

    said: bytes
    """Topics of the page (`lycosa.features.topics.predictor`)."""
    keys: list[str]
    hints: bytes
    """Topics suggested by the text of each link."""


class BudgetAsked(Struct, frozen=True, array_like=True, tag_field="t", tag=44):
    """A partition reports its use of a budget, returns the rest, and may want more."""

    partition: int
    budget: int
    taken: int
    """Pages that it has kept in total."""
    returned: int
    """Pages that it returns: a difference, since an answer may be in flight."""
    is_wanting: bool
    """Whether it has URLs of which it may ask for none."""


class BudgetGiven(Struct, frozen=True, array_like=True, tag_field="t", tag=45):
    """A partition may keep more pages of a budget, or no partition may."""

    budget: int
    topics: bytes
    """Topics that the budget covers."""
    pages: int
    """Number of further pages."""
    is_used_up: bool = False
    """Whether the budget is used up: its URLs are put off. With neither, they are put up again."""


class BudgetShared(Struct, frozen=True, array_like=True, tag_field="t", tag=46):
    """Decision of partition 0 about a budget."""

    budget: int
    partition: int
    """Partition concerned; below 0 all of them."""
    allowed: int
    """Number of pages that the partition may keep in total."""
    taken: int
    """Number that it had kept at its last report."""
    is_waiting: bool
    """Whether it wants more than it was given."""
    is_used_up: bool = False
    """For all partitions, whether the budget is used up."""
