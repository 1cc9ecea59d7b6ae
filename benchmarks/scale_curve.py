"""Predicts the course of a broad crawl by a cluster: requests and pages in every moment.

Hosts are counted, not simulated one by one. A host of n pages is asked n + 1 times: for its robots
file, then page after page, with the pause between two requests. A host is found by the first link
that leads to it. In every step

    1. hosts whose pause is over, or that were found, become due;
    2. connections that are free are given to those that are due: robots files first, as the
       frontier does, then pages, whoever has waited longest;
    3. each page brings links to hosts drawn at random; those that were unknown are due as soon as
       the link has reached their partition.

So there are three phases, and which one lasts is what the capacity model needs to know: *growth*,
while too few hosts are known; *plateau*, as many requests as there are connections; *tail*, when
only large sites are left and each of them is asked once in a pause.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import exp

import numpy as np


@dataclass(frozen=True)
class Broad:
    """A broad crawl by a cluster: the machines, the web, and the manners."""

    machines: int
    connections: int
    """Of one machine."""
    hosts: int
    seeds: int
    pages_by_share: dict[int, float]
    """Which share of the hosts has how many pages."""
    far_links: float
    """Links of a page to hosts drawn at random."""
    delay_seconds: float
    latency_seconds: float
    found_seconds: float
    """From the answer that has a link to the moment at which its host may be asked."""
    starts_at: float = 0.0
    """When the machines have shared out the partitions."""
    pages_a_second: float = float("inf")
    """What processors or the line allow, all machines together."""


@dataclass(frozen=True)
class Course:
    """What comes of it, step by step."""

    step_seconds: float
    requests: np.ndarray
    pages: np.ndarray
    robots: np.ndarray
    known: np.ndarray
    """Hosts that are known at the end of each step."""

    def a_second(self, counts: np.ndarray) -> np.ndarray:
        """Return counts of whole seconds."""
        steps = round(1 / self.step_seconds)
        whole = len(counts) // steps * steps
        sums: np.ndarray = counts[:whole].reshape(-1, steps).sum(axis=1)
        return sums

    def seconds_until(self, share: float) -> float:
        """Return when this share of all pages was fetched."""
        done = np.cumsum(self.pages)
        return float(np.searchsorted(done, share * done[-1]) * self.step_seconds)


def predict(crawl: Broad, step_seconds: float = 0.25, most_seconds: float = 1e5) -> Course:
    """Return the course of a crawl."""
    sizes = np.array(sorted(crawl.pages_by_share))
    shares = np.array([crawl.pages_by_share[size] for size in sizes])
    stages = int(sizes.max()) + 1
    rest = _steps(crawl.latency_seconds + crawl.delay_seconds, step_seconds)
    found = _steps(crawl.latency_seconds + crawl.found_seconds, step_seconds)
    coming: dict[int, np.ndarray] = {}
    """By step: hosts that become due, by size and by the number of requests made."""

    def due_at(step: int, hosts: np.ndarray) -> None:
        coming[step] = coming[step] + hosts if step in coming else hosts

    first = np.zeros((len(sizes), stages))
    first[:, 0] = shares * crawl.seeds
    start = _steps(crawl.starts_at, step_seconds)
    due_at(start, first)
    unknown = float(crawl.hosts - crawl.seeds)
    robots_due = np.zeros(len(sizes))
    pages_due: list[np.ndarray] = []
    requests, pages, robots, known = [], [], [], []
    ends = np.arange(stages)[None, :] > sizes[:, None]
    capacity = crawl.machines * crawl.connections / crawl.latency_seconds * step_seconds
    most_pages = crawl.pages_a_second * step_seconds
    for step in range(int(most_seconds / step_seconds)):
        if (new := coming.pop(step, None)) is not None:
            robots_due += new[:, 0]
            new[:, 0] = 0.0
            if new.any():
                pages_due.append(new)
        served = np.zeros((len(sizes), stages))
        asked = robots_due.sum()
        part = min(1.0, capacity / asked) if asked else 0.0
        served[:, 0] = robots_due * part
        robots_due = robots_due * (1 - part)
        left = min(capacity - asked * part, most_pages)
        fetched = 0.0
        while pages_due and left > 1e-9:
            oldest = pages_due[0]
            amount = oldest.sum()
            part = min(1.0, left / amount)
            served += oldest * part
            fetched += amount * part
            left -= amount * part
            if part < 1.0:
                pages_due[0] = oldest * (1 - part)
            else:
                pages_due.pop(0)
        requests.append(fetched + served[:, 0].sum())
        pages.append(fetched)
        robots.append(served[:, 0].sum())
        if requests[-1]:
            after = np.zeros_like(served)
            after[:, 1:] = served[:, :-1]
            after[ends] = 0.0
            due_at(step + rest, after)
            links = fetched * crawl.far_links
            met = unknown * (1 - exp(-links / crawl.hosts))
            if met:
                unknown -= met
                fresh = np.zeros_like(served)
                fresh[:, 0] = shares * met
                due_at(step + found, fresh)
        known.append(crawl.hosts - unknown)
        if not coming and not pages_due and robots_due.sum() < 1e-9 and step > start:
            break
        if sum(pages) and step % 40 == 0 and _is_over(coming, pages_due, robots_due):
            break
    return Course(
        step_seconds, np.array(requests), np.array(pages), np.array(robots), np.array(known)
    )


def _is_over(coming: dict[int, np.ndarray], due: list[np.ndarray], robots: np.ndarray) -> bool:
    """Tell whether less than half a host is left."""
    left = sum(float(some.sum()) for some in (*coming.values(), *due, robots))
    return left < 0.5


def _steps(seconds: float, step_seconds: float) -> int:
    return max(1, round(seconds / step_seconds))
