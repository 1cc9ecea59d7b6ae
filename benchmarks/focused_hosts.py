"""Measures focused crawls of the real crawler over a corpus that is spread over hosts by purity.

    python -m benchmarks.focused_hosts --data FOLDER [--draws 5] [--purity 0 0.5 0.9]
                                       [--topics NAME ...] [--schedulers NAME ...]
                                       [--connections 8] [--json FILE]

Figures are printed after each draw, over all draws so far.

Worker, frontier, politeness and scheduler are the real ones, in virtual time; the web is
`benchmarks.focus.corpus_web`. The order of requests is judged as `benchmarks.focused` judges: pages
that trained the model count in neither harvest nor recall. A host is asked once a second, so a
crawl with more connections than hosts of its topic has nothing better to do than to fetch something
else; the number of connections says how much of a choice the scheduler has.
"""

from __future__ import annotations

import argparse
import json
import statistics
import tempfile
from collections import defaultdict
from itertools import product
from pathlib import Path
from typing import Any

from benchmarks.focus.corpus import read_corpus
from benchmarks.focus.corpus_web import CorpusWeb
from benchmarks.focus.judge import JUDGING_TOPICS, Draw, Result, Task, judge, link_words

from lycosa.model.job import Job
from lycosa.model.records import Purpose, Request
from lycosa.simulation.simulation import Simulation
from lycosa_testweb.web import Reply

SCHEDULERS = ("breadth-first", "best-first", "topics")


class WatchedWeb(CorpusWeb):
    """A corpus that notes the order in which its pages are asked for."""

    def __init__(self, folder: Path, purity: float) -> None:
        super().__init__(folder, purity)
        self.asked: list[str] = []

    def answer(self, request: Request, moment: float) -> Reply:
        """Answer, and note the page."""
        path = self._path(request.url)
        if path is not None and request.purpose is Purpose.PAGE:
            self.asked.append(path)
        return super().answer(request, moment)


def crawl(
    web: WatchedWeb, task: Task, paths: list[str], model: Path, job: dict[str, Any]
) -> tuple[Result, int]:
    """Crawl with one scheduler; return how well, and how many pages were asked for."""
    web.asked.clear()
    wants_topics = job["scheduler"] == "topics"
    topics: dict[str, object] = {
        "model": str(model),
        "policy": "focused",
        "wanted": [task.topic],
    }
    described = Job.of(
        seeds=[web.url(paths[seed]) for seed in task.seeds],
        limits={"pages": min(len(paths), 3 * task.relevant)},
        politeness={"delay_seconds": 1.0, "large_site_delay_seconds": 1.0},
        fetch={"connections": job["connections"]},
        frontier={
            "scheduler": job["scheduler"],
            **({"score": "links"} if job["scheduler"] == "best-first" else {}),
        },
        discovery={"mining": "off"},
        topics=topics if wants_topics else {},
    )
    with tempfile.TemporaryDirectory() as folder:
        result = Simulation(web, described, Path(folder), seed=1).run()
    if result.breaches:
        raise SystemExit(f"the crawl was impolite: {result.breaches[0]}")
    numbers = {path: number for number, path in enumerate(paths)}
    order = dict.fromkeys(numbers[path] for path in web.asked)
    return judge(task, order), len(order)


def main() -> None:
    """Crawl for each topic, purity and scheduler, and print."""
    parser = argparse.ArgumentParser(description="measure focused crawls over hosts")
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--draws", type=int, default=5)
    parser.add_argument("--purity", type=float, nargs="+", default=[0.0, 0.5, 0.9])
    parser.add_argument("--topics", nargs="+", default=list(JUDGING_TOPICS))
    parser.add_argument("--schedulers", nargs="+", choices=SCHEDULERS, default=list(SCHEDULERS))
    parser.add_argument("--connections", type=int, default=8)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    corpus = read_corpus(options.data)
    words = link_words(corpus)
    webs = {purity: WatchedWeb(options.data, purity) for purity in options.purity}
    found: dict[tuple[float, str], list[list[Result]]] = defaultdict(list)
    facts: list[dict[str, Any]] = []
    for number in range(options.draws):
        one = Draw(corpus, number, words)
        for topic in options.topics:
            task = one.task(topic)
            with tempfile.TemporaryDirectory() as folder:
                model = Path(folder) / "topics.model"
                one.model(topic).write(model)
                for purity, scheduler in product(options.purity, options.schedulers):
                    job = {"scheduler": scheduler, "connections": options.connections}
                    result, asked = crawl(webs[purity], task, corpus.paths, model, job)
                    some = found[purity, scheduler]
                    if len(some) == number:
                        some.append([])
                    some[number].append(result)
                    facts.append(
                        {
                            "purity": purity,
                            "draw": number,
                            "topic": topic,
                            "scheduler": scheduler,
                            "asked": asked,
                            "relevant": task.relevant,
                            "harvest": result.harvest,
                            "recall": result.recall,
                        }
                    )
        print(f"draws: {number + 1}")
        for (purity, scheduler), results in found.items():
            print(f"purity {purity:3g}  {scheduler:14s} {_summary(results)}", flush=True)
        if options.json:
            options.json.write_text(json.dumps(facts, indent=1) + "\n")


def _summary(results: list[list[Result]]) -> str:
    """Return means over all crawls, and spreads over draws."""
    parts = []
    for what in ("harvest", "recall"):
        means = [statistics.mean(getattr(one, what) for one in draw) for draw in results]
        spread = statistics.stdev(means) if len(means) > 1 else 0.0
        parts.append(f"{what} {statistics.mean(means):.3f} ±{spread:.3f}")
    return "   ".join(parts)


if __name__ == "__main__":
    main()
