"""Chooses the scheduler and the partitioner that a job names: built in, or from a plugin.

The modules behind plugins are imported only when a job names one, so that other crawls start
without that delay.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from lycosa.crawl.takeover import check_partitioner
from lycosa.features.plugins.loader import load_hooks
from lycosa.frontier.fold.state import PartitionState
from lycosa.frontier.partitioners import DomainPartitioner, Partitioner, make_partitioner
from lycosa.frontier.partitioners.suffixes import unpacked
from lycosa.frontier.schedulers import Scheduler
from lycosa.frontier.schedulers.factory import Order, make_scheduler
from lycosa.model.job import Job
from lycosa.storage.log.protocol import Log

if TYPE_CHECKING:
    from lycosa.features.plugins.hooks import Hooks
    from lycosa.features.plugins.plugin import Plugin
    from lycosa.frontier.schedulers.scores import PluginScore

SUFFIXES = "suffixes"
"""The note with the crawl's list of public suffixes."""


def require_plugins(job: Job, given: Sequence[Plugin] = ()) -> None:
    """Raise `PluginError` if a plugin of the job, or a part that it names, is missing."""
    hooks = load_hooks(job, given)
    partitioner_of(job, hooks)
    scheduler_of(job, hooks)


def settled_partitioner(job: Job, log: Log, hooks: Hooks | None = None) -> Partitioner:
    """Return the partitioner of a crawl, and settle it if nobody has; refuse another.

    With `domain` the crawl keeps its list of public suffixes: the first process writes the
    installed one, and all others, on any machine and in any year, read that.
    """
    partitioner = partitioner_of(job, hooks, log.noted)
    if isinstance(partitioner, DomainPartitioner) and not partitioner.is_kept:
        before = log.noted("partitioner")
        is_first = before is None or partitioner.is_noted(before)
        if is_first and not log.note(SUFFIXES, partitioner.suffixes.packed()):
            partitioner = partitioner_of(job, hooks, log.noted)  # another machine was quicker
    check_partitioner(log, partitioner)
    return partitioner


def partitioner_of(
    job: Job, hooks: Hooks | None = None, noted: Callable[[str], bytes | None] | None = None
) -> Partitioner:
    """Return the partitioner of a job; a plugin's is loaded, unless `hooks` has it.

    `noted` returns a note of the crawl's log, with its list of public suffixes. Without it the
    installed list is taken, as for a crawl that has not begun.
    """
    named, partitions = job.frontier.partitioner, job.frontier.partitions
    if ":" not in named:
        kept = noted(SUFFIXES) if noted is not None and named == "domain" else None
        suffixes = None if kept is None else unpacked(kept)
        return make_partitioner(named, partitions, job.frontier.phases, suffixes)
    from lycosa.features.plugins.guarded import held_partitioner

    return held_partitioner(hooks or load_hooks(job) or _no_hooks(), named, partitions)


def scheduler_of(
    job: Job, hooks: Hooks | None, now: Callable[[], float] = lambda: 0.0
) -> Callable[[PartitionState], Scheduler]:
    """Return the factory of the job's scheduler; scheduler and score may be a plugin's."""
    named = job.frontier.scheduler
    score = _score_of(job, hooks)
    if ":" not in named:
        return lambda state: make_scheduler(state, Order(job.frontier, now, score))
    from lycosa.features.plugins.guarded import held_scheduler

    return held_scheduler(hooks or _no_hooks(), named)


def _score_of(job: Job, hooks: Hooks | None) -> PluginScore | None:
    """Return the score of a plugin, if the job names one."""
    named = job.frontier.score
    if ":" not in named:
        return None
    from lycosa.features.plugins.guarded import held_score

    return held_score(hooks or _no_hooks(), named)


def _no_hooks() -> Hooks:
    """Return hooks without plugins, which raise the error for a plugin that is not used."""
    from lycosa.features.plugins.hooks import Hooks

    return Hooks(())
