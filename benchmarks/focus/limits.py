"""How well any order could do: what can be reached at all, and an oracle that knows all links.

The oracle among the orders knows which of the waiting pages are relevant. This one also knows where
every page leads: if no relevant page waits, it takes the page that links to most relevant ones that
are not known yet, and if none links to any, the one that is nearest to any.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator

from benchmarks.focus.judge import Task


def reachable(task: Task) -> float:
    """Return the share of the relevant pages that count to which links lead from the seeds."""
    found = set(task.seeds)
    todo = list(found)
    while todo:
        for target in task.links[todo.pop()]:
            if target not in found:
                found.add(target)
                todo.append(target)
    return sum(task.is_relevant[page] and task.counts[page] for page in found) / task.relevant


def knowing_oracle(task: Task) -> Iterator[int]:
    """Order by the truth about all pages and all links."""
    wanted = {page for page, is_relevant in enumerate(task.is_relevant) if is_relevant}
    known = set(task.seeds)
    relevant = deque(task.seeds)
    others: dict[int, None] = {}
    while relevant or others:
        if relevant:
            page = relevant.popleft()
        else:
            page = _best(task, others, wanted - known)
            del others[page]
        yield page
        for target in task.links[page]:
            if target in known:
                continue
            known.add(target)
            if target in wanted:
                relevant.append(target)
            else:
                others[target] = None


def _best(task: Task, waiting: dict[int, None], unknown: set[int]) -> int:
    """Return the page that leads to most of the unknown ones, or else the nearest to any."""
    gain = {page: len(unknown.intersection(task.links[page])) for page in waiting}
    best = max(waiting, key=gain.__getitem__)
    if gain[best]:
        return best
    distance = _distances(task, unknown)
    return min(waiting, key=lambda page: distance.get(page, len(task.links)))


def _distances(task: Task, targets: set[int]) -> dict[int, int]:
    """Return for each page how many links it is away from these."""
    sources: dict[int, list[int]] = {}
    for page, links in enumerate(task.links):
        for target in links:
            sources.setdefault(target, []).append(page)
    found = dict.fromkeys(targets, 0)
    todo = deque(targets)
    while todo:
        page = todo.popleft()
        for source in sources.get(page, ()):
            if source not in found:
                found[source] = found[page] + 1
                todo.append(source)
    return found
