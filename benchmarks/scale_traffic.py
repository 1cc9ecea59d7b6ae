"""Predicts what the machines of a cluster write to log and board, from the course of a crawl.

The numbers were measured on a simulated cluster of 8 machines (`python -m
benchmarks.scale_simulation --machines 8 --hosts 12500 --partitions 128`); the shape of the formulas
follows from the code:

commits     A worker commits at once when a robots file has come in, and when links from others have
            come in; and at least twice a second. After a commit it looks into its inboxes again. So
            commits come in chains: a chain goes on as long as something comes in while a commit and
            the look after it take, `ROUND_SECONDS` together.
appends     A commit has one batch for every partition with something new.
posts       One entry in another partition's inbox for each of a page's links to other hosts, unless
            the partition has sent the same link before.
board       A renewal every five seconds for each member; the clocks of machines are slower than
            the true one by 2 % on the average. Members that join at once contend for numbers.
"""

from __future__ import annotations

from math import exp

import numpy as np
from benchmarks.scale_curve import Broad, Course

ROUND_SECONDS = 0.030
"""A commit and the look into the inboxes after it, 10 ms each on the average in the simulation, and
what waits before them."""
TICKS_A_SECOND = 2.0
EVENT_BYTES_A_PAGE = 114.6
"""With the entries of the inboxes that its links lead to."""
EVENT_BYTES_A_ROBOTS_FILE = 152.2
POST_BYTES = 55.5
RENEWAL_SECONDS = 5.17
"""By the true clock: 5 s by the machine's, looked at twice a second."""
OTHER_PUTS_A_MEMBER = 4.4
"""Reporting idle partitions."""
TRIES_TO_JOIN = 0.24
"""Of a member, for each member that joins within the same seconds: all want the next number, and
one at a time gets it. The first prediction did not know of this."""
TRY_SECONDS = 0.33
END_SECONDS = 8.0
"""From the last answer until the end is found and all members have seen it."""


def traffic(crawl: Broad, course: Course, partitions: int) -> dict[str, np.ndarray]:
    """Return commits, appends, posts and bytes of all machines, by the second."""
    pages, robots = course.a_second(course.pages), course.a_second(course.robots)
    posts = pages * posts_a_page(crawl, float(course.pages.sum()), partitions)
    commits = np.array(
        [
            crawl.machines
            * commit_rate(crawl.machines, files / crawl.machines, sent / crawl.machines)
            for files, sent in zip(robots, posts, strict=True)
        ]
    )
    own = partitions / crawl.machines
    news = (pages + robots + posts) / np.maximum(commits, 1e-9)
    appends = commits * own * (1 - np.exp(-news / own))
    return {
        "commits": commits,
        "appends": appends,
        "posts": posts,
        "event_bytes": EVENT_BYTES_A_PAGE * pages + EVENT_BYTES_A_ROBOTS_FILE * robots,
        "post_bytes": POST_BYTES * posts,
    }


def posts_a_page(crawl: Broad, pages: float, partitions: int) -> float:
    """Return how many entries a page adds to the inboxes of other partitions."""
    sent = crawl.far_links * pages / partitions
    new = crawl.hosts / sent * (1 - exp(-sent / crawl.hosts))
    return crawl.far_links * (1 - 1 / partitions) * new


def commit_rate(machines: int, robots: float, posts: float) -> float:
    """Return commits a second of one machine; robots files and posts are those of one machine."""
    rate = 5.0
    for _ in range(60):  # a fixed point: what others commit is what comes in here
        arrivals = machines * rate * (1 - exp(-posts / rate / machines))
        ends = exp(-(arrivals + robots) * ROUND_SECONDS)
        chain = 1 / ends
        rate = (rate + chain / (1 / (robots + TICKS_A_SECOND) + chain * ROUND_SECONDS)) / 2
    return rate


def board_puts(machines: int, seconds: float) -> float:
    """Return the writes of all members to the board."""
    each = seconds / RENEWAL_SECONDS + OTHER_PUTS_A_MEMBER + TRIES_TO_JOIN * machines
    return machines * each


def start_seconds(machines: int) -> float:
    """Return when machines that start within 5 s have joined and have their partitions."""
    return 5.9 + TRIES_TO_JOIN * machines * TRY_SECONDS
