"""The variants of our order that the ablation compares, their weights fitted on tuning topics.

The weights of each variant are fitted anew, without the features it lacks, by logistic regression
over waiting pages drawn by chance from crawls for the tuning topics. The crawls that are judged
are for other topics.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np
from benchmarks.focus.evidence import FEATURES, Variant, examples
from benchmarks.focus.judge import Task

from lycosa.features.topics.evidence import WEIGHTS

ROUNDS = 2
FIRST_WEIGHTS = (0.0, 0.0, 1.0, 0.3, 0.0, 0.5, 0.0)
"""Those of the crawls from which the first examples are drawn."""
HAND_WEIGHTS = (0.0, 0.0, 0.3, 0.0, 0.0, 1.0, 0.0)
SIMPLE = frozenset(FEATURES) - {"one", "mean", "text"}
RIDGE = 1.0

Examples = list[tuple[tuple[float, ...], bool]]


def fit(rows: Examples, without: Iterable[str] = ()) -> tuple[float, ...]:
    """Return the weights of a logistic regression, 0 for features that are left out."""
    left_out = set(without)
    kept = [number for number, name in enumerate(FEATURES) if name not in left_out]
    features = np.array([row for row, _ in rows])[:, kept]
    truth = np.array([answer for _, answer in rows], dtype=float)
    weights = np.zeros(len(kept))
    for _ in range(30):
        guess = 1 / (1 + np.exp(-features @ weights))
        slope = features.T @ (guess - truth) + RIDGE * weights
        bend = (features * (guess * (1 - guess))[:, None]).T @ features
        step = np.linalg.solve(bend + RIDGE * np.eye(len(kept)), slope)
        weights -= step
        if abs(step).max() < 1e-6:
            break
    found = dict(zip(kept, weights.tolist(), strict=True))
    return tuple(found.get(number, 0.0) for number in range(len(FEATURES)))


def examples_of(tasks: Mapping[str, Sequence[Task]]) -> dict[str, Examples]:
    """Return examples of crawls for each topic, in the order that the examples themselves make."""
    weights: tuple[float, ...] = FIRST_WEIGHTS
    rows: dict[str, Examples] = {}
    for _ in range(ROUNDS):
        rows = {
            topic: [
                row
                for number, task in enumerate(some)
                for row in examples(task, Variant(weights), 3 * task.relevant, number)
            ]
            for topic, some in tasks.items()
        }
        weights = fit([row for some in rows.values() for row in some])
    return rows


def ours(rows: Examples) -> Variant:
    """Return our order: fixed weights, evidence in eight bytes, 256 positions."""
    return Variant(fit(rows), is_packed=True)


def as_shipped() -> Variant:
    """Return the order of the crawl: its weights, without the mean, and texts as it reads them."""
    one, highest, total, promise, text, count = WEIGHTS
    weights = (one, highest, 0.0, total, promise, text, count)
    return Variant(weights, is_packed=True, text="whole")


def ablation(rows: Examples) -> dict[str, Variant]:
    """Return the variants by what they are."""
    full = fit(rows)
    nothing = tuple(0.0 for _ in FEATURES)
    left_out = {
        f"without {name}": Variant(fit(rows, [name]), frozenset([name])) for name in FEATURES[1:]
    }
    return {
        "all features, exact": Variant(full),
        "all features, packed": Variant(full, is_packed=True),
        **left_out,
        "without tunnels": Variant(full, is_shallow=True),
        "mean and text": Variant(fit(rows, SIMPLE), SIMPLE),
        "mean and text, packed": Variant(fit(rows, SIMPLE), SIMPLE, is_packed=True),
        "0.3 logit(mean) + logit(text)": Variant(HAND_WEIGHTS),
        "text of anchors alone": Variant(full, text="anchor"),
        "text of URLs alone": Variant(full, text="url"),
        "text of anchors and whole paths": Variant(full, text="whole"),
        "and hashed words": Variant(full, word_rate=0.1),
        "and hashed words, fast": Variant(full, word_rate=0.3),
        "learning on, slowly": Variant(full, rate=0.01),
        "learning on": Variant(full, rate=0.1),
        "learning on, rescored": Variant(full, rate=0.03, is_rescored=True),
        "learning on with words, rescored": Variant(
            full, rate=0.03, word_rate=0.1, is_rescored=True
        ),
        "learnt from nothing, with words, rescored": Variant(
            nothing, rate=0.3, word_rate=0.3, is_rescored=True
        ),
    }
