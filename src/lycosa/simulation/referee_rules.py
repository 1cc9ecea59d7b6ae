"""The rules by which the referee of the test web judges a crawl, derived from its job."""

from __future__ import annotations

from lycosa.crawl.pauses.due import longest_row, usual_pause
from lycosa.model.job import Job
from lycosa_testweb.referee.rulebook import RefereeRules


def referee_rules(job: Job, commit_takes_seconds: float = 0.004) -> RefereeRules:
    """Return the rules that a crawl of this job must obey.

    Two windows limit the losses of a kill: answers, for the delay and duration of a commit; demands
    of servers, for the duration of two commits.
    """
    return RefereeRules(
        delay_seconds=lambda host, pages: usual_pause(job, pages),
        ip_delay_seconds=job.politeness.ip_delay_seconds,
        burst_urls=job.politeness.burst_urls,
        burst_parts=longest_row(job),
        backoff_first_seconds=job.politeness.backoff_first_seconds,
        backoff_most_seconds=job.politeness.backoff_most_seconds,
        agent=job.fetch.agent,
        revisit_seconds=_revisit_seconds(job),
        robots_cache_seconds=job.robots.cache_seconds,
        robots_redirects=job.robots.redirects,
        forget_window_seconds=job.log.commit_seconds + 2 * commit_takes_seconds + 0.01,
        demand_window_seconds=2 * commit_takes_seconds + 0.001,
    )


def _revisit_seconds(job: Job) -> float:
    """Return the shortest time after which a page may be fetched again."""
    revisit = job.revisit
    return revisit.seconds if revisit.policy == "off" else max(revisit.not_before_seconds, 1e-9)
