"""Events and messages about topics: what pages are about, and what URLs may be about.

Topics are numbers: their places in the names of the crawl's model (`lycosa.extract.topics.model`).
A budget has the number of the first topic that it is for. `BudgetAsked` and `BudgetGiven` are
messages between partition 0, which keeps the budgets, and the others, and events of the others.
"""

from __future__ import annotations

from msgspec import Struct


class Classified(Struct, frozen=True, array_like=True, tag_field="t", tag=42):
    """What a page that was kept is about; its own `Fetched` precedes this."""

    page: int
    topics: list[int]
    """The surest first, at most three; none for a page of no topic."""
    confidences: list[int]
    """Of each, from 0 to 255."""
    queue: int = -1
    """The topic from whose queue it was taken; -1 where the order has nothing to do with topics."""
    is_again: bool = False
    """It was classified before, and this is a newer version of it."""
    has_text: bool = True
    """Otherwise it is about nothing, and counts against the budget of its queue alone."""


class Predicted(Struct, frozen=True, array_like=True, tag_field="t", tag=43):
    """URLs that wait have come to the queue of another topic, or to another position in it."""

    pages: list[int]
    queues: bytes
    """A topic for each."""
    positions: bytes
    """A position for each, 0 for the best."""
    put_up: list[int] = []
    """Those of them that were put off, and are wanted now."""
    put_off: list[int] = []
    """Those of them that wait, and are put off now: the budget of their topic is used up."""


class Hinted(Struct, frozen=True, array_like=True, tag_field="t", tag=9):
    """A page links to URLs that were sent before: what that says about their topics."""

    said: bytes
    """What the page is about (`lycosa.crawl.topics.predictor`)."""
    keys: list[str]
    hints: bytes
    """What each link sounds like."""


class BudgetAsked(Struct, frozen=True, array_like=True, tag_field="t", tag=44):
    """A partition says what it has used of a budget, gives the rest back, and may want more."""

    partition: int
    budget: int
    taken: int
    """Pages that it has kept, in all."""
    returned: int
    """Pages that it gives back: a difference, since an answer may be under way."""
    is_wanting: bool
    """It has URLs, and may ask for none of them."""


class BudgetGiven(Struct, frozen=True, array_like=True, tag_field="t", tag=45):
    """A partition may keep more pages of a budget; or nobody may."""

    budget: int
    topics: bytes
    """The topics that it is for."""
    pages: int
    """How many more."""
    is_used_up: bool = False
    """Nothing is left: URLs of these topics are put off. With neither, they are put up again."""


class BudgetShared(Struct, frozen=True, array_like=True, tag_field="t", tag=46):
    """What partition 0 has decided about a budget."""

    budget: int
    partition: int
    """The partition that it is about; below 0 all of them."""
    allowed: int
    """How many pages that partition may keep, in all."""
    taken: int
    """How many it had kept when it last told."""
    is_waiting: bool
    """It wants more than it was given."""
    is_used_up: bool = False
    """Of all: whether the budget is used up."""
