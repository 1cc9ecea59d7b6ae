"""Findings about a crawl as JSON: of `check-site`, of the audit, and of a rule on the queue."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec

from lycosa._support.extras import require_study
from lycosa.operate.inspect.audit import audit
from lycosa.runtime.directory import CrawlDirectory
from lycosa.runtime.orders.preview import preview
from lycosa.web.reading.states import States
from lycosa.web.rest.records import AuditFacts, CheckFacts, FindingFacts, Fitting, SiteChecks

EXAMPLES = 10
"""URLs that are named of those that fit a rule."""


def read_checks(folder: Path, most: int) -> bytes:
    """Check the site by the current tables of the crawl; return some findings of each check."""
    require_study("lycosa check-site")
    from lycosa.analysis.checks.registry import CHECKS
    from lycosa.analysis.checks.run import check_site

    checked = check_site(folder, list(CHECKS))
    by_kind: dict[str, list[FindingFacts]] = {}
    for one in checked.findings:
        facts = FindingFacts(
            url=one.url,
            target_url=one.target_url,
            status=one.status,
            text=one.text,
            detail=one.detail,
            hops=one.hops or [],
        )
        by_kind.setdefault(one.kind, []).append(facts)
    groups = [
        CheckFacts(
            name=check.name,
            severity=check.severity,
            title=check.title,
            meaning=check.meaning,
            mend=check.mend,
            count=len(by_kind[check.name]),
            findings=by_kind[check.name][:most],
        )
        for check in CHECKS
        if check.name in by_kind
    ]
    return msgspec.json.encode(
        SiteChecks(pages=checked.pages, findings=len(checked.findings), checks=groups)
    )


def read_audit(directory: CrawlDirectory) -> bytes:
    """Judge every request of a crawl."""
    found = audit(directory)
    closest = ""
    if found.closest is not None:
        closest = (
            f"{found.closest.url}: {found.closest.seconds:.3f} s after the answer before, where "
            f"{found.closest.due_seconds:.3f} s were due"
        )
    return msgspec.json.encode(
        AuditFacts(
            requests=found.requests,
            is_clean=found.is_clean,
            rules=list(found.rules),
            breaches=list(found.breaches),
            not_judged=list(found.not_judged),
            closest=closest,
        )
    )


def read_fitting(states: States, rule: dict[str, Any]) -> bytes:
    """Count the URLs in the queue that a rule matches, before it excludes them; name some."""
    found = preview(states.now().values(), rule, EXAMPLES)
    told = Fitting(rule=rule, pending=found.pending, fits=found.matching, examples=found.examples)
    return msgspec.json.encode(told)
