"""Compares orders of focused crawls over the link graph of a labelled corpus.

    python -m benchmarks.focused --data FOLDER [--draws 5] [--ablation] [--topics judging|tuning]
                                 [--without-labels] [--by-topic] [--only NAME ...]
                                 [--json FILE] [--picture FILE.svg]

Nothing is fetched: an order sees a page's text and links once it has chosen the page. Per draw a
fifth of the pages trains the page model, and counts in neither harvest nor recall. R is the number
of relevant pages that count:

    harvest at R     share of relevant pages among the first R pages; a crawl that ends before
                     counts the rest as misses
    recall at 2R     share of the relevant pages among the first 2R

The spread is the standard deviation over draws of the mean over topics. The weights of our order
are fitted on the tuning topics of other fields than the topic that is crawled for, so that choices
between variants can be made with `--topics tuning` and are then judged on the others. `as the crawl
is` has the weights of `features.topics.evidence` and reads whole paths, as the crawl does.

With `--without-labels` the orders that ask a page model run a second time, with a model that was
trained on the same pages by keywords and five known pages a topic (`benchmarks.focus.unlabelled`).
`--by-topic` adds each topic's figures, and their ratios to breadth-first and to the best parent. It
adds what no order can beat: an oracle that knows all links too, and the share of relevant pages
that can be reached at all (`benchmarks.focus.limits`).
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.charts import Line, draw
from benchmarks.focus.corpus import read_corpus
from benchmarks.focus.evidence import FEATURES, Crawl, Variant
from benchmarks.focus.judge import (
    CURVE_STEPS,
    JUDGING_TOPICS,
    TUNING_TOPICS,
    Draw,
    Result,
    Task,
    judge,
    link_words,
)
from benchmarks.focus.limits import knowing_oracle, reachable
from benchmarks.focus.orders import ORDERS, Order
from benchmarks.focus.variants import Examples, ablation, as_shipped, examples_of, fit, ours

TUNING_DRAWS = (100, 101)
WITHOUT_MODEL = ("breadth-first", "best-first by links", "oracle")
"""Orders that do not ask the page model; the oracle asks it between equals alone."""
NO_LABELS = ", no labels"
ALL_TOPICS = "all topics"
REACHABLE = "reachable at all"
KNOWING = "oracle that knows links"
COLOURS = {
    "breadth-first": "#888888",
    "best-first by links": "#bbbbbb",
    "best parent": "#d95f02",
    "mean of parents": "#7570b3",
    "link classifier": "#e6ab02",
    "ACHE, soft": "#a6d854",
    "ACHE, hard": "#66a61e",
    "oracle": "#000000",
    "ours": "#2c7fb8",
}
OTHER_COLOUR = "#d7191c"


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

    def values(self, what: str, topic: str) -> list[float]:
        """Return the figure of each draw for a topic, or the mean over topics."""
        if topic == ALL_TOPICS:
            return self.means(what)
        return [getattr(draw[topic], what) for draw in self.by_draw]

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
    accuracies: dict[str, list[float]] = defaultdict(list)
    for number in range(options.draws):
        one = Draw(corpus, number, words)
        other = Draw(corpus, number, words, has_labels=False)
        for topic in topics:
            variants = variants_for(topic, rows, is_ablation=options.ablation)
            results = crawls_for(one, topic, variants, options.only)
            if options.without_labels:
                asking = [name for name in results if name not in WITHOUT_MODEL]
                again = crawls_for(other, topic, variants, asking)
                results |= {f"{name}{NO_LABELS}": result for name, result in again.items()}
            if options.by_topic:
                results |= limits_of(one.task(topic), options.only)
            sizes[topic] = one.relevant(topic)
            for name, result in results.items():
                if len(found[name].by_draw) == number:
                    found[name].by_draw.append({})
                found[name].by_draw[number][topic] = result
        accuracies["labels"].append(one.accuracy())
        if options.without_labels:
            accuracies["no labels"].append(other.accuracy())
        print(f"draw {number + 1} of {options.draws}", file=sys.stderr, flush=True)
    weights = fit([row for some in rows.values() for row in some])
    return {
        "weights": weights,
        "sizes": sizes,
        "accuracies": dict(accuracies),
        "orders": dict(found),
    }


def crawls_for(
    drawn: Draw, topic: str, variants: Mapping[str, Variant], only: Sequence[str] | None
) -> dict[str, Result]:
    """Crawl for one topic in all orders, or in those named."""
    task = drawn.task(topic)
    orders = ORDERS | {name: order_of(variant) for name, variant in variants.items()}
    texts = {part: drawn.texts(topic, part) for part in {v.text for v in variants.values()}}
    results = {}
    for name in [name for name in only or orders if name != KNOWING]:
        part = variants[name].text if name in variants else "text"
        given = task._replace(text=texts.get(part, task.text))
        results[name] = judge(given, orders[name](given))
    return results


def limits_of(task: Task, only: Sequence[str] | None) -> dict[str, Result]:
    """Return what no order can beat; the slow oracle only if it is named, or all orders run."""
    share = reachable(task)
    found = {REACHABLE: Result(share, share, [share] * CURVE_STEPS)}
    if not only or KNOWING in only:
        found[KNOWING] = judge(task, knowing_oracle(task))
    return found


def main() -> None:
    """Compare, print, and write what was asked for."""
    parser = argparse.ArgumentParser(description="compare orders of focused crawls")
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--draws", type=int, default=5)
    parser.add_argument("--topics", choices=("judging", "tuning"), default="judging")
    parser.add_argument("--ablation", action="store_true")
    parser.add_argument("--without-labels", action="store_true")
    parser.add_argument("--by-topic", action="store_true")
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
    for way, shares in outcome["accuracies"].items():
        spread = statistics.stdev(shares) if len(shares) > 1 else 0.0
        print(f"page model, {way:30s} accuracy {statistics.mean(shares):.3f} ±{spread:.3f}")
    for name, crawls in found.items():
        print(
            f"{name:42s} harvest {crawls.mean('harvest'):.3f} ±{crawls.spread('harvest'):.3f}"
            f"   recall {crawls.mean('recall'):.3f} ±{crawls.spread('recall'):.3f}"
        )
    if options.by_topic:
        print_by_topic(found, outcome["sizes"])
    if options.json:
        options.json.write_text(json.dumps(facts(outcome), indent=1) + "\n")
    if options.picture:
        options.picture.write_text(picture(found))


def print_by_topic(found: Mapping[str, Crawls], sizes: Mapping[str, int]) -> None:
    """Print each topic's harvest and recall, and their ratios to two baselines."""
    for what in ("harvest", "recall"):
        print(f"\n{what:40s} {'order':32s} mean  spread  × breadth-first  × best parent")
        for topic in (*sizes, ALL_TOPICS):
            values = {name: crawls.values(what, topic) for name, crawls in found.items()}
            for name, some in values.items():
                ratios = [
                    f"{statistics.mean(some) / statistics.mean(values[base]):13.2f}"
                    for base in ("breadth-first", "best parent")
                    if base in values
                ]
                spread = statistics.stdev(some) if len(some) > 1 else 0.0
                print(f"{topic:40s} {name:32s} {statistics.mean(some):.3f}  {spread:.3f}", *ratios)


def facts(outcome: dict[str, Any]) -> dict[str, Any]:
    """Return everything found, for a file."""
    return {
        "weights": dict(zip(FEATURES, outcome["weights"], strict=True)),
        "relevant": outcome["sizes"],
        "accuracies": outcome["accuracies"],
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
            COLOURS.get(name, OTHER_COLOUR),
            name == "oracle",
        )
        for name, crawls in found.items()
    ]
    return draw(
        "Harvest of focused crawls", "pages crawled, in R", "share of relevant pages", lines
    )


if __name__ == "__main__":
    main()
