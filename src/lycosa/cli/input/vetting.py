"""Checks that all operator settings of a directory's job were typed or accepted."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lycosa._support.tuples import NamedTuple
from lycosa.cli.input.jobs import build_job
from lycosa.model.job import Job
from lycosa.runtime.directory import CrawlDirectory
from lycosa.runtime.trust.record import accept_here
from lycosa.runtime.trust.settings import operator_settings


class Vetted(NamedTuple):
    """A job whose operator settings were all accepted or typed."""

    job: Job
    typed: Mapping[str, str]


def vet(
    directory: CrawlDirectory, flags: dict[str, Any], place: Mapping[str, str] | None = None
) -> Vetted:
    """Return the directory's job; raises `Untrusted` if a setting was neither accepted nor typed.

    `place` has settings that were typed as arguments, not as flags.
    """
    if digest := flags.pop("trust", ""):
        accept_here(digest)
    typed = {**operator_settings(build_job(Job(), flags)), **(place or {})}
    job = directory.whole_job(typed)
    if typed:
        directory.accept_here()
    return Vetted(job, typed)
