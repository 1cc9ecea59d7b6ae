"""The topic of a page that is not yet fetched, among all topics, from the links to it.

    python -m benchmarks.focus.prediction --data FOLDER [--draws 5] [--trained 0.5] [--json FILE]

Half of the pages trains the page model; asked for are the topics (the first label's field, `other`
for pages without a label) of the pages that did not train it. On one half of these the weights are
chosen, the other half is judged: on pages that trained the model it knows the titles, which links
repeat. Each is predicted from one of its links, drawn by chance, and from all its links:

    parent          the likeliest topic of the first page that links to it (WebParF's way)
    mean            the highest mean of the probabilities of the pages that link to it
    text            the page model on anchor and URL
    both            the logarithms of mean and text, weighted
    summed          the sum over links of page and text multiplied (to the powers 1 - s and s),
                    scaled to 1 for each link
    kept, best N    the same with N topics kept for each page, and three topics of each link in a
                    byte each

What is kept of a page are N (topic, sum) pairs. A topic that finds no room takes the place of the
smallest sum, if it is larger.
"""

from __future__ import annotations

import argparse
import json
import random
import statistics
from collections import defaultdict
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np
from benchmarks.focus.corpus import Corpus, read_corpus

from lycosa.extract.topics.model import OTHER, TopicModel
from lycosa.extract.topics.training import Example, train

LINK_TOPICS = 3
SHARES = (0.3, 0.5, 0.7)
KEPT = (2, 3, 4, 6)
FLOOR = 0.003
Vector = np.ndarray[tuple[int], np.dtype[np.float64]]
Heard = tuple[Vector, Vector]
"""The linking page's probabilities, and those of the link's text."""


def topic_of(corpus: Corpus, page: int) -> str:
    """Return the field of a page's first label."""
    labels = corpus.labels[page]
    return labels[0].partition(".")[0] if labels else OTHER


def trained_model(corpus: Corpus, pages: list[int], seed: int) -> TopicModel:
    """Return a model of the fields."""
    examples = []
    for page in pages:
        topics = (topic_of(corpus, page),)
        examples.append(Example(corpus.titles[page], corpus.contents[page], topics))
    return train(examples, seed=seed)


class Slots:
    """The topics that are kept for one page: at most `most`, each with its sum."""

    def __init__(self, most: int) -> None:
        self.most = most
        self.sums: dict[int, float] = {}

    def hear(self, vector: Vector) -> None:
        """Take in the best topics of one link."""
        for topic in np.argsort(-vector)[:LINK_TOPICS]:
            number, value = int(topic), round(float(vector[topic]) * 255) / 255
            if not value:
                continue
            if number in self.sums or len(self.sums) < self.most:
                self.sums[number] = self.sums.get(number, 0.0) + value
                continue
            least = min(self.sums, key=self.sums.__getitem__)
            if self.sums[least] < value:
                del self.sums[least]
                self.sums[number] = value


def mean_of(heard: list[Heard]) -> Vector:
    """Return the mean of the linking pages' probabilities."""
    found: Vector = np.mean([page for page, _ in heard], axis=0)
    return found


def text_of(heard: list[Heard]) -> Vector:
    """Return the mean of the probabilities of the links' texts."""
    found: Vector = np.mean([text for _, text in heard], axis=0)
    return found


def product(page: Vector, text: Vector, share: float) -> Vector:
    """Return the probabilities that page and text of one link give together."""
    found = (page + FLOOR) ** (1 - share) * (text + FLOOR) ** share
    scaled: Vector = found / found.sum()
    return scaled


def summed(heard: list[Heard], share: float) -> int:
    """Return the likeliest topic by the sum over links."""
    return int(np.argmax(sum(product(page, text, share) for page, text in heard)))


def kept(heard: list[Heard], most: int, share: float) -> int:
    """Return the likeliest topic with `most` topics kept."""
    slots = Slots(most)
    for page, text in heard:
        slots.hear(product(page, text, share))
    return max(slots.sums, key=slots.sums.__getitem__)


