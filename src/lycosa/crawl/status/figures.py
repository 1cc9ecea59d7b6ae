"""The figures of a crawl: reading them from partitions, and adding up those of workers.

A figure that partitions know is one entry of `FIGURES`, whether the spine or a feature makes it. A
running crawl, its status and its last frame take it from `figures_of`. A figure that only a process
knows, such as its commit times, has just a rule, in `TOGETHER` or `OF_THIS_RUN`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import zip_longest
from typing import Any

from lycosa._support.tuples import NamedTuple
from lycosa.crawl.status.unreachable import MOST_NAMED
from lycosa.crawl.status.waiting import MOST_NAMED as MOST_WAITS
from lycosa.frontier.facts.columns import PUT_OFF
from lycosa.frontier.facts.guesses import rule_name
from lycosa.frontier.facts.rendering import SHELL
from lycosa.frontier.fold.state import PartitionState
from lycosa.model.records import TRAPS, Outcome
from lycosa.model.url import host_of

BLOCKED = int(Outcome.BLOCKED)

States = Sequence[PartitionState]
Rule = Callable[[Sequence[Any]], Any]


class Figure(NamedTuple):
    """A figure that partitions know."""

    of: Callable[[States], Any]
    together: Rule
    """Rule that combines the figures of several workers."""


# -- rules ----------------------------------------------------------------------------------


def most(values: Sequence[Any]) -> Any:
    """Return the largest figure; 0 if there are none."""
    return max(values, default=0)


def least(values: Sequence[float | None]) -> float | None:
    """Return the smallest figure; None if there are none."""
    return min((value for value in values if value is not None), default=None)


def counted(values: Sequence[Mapping[str, int]]) -> dict[str, int]:
    """Add numbers of the same name, the largest first."""
    total: Counter[str] = Counter()
    for value in values:
        total.update(value)
    return dict(total.most_common())


def added(values: Sequence[Mapping[str, int]]) -> dict[str, int]:
    """Add numbers of the same name, in the order in which the names are met."""
    total: Counter[str] = Counter()
    for value in values:
        total.update(value)
    return dict(total)


def pairs(values: Sequence[Mapping[str, list[int]]]) -> dict[str, list[int]]:
    """Add pairs of numbers of the same name."""
    total: dict[str, list[int]] = {}
    for value in values:
        for name, numbers in value.items():
            known = total.get(name, [0, 0])
            total[name] = [a + b for a, b in zip(known, numbers, strict=True)]
    return total


def columns(values: Sequence[Sequence[int]]) -> list[int]:
    """Add numbers at the same position."""
    return [sum(column) for column in zip_longest(*values, fillvalue=0)]


def names(values: Sequence[Iterable[str]]) -> list[str]:
    """Return all names, each once."""
    return sorted({name for value in values for name in value})


def first_by(place: int, sign: int, most_named: int) -> Rule:
    """Return the rule that keeps the first of all entries, ordered by one of their values."""

    def together(values: Sequence[Sequence[Any]]) -> list[Any]:
        entries = [entry for value in values for entry in value]
        return sorted(entries, key=lambda entry: sign * entry[place])[:most_named]

    return together


# -- what partitions know ---------------------------------------------------------------------


def outcomes_of(states: Iterable[PartitionState]) -> dict[str, int]:
    """Return how many URLs ended in each outcome, including those of closed hosts."""
    counts: Counter[int] = Counter()
    for state in states:
        counts.update(state.outcomes)
        counts.update(state.ended_by_closing())
    return {Outcome(outcome).name.lower(): count for outcome, count in counts.most_common()}


def _blocked(states: Iterable[PartitionState]) -> list[str]:
    """Return the hosts that the operator blocked, in the order of their names."""
    return sorted(
        {
            host_of(f"{state.host_names[host]}:/")
            for state in states
            if BLOCKED in state.hosts.closed
            for host, closed in enumerate(state.hosts.closed)
            if closed == BLOCKED
        }
    )


def put_off_of(states: Iterable[PartitionState]) -> int:
    """Return how many URLs wait for a later cycle, or do not promise a wanted topic."""
    some = (state for state in states if state.history.cycle or state.topics.topic)
    return sum(state.pages.status.tobytes().count(PUT_OFF) for state in some)


def refusals_of(states: Iterable[PartitionState]) -> dict[str, int]:
    """Return how many URLs were refused or put aside, by reason."""
    counts: Counter[str] = Counter()
    for state in states:
        counts.update(state.refusals)
        closed = state.ended_by_closing()
        for outcome, reason in TRAPS.items():
            if put_aside := state.traps.put_aside[outcome] + closed[outcome]:
                counts[reason] += put_aside
    return dict(counts.most_common())


def _left_out(states: States) -> dict[str, int]:
    """Return what each limit has left out; a crawl that has left out nothing loads no module."""
    if not any(
        state.limits.too_deep or state.limits.truncated or any(state.sites.closed)
        for state in states
    ):
        return {}
    from lycosa.crawl.status.left_out import left_out_of

    return left_out_of(states)


def _reading_again(states: Iterable[PartitionState]) -> list[int]:
    """Return how many pages were looked at again for a raised limit, and of how many."""
    some = [state.limits for state in states if state.limits.end_page]
    return [sum(one.next_page for one in some), sum(one.end_page for one in some)] if some else []


def mined_of(states: Iterable[PartitionState]) -> dict[str, list[int]]:
    """Return by rule how many URLs were guessed, and how many of those were pages."""
    gathered: list[dict[str, list[int]]] = []
    for state in states:
        found = {rule_name(rule): [y.guessed, y.pages] for rule, y in state.guesses.by_rule()}
        gathered.append(found)
    return pairs(gathered)


def _structured(states: Iterable[PartitionState]) -> dict[str, int]:
    """Return the number of triples, of pages with triples, and of items left out."""
    counts: Counter[str] = Counter()
    for state in states:
        counts.update(state.structured)
    return dict(counts.most_common())


def _rendered(states: Iterable[PartitionState]) -> dict[str, int]:
    """Return how many pages were rendered, by ending, and how many wait or seem empty without
    it."""
    counts: Counter[str] = Counter()
    for state in states:
        known = state.rendering
        counts.update(known.endings)
        if known.waiting:
            counts["waiting"] += len(known.waiting)
        counts[SHELL] += len(known.shells) - known.endings[SHELL]
    return {name: count for name, count in counts.items() if count}


def _parts_refused(states: Iterable[PartitionState]) -> dict[str, int]:
    """Return how many parts the rendered pages did not get, by reason."""
    counts: Counter[str] = Counter()
    for state in states:
        counts.update(state.rendering.lacking)
    return dict(counts.most_common())


FIGURES: Mapping[str, Figure] = {
    "pages": Figure(lambda states: sum(state.kept_pages for state in states), sum),
    "bytes": Figure(lambda states: sum(state.kept_bytes for state in states), sum),
    "urls": Figure(lambda states: sum(len(state.table) for state in states), sum),
    "pending": Figure(lambda states: sum(state.pending for state in states), sum),
    "outcomes": Figure(outcomes_of, counted),
    "refusals": Figure(refusals_of, counted),
    "blocked": Figure(_blocked, names),
    "left_out": Figure(_left_out, counted),
    "reading_again": Figure(_reading_again, columns),
    "links_owed": Figure(lambda states: sum(len(state.links_owed) for state in states), sum),
    "links_given_up": Figure(lambda states: sum(state.links_given_up for state in states), sum),
    "ran_seconds": Figure(
        lambda states: round(most([state.seconds_run() for state in states]), 1),
        most,
    ),
    # Of features.
    "mined": Figure(mined_of, pairs),
    "structured": Figure(_structured, counted),
    "rendered": Figure(_rendered, added),
    "parts_refused": Figure(_parts_refused, counted),
    "put_off": Figure(put_off_of, sum),
    "cycle": Figure(lambda states: most([state.history.cycle for state in states]), most),
}

TOGETHER: Mapping[str, Rule] = {name: figure.together for name, figure in FIGURES.items()} | {
    "in_flight": sum,
    "hosts": added,
    "seconds_left": most,
    "waits": first_by(2, 1, MOST_WAITS),
    "waits_count": sum,
    "patience_left": least,
    "given_up": first_by(1, -1, MOST_NAMED),
    "given_up_origins": sum,
    "topics": pairs,
    "budgets": added,
    "is_paused": any,
    "last_commit": most,
    "waited_seconds": most,
}

OF_THIS_RUN: Mapping[str, Rule] = {
    "requests": sum,
    "commits": sum,
    "commit_queue_seconds": sum,
    "commit_lock_seconds": sum,
    "commit_write_seconds": sum,
    "durations": columns,
    "durations_seconds": sum,
}
"""Figures that include workers that have died."""


def figures_of(states: States, wanted: Iterable[str] = FIGURES) -> dict[str, Any]:
    """Return the figures that partitions know, or the wanted ones, by name."""
    return {name: FIGURES[name].of(states) for name in wanted}
