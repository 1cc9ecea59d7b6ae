"""The audit of a crawl as JSON."""

from __future__ import annotations

import msgspec

from lycosa.operate.inspect.audit import audit
from lycosa.runtime.directory import CrawlDirectory
from lycosa.web.rest.records import AuditFacts


def read(directory: CrawlDirectory) -> bytes:
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
