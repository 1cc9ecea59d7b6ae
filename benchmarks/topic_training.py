"""How good is a model of topics from keywords and a few seed pages, beside one from labels?

    python -m benchmarks.topic_training --data FOLDER [--draws 5]

FOLDER has `labels.tsv` and the HTML files that it names, in `pages/`. Ten top-level fields. In each
draw half of the labelled pages is for training and half for judging. Keywords: the words of the
field's name and five more each, written down below before anything was measured.

    labels              all pages of the first half, with their labels
    5 pages             five pages a field, with their labels
    keywords            no label: the pages of the first half that match keywords, two rounds
    keywords + 5 pages  the same, with five pages a field whose field is known
"""

from __future__ import annotations

import argparse
import random
import statistics
from collections.abc import Iterator
from pathlib import Path

from lycosa.analysis.topics.evaluation import Evaluation, evaluate
from lycosa.analysis.topics.examples import example_of
from lycosa.analysis.topics.keywords import train_by_keywords
from lycosa.analysis.topics.labels import read_labels
from lycosa.analysis.topics.names import at_level
from lycosa.analysis.topics.pools import Pool
from lycosa.analysis.topics.texts import Text, texts_of
from lycosa.extract.topics.model import TopicModel
from lycosa.extract.topics.training import train

KEYWORDS = {
    "Art": "art painting sculpture museum artist gallery",
    "Business_Studies": "business studies company economics market trade bank",
    "Countries": "countries country republic capital population government",
    "Design_and_Technology": "design technology engineering machine computer engine railway",
    "Geography": "geography city river island mountain climate",
    "History": "history war battle century empire army",
    "Language_and_literature": "language literature novel poem writer alphabet grammar",
    "Mathematics": "mathematics theorem algebra number geometry equation",
    "People": "people born died biography king actor",
    "Science": "science species chemistry physics biology planet",
}
SEEDS = 5
POOLS = [Pool(topic, tuple(words.split())) for topic, words in KEYWORDS.items()]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--labels", type=Path, help="default: labels.tsv in the data")
    parser.add_argument("--draws", type=int, default=5)
    parser.add_argument("--first-draw", type=int, default=0)
    given = parser.parse_args()
    labels = read_labels(given.labels or given.data / "labels.tsv")
    topics = {address: at_level(each, 1)[0] for address, each in labels.items()}
    texts = [text for text in texts_of(given.data / "pages") if text.address in topics]
    found: dict[str, list[Evaluation]] = {}
    for draw in range(given.first_draw, given.first_draw + given.draws):
        for name, result in judged(texts, topics, draw):
            found.setdefault(name, []).append(result)
    print(f"{'':20}  accuracy        macro-F1        calibration error   ({given.draws} draws)")
    for name, results in found.items():
        cells = (
            told([getattr(one, figure) for one in results])
            for figure in ("accuracy", "macro_f1", "calibration_error")
        )
        print(f"{name:20}  {'   '.join(cells)}")


def told(values: list[float]) -> str:
    spread = statistics.stdev(values) if len(values) > 1 else 0.0
    return f"{statistics.mean(values):.3f} ± {spread:.3f}"


def judged(
    texts: list[Text], topics: dict[str, str], draw: int
) -> Iterator[tuple[str, Evaluation]]:
    chance = random.Random(draw)
    order = list(texts)
    chance.shuffle(order)
    first, second = order[: len(order) // 2], order[len(order) // 2 :]
    examples = {text.address: example_of(text, (topics[text.address],)) for text in order}
    seeds = {
        text.address: examples[text.address]
        for topic in KEYWORDS
        for text in chance.sample([one for one in first if topics[one.address] == topic], SEEDS)
    }
    judging = [examples[text.address] for text in second]
    models: dict[str, TopicModel] = {
        "labels": train([examples[text.address] for text in first], seed=draw),
        "5 pages": train(seeds.values(), seed=draw),
        "keywords": train_by_keywords(first, POOLS, seed=draw),
        "keywords + 5 pages": train_by_keywords(first, POOLS, seeds, seed=draw),
    }
    for name, model in models.items():
        yield name, evaluate(model, judging)


if __name__ == "__main__":
    main()
