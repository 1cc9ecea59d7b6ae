"""How many pages of two topics are seen as such, and how many pages of one topic are taken for two?

    python -m benchmarks.topic_units --data FOLDER [--pages 200]

FOLDER is a corpus as `benchmarks.focus.corpus` reads it. A model is trained on half of the pages of
some topics. A *mixed* page is made from the other half: the first paragraphs of a page of one topic
and, behind them, paragraphs from the middle of a page of another, so many words each; with its
headings, and with headings turned into paragraphs. Pages of one topic are as long.

    tuned     five fields, by which sizes and prices were chosen
    judged    four other fields, with other pages
    parts     ten parts of the judged fields: railways, storms, architecture, …
    webs      generated webs, whose words are made up; every page is mixed from two of theirs
"""

from __future__ import annotations

import argparse
import random
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from benchmarks.focus.corpus import bodies_of, labels_of
from benchmarks.topic_keywords import JUDGED, JUDGED_PARTS, TUNED

from lycosa.analysis.topics.page_topics import may_be_mixed
from lycosa.analysis.topics.page_units import units_of
from lycosa.analysis.topics.sections import pieces_of_page
from lycosa.extract.page import scan
from lycosa.extract.topics.model import TopicModel
from lycosa.extract.topics.training import Example, train
from lycosa_testweb import request_for
from lycosa_testweb.topics.web import Shape, TopicWeb

SIZES = (50, 100, 300, 800)
WEBS = (
    (("law", "football", "optics", "tea", "dance"), 21),
    (("pottery", "volcanoes", "banking", "grammar", "chess"), 22),
)
_PARAGRAPH = re.compile(r"<(?:p|h[2-6])\b[^>]*>.*?</(?:p|h[2-6])>", re.DOTALL | re.IGNORECASE)
_HEADING = re.compile(r"<(/?)h[1-6]\b")
_TAG = re.compile(r"<[^>]+>")


class Half(NamedTuple):
    """A page of one topic, as paragraphs and headings."""

    topic: str
    blocks: list[str]


class Made(NamedTuple):
    """A page that was made, and its topics."""

    topics: tuple[str, ...]
    blocks: list[str]

    def body(self, has_headings: bool) -> bytes:
        text = "".join(self.blocks)
        if not has_headings:
            text = _HEADING.sub(r"<\1p", text)
        return f"<title>A page</title>{text}".encode()


class Counts(NamedTuple):
    """What was seen."""

    mixed: int
    right: int
    """Mixed pages whose units have both topics."""
    alarms: int
    looked_at: int


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--pages", type=int, default=200)
    given = parser.parse_args()
    labels = dict(labels_of(given.data))
    bodies = {path: body for path, body in bodies_of(given.data) if path in labels}
    sets: list[tuple[str, tuple[str, ...], tuple[str, ...]]] = [
        ("tuned", TUNED, TUNED),
        ("judged", JUDGED[:4], JUDGED[:4]),
        ("parts", JUDGED_PARTS, JUDGED),
    ]
    print(f"{given.pages} mixed pages and as many of one topic each")
    print(f"{'':8}  words  headings  mixed seen  both right  false alarms  looked at")
    for number, (name, topics, fields) in enumerate(sets):
        chance = random.Random(number)
        pages = list(pages_of(labels, bodies, topics, fields))
        chance.shuffle(pages)
        model = train(example_of(topic, body) for topic, body in pages[::2])
        rest = [Half(topic, blocks_of(body)) for topic, body in pages[1::2]]
        for size in SIZES:
            made = list(mixed_pages(rest, size, given.pages, chance))
            whole = list(whole_pages(rest, size, given.pages, chance))
            for has_headings in (True, False):
                show(name, size, has_headings, judged(model, made, whole, has_headings))
    for names, seed in WEBS:
        model, rest = web(names, seed)
        chance = random.Random(seed)
        made = list(mixed_pages(rest, 1, given.pages, chance))
        whole = [Made((one.topic,), one.blocks * 2) for one in rest[: given.pages]]
        show("webs", 160, False, judged(model, made, whole, has_headings=False))


