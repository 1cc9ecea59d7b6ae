"""Settings that the operator changes while a crawl runs, for all machines at once.

A setting is a key of the job (`politeness.delay_seconds`) with another value, under the job's own
checks. They stand in one document on the board; its revision is the settings' revision. Members
read it every two seconds (`SettingsDesk`) and say in their records which revision they go by. So it
can be seen when the last machine has adopted a change.

The job file stays as it is; a crawl that is resumed reads both.
"""

from __future__ import annotations

import dataclasses
import logging
from collections.abc import Mapping
from typing import Any

import msgspec

from lycosa.cluster.board.keys import SETTINGS
from lycosa.cluster.board.protocol import Entry
from lycosa.cluster.membership.calls import Call, Get, Result
from lycosa.cluster.membership.record import Member
from lycosa.config import Job
from lycosa.decoders import json_decoder
from lycosa.errors import ConfigError

logger = logging.getLogger("lycosa")
_left_out: set[str] = set()
"""Keys of which it was said that they are left out: once is enough."""

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
"""The keys that take effect in a crawl that runs."""

READ_SECONDS = 2.0
RETRY_SECONDS = 0.5

Value = bool | int | float | str


class Settings(msgspec.Struct, frozen=True, omit_defaults=True):
    """What stands on the board under `settings`."""

    values: dict[str, Value] = {}
    is_paused: bool = False
    """No machine begins requests until the operator says so."""
    leaving: tuple[int, ...] = ()
    """The lives that hand their partitions over and end, because the operator wants it."""

    def with_value(self, name: str, value: Value) -> Settings:
        """Return the settings with one changed; raises `ConfigError` if the job would refuse it."""
        if name not in CHANGEABLE:
            raise ConfigError(
                f"`{name}` cannot be changed while a crawl runs\n"
                f"  these can: {', '.join(CHANGEABLE)}"
            )
        section, _, key = name.partition(".")
        tables: dict[str, Any] = {section: {key: value}}
        Job.of(**tables)
        return msgspec.structs.replace(self, values={**self.values, name: value})

    def without(self, name: str) -> Settings:
        """Return the settings with one taken back: the job's own value counts again."""
        values = {one: value for one, value in self.values.items() if one != name}
        return msgspec.structs.replace(self, values=values)

    def applied(self, job: Job) -> Job:
        """Return the job with these settings.

        They may have been written by another program: what no order may change stays as it is.
        """
        sections: dict[str, Any] = {}
        for name, value in self.values.items():
            section, _, key = name.partition(".")
            if not _may_be(name, value):
                continue
            record = sections.get(section, getattr(job, section))
            sections[section] = dataclasses.replace(record, **{key: value})
        return dataclasses.replace(job, **sections) if sections else job


def _may_be(name: str, value: Value) -> bool:
    """Return whether an order may give a key of the job this value."""
    section, _, key = name.partition(".")
    tables: dict[str, Any] = {section: {key: value}}
    try:
        if name in CHANGEABLE:
            Job.of(**tables)
            return True
    except ConfigError:
        pass
    if name not in _left_out:
        _left_out.add(name)
        logger.warning("the log sets %s = %r, which no order may: it is left out", name, value)
    return False


class SettingsDesk:
    """Reads the settings for one worker process; a `courier` makes its calls."""

    def __init__(self) -> None:
        self.settings = Settings()
        self.revision = 0
        self.is_fresh = False
        """Whether they were read since the last call of `ask`."""
        self._is_asking = False
        self._must_ask = True
        self.due = float("-inf")

    def ask(self) -> None:
        """Read them at once: what is known may be old."""
        self.is_fresh, self._must_ask, self.due = False, True, float("-inf")

    def call(self, now: float) -> Call | None:
        """Return the next call, if one is due."""
        if self._is_asking or now < self.due:
            return None
        self._is_asking, self._must_ask = True, False
        return Get(SETTINGS)

    def answered(self, result: Result, now: float) -> None:
        """Take in the answer; a stale one changes nothing."""
        self._is_asking = False
        if not isinstance(result, Entry):
            self.due = now + RETRY_SECONDS
            return
        if result.revision >= self.revision:
            self.settings, self.revision = unpack(result.value), result.revision
        if self._must_ask:
            self.due = float("-inf")  # asked for meanwhile
        else:
            self.is_fresh, self.due = True, now + READ_SECONDS


def pack(settings: Settings) -> bytes:
    """Return settings as they stand on the board."""
    return msgspec.json.encode(settings)


def unpack(value: bytes) -> Settings:
    """Read settings; nothing there means none."""
    return json_decoder(Settings).decode(value) if value else Settings()


def replaced(settings: Settings, **fields: object) -> Settings:
    """Return the settings with other fields."""
    return msgspec.structs.replace(settings, **fields)


def behind(members: Mapping[int, Member], revision: int) -> list[int]:
    """Return the lives that do not go by these settings yet."""
    return [n for n, one in members.items() if not one.is_gone and one.settings < revision]
