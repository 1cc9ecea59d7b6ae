"""The event about a request that a plugin has posted (`lycosa.features.plugins.posts`)."""

from __future__ import annotations

import enum

from msgspec import Struct


class PostState(enum.IntEnum):
    """What the log knows of a POST."""

    UNSENT = 0
    """It was not sent: no connection was made. It may be sent."""
    NOTED = 1
    """It is about to be sent, or was; without a later event nobody knows."""
    ANSWERED = 2
    """The decision about its answer is in the same commit."""


class Posted(Struct, frozen=True, array_like=True, tag_field="t", tag=52):
    """A POST is about to be sent, or its end is known."""

    moment: float
    page: int
    state: PostState
