"""Opens servers of this machine for a crawl whose seeds, as typed, are all on it.

`lycosa crawl http://localhost:8000/` needs no flag. Exactly the pairs of host and port that were
typed are opened and written to the job as `loopback_origins`; every other address, of this machine,
of its network and of the web, stays refused (`lycosa.fetch.guard`). So no other machine can be
bothered: no contact is needed, the pauses are short, a page that failed is soon tried again, and a
server that refuses connections is given up after seconds.

This holds for seeds that a person types. A list of seeds or a program may have its URLs from
somewhere else, and needs `--allow-private`.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import urlsplit

from lycosa.fetch.guard import is_loopback_host
from lycosa.model.job import Job
from lycosa.model.job.keys import keys_of
from lycosa.model.url import canonicalize

PAUSE_SECONDS = 0.05
"""Pause between two requests, unless a flag or the job sets another."""

RETRY_SECONDS = 1.0
"""Pause before a failed page is tried again; it doubles with each further try."""

PATIENCE_SECONDS = 3.0
"""Time for a server that refuses connections: nobody starts it while the crawl waits."""

_PORTS = {"http": 80, "https": 443}
_PAUSES = ("delay_seconds", "large_site_delay_seconds", "ip_delay_seconds")


def origins_of(seeds: Sequence[str]) -> tuple[str, ...]:
    """Return the seeds' servers as `host:port`; none unless all of them are on this machine."""
    found: dict[str, None] = {}
    for seed in seeds:
        url = canonicalize(seed.strip())
        parts = urlsplit(url or "")
        host = parts.netloc.rpartition(":")[0] if parts.port else parts.netloc
        if url is None or not is_loopback_host(host):
            return ()
        found[f"{host}:{parts.port or _PORTS[parts.scheme]}"] = None
    return tuple(found)


def opened(job: Job, flags: Mapping[str, Any]) -> Job:
    """Return the job with the servers of its seeds opened; all seeds were typed.

    A job whose own settings allow more keeps them. Its patience is short, too, where nothing leads
    to another machine.
    """
    fetch = job.fetch
    origins = () if fetch.proxy or fetch.hosts_file else origins_of(job.seeds)
    allows_more = fetch.allow_private or fetch.private_networks
    if not origins or (allows_more and job.rules):
        return job
    said = _said(flags)
    patience = _unsaid("limits", job.limits, {"patience_seconds": PATIENCE_SECONDS}, said)
    job = dataclasses.replace(job, limits=dataclasses.replace(job.limits, **patience))
    if allows_more:
        return job
    short = {} if flags.get("delay") is not None else dict.fromkeys(_PAUSES, PAUSE_SECONDS)
    return dataclasses.replace(
        job,
        fetch=dataclasses.replace(
            fetch,
            loopback_origins=origins,
            **_unsaid("fetch", fetch, {"retry_first_seconds": RETRY_SECONDS}, said),
        ),
        politeness=dataclasses.replace(
            job.politeness, **_unsaid("politeness", job.politeness, short, said)
        ),
    )


def opened_at(job: Job, url: str) -> Job:
    """Return the job with the server of one typed URL opened, if it is on this machine."""
    if job.fetch.loopback_origins:
        return job
    found = opened(dataclasses.replace(job, seeds=(url,)), {})
    return dataclasses.replace(found, seeds=job.seeds)


def _said(flags: Mapping[str, Any]) -> set[str]:
    """Return the keys that a flag sets, as `section.key`."""
    said = {setting.partition("=")[0].strip() for setting in flags.get("settings", ())}
    return said | ({"politeness.ip_delay_seconds"} if flags.get("ip_delay") is not None else set())


def _unsaid(name: str, section: Any, short: Mapping[str, float], said: set[str]) -> dict[str, Any]:
    """Return the values for which neither a flag nor the job has another one."""
    kind: type = type(section)
    keys = keys_of(kind)
    return {
        key: value
        for key, value in short.items()
        if getattr(section, key) == keys[key].default and f"{name}.{key}" not in said
    }


def opened_text(origins: Sequence[str]) -> str:
    """Say what was opened, in one line."""
    return (
        f"on this machine: asks {', '.join(origins)} and nothing else, with short pauses;"
        " no contact is needed"
    )
