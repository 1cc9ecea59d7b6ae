"""How well do engines find the main text, by kind of page, and at what price?

    python -m benchmarks.main_text --pages FOLDER [--articles FOLDER] [--most 0] [ENGINE …]

`--pages` is a split of the Web Content Extraction Benchmark (Foley, CC-BY-4.0: `html/N.html.gz` and
`ground-truth/N.json`, which names the kind of page); `--articles` is ScrapingHub's benchmark of 181
news pages (`html/` and `ground-truth.json`). Neither is part of this repository. Engines are ours
and rivals, as far as they are installed. Precision, recall and F1 are those of words, counted as
often as they occur, and the mean over pages; ms is CPU time.
"""

from __future__ import annotations

import argparse
import gzip
import json
import re
import statistics
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.race.table import markdown

from lycosa.analysis.study.main_text import ENGINES

_WORD = re.compile(r"\w+")
Find = Callable[[str], str | None]


class Marked(NamedTuple):
    """A page with its main text as people have marked it."""

    kind: str
    markup: str
    main: str


def pages(folder: Path) -> Iterator[Marked]:
    """Yield the pages of a split with their kinds."""
    for path in sorted((folder / "ground-truth").glob("*.json")):
        told = json.loads(path.read_bytes())
        markup = gzip.decompress((folder / "html" / f"{path.stem}.html.gz").read_bytes())
        kind = told["_internal"]["page_type"]["primary"].replace("category", "collection")
        main = told["ground_truth"].get("main_content") or ""
        yield Marked(kind, markup.decode("utf-8", "replace"), main)


def articles(folder: Path) -> Iterator[Marked]:
    """Yield the news pages."""
    for name, told in sorted(json.loads((folder / "ground-truth.json").read_bytes()).items()):
        markup = gzip.decompress((folder / "html" / f"{name}.html.gz").read_bytes())
        yield Marked("news", markup.decode("utf-8", "replace"), told["articleBody"])


def measured(found: str, main: str) -> tuple[float, float, float]:
    """Return precision, recall and F1."""
    ours, theirs = (Counter(_WORD.findall(text.lower())) for text in (found, main))
    if not ours or not theirs:
        return (1.0, 1.0, 1.0) if ours == theirs else (0.0, 0.0, 0.0)
    both = (ours & theirs).total()
    precision, recall = both / ours.total(), both / theirs.total()
    return precision, recall, 2 * precision * recall / (precision + recall) if both else 0.0


def _trafilatura(**asked: Any) -> Find:
    from trafilatura import extract

    return lambda markup: extract(markup, **asked)


def _readability() -> Find:
    from lxml import html
    from readability import Document

    return lambda markup: str(html.fromstring(Document(markup).summary()).text_content())


def _justext() -> Find:
    from justext import get_stoplist, justext

    words = get_stoplist("English")

    def find(markup: str) -> str:
        found = justext(markup.encode("utf-8", "replace"), words, encoding="utf-8")
        return "\n".join(one.text for one in found if not one.is_boilerplate)

    return find


RIVALS: dict[str, Callable[[], Find]] = {
    "trafilatura without comments": lambda: _trafilatura(),
    "trafilatura fast": lambda: _trafilatura(fast=True, include_comments=True),
    "trafilatura precise": lambda: _trafilatura(favor_precision=True),
    "readability-lxml": _readability,
    "justext": _justext,
}


def row(name: str, find: Find, some: list[Marked]) -> dict[str, list[str]]:
    """Return the cells of an engine, by kind of page."""
    found: dict[str, list[tuple[float, ...]]] = defaultdict(list)
    for page in some:
        began = time.process_time()
        try:
            text = find(page.markup) or ""
        except Exception:
            text = ""
        taken = 1000 * (time.process_time() - began)
        for kind in (page.kind, "all"):
            found[kind].append((*measured(text, page.main), taken))
    rows = {}
    for kind, values in found.items():
        *scores, taken = (statistics.mean(column) for column in zip(*values, strict=True))
        shown = [f"{score:.3f}".removeprefix("0") for score in scores]
        rows[kind] = [kind, str(len(values)), name, *shown, f"{taken:.1f}"]
    return rows


def main() -> None:
    """Print a row for each engine and kind of page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pages", type=Path, help="a split with kinds of pages")
    parser.add_argument("--articles", type=Path, help="the news pages")
    parser.add_argument("--most", type=int, default=0, help="read only so many pages of each")
    parser.add_argument("engines", nargs="*", help="names of engines; all if there is none")
    asked = parser.parse_args()
    some: list[Marked] = []
    for folder, read in ((asked.pages, pages), (asked.articles, articles)):
        if folder is not None:
            every = list(read(folder))
            some += every[:: max(1, len(every) // asked.most)] if asked.most else every
    makers = {name: engine.load for name, engine in ENGINES.items()} | RIVALS
    made: list[dict[str, list[str]]] = []
    for name in asked.engines or makers:
        try:
            made.append(row(name, makers[name](), some))
        except ImportError as error:
            print(f"{name} is left out: {error}")
    titles = ["kind", "pages", "engine", "precision", "recall", "F1", "ms"]
    kinds = dict.fromkeys(kind for rows in made for kind in rows)
    print(markdown(titles, [rows[kind] for kind in sorted(kinds) for rows in made]))


if __name__ == "__main__":
    main()
