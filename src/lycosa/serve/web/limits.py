"""The values that can be changed while a crawl runs: those of the job, and those in force."""

from __future__ import annotations

from typing import Any

from lycosa.cluster.settings import CHANGEABLE
from lycosa.config import Job
from lycosa.crawl.control.live import Frame


def limits_of(job: Job) -> dict[str, Any]:
    """Return the job's own values by key."""
    found: dict[str, Any] = {}
    for name in CHANGEABLE:
        section, _, key = name.partition(".")
        found[name] = getattr(getattr(job, section), key)
    return found


def limits_in_force(job: Job, live: Frame | None = None) -> dict[str, Any]:
    """Return the values in force."""
    changed = dict(live.values) if live is not None else {}
    return {**limits_of(job), **{key: changed[key] for key in changed if key in CHANGEABLE}}
