"""Settings that the operator changes during a crawl.

A setting is a key of the job (`politeness.delay_seconds`) with another value, under the job's own
checks. Settings are the effect of orders, which are notes in the log (`runtime.orders.orders`). The
record of a member names the last order that it follows, which shows when the last machine has
adopted a change.

The job file stays as it is; a crawl that is resumed reads both.
"""

from __future__ import annotations

import dataclasses
import logging
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import msgspec

from lycosa._support.decoders import json_decoder
from lycosa.errors import ConfigError
from lycosa.model.job import Job

if TYPE_CHECKING:
    from lycosa.runtime.membership.record import Member

logger = logging.getLogger("lycosa")
_left_out: set[str] = set()
"""Keys whose omission was logged: once is enough."""

CHANGEABLE = (
    "politeness.delay_seconds",
    "politeness.large_site_delay_seconds",
    "politeness.ip_delay_seconds",
    "fetch.connections",
    "fetch.bytes_per_second",
    "limits.pages",
    "limits.bytes",
    "limits.seconds",
)
"""Keys that take effect in a running crawl."""

_RAISED_LATER = ("limits.depth_static", "limits.depth_dynamic", "limits.host_pages")
"""Keys by which a resumed crawl takes in what they had left out."""

Value = bool | int | float | str


class Settings(msgspec.Struct, frozen=True, omit_defaults=True):
    """Values in force, and whether the crawl is paused."""

    values: dict[str, Value] = {}
    is_paused: bool = False
    """No machine begins requests until the operator resumes the crawl."""

    def applied(self, job: Job) -> Job:
        """Return the job with these settings.

        Another program may have written them, so keys that no order may change keep their values.
        """
        sections: dict[str, Any] = {}
        for name, value in self.values.items():
            section, _, key = name.partition(".")
            if not _may_be(name, value):
                continue
            record = sections.get(section, getattr(job, section))
            sections[section] = dataclasses.replace(record, **{key: value})
        return dataclasses.replace(job, **sections) if sections else job


def check_value(name: str, value: Value) -> None:
    """Raise `ConfigError` if no order may give a key of the job this value."""
    if name not in CHANGEABLE:
        later = f"  when it has ended: lycosa resume DIR --set {name}={value}\n"
        raise ConfigError(
            f"`{name}` cannot be changed while a crawl runs\n"
            f"{later if name in _RAISED_LATER else ''}  these can: {', '.join(CHANGEABLE)}"
        )
    section, _, key = name.partition(".")
    tables: dict[str, Any] = {section: {key: value}}
    Job.of(**tables)


def _may_be(name: str, value: Value) -> bool:
    try:
        check_value(name, value)
    except ConfigError:
        pass
    else:
        return True
    if name not in _left_out:
        _left_out.add(name)
        logger.warning("ignoring %s = %r from the log: no order may set it", name, value)
    return False


def unpack(value: bytes) -> Settings:
    """Read settings that an earlier version has left on the board; an empty value means none."""
    return json_decoder(Settings).decode(value) if value else Settings()


def behind(members: Mapping[int, Member], order: int) -> list[int]:
    """Return the lives that do not follow an order yet."""
    return [n for n, one in members.items() if not one.is_gone and one.settings < order]
