"""Measures what topics cost a page, by part: CPU time, 16 topics, 35 links to new URLs.

    .venv/bin/python -m benchmarks.topic_costs [--topics 16] [--links 35] [--json]

The parts are those of a crawl: the page is classified, the texts of its links are read, its new
URLs are placed, its known ones moved, and the next URL is chosen over 64 partitions. Words are
made up: 800 of 8 letters, of which each topic has its own hundred. Each part is run many times in
rounds; the fastest round counts, because this machine does other things, too.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from random import Random
from types import SimpleNamespace
from typing import Any, cast

from lycosa.extract.facts import Facts
from lycosa.extract.topics.training import Example, train
from lycosa.features.topics.allocator import TopicTurns
from lycosa.features.topics.classifier import Classifier
from lycosa.features.topics.predictor import Predictor
from lycosa.frontier.fold.state import PartitionState
from lycosa.frontier.partition import Partition
from lycosa.frontier.schedulers.topics import ByTopic
from lycosa.model.job import Job
from lycosa.model.links import Links, Target
from lycosa.model.records import Admitted, Outcome

PARTITIONS = 64
ROUNDS = 7
READ_BYTES = 4_000


def words(topic: int, count: int, chance: Random) -> str:
    """Return words of a topic, with some of all others."""
    own = [f"{chr(97 + topic)}word{number:03d}" for number in range(100)]
    shared = [f"common{number:02d}" for number in range(60)]
    return " ".join(
        chance.choices(own, k=count // 3) + chance.choices(shared, k=count - count // 3)
    )


def fastest(work: Callable[[], object], times: int) -> float:
    """Return the microseconds of CPU that one run takes, in the fastest round."""
    found = []
    for _ in range(ROUNDS):
        began = time.process_time()
        for _ in range(times):
            work()
        found.append((time.process_time() - began) / times * 1e6)
    return min(found)


def job_of(model: Path, policy: str) -> Job:
    """Return the job of a crawl by topic."""
    topics: dict[str, object] = {"model": str(model), "policy": policy}
    if policy == "focused":
        topics["wanted"] = ["t00"]
    return Job.of(seeds=["http://a.test/"], frontier={"scheduler": "topics"}, topics=topics)


def partition_of(number: int, urls: int, topics: int) -> Partition:
    """Return a partition as far as topics see it, with URLs that all may be asked for."""
    state = PartitionState()
    scheduler = ByTopic(state.pages, state.topics)
    keys = [f"test.h{number}x{page % 40}:/{page}" for page in range(urls)]
    queues = bytes(page % topics for page in range(urls))
    positions = bytes(page % 255 for page in range(urls))
    state.apply(Admitted(0.0, "", keys, [0] * urls, queues=queues, positions=positions))
    for page, site in enumerate(state.pages.site):
        scheduler.offer(page, site)
        scheduler.wake(site)

    def requeue(places: list[tuple[int, int, int]]) -> None:
        for page, queue, position in places:
            scheduler.move_to(page, state.pages.site[page], queue, position)

    partition = SimpleNamespace(
        number=number,
        state=state,
        scheduler=scheduler,
        readiness=SimpleNamespace(robots_wanted={}, errands_wanted={}),
        is_leaving=False,
        is_held_back=False,
        has_work=lambda: scheduler.ready > 0,
        requeue=requeue,
    )
    return cast(Partition, partition)


def measured(topics: int, links: int) -> dict[str, float]:
    """Return the microseconds of each part."""
    chance = Random(1)
    names = [f"t{number:02d}" for number in range(topics - 1)]
    examples = [
        Example(name, words(number, 200, chance).encode(), (name,))
        for number, name in enumerate(names)
        for _ in range(20)
    ]
    examples += [Example("", words(25, 200, chance).encode(), ("other",)) for _ in range(20)]
    with tempfile.TemporaryDirectory() as folder:
        model = Path(folder) / "topics.model"
        train(examples).write(model)
        return _parts(model, topics, links, chance)


def _parts(model: Path, topics: int, links: int, chance: Random) -> dict[str, float]:
    facts = Facts(
        title="A title of five words", content=words(3, 900, chance).encode()[:READ_BYTES]
    )
    found: dict[str, float] = {}
    for policy in ("each", "focused"):
        found |= _of_policy(job_of(model, policy), facts, topics, links)
    return found


def _of_policy(job: Job, facts: Facts, topics: int, links: int) -> dict[str, float]:
    chance, policy, classifier = Random(2), job.topics.policy, Classifier(job, 0)
    predictor, partition = Predictor(job, classifier), partition_of(0, 5_000, topics)
    keys = [f"test.other:/{words(n % 9, 3, chance).replace(' ', '-')}" for n in range(links)]
    texts = [words(n % 9, 4, chance) for n in range(links)]
    ones, nothing = [1] * links, [""] * links
    new = Links([Target(key, partition=1) for key in keys], ones, texts, nothing, ones)
    known = Links(
        [Target(f"test.h0:/{n}", partition=0, page=40 + n) for n in range(links)],
        ones,
        texts,
        nothing,
        ones,
    )
    answered: Any = SimpleNamespace(
        partition=partition,
        page=7,
        topics=classifier.classify(facts),
        links=new,
        outcome=Outcome.KEPT,
        is_first=True,
        extra=(),
    )
    found = {
        "classify the page": fastest(lambda: classifier.classify(facts), 2_000),
        "event and columns": fastest(
            lambda: (classifier.event(answered), classifier.columns(answered.topics, ())), 2_000
        ),
        f"{policy}: read links": fastest(lambda: predictor.hear_page(answered), 500),
    }
    place = partial(predictor._admitted, partition, 10_000)
    found[f"{policy}: place new URLs"] = fastest(lambda: place(keys), 500)
    answered.links = known
    both = fastest(lambda: predictor.hear_page(answered), 500)
    found[f"{policy}: move known URLs"] = max(both - found[f"{policy}: read links"], 0.0)
    partitions = {number: partition_of(number, 300, topics) for number in range(PARTITIONS)}
    turns = TopicTurns(partitions, dict.fromkeys(partitions), job, classifier.names)
    found[f"{policy}: choose of {PARTITIONS}"] = fastest(lambda: _choose(turns), 500)
    return found


def _choose(turns: TopicTurns) -> None:
    chosen = turns.next()
    assert chosen is not None
    chosen.scheduler.choose()


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--topics", type=int, default=16)
    parser.add_argument("--links", type=int, default=35)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    found = measured(options.topics, options.links)
    if options.json:
        print(json.dumps({name: round(cost, 2) for name, cost in found.items()}))
        return
    for name, cost in found.items():
        print(f"{name:28} {cost:7.1f} µs")
    for policy in ("each", "focused"):
        own = ("classify the page", "event and columns")
        total = (
            sum(cost for name, cost in found.items() if name in own or name.startswith(policy))
            - found[f"{policy}: move known URLs"]
        )
        print(f"{policy}: {total:.1f} µs a page with {options.links} new links")


if __name__ == "__main__":
    main()
