"""Accepting a shared job's operator settings on a machine that joins.

A log server is not an operator: any program that can write to it may have written the job. The log
therefore names operator settings (`lycosa.runtime.trust`) only for comparison. A member follows
settings that were typed on its own machine, and those of the log if their digest was accepted. The
machine that begins a crawl prints that digest. It is the same for all machines, because the address
of the log, which each machine types, is not part of it.

Always true: a machine that joins by the address alone follows no operator setting of the log.

Cost: nothing while a crawl runs. Notes of later jobs (`job/2`) are read when a machine joins, and
not by running members.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple

from lycosa.errors import Untrusted
from lycosa.model.job import Job, parse_job
from lycosa.runtime.trust.judging import LOG_PLACE, judge_shared, lines_of
from lycosa.runtime.trust.settings import Settings, digest_of, operator_settings, with_settings_of

UNSET = "not set"


class Typed(NamedTuple):
    """Settings that were typed on this machine."""

    job: Job = Job()
    names: frozenset[str] = frozenset()
    """Names of the typed operator settings, including empty ones."""


def job_to_join(address: str, noted: Job, typed: Typed, command: str) -> Job:
    """Return the job that a member follows; raises `Untrusted` if a setting is not accepted.

    `command` is what the user types to accept the settings, without the digest.
    """
    judged = judge_shared(noted)
    left = {name: text for name, text in judged.withheld.items() if name not in typed.names}
    if left:
        raise Untrusted(
            f"{address}: the log names these settings, which you have neither typed nor"
            f" accepted:\n{lines_of(left)}\n"
            "  read them, and compare the digest with the one that the first machine has printed."
            f" Accept them: {command} --trust {judged.digest}\n"
            "  or type your own: --store URL, --set SECTION.KEY=VALUE; an empty VALUE leaves one"
            " out"
        )
    return with_settings_of(noted, typed.job, typed.names)


def shared_digest(job: Job) -> str:
    """Return the digest that other machines accept; "" if they need none."""
    settings = _without_place(_as_noted(job))
    return digest_of(settings) if settings else ""


def differences(noted: Job, own: Job) -> list[str]:
    """Describe the operator settings in which a member differs from the job in the log."""
    theirs, ours = _without_place(noted), _without_place(_as_noted(own))
    return [
        f"{name} = {ours.get(name, UNSET)}; the log has {theirs.get(name, UNSET)}"
        for name in sorted({*theirs, *ours})
        if theirs.get(name) != ours.get(name)
    ]


def _as_noted(job: Job) -> Job:
    """Return a job as other machines read it from the log: seeds and model by their names."""
    return parse_job(job.portable().to_toml("seeds.txt"), "the job")


def _without_place(job: Job) -> Settings:
    return {name: text for name, text in operator_settings(job).items() if name not in LOG_PLACE}


def counted(job: Job, names: Collection[str] = ()) -> Settings:
    """Return the settings of a directory's job that are accepted by the shared digest."""
    judged = judge_shared(job)
    is_accepted = not judged.withheld.keys() - set(names)
    return judged.settings if is_accepted else {}
