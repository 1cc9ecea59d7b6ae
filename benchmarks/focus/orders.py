"""Orders that others use, and the oracle.

An order is a generator of pages: it is given the task, and knows of a page only what its links
said, until it yields it. Then it may look at the page's probability and links.
"""

from __future__ import annotations

import heapq
import math
import random
from collections import defaultdict, deque
from collections.abc import Callable, Iterator

from benchmarks.focus.judge import WORD_BITS, Task

Order = Callable[[Task], Iterator[int]]
WORD_NUMBERS = 1 << WORD_BITS


class Waiting:
    """Pages that wait to be fetched, the one of the highest score first, equals first in first out.

    A page that is offered again takes its new score. `waiting` holds the score of each.
    """

    def __init__(self) -> None:
        self.scores: dict[int, float] = {}
        self._heap: list[tuple[float, int, int]] = []
        self._offers = 0
        self.done: set[int] = set()

    def offer(self, page: int, score: float) -> None:
        """Put a page at its place."""
        if self.scores.get(page) == score:
            return
        self.scores[page] = score
        self._offers += 1
        heapq.heappush(self._heap, (-score, self._offers, page))

    def take(self) -> int | None:
        """Return the best page, and None if none waits."""
        while self._heap:
            score, _, page = heapq.heappop(self._heap)
            if self.scores.get(page) == -score:
                del self.scores[page]
                self.done.add(page)
                return page
        return None

    def start(self, seeds: list[int]) -> None:
        """Offer the seeds before all else."""
        for seed in seeds:
            self.offer(seed, math.inf)


def breadth_first(task: Task) -> Iterator[int]:
    """First found, first fetched."""
    known = set(task.seeds)
    queue = deque(task.seeds)
    while queue:
        page = queue.popleft()
        yield page
        for target in task.links[page]:
            if target not in known:
                known.add(target)
                queue.append(target)


def by_sources(score: Callable[[Task, int, list[int]], float]) -> Order:
    """Return the order by a function of a page and the pages that link to it."""

    def order(task: Task) -> Iterator[int]:
        waiting = Waiting()
        waiting.start(task.seeds)
        sources: dict[int, list[int]] = defaultdict(list)
        while (page := waiting.take()) is not None:
            yield page
            for target in task.links[page]:
                if target not in waiting.done:
                    sources[target].append(page)
                    if waiting.scores.get(target) != math.inf:
                        waiting.offer(target, score(task, target, sources[target]))

    return order


def _links(task: Task, page: int, sources: list[int]) -> float:
    return len(sources)


def _best_parent(task: Task, page: int, sources: list[int]) -> float:
    return max(task.page[source] for source in sources)


def _mean_of_parents(task: Task, page: int, sources: list[int]) -> float:
    return sum(task.page[source] for source in sources) / len(sources)


def _truth(task: Task, page: int, sources: list[int]) -> float:
    return task.is_relevant[page] + _mean_of_parents(task, page, sources) / 2


def link_classifier(task: Task) -> Iterator[int]:
    """Order by an online classifier of the words of links, which knows no page (Meusel's way)."""
    waiting = Waiting()
    waiting.start(task.seeds)
    weights = [0.0] * WORD_NUMBERS
    squares = [1e-6] * WORD_NUMBERS
    words: dict[int, set[int]] = defaultdict(set)
    while (page := waiting.take()) is not None:
        yield page
        if found := words.pop(page, None):
            guess = 1 / (1 + math.exp(-sum(weights[word] for word in found)))
            gap = guess - task.page[page]
            for word in found:
                squares[word] += gap * gap
                weights[word] -= 0.3 * gap / math.sqrt(squares[word])
        for target, said in zip(task.links[page], task.words[page], strict=True):
            if target not in waiting.done and waiting.scores.get(target) != math.inf:
                words[target].update(said)
                waiting.offer(target, sum(weights[word] for word in words[target]))


class _Levels:
    """Naive Bayes over a link's words: relevant at once, after one page, after two, or never."""

    def __init__(self) -> None:
        self.logs: list[dict[int, float]] = []
        self.rest: list[float] = []
        self.prior: list[float] = []

    def train(self, examples: list[tuple[set[int], int]]) -> None:
        counts: list[dict[int, int]] = [defaultdict(int) for _ in range(4)]
        sizes = [0] * 4
        for words, level in examples:
            sizes[level] += 1
            for word in words:
                counts[level][word] += 1
        vocabulary = len({word for words, _ in examples for word in words}) + 1
        self.logs, self.rest, self.prior = [], [], []
        for count, size in zip(counts, sizes, strict=True):
            total = sum(count.values()) + vocabulary
            self.logs.append({word: math.log((n + 1) / total) for word, n in count.items()})
            self.rest.append(math.log(1 / total))
            self.prior.append(math.log((size + 1) / (len(examples) + 4)))

    def score(self, words: set[int]) -> float:
        """Return 100 for each level it is better than the worst, and the probability."""
        logs = [
            prior + sum(log.get(word, rest) for word in words)
            for prior, log, rest in zip(self.prior, self.logs, self.rest, strict=True)
        ]
        highest = max(logs)
        powers = [math.exp(log - highest) for log in logs]
        level = logs.index(highest)
        return (3 - level) + powers[level] / sum(powers) * 0.99


def ache(*, is_hard: bool, every: int = 100) -> Order:
    """Return ACHE's order: link levels, learnt anew from the pages seen; hard or soft focus.

    A hard focus follows only links of relevant pages. Its features are the words of anchor and
    URL: the words around a link are not in the corpus as it is read here.
    """

    def order(task: Task) -> Iterator[int]:
        waiting = Waiting()
        waiting.start(task.seeds)
        words: dict[int, set[int]] = defaultdict(set)
        levels = _Levels()
        fetched: list[int] = []
        chance = random.Random(task.topic)
        while (page := waiting.take()) is not None:
            yield page
            fetched.append(page)
            if len(fetched) % every == 0:
                levels.train(_level_examples(task, fetched, words))
                for other, score in list(waiting.scores.items()):
                    if score != math.inf:
                        waiting.offer(other, levels.score(words[other]))
            if is_hard and task.page[page] < task.threshold:
                continue
            for target, said in zip(task.links[page], task.words[page], strict=True):
                if target in waiting.done or waiting.scores.get(target) == math.inf:
                    continue
                words[target].update(said)
                score = levels.score(words[target]) if levels.prior else chance.random()
                waiting.offer(target, score)

    return order


def _level_examples(
    task: Task, fetched: list[int], words: dict[int, set[int]]
) -> list[tuple[set[int], int]]:
    """Return the words of the links to each page fetched, and how far it is from a relevant one."""
    done = set(fetched)
    level = {page: 0 for page in fetched if task.page[page] >= task.threshold}
    for distance in (1, 2):
        for page in fetched:
            if page not in level and any(
                level.get(target) == distance - 1 for target in task.links[page] if target in done
            ):
                level[page] = distance
    return [(words[page], level.get(page, 3)) for page in fetched if words[page]]


ORDERS: dict[str, Order] = {
    "breadth-first": breadth_first,
    "best-first by links": by_sources(_links),
    "best parent": by_sources(_best_parent),
    "mean of parents": by_sources(_mean_of_parents),
    "link classifier": link_classifier,
    "ACHE, soft": ache(is_hard=False),
    "ACHE, hard": ache(is_hard=True),
    "oracle": by_sources(_truth),
}
