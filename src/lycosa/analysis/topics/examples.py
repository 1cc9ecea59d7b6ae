"""Examples to train and to judge a model: texts whose topics are known.

labelled    the pages of a crawl or a folder that a file of labels names
from_pools  the pages of pools: HTML files of a tree, and pages of a crawl that pools list
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from lycosa.analysis.topics.labels import Labels
from lycosa.analysis.topics.names import at_level
from lycosa.analysis.topics.pools import Pool
from lycosa.analysis.topics.texts import Text, is_crawl, read_page, texts_of
from lycosa.errors import LycosaError
from lycosa.extract.topics.model import OTHER
from lycosa.extract.topics.training import Example
from lycosa.model.url import canonicalize


class Labelled(NamedTuple):
    """Examples, and the number of labels without a page."""

    examples: list[Example]
    addresses: list[str]
    """Of the pages, in the order of the examples."""
    missing: int
    """Number of labels whose pages were not found."""


def labelled(sources: Iterable[Path], labels: Labels, level: int = 0) -> Labelled:
    """Return the labelled pages of these crawls and folders; raise an error if there are none."""
    sources = list(sources)
    by_url = {canonicalize(address) or address: topics for address, topics in labels.items()}
    found: dict[str, Example] = {}
    seen = ""
    for source in sources:
        wanted = by_url if is_crawl(source) else labels
        for text in texts_of(source):
            seen = text.address
            if text.address in wanted:
                found[text.address] = example_of(text, at_level(wanted[text.address], level))
    if not found:
        named = next(iter(labels), "")
        raise LycosaError(
            f"{', '.join(map(str, sources))}: no page is labelled\n"
            f"  labels name pages as {named!r}, the pages are named as {seen!r}"
        )
    missing = len(labels) - len(found)
    # Sorted by address: a crawl's rows are in the order of its answers, and models depend on order.
    addresses = sorted(found)
    return Labelled([found[address] for address in addresses], addresses, missing)


def example_of(text: Text, topics: tuple[str, ...]) -> Example:
    """Return a text as an example of topics."""
    kept = tuple(one for one in topics if one != OTHER)
    return Example(text.title, text.content, kept or (OTHER,))


def from_pools(pools: Iterable[Pool], texts: Iterable[Text] = ()) -> dict[str, Example]:
    """Return the example pages of pools by their addresses."""
    found: dict[str, list[str]] = {}
    examples: dict[str, Example] = {}
    for pool in pools:
        for path in pool.pages:
            text = read_page(path, str(path))
            examples[text.address] = example_of(text, (pool.topic,))
        for url in pool.urls:
            found.setdefault(url, []).append(pool.topic)
    for text in texts:
        if text.address in found:
            examples[text.address] = example_of(text, tuple(found[text.address]))
    return examples
