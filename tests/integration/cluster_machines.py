"""Machines of simulated cluster crawls."""

from __future__ import annotations

from random import Random


def machines_of(seed: int) -> int:
    return 2 + Random(seed).randrange(15)
