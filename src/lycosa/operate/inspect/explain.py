"""Explain one URL: where it was found, its outcome, why it waits, and when it is due.

The present state comes from the partition's state. The history comes from the log, which is read
from its beginning: the event that admitted the URL names the page that led to it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

from lycosa.crawl.pauses.due import longest_row
from lycosa.crawl.status.waiting import CRAWL_DELAY, PAUSE, wait_of_page
from lycosa.crawl.status.words import with_code
from lycosa.features.novelty.traps import WHOLE
from lycosa.features.soft_404 import probe_of
from lycosa.frontier.distance import MOST_REDIRECTS, STEP, TOO_MANY_REDIRECTS, depth_of
from lycosa.frontier.facts.columns import PUT_OFF
from lycosa.frontier.facts.guesses import rule_name
from lycosa.frontier.facts.rendering import SHELL
from lycosa.frontier.fold.state import PartitionState
from lycosa.frontier.freshness.quality import Quality
from lycosa.frontier.partitioners import Partitioner
from lycosa.frontier.patterns.shapes import shape_of
from lycosa.model.job import Job
from lycosa.model.records import (
    TRAPS,
    Admitted,
    Classified,
    CycleBegun,
    Fetched,
    GuessJudged,
    Mined,
    MirrorFound,
    Outcome,
    PartsInRow,
    PartsNoted,
    Place,
    Predicted,
    ProbeChosen,
    Rendered,
    RenderQueued,
    RobotsState,
    Settled,
    Sight,
    SitemapTried,
    Taken,
    Visited,
    Weighed,
    Worth,
)
from lycosa.model.url import canonicalize, host_of, key_of, refusal, url_of
from lycosa.operate.inspect.prospects import Prospect, prospect_of
from lycosa.operate.inspect.topics import found_text, names_of, queue_text, topic_text
from lycosa.storage.log.format import decode_events
from lycosa.storage.log.protocol import Log


class Step(NamedTuple):
    """An event in the history of the URL."""

    moment: float
    what: str
    is_admission: bool = False
    is_move: bool = False
    """Whether it moved to another queue of a topic, or to another position there."""


class Explanation(NamedTuple):
    """All facts that are known about one URL."""

    url: str
    standing: str
    """A sentence: its outcome, or the reason why it waits."""
    is_known: bool
    depth: int = 0
    hops: int = 0
    """Links without depth since the last one with depth, at least: redirects, pages of a list."""
    outcome: Outcome | None = None
    due: float = 0.0
    """When it may be fetched; 0 if it does not wait for a moment."""
    place: Place | None = None
    history: tuple[Step, ...] = ()
    address: str = ""
    """Last known address of its host; "" if there is none."""
    address_expires: float = 0.0
    """End of that address's validity; 0 if the next request looks it up again anyway."""
    via: str = ""
    """`mined` if it was guessed and no known page links to it."""
    rule: str = ""
    """With `mined`, the rule that guessed it."""
    prospect: Prospect | None = None
    """In a crawl with cycles, how often it changes and the value of a visit."""
    topic: str = ""
    """In a crawl with topics, its topic, or the queue in which it waits."""


def explain(
    raw_url: str,
    job: Job,
    log: Log,
    states: dict[int, PartitionState],
    partitioner: Partitioner,
    *,
    quality: Callable[[], Quality] = lambda: Quality({}),
    now: float = 0.0,
) -> Explanation:
    """Explain one URL, as a user writes it."""
    url = canonicalize(raw_url)
    if url is None:
        why = refusal(raw_url) or "invalid"
        said = "; write it like https://example.org/" if why == "invalid" else f": {why}"
        return Explanation(raw_url, f"is not a URL that can be crawled{said}", False)
    key = key_of(url)
    number = partitioner.partition_of(key)
    state = states[number]
    page = state.table.find(key)
    if page is None:
        return Explanation(url, "has not been found, or was refused before it was admitted", False)
    names = names_of(job)
    standing, due = _standing(state, page, job, now)
    host = state.sites.host[state.pages.site[page]]
    rule = rule_name(state.pages.guess[page])
    return Explanation(
        url=url,
        standing=standing,
        is_known=True,
        depth=depth_of(state.pages.distance[page]),
        hops=state.pages.distance[page] % STEP,
        outcome=state.outcome_of(page),
        due=due,
        place=state.place_of(page),
        history=tuple(_History(key, page, state, names).steps(log, number)),
        address=state.address_of(host),
        address_expires=state.hosts.address_expires[host],
        via="mined" if rule else "",
        rule=rule,
        prospect=prospect_of(state, page, job, quality, now),
        topic=topic_text(state, page, names),
    )


