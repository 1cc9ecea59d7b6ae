"""Tasks that a partition hands to its worker: requests that may be sent now."""

from __future__ import annotations

from enum import IntEnum

from msgspec import Struct


class TaskKind(IntEnum):
    """The kind of thing to fetch."""

    PAGE = 1
    ROBOTS = 2
    ERRAND = 3
    LOGIN = 4
    """A step of the login that a page needs first."""


# Bound once: reading a member of an enum costs as much as making a task.
PAGE = TaskKind.PAGE


class Task(Struct, frozen=True):
    """Something that may be fetched now; `subject` is a page, a site or an errand."""

    kind: TaskKind
    subject: int
    host: int
