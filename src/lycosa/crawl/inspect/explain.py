"""Explain one URL: where it was found, what became of it, why it waits, when it is due.

The present standing comes from the partition's state. The history comes from the log, which is
read from its beginning: the event that admitted the URL names the page that led to it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from lycosa.cluster.partitioners import Partitioner
from lycosa.config import Job
from lycosa.crawl.answers.novelty.soft_404 import probe_of
from lycosa.crawl.answers.novelty.traps import WHOLE
from lycosa.crawl.inspect.prospects import Prospect, prospect_of
from lycosa.crawl.inspect.topics import found_text, names_of, queue_text, topic_text
from lycosa.crawl.status.waiting import CRAWL_DELAY, PAUSE, wait_of_page
from lycosa.crawl.worker.quality import Quality
from lycosa.frontier.distance import MOST_REDIRECTS, TOO_MANY_REDIRECTS, depth_of
from lycosa.frontier.fold.facts.columns import PUT_OFF
from lycosa.frontier.fold.facts.guesses import rule_name
from lycosa.frontier.fold.state import PartitionState
from lycosa.frontier.patterns.shapes import shape_of
from lycosa.log.format import decode_events
from lycosa.log.protocol import Log
from lycosa.records import (
    TRAPS,
    Admitted,
    Classified,
    CycleBegun,
    Fetched,
    GuessJudged,
    Mined,
    MirrorFound,
    Outcome,
    Place,
    Predicted,
    ProbeChosen,
    RobotsState,
    Settled,
    Sight,
    SitemapTried,
    Taken,
    Visited,
    Weighed,
    Worth,
)
from lycosa.url import canonicalize, host_of, key_of, refusal, url_of


class Step(NamedTuple):
    """One thing that happened to the URL."""

    moment: float
    what: str
    is_admission: bool = False
    is_move: bool = False
    """Whether it came to another queue of a topic, or to another position there."""


class Explanation(NamedTuple):
    """Everything that is known of one URL."""

    url: str
    standing: str
    """One sentence: how it ended, or what it waits for."""
    is_known: bool
    depth: int = 0
    outcome: Outcome | None = None
    due: float = 0.0
    """When it may be fetched; 0 when it waits for no moment."""
    place: Place | None = None
    history: tuple[Step, ...] = ()
    address: str = ""
    """The last known address of its host; "" when there is none."""
    address_expires: float = 0.0
    """Until when that is valid; 0 when the next request looks it up again anyway."""
    via: str = ""
    """`mined` when it was guessed and no known page links to it."""
    rule: str = ""
    """With `mined`: the rule that guessed it."""
    prospect: Prospect | None = None
    """In a crawl with cycles: how often it changes and what a visit would be worth."""
    topic: str = ""
    """In a crawl with topics: what it is about, or in which queue it waits."""


def explain(
    raw_url: str,
    job: Job,
    log: Log,
    states: dict[int, PartitionState],
    partitioner: Partitioner,
    quality: Callable[[], Quality] = lambda: Quality({}),
    now: float = 0.0,
) -> Explanation:
    """Explain one URL, as a user writes it."""
    url = canonicalize(raw_url)
    if url is None:
        why = refusal(raw_url) or "invalid"
        return Explanation(raw_url, f"is no URL that can be crawled: {why}", False)
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
        url,
        standing,
        True,
        depth_of(state.pages.distance[page]),
        state.outcome_of(page),
        due,
        state.place_of(page),
        tuple(_history(log, number, key, page, state, names)),
        state.address_of(host),
        state.hosts.address_expires[host],
        "mined" if rule else "",
        rule,
        prospect_of(state, page, job, quality, now),
        topic_text(state, page, names),
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
            return "is put off: it promises nothing of what is wanted ([topics] focus)", 0.0
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
    if job.politeness.burst_urls > 1:
        standing += ", or earlier if a burst of its host goes on"
    return standing, host_due


def _name(outcome: Outcome) -> str:
    return TRAPS.get(outcome) or outcome.name.lower()


def _reason(state: PartitionState, page: int, site: int, outcome: Outcome | None) -> str:
    """Return the details that the name of an outcome does not tell."""
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
        return "; it was tried as the site's sitemap, and what came is none"
    if outcome is Outcome.WRONG_LANGUAGE:
        return "; it is in another language than [extract] languages names; its links are followed"
    if outcome is Outcome.HOOK_FAILED:
        return "; a plugin raised, and the traceback is in lycosa.log beside this URL"
    probe = probe_of(state, site)
    if outcome is not Outcome.SOFT_404 or probe is None:
        return ""
    return f"; it says what {url_of(probe)} says, which does not exist"


_SIGHTS = {
    Sight.FIRST: "seen, with nothing to compare it with",
    Sight.UNCHANGED: "had not changed",
    Sight.CHANGED: "had changed",
    Sight.ANNOUNCED: "has changed, as a sitemap says",
}

_WORTHS = {
    Worth.NOTHING: "the guess was in vain: no page, or the copy of one",
    Worth.PAGE: "the guess was a page that was not known",
    Worth.MOVED: "the guess moved on to where it was redirected to",
}


_BROUGHT = "brought "


def _weighed(event: Weighed) -> str:
    if not event.content:
        return f"{_BROUGHT}something new, where others had not"
    return f"{_BROUGHT}nothing new; {event.left // WHOLE} more pages like it may"


def _guessed(event: Mined, key: str, state: PartitionState) -> str:
    place = event.keys.index(key)
    source = url_of(state.table.key(event.sources[place]))
    name = rule_name(event.rules[place]).replace("_", " ")
    return f"mined: guessed from {source} by the rule '{name}'"


def _tried(event: SitemapTried) -> str:
    if event.source:
        return f"tried as the site's sitemap: {url_of(event.source)} redirects to it"
    return "tried as the site's sitemap: its robots file names none"


def _history(
    log: Log, number: int, key: str, page: int, state: PartitionState, names: Sequence[str]
) -> list[Step]:
    """Return the events of the log that concern the URL, in words."""
    steps: list[Step] = []
    host = state.sites.host[state.pages.site[page]]
    behind = latest = 0.0
    for _, batch in log.read(number, 0):
        for event in decode_events(batch):
            known = len(steps)
            latest = max(latest, getattr(event, "moment", latest))
            if isinstance(event, Taken):
                behind = event.clock_ahead
            elif isinstance(event, Admitted):
                if key in event.keys:
                    via = f"found on {url_of(event.source)}" if event.source else "given as a seed"
                    if event.queues:
                        at = event.keys.index(key)
                        via += f"; {queue_text(event.queues[at], event.positions[at], names)}"
                    steps.append(Step(event.moment, via, is_admission=True))
                elif page in event.nearer:
                    steps.append(Step(event.moment, f"came nearer by {url_of(event.source)}"))
                if page in event.linked:
                    via = f"linked from {url_of(event.source)}" if event.source else "made a seed"
                    steps.append(Step(event.moment, via))
            elif isinstance(event, Mined) and key in event.keys:
                steps.append(Step(event.moment, _guessed(event, key, state)))
            elif isinstance(event, GuessJudged) and event.page == page:
                steps.append(Step(steps[-1].moment, _WORTHS[event.worth]))
            elif isinstance(event, SitemapTried) and event.key == key:
                steps.append(Step(event.moment, _tried(event)))
            elif isinstance(event, ProbeChosen) and event.key == key:
                steps.append(Step(event.moment, "made up, to see the site's error page"))
            elif isinstance(event, Fetched) and event.page == page:
                name = _name(event.outcome)
                steps.append(Step(event.moment, f"asked for: {name}, status {event.status}"))
            elif isinstance(event, Predicted) and page in event.pages:
                at = event.pages.index(page)
                moved = f"moved: now {queue_text(event.queues[at], event.positions[at], names)}"
                steps.append(Step(latest, moved, is_move=True))
            elif isinstance(event, Classified) and event.page == page:
                steps.append(Step(steps[-1].moment, found_text(event, names)))
            elif isinstance(event, Weighed) and event.page == page:
                if not steps[-1].what.startswith(_BROUGHT):  # the first is about its shape
                    steps.append(Step(steps[-1].moment, _weighed(event)))
            elif isinstance(event, MirrorFound) and event.host == host:
                original = host_of(event.original + ":/")
                steps.append(Step(event.moment, f"its host was found to be a mirror of {original}"))
            elif isinstance(event, CycleBegun) and page in event.pages:
                steps.append(Step(event.moment, f"chosen for cycle {event.cycle}"))
            elif isinstance(event, Visited) and event.page == page:
                steps.append(Step(event.moment, _SIGHTS[event.seen]))
            elif isinstance(event, Settled) and page in event.pages:
                steps.append(Step(event.moment, _name(event.outcome)))
            if behind:  # shown by the machine's clock
                steps[known:] = [s._replace(moment=s.moment - behind) for s in steps[known:]]
    return steps
