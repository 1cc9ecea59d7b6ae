"""Whether a crawl's browser may run without its own sandbox, and what is said of that."""

from __future__ import annotations

import os

from lycosa.model.job import Job

VARIABLE = "LYCOSA_WITHOUT_SANDBOX"
"""Says for a machine, as a container, what `[render] without_sandbox` says for a job."""


def may_lack_sandbox(job: Job) -> bool:
    """Return whether the operator lets the browser run without its own sandbox."""
    return job.render.without_sandbox or os.environ.get(VARIABLE) == "1"


def sandbox_text(job: Job) -> str:
    """Return what to say of a crawl whose browser has no sandbox, or may have none; else ""."""
    if job.render.mode == "off" or not may_lack_sandbox(job):
        return ""
    has_none = "runs" if os.geteuid() == 0 else "may run"
    return f"Chromium {has_none} without its sandbox ([render] without_sandbox)"
