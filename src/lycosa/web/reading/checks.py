"""The findings of `lycosa check-site` as JSON, grouped by check, some of each."""

from __future__ import annotations

from pathlib import Path

import msgspec

from lycosa.analysis.study.extras import require
from lycosa.web.rest.records import CheckFacts, FindingFacts, SiteChecks


def read(folder: Path, most: int) -> bytes:
    """Check the site by the current tables of the crawl."""
    require("check-site")
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
