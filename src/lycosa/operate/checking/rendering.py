"""Renders one page as a crawl would, to see how it ends (`lycosa check render`).

The browser is that of a crawl, and reaches nothing: parts that a page asks for are fetched between
two rounds by `single_fetch` (robots files, guard, pauses), or are read from a crawl's archive.

Always true:
  * a part is asked for once, if the job's rules do not reject it, and only as `Asker` asks for a
    page;
  * with a crawl directory nothing is asked for;
  * a round gets at most `MOST_PARTS` new parts, a page the rounds that the job allows.
"""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import NamedTuple, Protocol

from lycosa._support.loop import Loop
from lycosa.crawl.answers.reading import judge, read_page
from lycosa.crawl.scope import JobScope
from lycosa.errors import LycosaError
from lycosa.features.rendering.browsers import require_browser
from lycosa.features.rendering.parts import GONE, MISSING, find_part, part_key
from lycosa.features.rendering.sandbox import may_lack_sandbox
from lycosa.features.rendering.waiting import MOST_PARTS
from lycosa.fetch.browser.executable import find_browser
from lycosa.fetch.browser.protocol import (
    Done,
    Ending,
    FoundLink,
    Holding,
    Part,
    PartWanted,
    RenderPage,
)
from lycosa.fetch.browser.renderer import BrowserProcess
from lycosa.model.job import Job
from lycosa.model.records import Answer, LinkKind, Outcome
from lycosa.model.url import canonicalize, key_of, url_of
from lycosa.operate.checking.heads import MOST_REDIRECTS
from lycosa.operate.checking.single_fetch import Asker
from lycosa.storage.archive.reader import find
from lycosa.storage.log.memory import MemoryLog

_KEPT = (Outcome.KEPT, Outcome.WRONG_TYPE)


class Round(NamedTuple):
    """One rendering of the page."""

    done: Done
    waited: tuple[str, ...]
    """Parts for which the page waited before it."""


class CheckedRender(NamedTuple):
    """A page that was rendered."""

    url: str
    """After redirects."""
    rounds: tuple[Round, ...]
    lacking: dict[str, str]
    """Parts that it did not get, with the reasons."""
    links: dict[str, int]
    """Links that scripts made, by the way in which they were found."""
    text_before: int
    """Bytes of visible text of the page as it came."""
    text_after: int

    @property
    def done(self) -> Done:
        """The result of the last round."""
        return self.rounds[-1].done

    @property
    def is_rendered(self) -> bool:
        """Whether the page came to its end."""
        return self.done.ending is Ending.RENDERED


class Source(Protocol):
    """The origin of a page and its parts."""

    def answer(self, url: str) -> tuple[Answer, str]:
        """Return the answer of a URL and "", or the reason why there is none."""


class OfWeb:
    """Asks for each URL, as a crawl would."""

    def __init__(self, asker: Asker, job: Job) -> None:
        self._asker = asker
        self._job = job

    def answer(self, url: str) -> tuple[Answer, str]:
        """Ask for a URL, if its site allows that."""
        asked = self._asker.page(key_of(url))
        outcome = judge(asked.answer, self._job)
        is_used = outcome in (*_KEPT, Outcome.REDIRECTED)
        return asked.answer, "" if is_used else outcome.name.lower()


class OfCrawl:
    """Reads each URL from the archive of a crawl."""

    def __init__(self, folder: Path, job: Job) -> None:
        self._folder = folder
        self._job = job

    def answer(self, url: str) -> tuple[Answer, str]:
        """Read the newest answer of a URL."""
        stored = find(self._folder, url)
        if stored is None:
            return Answer(0, (), b"", 0.0, 0.0), "not_in_archive"
        began = datetime.fromisoformat(stored.date).timestamp()
        answer = Answer(stored.status, stored.headers, stored.body, began, began)
        outcome = judge(answer, self._job)
        return answer, "" if outcome in (*_KEPT, Outcome.REDIRECTED) else outcome.name.lower()


