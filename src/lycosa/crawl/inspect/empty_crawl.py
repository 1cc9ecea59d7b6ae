"""Say why a crawl that has ended kept no page, or only pages without content.

Operators run crawls from scripts: a crawl that brought nothing must not look like one that did. The
counts of outcomes say why, and for each the sentence names what to do.

Some sites send an empty page whose scripts make the content. Lycosa runs no scripts, so a crawl of
such a site holds a page and yet nothing. It is recognised when all pages that were kept are seeds,
have scripts, and have neither links nor more than a line of text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import suppress

from lycosa.config import Job
from lycosa.crawl.directory import CrawlDirectory
from lycosa.crawl.inspect.content import content_of
from lycosa.crawl.status.progress import Progress
from lycosa.errors import ConfigError, LycosaError
from lycosa.records import Outcome

MOST_PAGES = 3
"""A crawl that kept more pages than this is not empty."""

MOST_TEXT = 200
"""Characters of visible text that an empty page may have: please enable JavaScript."""

_LINK = re.compile(rb"<a\s[^>]*href", re.IGNORECASE)
_SCRIPT = re.compile(rb"<script[\s>]", re.IGNORECASE)

_ADVICE = {
    Outcome.DISALLOWED: "forbidden by the robots file; see which line: lycosa check robots {seed}",
    Outcome.REFUSED_ADDRESS: "at a private or reserved address, which the job does not allow;"
    " add --allow-private, or --allow-network with the network",
    Outcome.WRONG_TYPE: "not of a content type that the job keeps;"
    " keep all types: --set 'fetch.content_types=*/*'",
    Outcome.TOO_LARGE: "larger than the limit of the job leaves room for; raise --max-bytes",
    Outcome.NO_SUCH_HOST: "on a host whose name does not exist; check how it is spelled",
    Outcome.UNREACHABLE: "on a server to which no connection could be made; try again:"
    " lycosa retry {path}",
    Outcome.ROBOTS_UNREACHABLE: "on a site whose robots file could not be had, which forbids all"
    " of it; try again: lycosa retry {path}",
    Outcome.HOST_GIVEN_UP: "on a host that kept refusing; try again later: lycosa retry {path}",
    Outcome.NOT_FOUND: "not found (404); check how the URL is spelled",
    Outcome.CLIENT_ERROR: "refused by the server (4xx); see its answer:"
    " lycosa cat {path} {seed} --headers",
    Outcome.SERVER_ERROR: "answered with an error of the server (5xx); try again:"
    " lycosa retry {path}",
    Outcome.BLOCKED: "on a host that you blocked; lift it: lycosa unblock {path} HOST",
}
_GOOD = (Outcome.KEPT, Outcome.NOT_MODIFIED)


def why_empty(directory: CrawlDirectory, job: Job, progress: Progress) -> list[str]:
    """Return the reasons why an ended crawl has no content, as sentences; [] when it has some."""
    if progress.pages > MOST_PAGES:
        return []
    seeds = _few_seeds(job)
    seed = seeds[0] if seeds else "URL"
    if progress.pages:
        is_shell = bool(job.limits.depth_static) and _is_made_by_scripts(directory, seeds, progress)
        return [_SHELL.format(path=directory.path, seed=seed)] if is_shell else []
    found = [text.format(path=directory.path, seed=seed) for text in _sentences(progress) if text]
    return found or ["no URL was asked for"]


_SHELL = (
    "the page is made by scripts, which Lycosa does not run: its HTML has neither links nor text;"
    " see it: lycosa cat {path} {seed}"
)


def _sentences(progress: Progress) -> Iterator[str]:
    for name, count in progress.outcomes.items():
        outcome = Outcome[name.upper()]
        if outcome in _GOOD or not count:
            continue
        urls = f"{count:,} URL{'s' if count > 1 else ''}"
        if outcome is Outcome.REDIRECTED:
            reasons = ", ".join(progress.refusals) or "loop"
            yield f"{urls} redirected to where the crawl may not go ({reasons})"
        else:
            advice = _ADVICE.get(outcome, f"ended as `{name.replace('_', ' ')}`")
            yield f"{urls} {advice}"
    if progress.pending:
        yield f"{progress.pending:,} in the queue when it ended: lycosa resume {{path}}"


def _few_seeds(job: Job) -> list[str]:
    """Return the first seeds; none when a long list of them is gone, which the log then has."""
    with suppress(ConfigError):
        return list(job.seeds[: MOST_PAGES + 1])
    return []


def _is_made_by_scripts(
    directory: CrawlDirectory, seeds: Sequence[str], progress: Progress
) -> bool:
    if not progress.pages <= len(seeds) <= MOST_PAGES or progress.pending:
        return False
    for seed in seeds:
        try:
            found = content_of(directory, seed)
        except LycosaError:  # it was redirected, or not kept
            return False
        has_content = _LINK.search(found.body) or len(found.text.strip()) > MOST_TEXT
        if has_content or not _SCRIPT.search(found.body):
            return False
    return True
