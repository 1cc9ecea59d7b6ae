"""The keys about the sizes of a worker's caches."""

from __future__ import annotations

from lycosa.model.job.keys import Record, key


class Caches(Record):
    """Sizes of the caches of each worker: memory against work that is done again."""

    references: int = key(
        20_000,
        "Resolved and judged links, by the folder of their page; some 500 bytes each.",
        unit="links",
        least=1,
        most=10_000_000,
    )
    robots_rules: int = key(
        10_000,
        "Sites whose robots rules are kept ready to be asked; others are compiled again.",
        unit="sites",
        least=1,
        most=10_000_000,
    )
    sent_urls: int = key(
        2_048,
        "URLs that a partition has sent to another one and does not send again.",
        unit="URLs",
        least=1,
        most=10_000_000,
    )
