"""The event by which a partition records that an operator's order was applied to it."""

from __future__ import annotations

from msgspec import Struct


class OrderApplied(Struct, frozen=True, array_like=True, tag_field="t", tag=47):
    """An order of the operator was applied; the events of its effects are in the same batch.

    Orders are applied in the order of their numbers, so all earlier orders were applied too.
    """

    moment: float
    number: int
    is_paused: bool = False
    """Whether the crawl is paused after it; paused time does not count as running time."""
