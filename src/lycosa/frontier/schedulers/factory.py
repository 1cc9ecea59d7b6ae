"""Makes the scheduler that a job names.

`SCHEDULERS` of `lycosa.config` are the names, and each has its maker here. A scheduler gets the
state of its partition, to read, the job's `[frontier]` section, and a clock.

Each maker imports its scheduler when it is called: a crawl needs only one.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

from lycosa.config import Frontier
from lycosa.frontier.fold.state import PartitionState
from lycosa.frontier.schedulers import Scheduler
from lycosa.url import url_of

if TYPE_CHECKING:
    from lycosa.frontier.schedulers.scores import PluginScore, Score
    from lycosa.frontier.schedulers.windows import Track


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
    from lycosa.frontier.schedulers.windows import TopTrack

    return _windowed(state, order, TopTrack(state.table))


def _leaf_window(state: PartitionState, order: Order) -> Scheduler:
    from lycosa.frontier.schedulers.windows import LeafTrack

    return _windowed(state, order, LeafTrack(state.table))


def _windowed(state: PartitionState, order: Order, track: Track) -> Scheduler:
    from lycosa.frontier.schedulers.tree import TreeOrder
    from lycosa.frontier.schedulers.windows import Window

    score, width = _score(state, order), order.options.window
    window = Window(state.table, track, width, score, state.pages.site)
    return TreeOrder(state.table, window, state.pages, score)


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
