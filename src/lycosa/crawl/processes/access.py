"""Gives a process the secrets of a job: of its login and its proxy; others load nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lycosa.config import Fetch, Job

if TYPE_CHECKING:
    from lycosa.fetch.access import Access


def fetch_of(job: Job) -> Fetch:
    """Return the settings for a transport, the password of a proxy included."""
    if not job.fetch.proxy:
        return job.fetch
    from lycosa.fetch.secrets import with_secrets

    return with_secrets(job.fetch, job.login.secrets_file)


def access_of(job: Job) -> Access | None:
    """Return what the job sends to hosts that it is logged in to; raises `ConfigError`."""
    if not job.login.is_used:
        return None
    from lycosa.fetch.access import Access

    return Access(job.login)
