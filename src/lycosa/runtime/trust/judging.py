"""Compares the operator settings of a job with what the user typed or has accepted.

    judge       the settings of a directory, and those among them that do not count
    require     the same for a command that runs the crawl: raises `Untrusted` with the list
    accept      records the settings after a typed command has written a job

A command that only reads goes on with the defaults of the settings that do not count, and a
message says so once.
"""

from __future__ import annotations

import logging
import shlex
from collections.abc import Mapping
from pathlib import Path

from lycosa._support import beneath
from lycosa._support.tuples import NamedTuple
from lycosa.errors import Untrusted
from lycosa.model.job import Job
from lycosa.model.job.writer import write_value
from lycosa.runtime.trust import record
from lycosa.runtime.trust.code import code_inside
from lycosa.runtime.trust.settings import LINK, Settings, digest_of, operator_settings

messages = logging.getLogger(__name__)
"""The command line shows what is said here."""

LOG_PLACE = ("log.server", "log.name")
"""The place of a log. A user who names a crawl by the address of its log has typed these keys."""


class Judged(NamedTuple):
    """The operator settings of a crawl, and the user's decisions about them."""

    settings: Settings
    withheld: Settings
    """Settings that do not count; a command that only reads uses their defaults."""

    @property
    def digest(self) -> str:
        """The name under which all of them are accepted together."""
        return digest_of(self.settings)


def settings_of(job: Job, folder: Path) -> Settings:
    """Return the operator settings of a directory whose job is given as it is written."""
    found = operator_settings(job)
    if found:
        found |= code_inside(job, folder)
    for name, target in beneath.linked_folders(folder):
        found[LINK + name] = write_value(target)
    return found


def judge(job: Job, folder: Path, typed: Mapping[str, str] | None = None) -> Judged:
    """Return the operator settings of a directory, and which of them do not count."""
    settings = settings_of(job, folder)
    left = {name: text for name, text in settings.items() if (typed or {}).get(name) != text}
    if not left or record.is_accepted(digest_of(settings)):
        return Judged(settings, {})
    return Judged(settings, left)


def judge_shared(job: Job, typed: Mapping[str, str] | None = None) -> Judged:
    """Return the operator settings of a job that a log holds, and which of them do not count.

    The place of the log is not among them: every machine types its own address of it. So the
    digest is the same on all machines.
    """
    settings = {
        name: text for name, text in operator_settings(job).items() if name not in LOG_PLACE
    }
    left = {name: text for name, text in settings.items() if (typed or {}).get(name) != text}
    if not left or record.is_accepted(digest_of(settings)):
        return Judged(settings, {})
    return Judged(settings, left)


def accept(judged: Judged, folder: Path) -> None:
    """Record what the user has typed, so that later commands need not ask; warn if that fails."""
    if not judged.settings:
        return
    if problem := record.accept(judged.digest, folder):
        messages.warning(
            f"{problem}: your acceptance of the settings of {folder} cannot be recorded\n"
            f"  later commands need --trust {judged.digest}, or LYCOSA_TRUST={judged.digest}"
        )


def require(judged: Judged, shown: str) -> None:
    """Raise `Untrusted` with the list of settings that do not count, if there are any."""
    if judged.withheld:
        raise Untrusted(
            f"{shown}: these settings came with the directory, and you have not accepted them:\n"
            f"{lines_of(judged.withheld)}\n"
            "  read them. If they are what you want, accept them:"
            f" {_accepting(shown)}\n"
            f"  or for one command, where there is no lasting home: --trust {judged.digest}"
        )


def lines_of(settings: Mapping[str, str]) -> str:
    """Return settings for a message, one a line."""
    return "\n".join(f"    {name} = {text}" for name, text in settings.items())


def tell_withheld(withheld: Mapping[str, str], shown: str) -> None:
    """Say once in a process that settings of a directory do not count."""
    told = (shown, *withheld)
    if withheld and told not in _TOLD:
        _TOLD.add(told)
        messages.warning(
            f"{shown}: left out, because you have not accepted them: {', '.join(withheld)}\n"
            f"  see and accept them: {_accepting(shown)}"
        )


_TOLD: set[tuple[str, ...]] = set()


def _accepting(shown: str) -> str:
    """Return the command that accepts; under `sudo` the record of root is the one that counts."""
    sudo = "sudo " if record.is_sudo() else ""
    return f"{sudo}lycosa trust {shlex.quote(shown)}"
