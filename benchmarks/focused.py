"""Compares orders of focused crawls over the link graph of a labelled corpus.

    python -m benchmarks.focused --data FOLDER [--draws 5] [--ablation] [--topics judging|tuning]
                                 [--only NAME ...] [--json FILE] [--picture FILE.svg]

Nothing is fetched: an order sees a page's text and links once it has chosen the page. Per draw a
fifth of the pages trains the page model, and counts in neither harvest nor recall. R is the number
of relevant pages that count:

    harvest at R     share of relevant pages among the first R pages; a crawl that ends before
                     counts the rest as misses
    recall at 2R     share of the relevant pages among the first 2R

The spread is the standard deviation over draws of the mean over topics. The weights of our order
are fitted on the tuning topics of other fields than the topic that is crawled for, so that choices
between variants can be made with `--topics tuning` and are then judged on the others. `as the crawl
is` has the weights of `lycosa.crawl.topics.evidence` and reads whole paths, as the crawl does.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.charts import Line, draw
from benchmarks.focus.corpus import read_corpus
from benchmarks.focus.evidence import FEATURES, Crawl, Variant
from benchmarks.focus.judge import (
    JUDGING_TOPICS,
    TUNING_TOPICS,
    Draw,
    Result,
    Task,
    judge,
    link_words,
)
from benchmarks.focus.orders import ORDERS, Order
from benchmarks.focus.variants import Examples, ablation, as_shipped, examples_of, fit, ours

TUNING_DRAWS = (100, 101)
COLOURS = {
    "breadth-first": "#888888",
    "best-first by links": "#bbbbbb",
    "best parent": "#d95f02",
    "mean of parents": "#7570b3",
    "link classifier": "#e6ab02",
    "ACHE, soft": "#a6d854",
    "ACHE, hard": "#66a61e",
    "oracle": "#000000",
}
OURS_COLOUR = "#d7191c"


class Crawls(NamedTuple):
    """The results of one order, by draw and topic."""

    by_draw: list[dict[str, Result]]

    def mean(self, what: str) -> float:
        """Return the mean over all crawls of harvest or recall."""
        return statistics.mean(self.means(what))

    def means(self, what: str) -> list[float]:
        """Return the mean of each draw."""
        return [
            statistics.mean(getattr(one, what) for one in draw.values()) for draw in self.by_draw
        ]

    def spread(self, what: str) -> float:
        """Return the standard deviation over draws."""
        means = self.means(what)
        return statistics.stdev(means) if len(means) > 1 else 0.0

    def curve(self) -> list[float]:
        """Return the mean harvest after each twentieth of 2 R pages."""
        curves = [one.curve for draw in self.by_draw for one in draw.values()]
        return [statistics.mean(values) for values in zip(*curves, strict=True)]


def order_of(variant: Variant) -> Order:
    """Return a variant of ours as an order."""

    def order(task: Task) -> Iterator[int]:
        return iter(Crawl(task, variant))

    return order


def variants_for(
    topic: str, rows: Mapping[str, Examples], *, is_ablation: bool
) -> dict[str, Variant]:
    """Return the variants of ours for a topic, fitted on tuning topics of other fields."""
    field = topic.partition(".")[0]
    foreign = [
        row for tuned, some in rows.items() if tuned.partition(".")[0] != field for row in some
    ]
    fitted = ablation(foreign) if is_ablation else {"ours": ours(foreign)}
    return fitted | {"as the crawl is": as_shipped()}


def run(options: argparse.Namespace) -> dict[str, Any]:
    """Crawl in all orders, and return what was found."""
    corpus = read_corpus(options.data)
    words = link_words(corpus)
    tuning = [Draw(corpus, number, words) for number in TUNING_DRAWS]
    rows = examples_of({topic: [one.task(topic) for one in tuning] for topic in TUNING_TOPICS})
    topics = JUDGING_TOPICS if options.topics == "judging" else TUNING_TOPICS
    found: dict[str, Crawls] = defaultdict(lambda: Crawls([]))
    sizes: dict[str, int] = {}
    for number in range(options.draws):
        one = Draw(corpus, number, words)
        for topic in topics:
            task = one.task(topic)
            sizes[topic] = task.relevant
            variants = variants_for(topic, rows, is_ablation=options.ablation)
            orders = ORDERS | {name: order_of(variant) for name, variant in variants.items()}
            texts = {part: one.texts(topic, part) for part in {v.text for v in variants.values()}}
            for name in options.only or orders:
                part = variants[name].text if name in variants else "text"
                given = task._replace(text=texts.get(part, task.text))
                if len(found[name].by_draw) == number:
                    found[name].by_draw.append({})
                found[name].by_draw[number][topic] = judge(given, orders[name](given))
        print(f"draw {number + 1} of {options.draws}", file=sys.stderr, flush=True)
    weights = fit([row for some in rows.values() for row in some])
    return {"weights": weights, "sizes": sizes, "orders": dict(found)}


def main() -> None:
    """Compare, print, and write what was asked for."""
    parser = argparse.ArgumentParser(description="compare orders of focused crawls")
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--draws", type=int, default=5)
    parser.add_argument("--topics", choices=("judging", "tuning"), default="judging")
    parser.add_argument("--ablation", action="store_true")
    parser.add_argument("--only", nargs="+")
    parser.add_argument("--json", type=Path)
    parser.add_argument("--picture", type=Path)
    options = parser.parse_args()
    outcome = run(options)
    found: dict[str, Crawls] = outcome["orders"]
    print(
        "weights:",
        ", ".join(f"{n} {w:.3f}" for n, w in zip(FEATURES, outcome["weights"], strict=True)),
    )
    print("topics:", ", ".join(f"{topic} (R = {size})" for topic, size in outcome["sizes"].items()))
    for name, crawls in found.items():
        print(
            f"{name:42s} harvest {crawls.mean('harvest'):.3f} ±{crawls.spread('harvest'):.3f}"
            f"   recall {crawls.mean('recall'):.3f} ±{crawls.spread('recall'):.3f}"
        )
    if options.json:
        options.json.write_text(json.dumps(facts(outcome), indent=1) + "\n")
    if options.picture:
        options.picture.write_text(picture(found))


def facts(outcome: dict[str, Any]) -> dict[str, Any]:
    """Return everything found, for a file."""
    return {
        "weights": dict(zip(FEATURES, outcome["weights"], strict=True)),
        "relevant": outcome["sizes"],
        "orders": {
            name: {
                "harvest": crawls.mean("harvest"),
                "harvest_spread": crawls.spread("harvest"),
                "recall": crawls.mean("recall"),
                "recall_spread": crawls.spread("recall"),
                "harvest_by_draw": crawls.means("harvest"),
                "recall_by_draw": crawls.means("recall"),
                "curve": crawls.curve(),
                "topics": {
                    topic: [
                        statistics.mean(draw[topic].harvest for draw in crawls.by_draw),
                        statistics.mean(draw[topic].recall for draw in crawls.by_draw),
                    ]
                    for topic in outcome["sizes"]
                },
            }
            for name, crawls in outcome["orders"].items()
        },
    }


def picture(found: dict[str, Crawls]) -> str:
    """Return a chart of the harvest over pages."""
    lines = [
        Line(
            name,
            [(step / 10, value) for step, value in enumerate(crawls.curve(), 1)],
            COLOURS.get(name, OURS_COLOUR),
            name == "oracle",
        )
        for name, crawls in found.items()
    ]
    return draw(
        "Harvest of focused crawls", "pages crawled, in R", "share of relevant pages", lines
    )


if __name__ == "__main__":
    main()
