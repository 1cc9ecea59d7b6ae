"""Makes the scheduler that a job names.

`SCHEDULERS` of `lycosa.model.job` are the names, and each has its maker here. A scheduler gets the
state of its partition, to read, the job's `[frontier]` section, and a clock.

Each maker imports its scheduler when it is called: a crawl needs only one.
"""

from __future__ import annotations

from collections.abc import Callable
from math import ceil
from typing import TYPE_CHECKING

from lycosa._support.tuples import NamedTuple
from lycosa.frontier.fold.state import PartitionState
from lycosa.frontier.schedulers import Scheduler
from lycosa.model.job import Frontier
from lycosa.model.url import url_of

if TYPE_CHECKING:
    from lycosa.frontier.schedulers.scores import PluginScore, Score
    from lycosa.frontier.schedulers.windows import Sight, Track


class Order(NamedTuple):
    """The job's settings about the order."""

    options: Frontier = Frontier()
    now: Callable[[], float] = lambda: 0.0
    score: PluginScore | None = None
    """The score function of a plugin, if `options` name one."""


def make_scheduler(state: PartitionState, order: Order) -> Scheduler:
    """Make the scheduler of a partition."""
    return _MAKERS[order.options.scheduler](state, order)


def _breadth_first(state: PartitionState, order: Order) -> Scheduler:
    from lycosa.frontier.schedulers.breadth_first import BreadthFirst

    return BreadthFirst(state.pages)


def _best_first(state: PartitionState, order: Order) -> Scheduler:
    from lycosa.frontier.schedulers.best_first import BestFirst
    from lycosa.frontier.schedulers.scores import LinksScore

    return BestFirst(_score(state, order) or LinksScore(state.popularity), state.pages)


def _top_window(state: PartitionState, order: Order) -> Scheduler:
    from lycosa.frontier.schedulers.windows import MirroredTopTrack, Sight, TopTrack

    options, hosts = order.options, state.host_names
    is_mirrored = options.children == "z-a"

    def width() -> int:
        """Return the tree's own width: a share of the hosts that it has by now."""
        return min(options.window, max(1, ceil(options.window_share * len(hosts))))

    track = (MirroredTopTrack if is_mirrored else TopTrack)(state.table)
    sight = Sight(width, _score(state, order), is_mirrored, keeps_turn=True)
    return _windowed(state, track, sight)


def _leaf_window(state: PartitionState, order: Order) -> Scheduler:
    from lycosa.frontier.schedulers.windows import LeafTrack, Sight

    is_mirrored = order.options.children == "z-a"
    sight = Sight(lambda: order.options.window, _score(state, order), is_mirrored)
    return _windowed(state, LeafTrack(state.table, is_mirrored), sight)


def _windowed(state: PartitionState, track: Track, sight: Sight) -> Scheduler:
    from lycosa.frontier.schedulers.tree import TreeOrder
    from lycosa.frontier.schedulers.windows import Window

    window = Window(state.table, track, sight, state.pages.site)
    return TreeOrder(state.table, window, state.pages, sight.score)


def _round_robin(state: PartitionState, order: Order) -> Scheduler:
    from lycosa.frontier.schedulers.tree import RoundRobin, TreeOrder

    return TreeOrder(state.table, RoundRobin(state.table), state.pages)


def _diverse(state: PartitionState, order: Order) -> Scheduler:
    from lycosa.frontier.schedulers.diverse import Diverse

    return Diverse(order.options.page_urls, order.now)


def _profit(state: PartitionState, order: Order) -> Scheduler:
    from lycosa.frontier.schedulers.profit import Profit

    return Profit(state.pages, state.history)


def _topics(state: PartitionState, order: Order) -> Scheduler:
    from lycosa.frontier.schedulers.topics import ByTopic

    return ByTopic(state.pages, state.topics)


_MAKERS: dict[str, Callable[[PartitionState, Order], Scheduler]] = {
    "breadth-first": _breadth_first,
    "best-first": _best_first,
    "top-window": _top_window,
    "leaf-window": _leaf_window,
    "round-robin": _round_robin,
    "diverse": _diverse,
    "profit": _profit,
    "topics": _topics,
}


def _score(state: PartitionState, order: Order) -> Score | None:
    """Return the score that the job names; None if it leaves that to the scheduler."""
    if order.score is None and order.options.score == "default":
        return None
    from lycosa.frontier.schedulers.scores import CustomScore, DepthScore, LinksScore, PathScore

    if order.score is not None:
        key = state.table.key
        return CustomScore(state.pages, lambda page: url_of(key(page)), order.score)
    match order.options.score:
        case "links":
            return LinksScore(state.popularity)
        case "depth":
            return DepthScore(state.pages)
        case "path":
            return PathScore(state.table)
    return None
