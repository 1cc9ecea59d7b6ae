"""Finds in the tables of a crawl the links that an added rule refused while it was in force.

A refused link does not become a URL of the crawl. When its rule is removed, there is no URL to
bring back. The link's row names the reason, so the operator can crawl it as a seed.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pyarrow.compute as pc

from lycosa.model.url import parse_rules
from lycosa.runtime.orders.orders import AddRule, Numbered
from lycosa.storage.archive.reader import rows

_COLUMNS = ["target_url", "reason"]


def reason_of(given: Numbered) -> str:
    """Return the reason in the rows of links that the rule of an order refused."""
    assert isinstance(given.order, AddRule)
    (rule,) = parse_rules([{"name": f"order-{given.number}"} | given.order.rule])
    return rule.reason


def refused_links(folder: Path, reason: str) -> Iterator[str]:
    """Yield the URLs of links that were refused for a reason, each once."""
    seen: set[str] = set()
    for batch in rows(folder, "links", _COLUMNS):
        found = batch.filter(pc.equal(batch.column("reason"), reason))
        for url in found.column("target_url").to_pylist():
            if url not in seen:
                seen.add(url)
                yield url
