"""Pages that wait to be rendered, what became of those that were, and which sites are rendered.

Always true: a page that is kept and is to be rendered is in `waiting` until its `Rendered` event,
so that a kill, or another owner, forgets none; and it is rendered again if its record was lost.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Container, Mapping
from typing import Any

from lycosa._support.tuples import NamedTuple
from lycosa.model.records import PartsNoted, Place, Rendered, RenderQueued

SHELL = "shell"
"""The ending of a page that seems empty without scripts, in a crawl that renders none."""
DROPPED = "dropped"
"""The ending of a page that is kept no longer, or is not wanted any more, when its turn comes."""
RENDERED = "rendered"
"""The ending of a page that a browser has shown (`lycosa.fetch.browser.protocol.Ending`)."""
RENDERED_ALWAYS, RENDERED_IF_EMPTY = 1, 2
"""Verdicts on a site."""

NOT_FOUND_SAMPLES, MOST_NOT_FOUND = 3, 500
"""Pages of a site that are rendered although they were not found: first, and at most, if all lead
on by script and have the same body."""


class Waiting(NamedTuple):
    """A page that waits to be rendered."""

    round: int
    missing: list[str]
    view: str = ""
    """The fragment of the view that waits; "" for the page itself."""
    body: int = 0
    """A number made of the body of a page that was not found; 0 for pages that are kept."""


class NotFound(NamedTuple):
    """The pages with scripts that a site has not: these may lead to other pages by script."""

    queued: int = 0
    rendered: int = 0
    led: int = 0
    """Number of pages that led to a page of the site."""
    body: int = 0
    """A number made of the body that all of them have; -1 if they differ."""

    def is_wanted(self, body: int) -> bool:
        """Return whether another one is to be rendered."""
        is_sample = self.queued < NOT_FOUND_SAMPLES
        return is_sample or (
            body == self.body and self.led == self.rendered and self.queued < MOST_NOT_FOUND
        )


class Views(NamedTuple):
    """The views of a page, by their fragments."""

    found: list[str]
    """All since the page was fetched, in the order in which they were found."""
    to_show: list[str]
    """Views that wait; the first is the next."""
    places: dict[str, Place]
    """The newest record of each."""


class Sample(NamedTuple):
    """The rendered pages of a site, by which it is judged."""

    queued: int = 0
    rendered: int = 0
    differed: int = 0
    same: int = 0
    """The number shown to their end since the last one that differed."""


class Rendering:
    """Facts of a partition about rendering; empty in crawls without it."""

    def __init__(self) -> None:
        self.waiting: dict[int, Waiting] = {}
        self.places: dict[int, Place] = {}
        """Of the records of rendered documents, by page."""
        self.views: dict[int, Views] = {}
        """By page; empty without `[render] views`."""
        self.not_found: dict[int, NotFound] = {}
        """By site."""
        self.endings: Counter[str] = Counter()
        self.verdicts: dict[int, int] = {}
        """By site; one without an entry is not judged yet."""
        self.samples: dict[int, Sample] = {}
        self.shells: set[int] = set()
        """Pages that seem empty without scripts, and were not rendered."""
        self.sought: dict[str, set[int]] = {}
        """URLs that pages of other partitions need, with those partitions."""
        self.came: dict[str, Place | None] = {}
        """Records of URLs of other partitions; None for what cannot come."""
        self.moved: dict[str, str] = {}
        self.parts: set[str] = set()
        """URLs that scripts have asked for: parts of pages, which are kept whatever their type."""
        self.refused: dict[str, int] = {}
        """URLs of other partitions that cannot come, with their outcomes."""
        self.lacking: dict[str, int] = {}
        """How many parts the rendered pages did not get, by reason."""

    @property
    def is_at_work(self) -> bool:
        """Whether a page waits, here or for something from here."""
        return bool(self.waiting or self.sought)

    def is_ready(self, is_awaited: Callable[[str], bool]) -> bool:
        """Return whether a page waits for nothing but a browser, or is in one.

        `is_awaited` says whether a part of this partition is still to come.
        """
        return any(
            not any(self._is_awaited(key, is_awaited) for key in one.missing)
            for one in self.waiting.values()
        )

    def _is_awaited(self, key: str, is_awaited: Callable[[str], bool]) -> bool:
        seen = {key}
        while (target := self.moved.get(key)) is not None and target not in seen:
            seen.add(target)
            key = target
        return key not in self.came and is_awaited(key)

    def apply_queued(self, event: RenderQueued, site: int) -> None:
        """Let a page wait."""
        self.shells.discard(event.page)
        if event.body and not event.round:
            known = self.not_found.get(site, NotFound(body=event.body))
            body = known.body if known.body == event.body else -1
            self.not_found[site] = known._replace(queued=known.queued + 1, body=body)
        elif not event.round and not event.view:
            self._begin_views(event.page)
            sample = self.samples.get(site, Sample())
            self.samples[site] = sample._replace(queued=sample.queued + 1)
        waits = Waiting(event.round, list(event.missing), event.view, event.body)
        self.waiting[event.page] = waits
        self.parts.update(event.missing)

    def _begin_views(self, page: int) -> None:
        """Forget which views were found: the page has another document now."""
        if page in self.views:
            self.views[page] = Views([], [], self.views[page].places)

    def apply_rendered(self, event: Rendered, site: int) -> None:
        """Note what became of a page."""
        self.endings[event.ending] += 1
        for why in event.refused.values():
            self.lacking[why] = self.lacking.get(why, 0) + 1
        if event.ending == SHELL:
            self.shells.add(event.page)
        waits = self.waiting.pop(event.page, None)
        if waits is not None and waits.body and event.ending != DROPPED:
            known = self.not_found[site]
            led = known.led + event.differs
            self.not_found[site] = known._replace(rendered=known.rendered + 1, led=led)
        if event.view or event.views or event.page in self.views:
            self._apply_views(event)
        if event.view:
            return
        if waits is not None and not waits.body:
            sample = self.samples.get(site, Sample())
            self.samples[site] = sample._replace(
                rendered=sample.rendered + 1,
                differed=sample.differed + event.differs,
                same=0 if event.differs else sample.same + (event.ending == RENDERED),
            )
        if event.place is not None:
            self.places[event.page] = event.place
        if event.verdict:
            self.verdicts[site] = event.verdict

    def _apply_views(self, event: Rendered) -> None:
        """Note which views were found or shown, and let the page wait for the next."""
        views = self.views.setdefault(event.page, Views([], [], {}))
        if event.view in views.to_show:
            views.to_show.remove(event.view)
        if event.view and event.place is not None:
            views.places[event.view] = event.place
        views.found.extend(event.views)
        views.to_show.extend(event.views)
        self._show_next(event.page)

    def _show_next(self, page: int) -> None:
        views = self.views.get(page)
        if views is not None and views.to_show and page not in self.waiting:
            self.waiting[page] = Waiting(0, [], views.to_show[0])

    def records_of(self, page: int) -> list[Place]:
        """Return the records of what a browser has made of a page and its views."""
        found = [self.places[page]] if page in self.places else []
        return found + list(self.views[page].places.values()) if page in self.views else found

    def apply_parts(self, event: PartsNoted) -> None:
        """Note what is sought here, and what was found elsewhere."""
        for key, partition in event.sought.items():
            self.sought.setdefault(key, set()).add(partition)
        self.parts.update(event.sought, event.parts)
        for key in event.told:
            self.sought.pop(key, None)
        self.came.update(event.came)
        self.moved.update(event.moved)
        self.refused.update(event.refused)

    def forget(self, pages: Container[int]) -> None:
        """Forget pages that the operator has removed."""
        self.waiting = {page: one for page, one in self.waiting.items() if page not in pages}
        self.places = {page: one for page, one in self.places.items() if page not in pages}
        self.views = {page: one for page, one in self.views.items() if page not in pages}
        self.shells = {page for page in self.shells if page not in pages}

    def lost(self, page: int, place: Place) -> None:
        """Render a page again whose rendered record is lost."""
        if self.places.get(page) == place:
            del self.places[page]
            self.waiting[page] = Waiting(0, [])
        views = self.views.get(page)
        for view, at in list(views.places.items()) if views is not None else ():
            if at == place and views is not None:
                del views.places[view]
                if view not in views.to_show:
                    views.to_show.append(view)
                self._show_next(page)

    def pack(self) -> dict[str, Any]:
        """Return everything for a snapshot."""
        if not (self.endings or self.waiting or self.parts or self.came or self.samples):
            return {}
        return {
            "waiting": self.waiting,
            "places": self.places,
            "views": self.views,
            "not_found": self.not_found,
            "endings": dict(self.endings),
            "verdicts": self.verdicts,
            "samples": self.samples,
            "shells": sorted(self.shells),
            "sought": {key: sorted(some) for key, some in self.sought.items()},
            "came": self.came,
            "moved": self.moved,
            "parts": sorted(self.parts),
            "refused": self.refused,
            "lacking": self.lacking,
        }

    def unpack(self, packed: Mapping[str, Any]) -> None:
        """Fill from what `pack` returned."""
        if not packed:
            return
        self.waiting = {page: Waiting(*one) for page, one in packed["waiting"].items()}
        self.places = {page: Place(*one) for page, one in packed["places"].items()}
        for page, (found, to_show, at) in packed.get("views", {}).items():
            places = {view: Place(*one) for view, one in at.items()}
            self.views[page] = Views(found, to_show, places)
        missing = packed.get("not_found", {})
        self.not_found = {site: NotFound(*one) for site, one in missing.items()}
        self.endings.update(packed["endings"])
        self.verdicts = packed["verdicts"]
        self.samples = {site: Sample(*one) for site, one in packed["samples"].items()}
        self.shells = set(packed["shells"])
        self.sought = {key: set(some) for key, some in packed["sought"].items()}
        self.came = {key: Place(*one) if one else None for key, one in packed["came"].items()}
        self.moved = packed["moved"]
        # Snapshots of older versions lack these; their parts were fetched under the old rule.
        self.parts = set(packed.get("parts", ()))
        self.refused = packed.get("refused", {})
        self.lacking = packed.get("lacking", {})
