"""Settings that the operator changes during a crawl, for all machines at once.

A setting is a key of the job (`politeness.delay_seconds`) with another value, under the job's own
checks. All settings stand in one document on the board; its revision is the settings' revision.
Members read it every two seconds (`SettingsDesk`), and their records name the revision that they
follow, which shows when the last machine has adopted a change.

The job file stays as it is; a crawl that is resumed reads both.
"""

from __future__ import annotations

import dataclasses
import logging
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import msgspec

from lycosa.config import Job
from lycosa.decoders import json_decoder
from lycosa.errors import ConfigError

if TYPE_CHECKING:
    from lycosa.cluster.membership.calls import Call, Result
    from lycosa.cluster.membership.record import Member

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

READ_SECONDS = 2.0
RETRY_SECONDS = 0.5

Value = bool | int | float | str


class Settings(msgspec.Struct, frozen=True, omit_defaults=True):
    """Value on the board under `settings`."""

    values: dict[str, Value] = {}
    is_paused: bool = False
    """No machine begins requests until the operator resumes the crawl."""
    leaving: tuple[int, ...] = ()
    """Lives that hand their partitions over and end, by order of the operator."""

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
        """Return the settings without one: the job's own value is used again."""
        values = {one: value for one, value in self.values.items() if one != name}
        return msgspec.structs.replace(self, values=values)

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
        logger.warning("ignoring %s = %r from the log: no order may set it", name, value)
    return False


class SettingsDesk:
    """Reads the settings for one worker process; a `courier` makes its calls."""

    def __init__(self) -> None:
        self.settings = Settings()
        self.revision = 0
        self.is_fresh = False
        """Whether the settings were read since the last call of `ask`."""
        self._is_asking = False
        self._must_ask = True
        self.due = float("-inf")

    def ask(self) -> None:
        """Read the settings at once: the known ones may be old."""
        self.is_fresh, self._must_ask, self.due = False, True, float("-inf")

    def call(self, now: float) -> Call | None:
        """Return the next call, if one is due."""
        if self._is_asking or now < self.due:
            return None
        from lycosa.cluster.board.keys import SETTINGS  # a crawl on one machine has no board
        from lycosa.cluster.membership.calls import Get

        self._is_asking, self._must_ask = True, False
        return Get(SETTINGS)

    def answered(self, result: Result, now: float) -> None:
        """Process the answer; a stale one changes nothing."""
        from lycosa.cluster.board.protocol import Entry  # a crawl on one machine has no board

        self._is_asking = False
        if not isinstance(result, Entry):
            self.due = now + RETRY_SECONDS
            return
        if result.revision >= self.revision:
            self.settings, self.revision = unpack(result.value), result.revision
        if self._must_ask:
            self.due = float("-inf")  # asked for in the meantime
        else:
            self.is_fresh, self.due = True, now + READ_SECONDS


def pack(settings: Settings) -> bytes:
    """Return settings as stored on the board."""
    return msgspec.json.encode(settings)


def unpack(value: bytes) -> Settings:
    """Read settings; an empty value means none."""
    return json_decoder(Settings).decode(value) if value else Settings()


def replaced(settings: Settings, **fields: object) -> Settings:
    """Return the settings with other fields."""
    return msgspec.structs.replace(settings, **fields)


def behind(members: Mapping[int, Member], revision: int) -> list[int]:
    """Return the lives that do not follow these settings yet."""
    return [n for n, one in members.items() if not one.is_gone and one.settings < revision]
