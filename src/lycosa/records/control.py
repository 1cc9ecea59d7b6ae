"""The event by which a partition records that an operator's order was applied to it."""

from __future__ import annotations

from msgspec import Struct


class OrderApplied(Struct, frozen=True, array_like=True, tag_field="t", tag=47):
    """An order of the operator was applied; what it changes here stands in the same batch.

    Orders are applied in the order of their numbers, so this says the same of all before it.
    """

    moment: float
    number: int
    is_paused: bool = False
    """Whether the crawl is paused after it: such time is not counted as time that it ran."""
