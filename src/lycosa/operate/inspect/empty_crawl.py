"""Explain why an ended crawl kept no page, or only pages without content.

Operators run crawls from scripts, so a crawl without a result must not look like a success. The
counts of outcomes show the reasons, and for each reason the sentence names a remedy.

Some sites send an empty page whose scripts make the content. A crawl of such a site without
rendering keeps a page without content. It is recognised when all kept pages are seeds, have
scripts, and have neither links nor more than a line of text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path

from lycosa.crawl.status.progress import Progress
from lycosa.errors import ConfigError
from lycosa.extract.page import scan
from lycosa.model.job import Job
from lycosa.model.job.seeds import parted
from lycosa.model.records import Outcome, Place
from lycosa.model.url import canonicalize, host_of, key_of
from lycosa.runtime.directory import CrawlDirectory
from lycosa.storage.archive.layout import warc_names, warc_path
from lycosa.storage.warc.record_reader import Stored, WarcFiles, members, read_exchange

MOST_PAGES = 3
"""A crawl that kept more pages than this is not examined."""

MOST_ANSWERS = 10
"""A crawl with more answers than this has found links, so it is not examined."""

MOST_TEXT = 200
"""Bytes of visible text that an empty page may have, such as "please enable JavaScript"."""

_TYPE = "content-type"
# Crawls that kept pages with links need neither; `re` compiles them when they are used.
_LINK = rb"(?i)<a\s[^>]*href"
_SCRIPT = rb"(?i)<script[\s>]"

_ADVICE = {
    Outcome.DISALLOWED: "forbidden by the robots file; see which line: lycosa check robots {seed}",
    Outcome.REFUSED_ADDRESS: "at a private or reserved address, which the job does not allow;"
    " add --allow-private, or --allow-network with the network",
    Outcome.REFUSED_PORT: "at a port of a service other than the web; to allow it:"
    " --set 'fetch.ports=PORT'",
    Outcome.WRONG_LANGUAGE: "in another language than the job keeps ([extract] languages)",
    Outcome.WRONG_TYPE: "not of a content type that the job keeps;"
    " keep all types: --set 'fetch.content_types=*/*'",
    Outcome.TOO_LARGE: "larger than the limit of the job leaves room for; raise --max-bytes",
    Outcome.NO_SUCH_HOST: "on a host whose name does not exist; check how it is spelled",
    Outcome.UNREACHABLE: "on a server to which no connection could be made; try again:"
    " lycosa retry {path}",
    Outcome.ROBOTS_UNREACHABLE: "on a site whose robots file could not be fetched, which forbids"
    " all of it; try again: lycosa retry {path}",
    Outcome.HOST_GIVEN_UP: "on a host that kept refusing; try again later: lycosa retry {path}",
    Outcome.HOST_PUT_OFF: "on a host that asks for a longer pause than the job waits for"
    " ([politeness] longest_pause_seconds); when it is over: lycosa retry {path}",
    Outcome.NOT_FOUND: "not found (404); check how the URL is spelled",
    Outcome.CLIENT_ERROR: "refused by the server (4xx); see its answer:"
    " lycosa cat {path} {seed} --headers",
    Outcome.SERVER_ERROR: "answered with an error of the server (5xx); try again:"
    " lycosa retry {path}",
    Outcome.BLOCKED: "on a host that you blocked; lift it: lycosa unblock {path} HOST",
}
_GOOD = (Outcome.KEPT, Outcome.NOT_MODIFIED)


def why_empty(directory: CrawlDirectory, job: Job, progress: Progress) -> list[str]:
    """Return the reasons why an ended crawl has no content, as sentences; [] if it has content."""
    if progress.pages > MOST_PAGES:
        return []
    seeds = _few_seeds(job)
    seed = seeds[0] if seeds else "URL"
    if progress.pages:
        can_be = bool(job.limits.depth_static) and job.render.mode == "off"
        is_shell = can_be and _is_made_by_scripts(directory, seeds, progress)
        return [_SHELL.format(path=directory.path, seed=seed)] if is_shell else []
    to = _where_redirected(directory.path) if progress.outcomes.get("redirected") else ""
    found = [
        text.format(path=directory.path, seed=seed, to=to) for text in _sentences(progress) if text
    ]
    return found or ["no URL was asked for"]


_SHELL = (
    "the page is made by scripts: its HTML has neither links nor text;"
    " render it: lycosa resume {path} --render auto"
)


def _sentences(progress: Progress) -> Iterator[str]:
    for name, count in progress.outcomes.items():
        outcome = Outcome[name.upper()]
        if outcome in _GOOD or not count:
            continue
        urls = f"{count:,} URL{'s' if count > 1 else ''}"
        if outcome is Outcome.REDIRECTED:
            reasons = ", ".join(progress.refusals) or "loop"
            yield f"{urls} redirected to where the crawl may not go ({reasons}){{to}}"
        else:
            advice = _ADVICE.get(outcome, f"ended as `{name.replace('_', ' ')}`")
            yield f"{urls} {advice}"
    if progress.pending:
        yield f"{progress.pending:,} in the queue when it ended: lycosa resume {{path}}"


def _where_redirected(folder: Path) -> str:
    """Return the target of the first redirect, with the flag that lets the crawl go there."""
    for page in _pages(folder):
        target = next((value for name, value in page.headers if name.lower() == "location"), "")
        url = canonicalize(target, page.url) if target else None
        if url is not None:
            host = host_of(key_of(url))
            return f": {page.url} → {url}; to go there, begin anew with --include {host}"
    return ""


def _few_seeds(job: Job) -> list[str]:
    """Return the first seeds; [] if a long list of them is gone from disk (the log still has
    them)."""
    with suppress(ConfigError):
        return [parted(seed)[0] for seed in job.seeds[: MOST_PAGES + 1]]
    return []


def _is_made_by_scripts(
    directory: CrawlDirectory, seeds: Sequence[str], progress: Progress
) -> bool:
    is_small = progress.pages <= len(seeds) <= MOST_PAGES and not progress.pending
    if not is_small or sum(progress.outcomes.values()) > MOST_ANSWERS:
        return False
    wanted = {canonicalize(seed) for seed in seeds}
    pages = [page for page in _pages(directory.path) if page.url in wanted]
    return {page.url for page in pages} == wanted and all(map(_is_shell, pages))


def _pages(folder: Path) -> Iterator[Stored]:
    """Yield the answers in the archive, from the records: loading the tables takes longer."""
    files = WarcFiles(folder)
    try:
        for name in warc_names(folder):
            for offset, length, record in members(warc_path(folder, name)):
                if record.type == "response":
                    yield read_exchange(Place(name.segment, offset, length), files.member)
    finally:
        files.close()


def _is_shell(page: Stored) -> bool:
    """Return whether an answer has scripts, and neither links nor more than a line of text."""
    if re.search(_LINK, page.body) or not re.search(_SCRIPT, page.body):
        return False
    content_type = next((value for name, value in page.headers if name.lower() == _TYPE), None)
    return len(scan(page.body, content_type).content) <= MOST_TEXT
