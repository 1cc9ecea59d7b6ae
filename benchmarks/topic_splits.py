"""How often does the test of a split accept true parts, and refuse parts that are not there?

    python -m benchmarks.topic_splits --data FOLDER [--merges 10] [--webs 3] [--json FILE]

FOLDER is a corpus as `benchmarks.focus.corpus` reads it. The parts of these collections are known:

    merged      pages of two, three or four leaves of the corpus' tree, drawn by chance from all
                fields: Birds with Railway transport. Its parts are the leaves.
    single      the pages of one leaf. It is taken to have no parts.
    strayed     the same, and among each ten texts one from other leaves, as a classifier's mistakes
                would bring; they are no part
    generated   merged and single topics of `lycosa_testweb.topics.web`, whose words are made up; a
                blur of .3 gives that share of the pages more words of another topic than of theirs

Each collection is split into 2, 3, … parts, up to two more than it has. A split is *true* if it has
at most as many and keeps them together: at least `TRUE_SHARE` of the texts are in the group that
has most of their part, and each group has most of some part. A split into more is *finer*, if that
share of the texts is in groups that are mostly of their part: nothing says whether a leaf has such
parts, so it is not judged. All others are *false*. The test should accept the true ones and refuse
the false ones. Without a number of parts, `topics split` takes the number whose halves agree most:
what comes of this is printed too.

Leaves and webs fall into two halves that share no text. Limits are chosen on one half and judged on
the other, in both directions, beside those of `lycosa.analysis.topics.splitting`.
"""

from __future__ import annotations

import argparse
import itertools
import json
import random
import statistics
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from benchmarks.focus.corpus import Corpus, read_corpus

from lycosa.analysis.topics.splitting import (
    FEWEST_TEXTS,
    LEAST_AGREEMENT,
    LEAST_MARGIN,
    LEAST_SHARE,
    propose,
)
from lycosa.analysis.topics.texts import Text
from lycosa.extract.page import scan
from lycosa.extract.topics.model import READ_BYTES
from lycosa_testweb import request_for
from lycosa_testweb.mixing import digest
from lycosa_testweb.topics.web import Shape, TopicWeb

FEWEST_PAGES = 45
"""Pages of a leaf that is merged with others."""
HAVE_PARTS = (
    "Geography.African_Geography",
    "Science.Chemistry.Chemical_elements",
    "Science.Physics.Space_Astronomy",
)
"""Leaves with parts that the tree does not name: a first run split each, and titles show why.

Half of the pages about Africa are `Demographics of Algeria`, … and half cities; elements that were
made are apart from those that were found; planets of other stars apart from other astronomy.
"""
MOST_MORE = 2
"""How many more parts are tried than there are."""
STRAYS = 0.1
TRUE_SHARE = 0.8
WEB_TOPICS = (
    ("beekeeping", "geology", "theatre", "sailing", "medicine"),
    ("pottery", "chess", "volcanoes", "banking", "grammar"),
)
"""Names of the generated topics of each half."""
TEXTS_A_TOPIC = 120
BLURS = (0.14, 0.3)
HALVES = ("first", "second")

Part = list[Text]


class Collection(NamedTuple):
    """Texts whose parts are known."""

    half: str
    kind: str
    name: str
    parts: list[Part]


class Proposal(NamedTuple):
    """The figures of a split, and whether it is true."""

    half: str
    kind: str
    name: str
    true_parts: int
    parts: int
    agreement: float
    margin: float
    smallest: float
    truth: str
    """`true`, `finer` or `false`."""


class Limits(NamedTuple):
    """What a split must have."""

    agreement: float
    margin: float

    def accept(self, one: Proposal) -> bool:
        """Return whether a split passes."""
        return (
            one.agreement >= self.agreement
            and one.margin >= self.margin
            and one.smallest >= LEAST_SHARE
        )


def leaves_of(corpus: Corpus) -> dict[str, Part]:
    """Return the texts of each leaf: pages by their first label."""
    found: dict[str, Part] = defaultdict(list)
    for page, labels in enumerate(corpus.labels):
        if labels:
            text = corpus.contents[page][:READ_BYTES]
            found[labels[0]].append(Text(corpus.paths[page], corpus.titles[page], text))
    return {
        name: texts
        for name, texts in sorted(found.items())
        if len(texts) >= FEWEST_PAGES and name not in HAVE_PARTS
    }


def corpus_collections(corpus: Corpus, merges: int) -> Iterator[Collection]:
    """Yield merged and single leaves of both halves."""
    leaves = leaves_of(corpus)
    mixed = sorted(leaves, key=digest)
    for half, names in zip(HALVES, (mixed[::2], mixed[1::2]), strict=True):
        chance = random.Random(half)
        for number, _ in itertools.product((2, 3, 4), range(merges)):
            chosen = chance.sample(sorted(names), number)
            yield Collection(half, "merged", " + ".join(chosen), [leaves[one] for one in chosen])
        for name in names:
            if len(leaves[name]) >= 2 * FEWEST_TEXTS:
                yield Collection(half, "single", name, [leaves[name]])
                others = [text for one in names if one != name for text in leaves[one]]
                strays = chance.sample(others, round(len(leaves[name]) * STRAYS / (1 - STRAYS)))
                yield Collection(half, "strayed", name, [leaves[name] + strays])


