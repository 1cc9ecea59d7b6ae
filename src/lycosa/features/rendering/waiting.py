"""Takes pages that wait to a browser, and decides what follows from what comes back."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from functools import partial
from typing import NamedTuple

from lycosa._support.failpoints import reach
from lycosa.crawl.answers.page_answer import PageAnswer
from lycosa.crawl.budget import Limit
from lycosa.crawl.links.raw_links import RawLinks
from lycosa.crawl.points import Feature, Handler, Spine
from lycosa.crawl.suspects.marks import COUNT, PAGE, PAGE_BITS
from lycosa.errors import LycosaError
from lycosa.features.rendering.choosing import is_chosen, leading_on, not_found_body, verdict_on
from lycosa.features.rendering.documents import Documents
from lycosa.features.rendering.parts import MOST_REFUSED, NOT_FETCHED, Parts
from lycosa.features.rendering.rendered_tree import RenderedTree
from lycosa.features.rendering.rows import PartRows
from lycosa.features.rendering.views import NONE_RESERVED, ViewLimits
from lycosa.fetch.browser.protocol import Done, Ending, FoundLink, RenderPage
from lycosa.fetch.browser.renderer import Renders
from lycosa.frontier.facts.rendering import DROPPED, NOT_FOUND_SAMPLES, NotFound, Waiting
from lycosa.frontier.fold.state import PartitionState
from lycosa.frontier.partition import Partition
from lycosa.model.clock import Timer
from lycosa.model.records import (
    LinkKind,
    Outcome,
    PartsFound,
    PartsWanted,
    Rendered,
    RenderQueued,
)
from lycosa.model.url import url_of
from lycosa.storage.warc.record_reader import Stored

MOST_PARTS = 200
"""Parts of a page that are queued in one round."""
LOOK_SECONDS = 0.2
"""How soon pages are looked at again that waited for parts."""
HOOK_FAILED = "hook-failed"
"""The ending of a page of which a plugin could not bear the rendered document."""
HOST_LIMIT = "host-limit"
"""The ending of a view whose host has given as many pages as the job takes."""
TOO_MANY_ITEMS = "too-many-items"
"""The ending of a page of which a plugin emitted more items than the job allows."""
_SCRIPT = int(LinkKind.SCRIPT)

messages = logging.getLogger(__name__)


class _Under(NamedTuple):
    """A page in a browser."""

    partition: Partition
    page: int
    browser: Renders
    reserved_bytes: int
    """The reservation of a view against the job's limits (`views.NONE_RESERVED` of a page)."""


class _Asked(NamedTuple):
    """A page that was handed to a browser, as the archive has it."""

    page: int
    waits: Waiting
    plain: Stored
    refused: dict[str, str]
    """Parts that it did not get, with the reasons."""


