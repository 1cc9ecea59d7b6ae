"""Secrets of a job for a process: login, proxy, webhook. A job without secrets loads nothing."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

from lycosa.fetch.ports import named_origins
from lycosa.model.job import Fetch, Job, Notify
from lycosa.model.job.seeds import SeedList, parted
from lycosa.model.url import canonicalize

if TYPE_CHECKING:
    from lycosa.fetch.access import Access


def fetch_of(job: Job) -> Fetch:
    """Return the settings for a transport: with named origins, and the password of a proxy."""
    fetch = dataclasses.replace(job.fetch, ports=named_ports(job))
    if not fetch.proxy:
        return fetch
    from lycosa.fetch.secrets import with_secrets

    return with_secrets(fetch, job.login.secrets_file)


def named_ports(job: Job) -> tuple[str, ...]:
    """Return the ports that the job names, and the origins of its seeds that have such a port."""
    schemes = ("http", "https")
    opened = (f"{scheme}://{one}" for one in job.fetch.loopback_origins for scheme in schemes)
    return (*job.fetch.ports, *sorted(named_origins([*typed_origins(job), *opened])))


def notify_of(job: Job) -> Notify:
    """Return the settings for notices, with the secrets of the webhook's address."""
    if "${" not in job.notify.webhook:
        return job.notify
    from lycosa.fetch.secrets import filled, secrets_of

    secrets = secrets_of(job.login.secrets_file)
    webhook = filled(job.notify.webhook, secrets, "[notify] webhook")
    return dataclasses.replace(job.notify, webhook=webhook)


def access_of(job: Job) -> Access | None:
    """Return the credentials for hosts at which the job is logged in; raises `ConfigError`."""
    if not job.login.is_used:
        return None
    from lycosa.fetch.access import Access

    return Access(job.login, typed_origins(job))


def typed_origins(job: Job) -> set[str]:
    """Return the origins of the seeds in the job itself, as `http://a.test:81`.

    A long list of seeds, which comes from a file, names no origin for a secret.
    """
    if isinstance(job.seeds, SeedList):
        return set()
    urls = filter(None, (canonicalize(parted(seed)[0]) for seed in job.seeds))
    return {url[: url.index("/", 8)] for url in urls}
