"""Prints the findings of `lycosa check-site`, grouped by check."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from rich.text import Text

from lycosa.cli.amounts import counted
from lycosa.cli.screen.console import Screen
from lycosa.cli.screen.summary import command
from lycosa.crawl.status.left_out import amount_text, told
from lycosa.runtime.directory import CrawlDirectory

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lycosa.analysis.checks.check import Check, Finding
    from lycosa.analysis.checks.run import Checked

_EXAMPLES = 5
_PAGES = 3
"""Pages that are named for one URL, one title and so on."""
_COLOURS = {"error": "red", "warning": "yellow", "notice": "blue"}


def print_findings(path: Path, checked: Checked, *, shows_all: bool) -> None:
    """Print the findings, with examples or all of them, and the next commands."""
    screen = Screen()
    screen.print(Text(f"{path}: {_totals(checked)}", "bold"), soft_wrap=True)
    for one in told(checked.left_out, CrawlDirectory.open(path).job()):
        more = command(one.command, path, *one.rest)
        screen.print(Text(f"not checked: {amount_text(one)}: {more}", "yellow"), soft_wrap=True)
    is_cut = False
    clean: list[str] = []
    order = list(_COLOURS)
    for check in sorted(checked.checks, key=lambda one: order.index(one.severity)):
        findings = checked.of(check)
        if findings:
            is_cut |= _print_check(screen, check, findings, shows_all)
        else:
            clean.append(check.name)
    if clean and checked.findings:
        screen.print(Text(f"\nnothing found: {', '.join(clean)}", "dim"))
    if checked.ignored:
        screen.print(Text(f"{counted(checked.ignored, 'finding')} left out (--ignore)", "dim"))
    if is_cut:
        screen.print(f"\nall of them: {command('check-site', path, '--all')}", soft_wrap=True)


def _totals(checked: Checked) -> str:
    pages = f"{counted(checked.pages, 'page')} checked"
    if not checked.findings:
        return f"{pages}, nothing found"
    by_severity = [
        counted(count, severity)
        for severity in _COLOURS
        if (count := sum(one.severity == severity for one in checked.findings))
    ]
    return f"{pages}, {', '.join(by_severity)}"


def _print_check(
    screen: Screen, check: Check, findings: Sequence[Finding], shows_all: bool
) -> bool:
    """Print one check; returns whether something was left out."""
    groups: dict[str, list[Finding]] = {}
    for finding in findings:
        groups.setdefault(getattr(finding, check.subject) or finding.url, []).append(finding)
    count = f"{len(findings):,}"
    if check.subject != "url" and len(groups) < len(findings):
        what = "text" if check.subject == "text" else "URL"
        count += f" with {counted(len(groups), f'different {what}')}"
    head = Text(f"\n{check.severity:<8}", _COLOURS[check.severity])
    head.append(f"{check.name}", "bold")
    head.append(f"  {check.title}: {count}", "not bold default")
    screen.print(head, soft_wrap=True)
    screen.print(Text(f"        {check.mend}", "dim"), soft_wrap=True)
    shown = list(groups.items()) if shows_all else list(groups.items())[:_EXAMPLES]
    is_cut = len(shown) < len(groups)
    for subject, some in shown:
        is_cut |= _print_group(screen, check, subject, some, shows_all)
    if len(shown) < len(groups):
        screen.print(Text(f"  … {len(groups) - len(shown):,} more", "dim"))
    return is_cut


def _print_group(
    screen: Screen, check: Check, subject: str, findings: Sequence[Finding], shows_all: bool
) -> bool:
    first = findings[0]
    line = Text(f"  {subject}")
    line.append(f"  {first.detail}", "dim")
    screen.print(line, soft_wrap=True)
    hops = first.hops or []
    for hop in hops[1:] if len(hops) > 2 else ():
        screen.print(Text(f"      → {hop}", "dim"), soft_wrap=True)
    # The heading of the group names the page already.
    if check.subject == "url":
        if first.target_url and first.target_url not in first.detail:
            screen.print(Text(f"      {first.target_url}"), soft_wrap=True)
        return False
    shown = findings if shows_all else findings[:_PAGES]
    for finding in shown:
        text = " ".join((finding.text or "").split())
        link = f"  “{text}”" if text and check.subject != "text" else ""
        place = "on " if check.subject == "target_url" else ""
        screen.print(Text(f"      {place}{finding.url}{link}"), soft_wrap=True)
    if len(shown) < len(findings):
        more = counted(len(findings) - len(shown), "more page")
        screen.print(Text(f"      … {more}", "dim"), soft_wrap=True)
    return len(shown) < len(findings)