class PageRendering(Feature):
    """Renders the pages of a worker's partitions; one per worker."""

    def __init__(self, spine: Spine, tree: RenderedTree, rows: PartRows | None = None) -> None:
        """Plugins, topics and structured data see what was rendered by way of `tree`.

        `rows` lets parts be asked for in a row.
        """
        ports = spine.ports
        assert ports.rendering is not None
        self._clock = ports.clock
        self._settings = ports.job.render
        self._views = ViewLimits(ports)
        self._budget = ports.budget
        self._store = ports.store
        self._partitions = spine.partitions
        self._router = spine.router
        self._browsers = ports.rendering.browsers
        self._read = ports.rendering.read
        self._parts = Parts(ports, self._read)
        self._documents = Documents(ports, spine.router, tree)
        self._rows = rows
        self._mark = ports.mark
        self._under_way: dict[tuple[int, int], _Under] = {}
        self._bare: PageAnswer | None = None
        """The part under way that is kept for a page alone."""
        self._is_stopped = False
        self._timer: Timer | None = None
        self._wake = spine.look_soon
        """Called when something was decided, so that it is committed."""

    def working(self) -> bool:
        """Return whether pages wait that are rendered also when a limit is reached."""
        if self._budget.reached not in (Limit.PAGES, Limit.BYTES):
            return False
        states = [one.state.rendering for one in self._partitions.values()]
        return any(not one.view for known in states for one in known.waiting.values())

    # -- queueing ---------------------------------------------------------------------------

    def judged(self, answered: PageAnswer) -> None:
        """Keep a part of a page whatever its type."""
        is_part = answered.key in answered.partition.state.rendering.parts
        if is_part and answered.outcome is Outcome.WRONG_TYPE:
            answered.outcome, self._bare = Outcome.KEPT, answered

    def shown(self, answered: PageAnswer) -> None:
        """Take no text and no links from a part that would not be kept as a page."""
        if answered is self._bare:
            answered.drop_facts()
            self._bare = None

    def learned(self, answered: PageAnswer) -> None:
        """Queue a page that was kept, if it is to be rendered, and the scripts that it names."""
        if answered.outcome is Outcome.REDIRECTED and answered.links.targets:
            target = answered.links.targets[0].key
            self._parts.led_on(answered.partition, answered.key, target)
        body = not_found_body(answered)
        if not body and not is_chosen(answered, self._settings):
            return
        partition, page, facts = answered.partition, answered.page, answered.facts
        scripts = [
            href for href, kind in zip(facts.hrefs, facts.kinds, strict=True) if kind == _SCRIPT
        ]
        base = facts.base or answered.request.url
        self._queue(partition, page, Waiting(0, [], body=body), scripts, base)

    def _queue(
        self, partition: Partition, page: int, waits: Waiting, hrefs: Sequence[str], base: str
    ) -> None:
        """Let a page wait for parts, which are fetched like page requisites."""
        now, key = self._clock.now(), partition.state.table.key(page)
        raw = RawLinks.of(list(dict.fromkeys(hrefs))[:MOST_PARTS], LinkKind.SCRIPT)
        links, _, _ = self._router.resolve(partition, page, raw, base)
        keys = list(dict.fromkeys(target.key for target in links.targets))
        missing = [one for one in keys if not self._parts.is_settled(partition, one)]
        if missing:
            self._router.route(partition, now, page, key, links)
            self._parts.seek(partition, missing)
        # A part that the frontier did not take, as too deep or a known copy, never comes.
        missing = [one for one in missing if self._parts.may_come(partition, one)]
        partition.record(RenderQueued(now, page, waits.round, missing, waits.view, waits.body))
        if self._rows is not None:
            self._rows.want(partition, missing)

    # -- messages of other partitions ---------------------------------------------------------

    def messages(self) -> Mapping[type, Handler]:
        """Return who takes what other partitions ask and answer."""
        return {
            PartsWanted: lambda partition, message, _: self._wanted(partition, message),
            PartsFound: lambda partition, message, _: self._parts.found(partition, message),
        }

    def _wanted(self, partition: Partition, message: PartsWanted) -> None:
        self._parts.wanted(partition, message)
        if self._rows is not None:
            self._rows.want(partition, message.keys)

    # -- the rhythm -------------------------------------------------------------------------

    def looked(self) -> None:
        """Answer other partitions, and hand pages that are ready to free browsers."""
        if self._is_stopped:
            return
        is_waiting = False
        for partition in list(self._partitions.values()):
            known = partition.state.rendering
            if partition.is_leaving or not (known.waiting or known.sought or known.shells):
                continue
            for page in sorted(known.shells):  # found when the crawl rendered nothing
                partition.record(RenderQueued(self._clock.now(), page))
            if known.sought:
                self._parts.tell(partition)
            is_waiting = is_waiting or bool(known.waiting)
            self._begin(partition)
        if is_waiting and self._timer is None:
            self._timer = self._clock.call_at(self._clock.now() + LOOK_SECONDS, self._look_again)

    def _look_again(self) -> None:
        self._timer = None
        self.looked()

    def _begin(self, partition: Partition) -> None:
        """Hand the pages of a partition that are ready to free browsers."""
        for page, waits in list(partition.state.rendering.waiting.items()):
            free = next((one for one in self._browsers if one.is_free), None)
            if free is None:
                return
            if (partition.number, page) in self._under_way or not self._is_ready(partition, waits):
                continue
            self._render(partition, page, waits, free)

    def _is_ready(self, partition: Partition, waits: Waiting) -> bool:
        if self._budget.reached is not None:
            return True  # nothing more comes
        return all(self._parts.is_settled(partition, key) for key in waits.missing)

    def _render(self, partition: Partition, page: int, waits: Waiting, browser: Renders) -> None:
        state = partition.state
        place = state.place_of(page)
        plain: Stored | None = None
        is_suspect = page in state.suspects.rendered  # reading its tree may have killed a process
        if place is not None and self._is_wanted(state, page, waits) and not is_suspect:
            try:
                plain = self._read(place)
            except LycosaError:  # removed, or on another machine
                plain = None
        now, view = self._clock.now(), waits.view
        if plain is None or (view and self._views.is_full(state, page)):
            ending = HOST_LIMIT if plain is not None else DROPPED
            self._decided(partition, Rendered(now, page, ending, view=view))
            return
        reserved = self._views.reserve(view, now)
        if reserved is None:
            return  # the limit is reached, or all that is left is on its way
        settings = self._settings
        is_last = waits.round + 1 >= settings.rounds or self._budget.reached is not None
        asked = RenderPage(
            url=url_of(state.table.key(page)) + view,
            headers=list(plain.headers),
            body=plain.body,
            seconds=settings.seconds,
            memory_bytes=settings.memory_bytes,
            clicks=0 if waits.body else settings.clicks,
            is_last=is_last,
            wants_picture=settings.screenshots and not waits.body,
            moment=_moment(plain.date),
        )
        self._under_way[partition.number, page] = _Under(partition, page, browser, reserved)
        reach("render.before")
        refused: dict[str, str] = {}
        browser.render(
            asked,
            partial(self._parts.find, partition, refused),
            partial(self._done, partition, _Asked(page, waits, plain, refused)),
        )

    def _done(
        self, partition: Partition, asked: _Asked, done: Done, found: list[FoundLink]
    ) -> None:
        reach("render.done")
        page, waits, plain, refused = asked
        under = self._under_way.pop((partition.number, page), None)
        reserved = under.reserved_bytes if under is not None else NONE_RESERVED
        is_ours = self._partitions.get(partition.number) is partition and not partition.is_leaving
        if not is_ours or self._is_stopped:
            self._views.give_back(reserved)
            return
        if partition.state.rendering.waiting.get(page) != waits:
            self._views.give_back(reserved)
            self.looked()  # it was fetched again meanwhile, and is rendered again
            return
        is_last = waits.round + 1 >= self._settings.rounds or self._budget.reached is not None
        if done.missing and not is_last:
            self._views.give_back(reserved)
            base = done.base or plain.url
            again = waits._replace(round=waits.round + 1)
            self._queue(partition, page, again, done.missing, base)
            self._wake()
        else:
            refused.update(dict.fromkeys(done.missing[:MOST_REFUSED], NOT_FETCHED))
            words = self._mark
            if words is not None:
                words[PAGE] = partition.number << PAGE_BITS | page
                words[COUNT] = 1
            self._finish(partition, asked, done, found, reserved)
            if words is not None:
                words[COUNT] = 0
        self.looked()

    def _finish(
        self,
        partition: Partition,
        asked: _Asked,
        done: Done,
        found: list[FoundLink],
        reserved: int,
    ) -> None:
        """Store what was rendered if it is worth it, and send its links on."""
        page, plain, why, view = asked.page, asked.plain, done.why(), asked.waits.view
        url = plain.url + view
        if why:
            messages.info("%s: rendering ended as %s: %s", url, done.ending, why)
        state, now = partition.state, self._clock.now()
        if asked.waits.body:  # an error page: where its scripts lead counts, and nothing else
            found, done.html = leading_on(url, found), ""
        document = self._documents.read(partition, page, plain, done, found, now=now, view=view)
        if document.outcome is not Outcome.KEPT:
            self._views.give_back(reserved)
            is_too_much = document.outcome is Outcome.TOO_MANY_ITEMS
            ending = TOO_MANY_ITEMS if is_too_much else HOOK_FAILED
            self._decided(partition, Rendered(now, page, ending, view=view))
            return
        counts: int | None = 0
        if view and document.differs:
            if self._views.is_full(state, page):
                self._views.give_back(reserved)
                self._decided(partition, Rendered(now, page, HOST_LIMIT, view=view))
                return
            if self._views.is_last_on_its_way(partition, page):
                self._views.give_back(reserved)
                return  # it is shown again when that page is decided on
            size_bytes = len(document.answered.answer.body)
            counts = self._views.keep(state, page, view, reserved, size_bytes)
            if counts is None:
                return  # it does not fit, and ends the crawl
        else:
            self._views.give_back(reserved)
        site = state.pages.site[page]
        verdict = 0
        is_page = not (view or asked.waits.body)
        if is_page and (document.differs or done.ending is Ending.RENDERED):
            verdict = verdict_on(
                state.rendering, site, self._settings, differs=document.is_evidence
            )
        place = None
        if document.differs or done.picture:
            place = self._documents.store(document, done, view=view)
        event = Rendered(
            moment=now,
            page=page,
            ending=done.ending,
            place=place,
            differs=document.is_evidence,
            verdict=verdict,
            refused=asked.refused,
            detail=why or ("" if document.differs else done.error),
            view=view,
            views=self._views.new_views(state, page, found),
            size_bytes=counts or 0,
        )
        self._decided(partition, event)
        if counts:
            self._views.close_full(partition, page, now)
        if not document.differs:
            return
        if is_page:
            self._documents.decided(document)
        if state.sites.host[site] not in state.traps.mirrors:
            links, ahead = document.answered.links, document.answered.ahead
            key = state.table.key(page)
            self._router.route(partition, now, page, key, links, ahead=ahead)

    def _is_wanted(self, state: PartitionState, page: int, waits: Waiting) -> bool:
        """Return whether a page is still what it was when it was chosen."""
        if not waits.body:
            return bool(state.pages.outcome[page] == Outcome.KEPT)
        known = state.rendering.not_found.get(state.pages.site[page], NotFound())
        leads = known.rendered < NOT_FOUND_SAMPLES or known.led == known.rendered
        return leads and bool(state.pages.outcome[page] == Outcome.NOT_FOUND)

    def _decided(self, partition: Partition, event: Rendered) -> None:
        partition.record(event)
        self._wake()

    # -- the end ----------------------------------------------------------------------------

    def lost(self, number: int) -> None:
        """Give up the pages of a partition that is no longer ours."""
        for at, under in list(self._under_way.items()):
            if at[0] == number:
                del self._under_way[at]
                self._views.give_back(under.reserved_bytes)
                under.browser.drop()

    def stopped(self) -> None:
        """Render nothing more."""
        self._is_stopped = True
        if self._timer is not None:
            self._timer.cancel()
        for under in self._under_way.values():
            self._views.give_back(under.reserved_bytes)
            under.browser.drop()
        self._under_way.clear()


def _moment(date: str) -> float:
    from datetime import datetime  # only crawls that render need it here

    try:
        return datetime.fromisoformat(date).timestamp()
    except ValueError:
        return 0.0
