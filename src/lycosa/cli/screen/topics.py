"""Shows pages, queues and the harvest rate by topic, and why a URL is in its queue."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from lycosa.cli.amounts import counted
from lycosa.model.job import Job
from lycosa.model.job.topics import numbers_of

if TYPE_CHECKING:
    from lycosa.operate.inspect.prediction import Prediction

_MOST_TOPICS = 12
_MOST_SPEAKERS = 10
_LONGEST_TEXT = 60


def topics_facts(
    topics: dict[str, list[int]], budgets: dict[str, int], job: Job
) -> list[tuple[str, str]]:
    """Return pages and queues by topic, used budgets, and the harvest rate if some are wanted."""
    if not topics:
        return []
    from lycosa.crawl.status.topics import harvest  # few crawls have a model

    facts = [("topics", topics_text(topics))]
    if budgets:
        limits = numbers_of(job.topics.budgets)
        used = {name: [pages, limits[name]] for name, pages in budgets.items()}
        facts.append(("budgets", budgets_text(used)))
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
    return ", ".join(parts) + (", in brackets the URLs that wait" if waits else "")


def budgets_text(budgets: dict[str, list[int]]) -> str:
    """Say how much of each budget is used: `science 120 of 500 pages`."""
    used = (f"{name} {pages:,} of {most:,}" for name, (pages, most) in budgets.items())
    return ", ".join(used) + " pages"


def prediction_lines(found: Prediction) -> Iterator[str]:
    """Yield what `explain` prints of a prediction."""
    links = counted(len(found.speakers), "link")
    yield (
        f"computed again from {links}: the queue of {found.queue}, position {found.position} of 254"
        if found.speakers
        else f"no page links to it with a topic: the queue of {found.queue}, by its own words"
        if found.topics
        else "no page links to it: it comes first, as the start of a crawl"
    )
    for part in found.parts:
        value = f" ({part.value})" if part.value else ""
        yield f"  {part.score:+6.2f}  {part.feature}{value}"
    if found.parts:
        yield f"  {sum(part.score for part in found.parts):+6.2f}  in all; the higher, the earlier"
    for one in found.topics if found.speakers else ():
        yield (
            f"  {one.together:4.0%}  {one.topic}: pages that link to it {one.pages:.0%},"
            f" texts of links and words of the URL {one.texts:.0%}"
        )
    for speaker in found.speakers[:_MOST_SPEAKERS]:
        if not speaker.moment:
            yield f"  {speaker.url} says {speaker.topic}"
            continue
        moment = f"{datetime.fromtimestamp(speaker.moment, UTC):%Y-%m-%d %H:%M:%S} UTC"
        said = " ".join(speaker.text.split())[:_LONGEST_TEXT]
        text = f"“{said}” " if said else ""
        yield (
            f"  {moment}  {speaker.url}: {speaker.page:.0%} about {speaker.topic},"
            f" its link {text}{speaker.link:.0%}"
        )
    if len(found.speakers) > _MOST_SPEAKERS:
        yield f"  and {len(found.speakers) - _MOST_SPEAKERS:,} more (--json has all)"


def prediction_data(found: Prediction) -> dict[str, Any]:
    """Return the same for JSON."""
    return {
        "recomputed": True,
        "queue": found.queue,
        "position": found.position,
        "score": sum(part.score for part in found.parts) if found.parts else None,
        "parts": [part._asdict() for part in found.parts],
        "topics": [one._asdict() for one in found.topics],
        "links": [
            one._asdict()
            | {"moment": datetime.fromtimestamp(one.moment, UTC).isoformat(timespec="milliseconds")}
            for one in found.speakers
        ],
    }
