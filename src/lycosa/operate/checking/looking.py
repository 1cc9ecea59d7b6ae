"""Pages to look at and to try selectors on (`lycosa shell`), from the web, a crawl, or a file.

Each is a `SeenPage`, read by the functions of a crawl and not shown to any plugin. From the web a
page comes as for `lycosa check page`: the site's robots file first, with the guard, pauses and
limits of a crawl; a redirect is followed in the same way, at most `MOST_REDIRECTS` times.

Always true: a page that is read from a crawl or a file causes no request.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from lycosa.crawl.answers.page_answer import HTML_TYPES
from lycosa.crawl.answers.reading import content_type_of, judge, read_page
from lycosa.crawl.status.words import outcome_in_words
from lycosa.errors import LycosaError
from lycosa.extract.facts import Facts
from lycosa.features.plugins.feature import Plugins, ShownPage
from lycosa.features.plugins.hooks import Hooks
from lycosa.features.plugins.pages import SeenPage
from lycosa.model.job import Job
from lycosa.model.records import Answer, Outcome
from lycosa.model.url import canonicalize, key_of, url_of
from lycosa.operate.checking.heads import MOST_REDIRECTS
from lycosa.operate.checking.pages import answer_of_file
from lycosa.operate.checking.single_fetch import AskedPage, Asker
from lycosa.operate.inspect.content import content_of
from lycosa.runtime.directory import CrawlDirectory
from lycosa.storage.warc.http_messages import parse_head


class Look(NamedTuple):
    """A page, and what a crawl would make of its answer."""

    page: SeenPage
    outcome: Outcome
    """As far as this answer alone can tell."""
    passed: tuple[str, ...] = ()
    """The URLs that redirected here, in their order."""


class PagesOfWeb:
    """Pages that are asked for, one at a time."""

    def __init__(self, job: Job, on_wait: Callable[[str, float], None]) -> None:
        self._job = job
        self._asker = Asker(job, on_wait)

    def close(self) -> None:
        """Close the connections."""
        self._asker.__exit__()

    def look(self, url: str) -> Look:
        """Ask for a page; `LycosaError` when nothing came, with the reason."""
        key, passed = key_of(_canonical(url)), list[str]()
        while True:
            here = url_of(key)
            asked = self._asker.page(key)
            if asked.answer.failure is not None:
                raise LycosaError(_why(here, asked))
            outcome = judge(asked.answer, self._job)
            target = canonicalize(asked.answer.header("location") or "", here)
            is_moved = outcome is Outcome.REDIRECTED and target is not None
            if not is_moved or len(passed) == MOST_REDIRECTS:
                return Look(_seen(asked.answer, here, self._job), outcome, tuple(passed))
            passed.append(here)
            key = key_of(target or here)


class PagesOfCrawl:
    """Pages of a crawl directory; the newest answer of each."""

    def __init__(self, directory: CrawlDirectory) -> None:
        self._directory = directory
        self._job = directory.job()

    def close(self) -> None:
        """Close nothing: each page is read for itself."""

    def look(self, url: str) -> Look:
        """Read a page; `LycosaError` when the crawl does not have it."""
        found = content_of(self._directory, url)
        status, headers = parse_head(found.headers)
        answer = Answer(status, tuple(headers), found.body, 0.0, 0.0)
        return Look(_seen(answer, _canonical(url), self._job), judge(answer, self._job))


class PageOfFile:
    """One page in a file."""

    def __init__(self, path: Path, url: str, content_type: str | None, job: Job) -> None:
        self._url = _canonical(url)
        self._job = job
        self._answer = answer_of_file(path, content_type or "text/html", job)

    def close(self) -> None:
        """Close nothing."""

    def look(self, url: str) -> Look:
        """Read the page; there are no others."""
        if canonicalize(url) != self._url:
            raise LycosaError(
                f"{url}: the shell has one page, from a file\n  begin it with this URL: "
                f"lycosa shell {url}"
            )
        return Look(_seen(self._answer, self._url, self._job), judge(self._answer, self._job))


def _seen(answer: Answer, url: str, job: Job) -> SeenPage:
    """Return the page of an answer; one that a crawl would not keep is read, too, if it is HTML."""
    plugins = Plugins(Hooks(()), job)
    is_read = judge(answer, job) is Outcome.KEPT or content_type_of(answer) in HTML_TYPES
    facts = read_page(answer, job) if is_read else Facts()
    return ShownPage(plugins, answer, facts, url=url, depth=0).page


def _canonical(url: str) -> str:
    found = canonicalize(url)
    if found is None:
        raise LycosaError(
            f"{url}: not a URL that can be crawled\n  give it whole: https://example.org/"
        )
    return found


def _why(url: str, asked: AskedPage) -> str:
    """Return why there is no answer, and what to do."""
    robots, answer = asked.robots, asked.answer
    if not robots.is_reachable:
        return f"{url}: not asked for: {robots.url}: {robots.note}"
    if answer.failure is Outcome.DISALLOWED:
        return (
            f"{url}: not asked for: the robots file of its site disallows it\n"
            f"  to see which line: lycosa check robots {url}"
        )
    if answer.failure is Outcome.HOST_PUT_OFF:
        return (
            f"{url}: not asked for: its site wants a longer pause than a crawl would wait\n"
            "  to allow it: --set politeness.longest_pause_seconds=SECONDS"
        )
    name = outcome_in_words(answer.failure) if answer.failure else "no answer"
    detail = f": {answer.detail}" if answer.detail else ""
    return f"{url}: nothing came: {name}{detail}\n  to see more: lycosa check page {url}"
