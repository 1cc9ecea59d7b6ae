"""Which orders of the operator were applied to a partition, and how long it was paused.

Time that is paused is not time that the crawl has run: `run_began` moves on by it when the crawl
goes on, and `paused_from` is where the count stands meanwhile.
"""

from __future__ import annotations

from lycosa.frontier.fold.holdings import Holdings
from lycosa.model.records import OrderApplied


def apply_order(holdings: Holdings, event: OrderApplied) -> None:
    """Note that an order was applied."""
    holdings.orders = event.number
    if holdings.paused_from:
        holdings.run_began += max(0.0, event.moment - holdings.paused_from)
    holdings.last_moment = max(holdings.last_moment, event.moment)
    holdings.paused_from = event.moment if event.is_paused else 0.0
