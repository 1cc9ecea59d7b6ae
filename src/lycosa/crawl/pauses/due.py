"""Computes how long a host rests between two requests: pure functions of job, state and answer.

The pause runs from the end of the answer and is the longest of what the job says (large
and small sites apart, as in WIRE 2.2), the site's Crawl-delay, a multiple of the time the
answer took, what Retry-After asks for, and the back-off after a refusal (429, 503). A first
refusal that names a Retry-After has no back-off: the server has said what it wants.
"""

from __future__ import annotations

import random

from lycosa.fetch.retry_after import retry_after_seconds
from lycosa.frontier.facts.columns import NONE
from lycosa.frontier.fold.state import PartitionState
from lycosa.model.job import SPLITTING_PARTITIONERS, Job
from lycosa.model.records import Answer

FORGETTABLE_SECONDS = 1.0
"""A pause may be longer than the host's usual one by this much without being committed at
once: after a resume every host is left alone for that much longer than its usual pause."""

LONGEST_SECONDS = 1e9
"""Thirty years: a server may write any number into Retry-After, and moments must stay dates."""


def due_pause(job: Job, state: PartitionState, host: int) -> float:
    """Return the pause that is due to a host in any case.

    After an answer it is asked before that counts: the page that makes a site a large one is
    still followed by the pause of a small one.
    """
    pause, sites = usual_pause(job, state.hosts.kept[host]), state.sites
    site = state.hosts.first_site[host]
    while site != NONE:  # as `sites_of` goes, at half the cost
        pause = max(pause, sites.crawl_delay[site])
        site = sites.following[site]
    return pause


def resume_pause(job: Job, state: PartitionState, host: int) -> float:
    """Return the pause that a resume would give a host, whatever is forgotten: a whole burst's."""
    return _pause_of_burst(job, state, host, state.owed.rows.most_owed(host))


def pause_since_resume(job: Job, state: PartitionState, host: int) -> float:
    """Return the pause that a host has had since the resume: for what was asked before it."""
    return _pause_of_burst(job, state, host, state.owed.rows.before.get(host, 1))


def _pause_of_burst(job: Job, state: PartitionState, host: int, requests: int) -> float:
    requests = max(requests, job.politeness.burst_urls)
    a_burst = requests * usual_pause(job, state.hosts.kept[host])
    return max(due_pause(job, state, host), a_burst)


def is_unhurried(state: PartitionState, host: int) -> bool:
    """Return whether a host has no strike and names no Crawl-delay."""
    if state.hosts.strikes[host]:
        return False
    return not any(state.sites.crawl_delay[site] for site in state.sites_of(host))


def longest_row(job: Job) -> int:
    """Return how many parts of a page may be asked for in a row; 1 means that there are no rows."""
    is_split = job.frontier.partitioner in SPLITTING_PARTITIONERS
    return 1 if job.render.mode == "off" or is_split else job.render.burst_parts


def longest_burst(job: Job) -> int:
    """Return how many requests to a host may have no pause between them."""
    return max(job.politeness.burst_urls, longest_row(job))


def usual_pause(job: Job, pages: int) -> float:
    """Return the job's own pause for a host that has given so many pages."""
    politeness = job.politeness
    if pages > politeness.large_site_pages:
        return min(politeness.large_site_delay_seconds, politeness.delay_seconds)
    return politeness.delay_seconds


def pause_after(pause: float, job: Job, answer: Answer) -> float:
    """Return the pause after an answer: longer when it was slow or asks for it."""
    pause = max(pause, job.politeness.answer_time_factor * (answer.ended - answer.began))
    if answer.status in (429, 503):
        asked = retry_after_seconds(answer.header("retry-after"), answer.ended)
        pause = max(pause, asked or 0.0)
    return pause


def says_when(answer: Answer) -> bool:
    """Return whether the answer says by itself when to come again."""
    return retry_after_seconds(answer.header("retry-after"), answer.ended) is not None


def back_off(first: float, most: float, times: int, chance: random.Random) -> float:
    """Return a pause that doubles with every time, up to `most`, with a quarter of jitter.

    The jitter only lengthens: hosts that fell over together are not asked together again.
    """
    return min(first * 2.0 ** min(times - 1, 40), most) * (1 + chance.random() / 4)