def show(name: str, size: int, has_headings: bool, counts: Counts) -> None:
    headings = "yes" if has_headings else "no"
    print(
        f"{name:8}  {size:5}  {headings:8}  {counts.mixed:10}  {counts.right:10}"
        f"  {counts.alarms:12}  {counts.looked_at:9}",
        flush=True,
    )


def pages_of(
    labels: dict[str, tuple[str, ...]],
    bodies: dict[str, bytes],
    topics: Iterable[str],
    fields: Iterable[str],
) -> Iterator[tuple[str, bytes]]:
    """Yield topic and HTML of the pages that are about one of the topics alone."""
    wanted, within = tuple(topics), set(fields)
    for path in sorted(bodies):
        own = {
            topic
            for label in labels[path]
            for topic in wanted
            if f"{label}.".startswith(f"{topic}.")
        }
        if len(own) == 1 and {label.partition(".")[0] for label in labels[path]} <= within:
            yield own.pop().replace(".", "_"), bodies[path]


def example_of(topic: str, body: bytes) -> Example:
    facts = scan(body, "text/html")
    return Example(facts.title, facts.content, (topic,))


def blocks_of(body: bytes) -> list[str]:
    """Return the paragraphs and headings of an article."""
    text = body.decode("utf-8", "replace")
    _, _, text = text.partition("<!-- start content -->")
    return _PARAGRAPH.findall(text.partition("<!-- end content -->")[0])


def some(blocks: Iterable[str], size: int) -> list[str]:
    """Return the first blocks with so many words; none if there are much fewer."""
    taken, words = list[str](), 0
    for block in blocks:
        taken.append(block)
        words += len(_TAG.sub(" ", block).split())
        if words >= size:
            break
    return taken if words >= 0.8 * size else []


def mixed_pages(pages: list[Half], size: int, count: int, chance: random.Random) -> Iterator[Made]:
    while count:
        one, two = chance.sample(pages, 2)
        first, second = some(one.blocks, size), some(two.blocks[len(two.blocks) // 2 :], size)
        if one.topic != two.topic and first and second:
            parts = ["<h2>First part</h2>", *first, "<h2>Second part</h2>", *second]
            yield Made((one.topic, two.topic), parts)
            count -= 1


def whole_pages(pages: list[Half], size: int, count: int, chance: random.Random) -> Iterator[Made]:
    while count:
        page = chance.choice(pages)
        if blocks := some(page.blocks, 2 * size):
            yield Made((page.topic,), blocks)
            count -= 1


def judged(model: TopicModel, made: list[Made], whole: list[Made], has_headings: bool) -> Counts:
    mixed = right = alarms = looked_at = 0
    for page in [*made, *whole]:
        body = page.body(has_headings)
        if not may_be_mixed(model, scan(body, "text/html").content):
            continue
        looked_at += len(page.topics) == 1
        units = units_of(model, pieces_of_page(body, "text/html"))
        if len(page.topics) == 1:
            alarms += bool(units)
        else:
            mixed += bool(units)
            right += {*page.topics} <= {unit["topic"] for unit in units}
    return Counts(mixed, right, alarms, looked_at)


def web(names: tuple[str, ...], seed: int) -> tuple[TopicModel, list[Half]]:
    """Return a model of half of a generated web, and the other half: a paragraph a page."""
    made = TopicWeb(Shape(names, pages=900), seed)
    pages = [
        (made.topic_of(url), scan(made.answer(request_for(made, url), 0.0).body, "text/html"))
        for url in made.all_pages()
        if len(made.topics_of(url)) == 1
    ]
    random.Random(seed).shuffle(pages)
    model = train(Example(facts.title, facts.content, (topic,)) for topic, facts in pages[::2])
    return model, [
        Half(topic, [f"<p>{facts.content.decode()}</p>"])
        for topic, facts in pages[1::2]
        if topic in names
    ]


if __name__ == "__main__":
    main()
