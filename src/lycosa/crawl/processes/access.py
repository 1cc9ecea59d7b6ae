"""Gives a process the secrets of a job that logs in; others load nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lycosa.config import Job

if TYPE_CHECKING:
    from lycosa.fetch.access import Access


def access_of(job: Job) -> Access | None:
    """Return what the job sends to hosts that it is logged in to; raises `ConfigError`."""
    if not job.login.is_used:
        return None
    from lycosa.fetch.access import Access

    return Access(job.login)
