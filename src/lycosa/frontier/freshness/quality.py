"""Measures the quality of pages, between 0 and 1, by their links.

`pagerank` is the PageRank in the graph so far, as a share of the greatest; it needs the packages
of `lycosa[study]`. `links` needs nothing: one half is the number of pages that link to a page, on a
logarithmic scale, the other half its depth. Links are those that are stored, of all versions of a
page; what was found and never fetched has a quality too.

Cost: all stored links are read; a second or two for ten million. Meant to be run beside the crawl.
"""

from __future__ import annotations

from collections import Counter
from importlib.util import find_spec
from math import log1p
from typing import NamedTuple

from lycosa.errors import ConfigError
from lycosa.storage.tables.link_ends import LinkEnds
from lycosa.storage.tables.rows import signed, url_id


class Quality(NamedTuple):
    """The value of pages."""

    ranks: dict[int, float]
    """By the id that rows have for a URL."""
    of_others: float = 0.0
    """The rank of all others."""
    depth_share: float = 0.5

    def of(self, key: str, depth: int) -> float:
        """Return the quality of a URL."""
        rank = self.ranks.get(signed(url_id(key)), self.of_others)
        share = self.depth_share
        return (1.0 - share) * rank + share / (1 + depth) if share else rank


def measure(ends: LinkEnds, kind: str = "auto") -> Quality:
    """Find out what pages are worth from the links between them."""
    if kind == "links" or (kind == "auto" and not can_rank()):
        return _by_links(ends)
    if not can_rank():
        raise ConfigError(
            '[revisit] quality = "pagerank" needs numpy and scipy, which are not installed\n'
            "  pip install '.[study]', or set quality to \"links\""
        )
    return _by_pagerank(ends)


def can_rank() -> bool:
    """Say whether what PageRank needs is installed."""
    return find_spec("numpy") is not None and find_spec("scipy") is not None


def _by_links(ends: LinkEnds) -> Quality:
    pairs = zip(ends.sources, ends.targets, strict=True)
    counts = Counter(target for source, target in pairs if source != target)
    most = log1p(max(counts.values(), default=1))
    return Quality({target: log1p(count) / most for target, count in counts.items()})


def _by_pagerank(ends: LinkEnds) -> Quality:
    import numpy as np

    from lycosa.frontier.graph.links import graph_of
    from lycosa.frontier.graph.numbering import Numbering
    from lycosa.frontier.graph.pagerank import pagerank

    sources = np.frombuffer(ends.sources, np.int64) if ends.sources else np.zeros(0, np.int64)
    targets = np.frombuffer(ends.targets, np.int64) if ends.targets else np.zeros(0, np.int64)
    nodes = Numbering(np.concatenate([sources, targets]))
    if not len(nodes):
        return Quality({})
    graph = graph_of(nodes.numbers(sources), nodes.numbers(targets), len(nodes))
    values = pagerank(graph).values
    values = values / values.max()
    ranks = dict(zip(nodes.ids.tolist(), values.tolist(), strict=True))
    return Quality(ranks, float(values.min()), 0.0)
