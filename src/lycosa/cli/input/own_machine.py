"""Opens servers of this machine for a crawl whose seeds, as typed, are all on it.

`lycosa crawl http://localhost:8000/` needs no flag. Exactly the pairs of host and port that were
typed are opened and written to the job as `loopback_origins`; every other address, of this machine,
of its network and of the web, stays refused (`lycosa.fetch.guard`). So nobody else can be bothered:
no contact is needed, and the pauses are short.

This holds for seeds that a person types. A list of seeds or a program may have got its URLs from
somewhere else, and needs `--allow-private`.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import urlsplit

from lycosa.config import Job, Politeness
from lycosa.config.keys import keys_of
from lycosa.fetch.guard import is_loopback_host
from lycosa.url import canonicalize

PAUSE_SECONDS = 0.05
"""Between two requests, unless a flag or the job says otherwise."""

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
    """Return the job with the servers of its seeds opened, all of which were typed.

    A job that reaches further by its own settings stays as it is.
    """
    fetch = job.fetch
    says_more = fetch.allow_private or fetch.private_networks or fetch.proxy or fetch.hosts_file
    origins = () if says_more else origins_of(job.seeds)
    if not origins:
        return job
    return dataclasses.replace(
        job,
        fetch=dataclasses.replace(fetch, loopback_origins=origins),
        politeness=_shortened(job.politeness, flags),
    )


def _shortened(politeness: Politeness, flags: Mapping[str, Any]) -> Politeness:
    """Return the pauses, those shortened about which neither a flag nor the job says anything."""
    if flags.get("delay") is not None:
        return politeness
    said = {setting.partition("=")[0].strip() for setting in flags.get("settings", ())}
    said |= {"politeness.ip_delay_seconds"} if flags.get("ip_delay") is not None else set()
    short: dict[str, Any] = {
        key.name: PAUSE_SECONDS
        for key in keys_of(Politeness).values()
        if key.name in _PAUSES
        and getattr(politeness, key.name) == key.default
        and f"politeness.{key.name}" not in said
    }
    return dataclasses.replace(politeness, **short)


def opened_text(origins: Sequence[str]) -> str:
    """Say what was opened, in one line."""
    return (
        f"on this machine: asks {', '.join(origins)} and nothing else, with short pauses;"
        " no contact is needed"
    )
