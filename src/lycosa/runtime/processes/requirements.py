"""Conditions that a job and its machine must meet before a crawl begins."""

from __future__ import annotations

import os
from pathlib import Path

from lycosa.errors import ConfigError
from lycosa.fetch.client import require_proxy
from lycosa.model.job import Job

ADD_CONTACT = (
    "add --contact https://example.org/about-my-crawl or --contact mail@example.org"
    " (crawl.toml: [fetch] contact)"
)


def require_contact(job: Job, remedy: str = ADD_CONTACT) -> None:
    """Refuse to crawl the public web without an address at which site owners reach the operator."""
    fetch = job.fetch
    if not fetch.contact and not fetch.allow_private and not fetch.loopback_origins:
        raise ConfigError(
            "site owners must be able to reach you: a crawl of the public web needs a contact in"
            f" its user agent\n  {remedy}"
        )


def require_disk(job: Job, path: Path) -> None:
    """Refuse a crawl on a disk that has less space than the job leaves free, before it begins."""
    folder = path.absolute().parent
    try:
        disk = os.statvfs(folder)
    except OSError:
        return  # the folders above are still to be made
    free = disk.f_bavail * disk.f_frsize
    if not disk.f_blocks:
        return  # not a disk, as /proc
    if free < job.limits.free_disk_bytes:
        raise ConfigError(
            f"{folder}: the disk has {free / 1e9:,.1f} GB free, and the crawl would end at once: it"
            f" leaves {job.limits.free_disk_bytes / 1e9:,.1f} GB free\n"
            "  choose a folder on another disk with -o, or allow less with --min-free-disk"
        )


def require_content(job: Job) -> None:
    """Refuse a proxy, languages, a browser or a model of topics that cannot work here."""
    require_proxy(job.fetch)
    if job.extract.languages:
        from lycosa.features import languages  # most crawls do not load it

        languages.require_languages(job)
    if job.render.mode != "off":
        from lycosa.features.rendering.browsers import (
            require_browser,  # few crawls render pages
        )

        require_browser(job)
    if job.topics.model or job.frontier.scheduler == "topics":
        from lycosa.features.topics.of_job import require_topics

        require_topics(job)
