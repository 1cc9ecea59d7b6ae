"""Check whether many URLs exist, as politely as a crawl, and keep no content.

A URL is asked for by HEAD. If a server refuses HEAD (405 or 501), it is asked by GET, and only the
beginning of the body is read. Redirects are followed. The next request goes to the host that is due
first, so that the pauses of hosts run in parallel.

Always true, as for a single page (`single_fetch`): robots files are obeyed, pauses kept, addresses
guarded; one request at a time.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from lycosa.crawl.answers.reading import judge
from lycosa.model.job import Job
from lycosa.model.records import Outcome, Purpose
from lycosa.model.url import canonicalize, host_of, key_of, url_of
from lycosa.operate.checking.single_fetch import Asker

FIRST_BYTES = 1024
"""First bytes of the body that are read; bytes already received are read with them."""
MOST_REDIRECTS = 5
_HEAD_REFUSED = frozenset({405, 501})


class AskedHead(NamedTuple):
    """Answer of a URL."""

    url: str
    outcome: Outcome
    """Outcome after redirects; `REDIRECTED` if there were too many."""
    status: int
    end_url: str
    """URL at the end of its redirects."""
    moment: float


def ask_heads(
    job: Job, urls: Iterable[str], on_wait: Callable[[str, float], None]
) -> Iterator[AskedHead]:
    """Yield the answer of every canonical URL, in the order in which hosts may be asked."""
    queues: dict[str, deque[str]] = {}
    for url in urls:
        queues.setdefault(host_of(key_of(url)), deque()).append(url)
    with Asker(job, on_wait) as asker:
        while queues:
            host = min(queues, key=lambda name: asker.due(key_of(queues[name][0])))
            url = queues[host].popleft()
            if not queues[host]:
                del queues[host]
            yield _asked(asker, job, url)


def _asked(asker: Asker, job: Job, url: str) -> AskedHead:
    key = key_of(url)
    for _ in range(MOST_REDIRECTS + 1):
        answer = asker.page(key, FIRST_BYTES, Purpose.HEAD).answer
        if answer.status in _HEAD_REFUSED:
            answer = asker.page(key, FIRST_BYTES).answer
        outcome = judge(answer, job)
        target = None
        if outcome is Outcome.REDIRECTED:
            target = canonicalize(answer.header("location") or "", url_of(key))
        if target is None:
            break
        key = key_of(target)
    return AskedHead(url, outcome, answer.status, url_of(key), answer.ended)
