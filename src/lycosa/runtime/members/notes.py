"""Notes in the log by which the members of a crawl share lasting facts.

    run-2         the crawl was begun a second time, after its first end
    end-1         the reason why the first run ended: `exhausted`, or a limit
    patience-1-3  in run 1, URLs out of reach were given up for the third time
    loss-2        a machine was given up, the second of the crawl
    idle-1-…      a cycle of run 1 was over everywhere
    leave-7-1     life 7 shall hand its partitions over and end; leave-7-2 takes that back

A crawl is running while its last run has no end. A note is written only once, so the first of
several members that find a limit reached gives the reason.
"""

from __future__ import annotations

from collections.abc import Mapping

from lycosa.crawl.budget import Limit
from lycosa.errors import ConfigError
from lycosa.storage.log.protocol import Log

_RUN, _END, _PATIENCE, _LOSS = "run-", "end-", "patience-", "loss-"
LEAVE = "leave-"


def run_name(run: int) -> str:
    """Return the note by which a run is begun."""
    return f"{_RUN}{run}"


def end_name(run: int) -> str:
    """Return the note by which a run is ended."""
    return f"{_END}{run}"


def patience_name(run: int, number: int) -> str:
    """Return the note by which URLs out of reach are given up."""
    return f"{_PATIENCE}{run}-{number}"


def idle_name(run: int, step: str) -> str:
    """Return the note that says that a step of a cycle was over everywhere."""
    return f"idle-{run}-{step}"


def loss_name(number: int) -> str:
    """Return the note by which a machine is given up."""
    return f"{_LOSS}{number}"


def losses_in(notes: Mapping[str, bytes]) -> int:
    """Return how many machines were given up, according to these notes."""
    found = (int(name[len(_LOSS) :]) for name in notes if name.startswith(_LOSS))
    return max(found, default=0)


def patience_of(run: int, notes: Mapping[str, bytes]) -> int:
    """Return how often patience had ended in a run, according to these notes."""
    prefix = f"{_PATIENCE}{run}-"
    found = (int(name[len(prefix) :]) for name in notes if name.startswith(prefix))
    return max(found, default=0)


def leave_name(life: int, change: int) -> str:
    """Return the note by which a life shall leave (an odd change) or stay after all (even)."""
    return f"{LEAVE}{life}-{change}"


def leaves_in(notes: Mapping[str, bytes]) -> dict[int, int]:
    """Return the number of the last such change for each life that these notes name."""
    found: dict[int, int] = {}
    for name in notes:
        if name.startswith(LEAVE):
            life, _, change = name[len(LEAVE) :].partition("-")
            found[int(life)] = max(int(change), found.get(int(life), 0))
    return found


def current_run(log: Log) -> tuple[int, str]:
    """Return the number of the last run and the reason for its end, "" while it goes on."""
    runs = [int(name[len(_RUN) :]) for name in log.notes(_RUN)]
    if not runs:
        return 0, ""
    return max(runs), (log.noted(end_name(max(runs))) or b"").decode()


def begin_run(log: Log) -> int:
    """Begin a run, unless the last one has not ended; return its number."""
    run, reason = current_run(log)
    if run and not reason:
        return run
    log.note(run_name(run + 1), b"")
    return run + 1


def stop_run(log: Log, place: str) -> bool:
    """End the present run for all members; return False if it has ended before."""
    run, reason = current_run(log)
    if not run:
        raise ConfigError(
            f"{place}: no member has begun to crawl\n  begin: lycosa join {place} -o DIR"
        )
    return not reason and log.note(end_name(run), Limit.STOPPED.encode())