def _standing(state: PartitionState, page: int, job: Job, now: float) -> tuple[str, float]:
    """Return the sentence for a URL, and when it is due."""
    site = state.pages.site[page]
    host = state.sites.host[site]
    outcome = state.outcome_of(page)
    if state.pages.status[page] == PUT_OFF and not state.sites.closed[site]:
        if state.topics.of(page) in state.topics.budgets.used_up:
            return "is put off: the budget of its topic is used up ([topics] budgets)", 0.0
        if not state.history.cycle:
            return "is put off: it does not promise a wanted topic ([topics] focus)", 0.0
        return "is put off: waits for a cycle that chooses it", 0.0
    if not state.is_pending(page):
        name = _name(outcome) if outcome else "done"
        return f"has ended: {name}{_reason(state, page, site, outcome)}", 0.0
    wait = wait_of_page(state, page, job, now)
    if wait is not None and wait.why not in (PAUSE, CRAWL_DELAY):
        return f"waits for {wait.who}: {wait.why}", wait.until
    host_due = state.hosts.due[host]
    if state.sites.robots[site] == RobotsState.UNKNOWN:
        return "waits for the site's robots file, which has not been asked for yet", host_due
    standing = "is pending: waits for its turn"
    if wait is not None:
        standing += f" and for {wait.why} of its host"
    is_part = state.table.key(page) in state.rendering.parts
    if job.politeness.burst_urls > 1 or (is_part and longest_row(job) > 1):
        standing += ", or earlier if a burst of its host goes on"
    return standing, host_due


def _name(outcome: Outcome) -> str:
    return TRAPS.get(outcome) or with_code(outcome.name.lower())


def _reason(state: PartitionState, page: int, site: int, outcome: Outcome | None) -> str:
    """Return the details that the outcome's name leaves out."""
    host = state.sites.host[site]
    if outcome in TRAPS:
        what = "pages of its host"
        if not state.sites.closed[site]:
            path = state.table.key(page)[len(state.site_names[site]) :]
            what = f"pages like it ({shape_of(path).text})"
        return f"; too many {what} brought nothing new; `lycosa retry --traps` brings it back"
    if outcome is Outcome.KEPT and host in state.traps.mirrors:
        original = state.traps.mirrors[host]
        return f"; its host is a mirror of {host_of(original + ':/')}: links are not followed"
    if outcome is Outcome.REDIRECTED and state.pages.hops[page] >= MOST_REDIRECTS:
        return (
            f"; {MOST_REDIRECTS} redirects in a row have led here, so its own is not followed"
            f" ({TOO_MANY_REDIRECTS})"
        )
    if outcome is Outcome.NO_SITEMAP:
        return "; it was tried as the site's sitemap, but the answer is not a sitemap"
    if outcome is Outcome.WRONG_LANGUAGE:
        return "; its language is not in [extract] languages; its links are followed"
    if outcome is Outcome.HOOK_FAILED:
        return "; a plugin raised, and the traceback is in lycosa.log next to this URL"
    if outcome is Outcome.TOO_MANY_ITEMS:
        return "; a plugin emitted more items than [plugins] most_items or most_item_bytes allow"
    if outcome is Outcome.UNKNOWN_POST:
        return (
            "; a POST that may have reached the server, without an answer;"
            " `lycosa retry` sends it once more"
        )
    probe = probe_of(state, site)
    if outcome is not Outcome.SOFT_404 or probe is None:
        return ""
    return f"; its text is that of {url_of(probe)}, which does not exist"


