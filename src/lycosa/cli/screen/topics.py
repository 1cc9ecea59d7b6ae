"""Says how a crawl does by topic: pages, queues, and the harvest rate."""

from __future__ import annotations

from lycosa.config import Job

_MOST_TOPICS = 12


def topics_facts(topics: dict[str, list[int]], job: Job) -> list[tuple[str, str]]:
    """Return pages and queues by topic, and the harvest rate of a crawl that wants some of them."""
    if not topics:
        return []
    from lycosa.crawl.status.topics import harvest  # few crawls have a model

    facts = [("topics", topics_text(topics))]
    rate = harvest(topics, job)
    if rate is not None:
        wanted = ", ".join(job.topics.wanted)
        facts.append(("harvest", f"{rate:.0%} of the pages are about {wanted}"))
    return facts


def topics_text(topics: dict[str, list[int]]) -> str:
    """Say how many pages each topic has, and how many URLs wait: `science 120 (+40), other 9`."""
    parts = [
        f"{name} {pages:,}" + (f" (+{waiting:,})" if waiting else "")
        for name, (pages, waiting) in list(topics.items())[:_MOST_TOPICS]
    ]
    if len(topics) > _MOST_TOPICS:
        parts.append(f"and {len(topics) - _MOST_TOPICS:,} more")
    waits = any(waiting for _, waiting in topics.values())
    return ", ".join(parts) + (", in brackets what waits" if waits else "")
