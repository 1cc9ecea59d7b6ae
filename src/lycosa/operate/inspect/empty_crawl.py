"""Explain why an ended crawl kept no page, or only pages without content.

Operators run crawls from scripts, so a crawl without a result must not look like a success. The
counts of outcomes show the reasons, and for each reason the sentence names a remedy.

Some sites send empty pages whose scripts make the content. A crawl of such a site without rendering
keeps pages without content, and so does one whose pages could not be rendered. It is recognised
when all kept pages seem empty and the first of them have scripts, and neither links nor more than a
line of text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from itertools import islice
from pathlib import Path

from lycosa.crawl.answers.page_answer import HTML_TYPES
from lycosa.crawl.answers.reading import type_named
from lycosa.crawl.status.progress import Progress
from lycosa.crawl.status.words import in_words
from lycosa.errors import ConfigError
from lycosa.extract.page import scan
from lycosa.fetch.guard import is_loopback_host
from lycosa.frontier.facts.rendering import RENDERED, SHELL
from lycosa.model.job import Job
from lycosa.model.job.seeds import parted
from lycosa.model.records import Outcome, Place
from lycosa.model.url import canonicalize, host_of, key_of
from lycosa.runtime.directory import CrawlDirectory
from lycosa.storage.archive.layout import warc_names, warc_path
from lycosa.storage.warc.record_reader import Stored, WarcFiles, members, read_exchange
from lycosa.storage.warc.warc_format import Record

MOST_LOOKED = 20
"""Most pages that are looked at in the archive."""

MOST_RECORDS = 5_000
"""Most records that are searched for a rendered document."""

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
_NO_SERVER = (
    "on a port of this machine at which no server listens; start it, then: lycosa retry {path}"
)
_GOOD = (Outcome.KEPT, Outcome.NOT_MODIFIED)


def why_empty(directory: CrawlDirectory, job: Job, progress: Progress) -> list[str]:
    """Return the reasons why an ended crawl has no content, as sentences; [] if it has content."""
    seeds = _few_seeds(job)
    seed = seeds[0] if seeds else "URL"
    if progress.pages:
        # A crawl that only fetches its seeds is not asked for what these lead to.
        why = _why_without_content(directory, progress) if job.limits.depth_static else ""
        return [why.format(path=directory.path, seed=seed)] if why else []
    to = _where_redirected(directory.path) if progress.outcomes.get("redirected") else ""
    advice = _ADVICE
    url = canonicalize(seed)
    if url is not None and is_loopback_host(host_of(key_of(url))):
        advice = {**_ADVICE, Outcome.UNREACHABLE: _NO_SERVER}
    found = [
        text.format(path=directory.path, seed=seed, to=to)
        for text in _sentences(progress, advice)
        if text
    ]
    return found or ["no URL was asked for"]


_FAILED = (
    "no page could be rendered ({ended}), and their HTML has neither links nor text;"
    " see why: lycosa explain {path} {seed}"
)
_BARE = (
    "the browser has shown no more than the HTML, which has neither links nor text;"
    " see why: lycosa check render {seed} --crawl {path}"
)
_SHELL = (
    "the page is made by scripts: its HTML has neither links nor text;"
    " render it: lycosa resume {path} --render auto"
)


def _sentences(progress: Progress, advice: Mapping[Outcome, str]) -> Iterator[str]:
    for name, count in progress.outcomes.items():
        outcome = Outcome[name.upper()]
        if outcome in _GOOD or not count:
            continue
        urls = f"{count:,} URL{'s' if count > 1 else ''}"
        if outcome is Outcome.REDIRECTED:
            reasons = ", ".join(map(in_words, progress.refusals)) or "loop"
            yield f"{urls} redirected to where the crawl may not go ({reasons}){{to}}"
        else:
            why = advice.get(outcome, f"ended as `{name.replace('_', ' ')}`")
            yield f"{urls} {why}"
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
        return [parted(seed)[0] for seed in job.seeds[:1]]
    return []


def _why_without_content(directory: CrawlDirectory, progress: Progress) -> str:
    """Return why all pages that were kept are empty; "" if one of them is not."""
    shells, failures = _shells_and_failures(progress.rendered)
    has_rendered = RENDERED in progress.rendered
    if failures or has_rendered:
        if any(record.type == "conversion" for record in _first_records(directory.path)):
            return ""  # a page was read before its browser failed
        ended = ", ".join(f"{count:,} {name.replace('-', ' ')}" for name, count in failures.items())
        why = _FAILED.format(ended=ended, path=directory.path, seed="{seed}")
        why = _BARE if has_rendered else why
    elif shells and shells >= progress.pages:
        why = _SHELL
    else:
        return ""
    return why if all(map(_is_shell, _first_pages(directory.path))) else ""


def _shells_and_failures(rendered: Mapping[str, int]) -> tuple[int, dict[str, int]]:
    """Return how many pages seem empty, in a crawl that renders none, and the failures of one that
    does."""
    others = (SHELL, RENDERED, "waiting", "dropped")
    failures = {name: count for name, count in rendered.items() if name not in others}
    return rendered.get(SHELL, 0), failures


def _first_pages(folder: Path) -> Iterator[Stored]:
    """Yield the first pages of the archive; a server may name any file of it as HTML, too."""
    pages = (page for page in _pages(folder) if page.status == 200 and _is_html(page))
    return islice(pages, MOST_LOOKED)


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


def _first_records(folder: Path) -> Iterator[Record]:
    """Yield the first records of the archive."""
    found = (
        record for name in warc_names(folder) for _, _, record in members(warc_path(folder, name))
    )
    return islice(found, MOST_RECORDS)


def _type_of(page: Stored) -> str | None:
    return next((value for name, value in page.headers if name.lower() == _TYPE), None)


def _is_html(page: Stored) -> bool:
    return type_named(_type_of(page) or "") in HTML_TYPES


def _is_shell(page: Stored) -> bool:
    """Return whether an answer has scripts, and neither links nor more than a line of text."""
    if re.search(_LINK, page.body) or not re.search(_SCRIPT, page.body):
        return False
    return len(scan(page.body, _type_of(page)).content) <= MOST_TEXT