_SIGHTS = {
    Sight.FIRST: "seen, with nothing to compare it with",
    Sight.UNCHANGED: "had not changed",
    Sight.CHANGED: "had changed",
    Sight.ANNOUNCED: "has changed, as a sitemap says",
}

_WORTHS = {
    Worth.NOTHING: "the guess was wrong: not a page, or a copy of one",
    Worth.PAGE: "the guess was a new page",
    Worth.MOVED: "the guess was replaced by the target of its redirect",
}


FOUND_ON = "found on "
_BROUGHT = "brought "
_MOST_PARTS = 5
"""Parts that are named of those for which a page waits."""


class _History:
    """History of one URL from the log, as sentences.

    Each kind of event has a method that returns its steps for this URL, mostly none. Several kinds
    have no moment of their own: they follow at once from the step before.
    """

    def __init__(self, key: str, page: int, state: PartitionState, names: Sequence[str]) -> None:
        self._key = key
        self._page = page
        self._state = state
        self._names = names
        self._host = state.sites.host[state.pages.site[page]]
        self._previous = Step(0.0, "")
        self._latest = 0.0
        """Latest moment of any event, by the crawl's clock."""

    def steps(self, log: Log, number: int) -> Iterator[Step]:
        """Read the log of the URL's partition, and yield each step by the machine's clock."""
        ahead = 0.0
        for _, batch in log.read(number, 0):
            for event in decode_events(batch):
                self._latest = max(self._latest, getattr(event, "moment", self._latest))
                if isinstance(event, Taken):
                    # The crawl's clock never goes back, so it may be ahead of a clock that was set.
                    ahead = event.clock_ahead
                told = _TELLERS.get(type(event))
                for step in told(self, event) if told else ():
                    self._previous = step
                    yield step._replace(moment=step.moment - ahead) if ahead else step

    def _admitted(self, event: Admitted) -> Iterator[Step]:
        source = url_of(event.source) if event.source else ""
        if self._key in event.keys:
            via = f"{FOUND_ON}{source}" if source else "given as a seed"
            if event.queues:
                at = event.keys.index(self._key)
                via += f"; {queue_text(event.queues[at], event.positions[at], self._names)}"
            yield Step(event.moment, via, is_admission=True)
        elif self._page in event.nearer:
            yield Step(event.moment, f"came nearer by {source}")
        if self._page in event.linked:
            yield Step(event.moment, f"linked from {source}" if source else "made a seed")

    def _mined(self, event: Mined) -> Iterator[Step]:
        if self._key in event.keys:
            place = event.keys.index(self._key)
            source = url_of(self._state.table.key(event.sources[place]))
            name = rule_name(event.rules[place]).replace("_", " ")
            yield Step(event.moment, f"mined: guessed from {source} by the rule '{name}'")

    def _guess_judged(self, event: GuessJudged) -> Iterator[Step]:
        if event.page == self._page:
            yield self._at_once(_WORTHS[event.worth])

    def _sitemap_tried(self, event: SitemapTried) -> Iterator[Step]:
        if event.key == self._key:
            why = "its robots file names none"
            if event.source:
                why = f"{url_of(event.source)} redirects to it"
            yield Step(event.moment, f"tried as the site's sitemap: {why}")

    def _probe_chosen(self, event: ProbeChosen) -> Iterator[Step]:
        if event.key == self._key:
            yield Step(event.moment, "made up, to see the site's error page")

    def _fetched(self, event: Fetched) -> Iterator[Step]:
        if event.page == self._page:
            yield Step(event.moment, f"asked for: {_name(event.outcome)}, status {event.status}")

    def _predicted(self, event: Predicted) -> Iterator[Step]:
        if self._page in event.pages:
            at = event.pages.index(self._page)
            queue = queue_text(event.queues[at], event.positions[at], self._names)
            yield Step(self._latest, f"moved: now {queue}", is_move=True)

    def _classified(self, event: Classified) -> Iterator[Step]:
        if event.page == self._page:
            yield self._at_once(found_text(event, self._names))

    def _weighed(self, event: Weighed) -> Iterator[Step]:
        # A page is weighed twice, by its shape and by its content; the first weighing tells enough.
        if event.page != self._page or self._previous.what.startswith(_BROUGHT):
            return
        if not event.content:
            yield self._at_once(f"{_BROUGHT}something new, where others had not")
        else:
            more = event.left // WHOLE
            yield self._at_once(f"{_BROUGHT}nothing new; {more} more pages like it may")

    def _mirror_found(self, event: MirrorFound) -> Iterator[Step]:
        if event.host == self._host:
            original = host_of(event.original + ":/")
            yield Step(event.moment, f"its host was found to be a mirror of {original}")

    def _cycle_begun(self, event: CycleBegun) -> Iterator[Step]:
        if self._page in event.pages:
            yield Step(event.moment, f"chosen for cycle {event.cycle}")

    def _visited(self, event: Visited) -> Iterator[Step]:
        if event.page == self._page:
            yield Step(event.moment, _SIGHTS[event.seen])

    def _render_queued(self, event: RenderQueued) -> Iterator[Step]:
        if event.page == self._page:
            count = len(event.missing)
            parts = f", once {count} part{'s' * (count != 1)} came" if count else ""
            named = [url_of(key) for key in event.missing[:_MOST_PARTS]]
            named += ["…"] if count > len(named) else []
            parts += f": {', '.join(named)}" if named else ""
            again = "again " if event.round else ""
            what = f"its view {event.view} " if event.view else ""
            yield Step(event.moment, f"{what}waits to be rendered {again}by a browser{parts}")
        elif self._key in event.missing:
            url = url_of(self._state.table.key(event.page))
            yield Step(event.moment, f"asked for by the scripts of {url}")

    def _rendered(self, event: Rendered) -> Iterator[Step]:
        if event.page != self._page:
            return
        if event.ending == SHELL:
            yield Step(event.moment, "seems empty without its scripts, and they were not run")
            return
        how = event.ending.replace("-", " ")
        detail = f": {event.detail}" if event.detail else ""
        what = f"its view {event.view} " if event.view else ""
        yield Step(event.moment, f"{what}shown by a browser: {how}{detail}")
        for url, why in event.refused.items():
            yield Step(event.moment, f"without the part {url}: {why.replace('_', ' ')}")

    def _parts_noted(self, event: PartsNoted) -> Iterator[Step]:
        if self._key in event.sought or self._key in event.parts:
            yield self._at_once("asked for by the scripts of a page")

    def _parts_in_row(self, event: PartsInRow) -> Iterator[Step]:
        if self._page in event.parts:
            what = f"may be asked for in a row with {len(event.parts) - 1} other parts of a page"
            yield Step(event.moment, f"{what}; {event.most} pauses follow at most")

    def _settled(self, event: Settled) -> Iterator[Step]:
        if self._page in event.pages:
            yield Step(event.moment, _name(event.outcome))

    def _at_once(self, what: str) -> Step:
        return Step(self._previous.moment, what)


_TELLERS: dict[type, Callable[[_History, Any], Iterator[Step]]] = {
    Admitted: _History._admitted,
    Mined: _History._mined,
    GuessJudged: _History._guess_judged,
    SitemapTried: _History._sitemap_tried,
    ProbeChosen: _History._probe_chosen,
    Fetched: _History._fetched,
    Predicted: _History._predicted,
    Classified: _History._classified,
    Weighed: _History._weighed,
    MirrorFound: _History._mirror_found,
    CycleBegun: _History._cycle_begun,
    Visited: _History._visited,
    Settled: _History._settled,
    RenderQueued: _History._render_queued,
    Rendered: _History._rendered,
    PartsNoted: _History._parts_noted,
    PartsInRow: _History._parts_in_row,
}