def both(pair: tuple[Vector, Vector], weights: tuple[float, float]) -> int:
    """Return the likeliest topic by mean and text."""
    score = weights[0] * np.log(pair[0] + FLOOR) + weights[1] * np.log(pair[1] + FLOOR)
    return int(score.argmax())


def fitted(pairs: list[tuple[tuple[Vector, Vector], int]]) -> tuple[float, float]:
    """Return the share of mean and text with which most of the topics are right."""
    shares = [step / 20 for step in range(21)]
    best = max(
        shares,
        key=lambda share: sum(both(pair, (1 - share, share)) == truth for pair, truth in pairs),
    )
    return 1 - best, best


def one_draw(corpus: Corpus, number: int, trained_share: float) -> dict[str, float]:
    """Return the share of right predictions of every way."""
    chance = random.Random(number)
    pages = list(range(len(corpus.paths)))
    chance.shuffle(pages)
    trained = pages[: int(len(pages) * trained_share)]
    model = trained_model(corpus, trained, number)
    names = list(model.names)
    truth = [names.index(topic_of(corpus, page)) for page in range(len(pages))]
    vectors = [
        np.array(model.probabilities(title, content))
        for title, content in zip(corpus.titles, corpus.contents, strict=True)
    ]
    heard: dict[int, list[Heard]] = defaultdict(list)
    for source, links in enumerate(corpus.links):
        for link in links:
            texts = np.array(model.probabilities("", link.text.encode("utf-8", "replace")))
            heard[link.target].append((vectors[source], texts))
    for known in heard.values():
        chance.shuffle(known)
    asked = [page for page in pages[len(trained) :] if page in heard]
    found = {
        "page itself": statistics.mean(int(vectors[page].argmax()) == truth[page] for page in asked)
    }
    for amount, most in (("one link", 1), ("all links", 10**9)):
        some = [(heard[page][:most], truth[page]) for page in asked]
        for name, share in ways(some[::2], some[1::2]).items():
            found[f"{name}, {amount}"] = share
    return found


def ways(
    tuned: list[tuple[list[Heard], int]], judged: list[tuple[list[Heard], int]]
) -> dict[str, float]:
    """Return the share of right predictions of every way, its weights chosen on other pages."""
    weights = fitted([((mean_of(said), text_of(said)), right) for said, right in tuned])
    share = max(SHARES, key=lambda one: sum(summed(said, one) == right for said, right in tuned))
    guesses: dict[str, Callable[[list[Heard]], int]] = {
        "parent": lambda said: int(said[0][0].argmax()),
        "mean": lambda said: int(mean_of(said).argmax()),
        "text": lambda said: int(text_of(said).argmax()),
        "both": lambda said: both((mean_of(said), text_of(said)), weights),
        "summed": lambda said: summed(said, share),
    }
    for most in KEPT:
        guesses[f"kept, best {most}"] = partial(kept, most=most, share=share)
    return {
        name: statistics.mean(guess(said) == right for said, right in judged)
        for name, guess in guesses.items()
    }


def main() -> None:
    """Print the mean and the spread over draws."""
    parser = argparse.ArgumentParser(description="predict topics of pages from links")
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--draws", type=int, default=5)
    parser.add_argument("--trained", type=float, default=0.5)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    corpus = read_corpus(options.data)
    draws = [one_draw(corpus, number, options.trained) for number in range(options.draws)]
    facts = {}
    for name in draws[0]:
        values = [draw[name] for draw in draws]
        spread = statistics.stdev(values) if len(values) > 1 else 0.0
        facts[name] = {"mean": statistics.mean(values), "spread": spread}
        print(f"{name:32s} {statistics.mean(values):.3f} ±{spread:.3f}")
    if options.json:
        options.json.write_text(json.dumps(facts, indent=1) + "\n")


if __name__ == "__main__":
    main()
