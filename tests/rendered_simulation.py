"""Crawls in virtual time of pages that lack their scripts: webs, jobs, and a browser."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import pairwise
from typing import Any

from lycosa.crawl.ports import RenderingPorts
from lycosa.fetch.browser.protocol import Done, Ending, Holding, Part, PartWanted, RenderPage
from lycosa.fetch.browser.renderer import OnDone
from lycosa.model.clock import Clock, Timer
from lycosa.model.job import Job
from lycosa.model.records import Place
from lycosa.simulation.conditions import Conditions
from lycosa.storage.archive.journal import Journal
from lycosa.storage.warc.record_reader import Stored
from lycosa_testweb import GraphWeb
from lycosa_testweb.referee.ledger import Exchange
from lycosa_testweb.web import Reply

PAUSE = 15.0
SCRIPT = (("Content-Type", "text/javascript"),)


class ScriptedWeb(GraphWeb):
    """A graph some pages of which name scripts, as scripts may; each script says a text."""

    def __init__(
        self, scripts: Mapping[str, Sequence[str]], links: Mapping[str, Sequence[str]], **more: Any
    ) -> None:
        self.scripts = scripts
        self.parts = {url for urls in scripts.values() for url in urls}
        super().__init__({**dict.fromkeys((*scripts, *self.parts), ()), **links}, **more)

    def _page(self, url: str) -> str:
        if url in self.parts:
            return f"said by {url.rpartition('/')[2]} " * 30 + self._tags(url)
        tags = self._tags(url)
        return super()._page(url).replace("</body>", f"{tags}</body>")

    def _tags(self, url: str) -> str:
        return "".join(f"<script src='{part}'></script>" for part in self.scripts.get(url, ()))

    def _reply(self, url: str, moment: float) -> Reply:
        reply = super()._reply(url, moment)
        return reply._replace(headers=SCRIPT) if url in self.parts else reply


class ScriptReader:
    """A browser in virtual time: it shows a page as the words of its scripts."""

    def __init__(self, clock: Clock, seconds: float) -> None:
        self._clock = clock
        self._seconds = seconds
        self._timer: Timer | None = None

    @property
    def is_free(self) -> bool:
        return self._timer is None

    def render(self, page: RenderPage, find: Callable[[PartWanted], Part], on_done: OnDone) -> None:
        def done() -> None:
            self._timer = None
            parts: dict[str, Part] = {}
            named = [page.body]
            for body in named:  # grows by what the parts name
                for url in re.findall(r"<script src='([^']+)'", body.decode()):
                    if url not in parts:
                        parts[url] = find(PartWanted(url))
                        named.append(parts[url].body)
            missing = [url for url, one in parts.items() if one.holding is Holding.MISSING]
            said = b" ".join(one.body for one in parts.values()).decode()
            html = f"{page.body.decode()}<p>{said}</p>"
            on_done(Done(Ending.RENDERED, html=html, base=page.url, missing=missing), [])

        self._timer = self._clock.call_at(self._clock.now() + self._seconds, done)

    def drop(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def close(self) -> None:
        self.drop()


def browsers(seconds: float, clock: Clock, journal: Journal) -> RenderingPorts:
    def read(place: Place) -> Stored:
        kept = journal.read(place)
        url = re.sub(r"^([^:/]*):s?", lambda host: _host(host[1]), kept.key)
        return Stored(place, url, "", "response", kept.status, kept.headers, b"", kept.body, False)

    return RenderingPorts([ScriptReader(clock, seconds)], read)


def _host(reversed_host: str) -> str:
    return "http://" + ".".join(reversed(reversed_host.split(".")))


def rendering(browser_seconds: float = 0.2, commit_takes_seconds: float = 0.004) -> Conditions:
    made = partial(browsers, browser_seconds)
    return Conditions(rendering=made, commit_takes_seconds=commit_takes_seconds)


def job_of(urls: Sequence[str], burst_parts: int, **sections: Any) -> Job:
    politeness = {"delay_seconds": PAUSE, "large_site_delay_seconds": PAUSE}
    return Job.of(
        seeds=list(urls),
        politeness=politeness | sections.pop("politeness", {}),
        render={"mode": "always", "burst_parts": burst_parts},
        frontier={"partitions": 4} | sections.pop("frontier", {}),
        discovery={"mining": "off"},  # every request is counted
        robots={"sitemaps": False},
        **sections,
    )


def rows_of(exchanges: Sequence[Exchange], host: str) -> list[list[str]]:
    """Return the URLs of a host that came in a row, each time; a pause parts them."""
    own = [one for one in exchanges if one.host == host]
    rows = [[one.url for one in own[:1]]]
    for before, after in pairwise(own):
        if after.began - before.ended >= PAUSE - 0.001:
            rows.append([])
        rows[-1].append(after.url)
    return rows
