"""The operator of a simulated cluster: gives orders at chosen moments, as `control.desk` does.

The operator's own machine is not simulated: its writes always arrive.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from lycosa.crawl.budget import Limit
from lycosa.crawl.scope import JobScope
from lycosa.runtime.members.notes import end_name
from lycosa.runtime.orders import orders
from lycosa.runtime.orders.desk import order_name
from lycosa.runtime.orders.orders import Order
from lycosa.runtime.seeds import Planter, topics_of
from lycosa.simulation.cluster.world import BEGINS_AT, World

OrderPlan = Sequence[tuple[float, Order]]


class Operator:
    """Gives the orders of a plan to one cluster."""

    def __init__(
        self, world: World, plan: OrderPlan, on_given: Callable[[Order], None] = lambda order: None
    ) -> None:
        """`on_given` is called with each order when it is durable."""
        self._world = world
        self._on_given = on_given
        for number, (after, order) in enumerate(plan, 1):
            world.clock.call_at(BEGINS_AT + after, self._give, number, order)

    def _give(self, number: int, order: Order) -> None:
        world, name = self._world, order_name(number)
        note = orders.pack(orders.Numbered(0, order, str(number), world.clock.now()))
        if isinstance(order, orders.AddSeeds):
            scope = JobScope(world.job, world.server, stays_on_seeds=False)
            planter = Planter(scope, world.partitioner, world.server, topics_of(world.job))
            prepared = planter.prepare(order.seeds, world.clock.now())
            world.server.post_all(prepared.posts, {**prepared.notes, name: note})
        else:
            world.server.note(name, note)
        if isinstance(order, orders.Stop):
            world.server.note(end_name(world.run_number), Limit.STOPPED.encode())
        self._on_given(order)
