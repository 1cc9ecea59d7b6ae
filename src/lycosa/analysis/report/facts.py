"""Gathers the facts for the title block: job, times, scale, and the audit of politeness.

Not here: the settings that the last chapter lists (`told_settings`).
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import NamedTuple

from lycosa import __version__
from lycosa._support.amounts import counted, duration_text, size_text
from lycosa.analysis.report.section import Facts
from lycosa.analysis.report.wording import count, seconds
from lycosa.analysis.study.results import Manifest
from lycosa.crawl.status.left_out import amount_text, told
from lycosa.errors import LogError, Untrusted
from lycosa.extract.topics.model import TopicModel
from lycosa.model.job import Job
from lycosa.model.job.seeds import parted
from lycosa.model.job.writer import write_value
from lycosa.operate.inspect.audit import Audit, audit
from lycosa.runtime.directory import CrawlDirectory
from lycosa.storage.tables.derived import derived_path
from lycosa.storage.tables.parquet_files import rows_file

MOST_WORDS = 8
"""Most words of each topic."""
_MOST_SEEDS = 8
_MOST_RULES = 12
_TRIES = 3


class Fact(NamedTuple):
    """A line of the title block."""

    name: str
    values: list[str]
    is_web: bool = False
    """Whether the values are addresses, which may be long."""


def facts_of(directory: CrawlDirectory, study: Manifest, *, with_audit: bool) -> Facts:
    """Gather the facts of a crawl that its tables do not hold."""
    return Facts(
        directory.path.resolve().name,
        directory.job(),
        study,
        _audit(directory) if with_audit else None,
        directory.holder() is not None,
        __version__,
        _words(directory),
    )


def _words(directory: CrawlDirectory) -> dict[str, list[str]]:
    """Return the words with most weight for each topic; none if another model was applied later."""
    if not directory.job().topics.model or not directory.model_file.exists():
        return {}
    from lycosa.analysis.topics.telling_words import telling_words  # few crawls have a model
    from lycosa.analysis.topics.texts import texts_of_crawl

    model = TopicModel.read(directory.model_file)
    applied = derived_path(directory.path, "page_topics")
    if applied.exists():
        first = next(rows_file(applied).iter_batches(1, columns=["model"]), None)
        if first is not None and first.column("model").to_pylist() != [model.digest]:
            return {}
    return telling_words(model, texts_of_crawl(directory.path), MOST_WORDS)


def _audit(directory: CrawlDirectory) -> Audit | None:
    """Check every request against the rules; None if there is no log with the rules.

    While a crawl runs, rows are there a moment before the events that explain them. A real
    breach is still there when the audit is repeated.
    """
    if not directory.has_begun:
        return None
    try:
        found = audit(directory)
    except (LogError, Untrusted):
        if not directory.may_lack_log:
            raise
        return None
    for _ in range(_TRIES):
        if found.is_clean or directory.holder() is None:
            break
        found = audit(directory)
    return found


def scale(facts: Facts) -> list[tuple[str, str]]:
    """Return the numbers that say how large the crawl is."""
    study = facts.study
    return [
        (count(study["pages"]), "pages"),
        (count(study["sites"]), "sites"),
        (count(study["links"]), "links between pages"),
        (size_text(study["bytes"]), "of content"),
        (count(study["fetches"]), "fetches"),
    ]


def title_block(facts: Facts) -> Iterator[Fact]:
    """Return the lines of the title block: scope, settings, times."""
    job, study = facts.job, facts.study
    seeds = [parted(seed)[0] for seed in job.seeds[:_MOST_SEEDS]]
    more = len(job.seeds) - len(seeds)
    yield Fact("Seeds", [*seeds, *([f"and {count(more)} more"] if more else [])], is_web=True)
    yield Fact("Scope", _scope(job), is_web=True)
    began, ended = moment(study.get("first_asked")), moment(study.get("last_answered"))
    if began and ended:
        lasted = duration_text((ended - began).total_seconds())
        yield Fact("Time", [f"{written(began)} to {written(ended)}, {lasted}"])
    yield Fact("State", [_state(facts)])
    yield Fact("Limits", [_limits(job)])
    yield Fact("Pauses", [_pauses(job)])
    yield Fact(
        "Order", [f"{job.frontier.scheduler}, {counted(job.frontier.partitions, 'partition')}"]
    )
    yield Fact("User agent", [job.fetch.user_agent], is_web=True)
    made = moment(study.get("made_at"))
    yield Fact(
        "Studied", [f"{written(made) if made else 'at an unknown time'}, by Lycosa {facts.version}"]
    )


def _scope(job: Job) -> list[str]:
    if not job.rules:
        return ["the hosts of the seeds, and where these redirect to"]
    rules = [
        ", ".join(f"{key} = {write_value(value)}" for key, value in rule.items())
        for rule in job.rules[:_MOST_RULES]
    ]
    more = len(job.rules) - len(rules)
    return [*rules, *([f"and {counted(more, 'more rule')}"] if more else [])]


def _state(facts: Facts) -> str:
    pending = facts.study.get("pending")
    waiting = "" if pending is None else f"; {counted(pending, 'URL')} in its queue"
    if facts.is_running:
        return f"running when it was studied{waiting}"
    if pending == 0:
        if left_out := told(facts.study.get("left_out", {}), facts.job):
            amounts = "; ".join(amount_text(one) for one in left_out)
            return f"complete within its limits, which left out {amounts}"
        if put_aside := facts.study.get("put_aside"):
            return f"complete but for {counted(put_aside, 'URL')} put aside as traps"
        return "complete: every URL in scope has been fetched or refused"
    return f"stopped when it was studied{waiting}"


def _limits(job: Job) -> str:
    limits = job.limits
    named = [
        (limits.pages, f"{count(limits.pages)} pages"),
        (limits.bytes, size_text(limits.bytes)),
        (limits.seconds, duration_text(limits.seconds)),
        (limits.host_pages, f"{count(limits.host_pages)} pages of a host"),
    ]
    depth = (
        f"{counted(limits.depth_static, 'link')} from a seed"
        f" ({limits.depth_dynamic:,} to a URL with a query)"
    )
    return ", ".join([*(text for value, text in named if value), depth])


def _pauses(job: Job) -> str:
    politeness = job.politeness
    large = min(politeness.delay_seconds, politeness.large_site_delay_seconds)
    return (
        f"{seconds(politeness.delay_seconds)} between requests to a host"
        f" ({seconds(large)} after {count(politeness.large_site_pages)} pages),"
        f" {seconds(politeness.ip_delay_seconds)} to an address; longer where robots files or"
        " answers ask for it"
    )


def moment(text: str | None) -> datetime | None:
    """Read a moment as the study writes it."""
    return datetime.fromisoformat(text) if text else None


def written(when: datetime) -> str:
    """Write a moment for people, in UTC as it is."""
    return f"{when.day} {when:%B %Y, %H:%M:%S} UTC"
