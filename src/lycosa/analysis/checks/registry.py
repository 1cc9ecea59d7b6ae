"""All checks by name and family, and the selection of some by a user's words."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

from lycosa.analysis.checks import delivery, discovery, indexing, links, redirects, titles
from lycosa.analysis.checks.check import SEVERITIES, Check
from lycosa.errors import ConfigError

CHECKS = (
    *links.CHECKS,
    *redirects.CHECKS,
    *discovery.CHECKS,
    *indexing.CHECKS,
    *delivery.CHECKS,
    *titles.CHECKS,
)
"""All checks, in the order in which findings are shown."""
BY_NAME = {check.name: check for check in CHECKS}
FAMILIES = tuple(dict.fromkeys(check.family for check in CHECKS))


def chosen(names: Iterable[str], flag: str) -> list[Check]:
    """Return the checks for names, families and severities, in the order of `CHECKS`.

    A name may be a list with commas; `any` means all checks.
    """
    wanted = [name.strip() for given in names for name in given.split(",") if name.strip()]
    for name in wanted:
        if name not in {"any", *BY_NAME, *FAMILIES, *SEVERITIES}:
            raise ConfigError(_unknown(name, flag))
    return [
        check
        for check in CHECKS
        if {"any", check.name, check.family, check.severity}.intersection(wanted)
    ]


def failing_on(names: Iterable[str], run: Iterable[Check]) -> list[str]:
    """Return the checks of `--fail-on` by name; raise an error if `--only` leaves one out.

    A family, a severity or `any` means those of its checks that are run, at least one.
    """
    are_run = {check.name for check in run}
    failing: list[str] = []
    for name in (name.strip() for given in names for name in given.split(",")):
        meant = [check.name for check in chosen([name], "--fail-on")]
        some = [one for one in meant if one in are_run]
        if meant and not some:
            raise ConfigError(
                f"--fail-on {name}: --only leaves this check out, so that it finds nothing\n"
                f"  add it: --only {name}, or leave out --only to run all checks"
            )
        failing += some
    return failing


def _unknown(name: str, flag: str) -> str:
    near = difflib.get_close_matches(name, [*BY_NAME, *FAMILIES, *SEVERITIES], 1, 0.5)
    guess = f"did you mean `{near[0]}`?  " if near else ""
    return (
        f"{flag} {name}: there is no such check\n"
        f"  {guess}checks: {', '.join(BY_NAME)}\n"
        f"  all of a family: {', '.join(FAMILIES)}; of a severity: {', '.join(SEVERITIES)}; any"
    )