def check_render(
    raw_url: str, source: Source, job: Job, *, wants_picture: bool = False
) -> CheckedRender:
    """Render a page; `LycosaError` if there is none to be rendered, or no browser."""
    require_browser(job)
    url, answer, why = _followed(source, raw_url)
    if why:
        raise LycosaError(f"{url}: there is no page to render: {why.replace('_', ' ')}")
    facts = read_page(answer, job)
    page = RenderPage(
        url=url,
        headers=list(answer.headers),
        body=answer.body,
        seconds=job.render.seconds,
        memory_bytes=job.render.memory_bytes,
        clicks=job.render.clicks,
        wants_picture=wants_picture,
        moment=answer.ended,
    )
    named = zip(facts.hrefs, facts.kinds, strict=True)
    base = facts.base or url
    scripts = [canonicalize(href, base) for href, kind in named if kind == LinkKind.SCRIPT]
    parts = _Parts(source, JobScope(job, MemoryLog(1)))
    rounds, links = list[Round](), dict[str, FoundLink]()
    waited = parts.fetch([one for one in scripts if one])
    with _Shower(job) as shower:
        for turn in range(1, job.render.rounds + 1):
            page.is_last = turn == job.render.rounds
            done, found = shower.show(page, parts)
            rounds.append(Round(done, waited))
            links |= {link.url: link for link in found}
            waited = parts.fetch(done.missing) if done.missing and not page.is_last else ()
            if not waited:
                break
    ways: dict[str, int] = {}
    for link in links.values():
        ways[link.how] = ways.get(link.how, 0) + 1
    shown = Answer(200, (("Content-Type", "text/html; charset=utf-8"),), _body(done), 0.0, 0.0)
    text_after = len(read_page(shown, job).content) if done.html else 0
    return CheckedRender(url, tuple(rounds), parts.lacking, ways, len(facts.content), text_after)


def _body(done: Done) -> bytes:
    return done.html.encode("utf-8", "replace")


def _followed(source: Source, raw_url: str) -> tuple[str, Answer, str]:
    """Return the answer to which a URL leads, and why it is none."""
    url = canonicalize(raw_url)
    if url is None:
        raise LycosaError(f"{raw_url}: not a URL that can be crawled\n  give it whole: https://…")
    for _ in range(MOST_REDIRECTS + 1):
        answer, why = source.answer(url)
        is_moved = not why and 300 <= answer.status < 400
        target = canonicalize(answer.header("location") or "", url) if is_moved else None
        if not is_moved:
            return url, answer, why
        if target is None:
            return url, answer, "redirected"
        url = target
    return url, answer, "too_many_redirects"


class _Parts:
    """The parts of a page that are at hand, and those that cannot be had."""

    def __init__(self, source: Source, scope: JobScope) -> None:
        self._source = source
        self._judge = scope.judge
        self._looked_for: dict[str, tuple[Part, str]] = {}
        """By key, with the reason of each that cannot be had."""
        self.lacking: dict[str, str] = {}
        """Parts on which the tree depends."""

    def fetch(self, urls: Sequence[str]) -> tuple[str, ...]:
        """Get parts that are not at hand; return those that were tried."""
        keys = dict.fromkeys(part_key(self._judge, url)[0] for url in urls)
        new = [key for key in keys if key and key not in self._looked_for][:MOST_PARTS]
        for key in new:
            _, answer, why = _followed(self._source, url_of(key))
            part = Part(Holding.HELD, answer.status, list(answer.headers), answer.body)
            self._looked_for[key] = (GONE if why else part, why)
        return tuple(url_of(key) for key in new)

    def find(self, wanted: PartWanted) -> Part:
        """Return a part for the browser, as a crawl would."""
        return find_part(self._judge, self._look, self.lacking, wanted)

    def _look(self, key: str) -> tuple[Part, str]:
        return self._looked_for.get(key, (MISSING, ""))


class _Shower:
    """A browser of a crawl for one page."""

    def __init__(self, job: Job) -> None:
        self._loop = Loop()
        self._browser = BrowserProcess(
            self._loop,
            find_browser(job.render.browser),
            Path(tempfile.mkdtemp(prefix="lycosa-check-")),
            may_lack_sandbox=may_lack_sandbox(job),
        )

    def __enter__(self) -> _Shower:
        return self

    def __exit__(self, *_: object) -> None:
        self._browser.close()
        self._loop.close()

    def show(self, page: RenderPage, parts: _Parts) -> tuple[Done, list[FoundLink]]:
        """Render a page once."""
        came: list[tuple[Done, list[FoundLink]]] = []

        def on_done(done: Done, links: list[FoundLink]) -> None:
            came.append((done, links))
            self._loop.stop()

        self._browser.render(page, parts.find, on_done)
        self._loop.run_forever()
        return came[0]
