"""The messages between a worker and the process that reads pages apart."""

from __future__ import annotations

from typing import NamedTuple

import msgspec

from lycosa.model.job import Job


class Parcel(msgspec.Struct, frozen=True, array_like=True):
    """A message in either direction."""

    number: int
    """Number of the page; 0 for the `Setup`."""
    content: bytes
    """An `Asked`, or packed `Findings`; b"" if even the process of the page died."""


class Setup(NamedTuple):
    """The first message: the settings for reading every page."""

    job: Job
    has_plugins: bool
    seconds: float
    memory_bytes: int