def web_collections(webs: int) -> Iterator[Collection]:
    """Yield merged and single topics of generated webs."""
    for (half, names), blur, seed in itertools.product(
        zip(HALVES, WEB_TOPICS, strict=True), BLURS, range(webs)
    ):
        pages = round(TEXTS_A_TOPIC * len(names) / 0.7)
        web = TopicWeb(Shape(names, pages=pages, blur=blur, several=0.0), seed + 1)
        texts = {name: list(texts_of(web, name)) for name in names}
        for number in (1, 2, 3, 4):
            chosen = names[seed % 2 :][:number]
            kind = "generated single" if number == 1 else "generated merged"
            name = f"{' + '.join(chosen)}, blur {blur}, seed {seed + 1}"
            yield Collection(half, kind, name, [texts[one] for one in chosen])


def texts_of(web: TopicWeb, topic: str) -> Iterator[Text]:
    """Yield the texts of a topic."""
    for url in itertools.islice(web.pages(topic), TEXTS_A_TOPIC):
        facts = scan(web.answer(request_for(web, url), 0.0).body, "text/html")
        yield Text(url, facts.title, facts.content[:READ_BYTES])


def proposals(one: Collection) -> Iterator[Proposal]:
    """Yield the splits of a collection."""
    texts = [text for part in one.parts for text in part]
    part_of = [number for number, part in enumerate(one.parts) for _ in part]
    most = min(len(one.parts) + MOST_MORE, len(texts) // FEWEST_TEXTS)
    for parts in range(2, most + 1):
        split = propose(texts, parts)
        yield Proposal(
            one.half,
            one.kind,
            one.name,
            len(one.parts),
            parts,
            split.agreement,
            split.margin,
            split.smallest,
            truth_of(part_of, split.groups, parts),
        )


def truth_of(part_of: Sequence[int], groups: Sequence[int], parts: int) -> str:
    """Return whether a split is true, finer or false."""
    there = len(set(part_of))
    if there == 1:
        return "false"
    if parts > there:
        together, _ = _together(groups, part_of)
        return "finer" if together >= TRUE_SHARE else "false"
    together, used = _together(part_of, groups)
    return "true" if together >= TRUE_SHARE and used == parts else "false"


def _together(these: Sequence[int], others: Sequence[int]) -> tuple[float, int]:
    """Return the share of texts that are where most of theirs are, and how many such places."""
    counted: dict[int, Counter[int]] = defaultdict(Counter)
    for one, other in zip(these, others, strict=True):
        counted[one][other] += 1
    largest = [counts.most_common(1)[0] for counts in counted.values()]
    return sum(count for _, count in largest) / len(these), len({place for place, _ in largest})


def rates(found: Iterable[Proposal], limits: Limits) -> tuple[int, int, int, int]:
    """Return true splits accepted, all true ones, false ones refused, and all false ones."""
    some = list(found)
    true = [limits.accept(one) for one in some if one.truth == "true"]
    false = [not limits.accept(one) for one in some if one.truth == "false"]
    return sum(true), len(true), sum(false), len(false)


def balance(found: Iterable[Proposal], limits: Limits) -> float:
    """Return the mean of the shares of true splits accepted and of false ones refused."""
    accepted, true, refused, false = rates(found, limits)
    return statistics.mean([accepted / max(true, 1), refused / max(false, 1)])


def chosen(found: Sequence[Proposal]) -> Limits:
    """Return the limits that do best; among equals the strictest, as false parts cost more."""
    grid = [Limits(a / 100, m / 100) for a in range(30, 100, 2) for m in range(10, 62, 2)]
    best = max(balance(found, one) for one in grid)
    return max(one for one in grid if balance(found, one) >= best - 1e-9)


def print_rates(found: Sequence[Proposal], limits: Limits, name: str) -> None:
    """Print one line for each kind of collection."""
    for kind in (*dict.fromkeys(one.kind for one in found), "all"):
        some = [one for one in found if kind in (one.kind, "all")]
        accepted, true, refused, false = rates(some, limits)
        print(
            f"{name:44s} {kind:18s} true accepted {accepted:3d} of {true:3d}"
            f"   false refused {refused:3d} of {false:3d}"
        )


def print_automatic(found: Sequence[Proposal], limits: Limits) -> None:
    """Print what comes of a split without a number of parts."""
    collections: dict[tuple[str, str], list[Proposal]] = defaultdict(list)
    for one in found:
        collections[one.kind, one.name].append(one)
    counted: dict[str, Counter[str]] = defaultdict(Counter)
    for (kind, _), some in collections.items():
        passed = [one for one in some if limits.accept(one)]
        best = max(passed, key=lambda one: one.agreement, default=None)
        what = "refused"
        if best is not None:
            is_exact = best.truth == "true" and best.parts == best.true_parts
            what = "exact" if is_exact else "coarser" if best.truth == "true" else best.truth
        counted[kind][what] += 1
    for kind, counts in counted.items():
        told = ", ".join(f"{what} {count}" for what, count in counts.most_common())
        print(f"number of parts not given: {kind:18s} {told}")


def main() -> None:
    """Split all collections, and print how the limits do."""
    parser = argparse.ArgumentParser(description="judge the test of splits")
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--merges", type=int, default=10)
    parser.add_argument("--webs", type=int, default=3)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    corpus = read_corpus(options.data)
    collections = [*corpus_collections(corpus, options.merges), *web_collections(options.webs)]
    found = [split for one in collections for split in proposals(one)]
    if options.json:
        options.json.write_text(json.dumps([one._asdict() for one in found], indent=1) + "\n")
    now = Limits(LEAST_AGREEMENT, LEAST_MARGIN)
    for half, other in (HALVES, HALVES[::-1]):
        judged = [one for one in found if one.half == half]
        print_rates(judged, now, f"{half} half, limits as they are")
        limits = chosen([one for one in found if one.half == other])
        name = f"{half} half, {limits.agreement:.2f} and {limits.margin:.2f} of the other"
        print_rates(judged, limits, name)
    print_automatic(found, now)


if __name__ == "__main__":
    main()
