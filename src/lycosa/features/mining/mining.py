"""Guesses URLs that no page links to, and decides from the results how many more to guess.

A site is *looked at* when nothing of it is queued any more, and while it is large at every doubling
of its host's pages. Finds of the miner in the URL table go to the frontier as URLs like any other,
at the distance of a link from the page that it was guessed from. They have passed the scope, the
robots rules and the depth limits, and wait for their host's clock.

Every guess is *judged* when it has its outcome. A page is worth something if it is new: a soft
404, the redirect to a known URL and a page with the text of another one are not; the results of
a form are if they lead to a URL that was not known. The verdict
says how many guesses its rule may still make in vain on this host; there are never more of it
open. A rule begins with `FIRST`, wins by pages and loses by guesses in vain, down to none. A host
that never paid gets a dozen, all rules together. And of all requests for pages of this worker
no more than the job's budget are spent in vain, open guesses included; what that holds up is
looked at again when more has been asked. In a crawl with cycles guesses take room like other URLs.

Until a host has refused a guess or was probed, it may be one that answers every URL with a page.
So one guess at a time is open on it, and after the first page it is probed
(`lycosa.features.soft_404`). A site that made a page of its probe may make one of
every URL, and is not mined.

Always true:
  * guesses and verdicts are events; `MinedOut` says that a site needs no further look, and a
    resumed crawl looks at those that do;
  * a look that is due keeps the crawl from ending (`busy`);
  * a URL that something links to is not a guess any more, whatever was guessed before.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from itertools import islice, zip_longest
from typing import TYPE_CHECKING

from lycosa.crawl.answers.page_answer import PageAnswer
from lycosa.crawl.points import Feature, Spine
from lycosa.features.mining.known_urls import known_url
from lycosa.features.novelty.copies import SeenTexts
from lycosa.features.soft_404 import Prober
from lycosa.fetch.robots.rules import Rules
from lycosa.frontier.distance import STEP, farthest, through
from lycosa.frontier.facts.columns import DONE, JUDGED
from lycosa.frontier.fold.state import PartitionState
from lycosa.frontier.partition import Partition
from lycosa.frontier.patterns.miner import Guess, Known, guess_folders, guess_siblings
from lycosa.frontier.urltable.segments import is_node
from lycosa.model.records import (
    GuessJudged,
    LinkKind,
    Mined,
    MinedOut,
    MiningRule,
    Outcome,
    Worth,
)
from lycosa.model.url.key import site_of

if TYPE_CHECKING:
    from lycosa.features.mining.form_pages import FormPages

DOZEN = 12
"""Most guesses for a host that never paid, and for a crawl in any case."""
FIRST = dict.fromkeys(MiningRule, 4) | {MiningRule.FOLDER: 8, MiningRule.FORM: DOZEN}
"""Guesses that a rule may make on a host before it pays."""
GAIN = {rule: 2 if rule in (MiningRule.FOLDER, MiningRule.FORM) else 1 for rule in MiningRule}
"""Guesses that a page adds to that; a guess in vain takes one away."""
MOST = 32
PATIENT = 8
"""With so many left a rule steps over a URL that is nothing."""
FIRST_LOOK = 32
"""A host with so many pages is looked at while it is crawled, then at each doubling."""
PIECE = 5000
"""Number of URLs that are looked at in one go."""
MOST_HOPS = 3
"""Most redirects in a row by which a guess may move."""
MOST_HELD_UP = 10_000
"""Most sites that are remembered while the budget holds them up; others are not looked at again."""

Place = tuple[int, int]
"""A partition and a site of it."""


class Mining(Feature):
    """Guesses and judges; one per worker."""

    def __init__(self, spine: Spine, seen_texts: SeenTexts) -> None:
        ports = spine.ports
        self._ports = ports
        self._mode = ports.job.discovery.mining
        self._forms: FormPages | None = None
        if ports.job.forms.search:
            from lycosa.features.mining.form_pages import FormPages  # few crawls try forms

            self._forms = FormPages(ports.job, ports.store)
        self._takes_singles = ports.job.discovery.single_example
        self._budget = ports.job.discovery.budget
        self._farthest_static = farthest(ports.job.limits.depth_static)
        self._farthest_dynamic = farthest(ports.job.limits.depth_dynamic)
        self._partitions = spine.partitions
        self._agenda = spine.agenda
        self._on_quiet = spine.has_looked
        self._prober = Prober(ports)
        self._seen_texts = seen_texts
        self._looks: dict[Place, list[str]] = {}
        """The sites to be looked at, each with the parts of it that are left."""
        self._resumed: dict[int, int] = {}
        """Partitions that were taken over, with the first site that may want a look."""
        self._held_up: dict[Place, None] = {}
        """Sites with guesses that the budget does not permit yet."""

    def busy(self) -> bool:
        """Return whether a site is still to be looked at, which may lead to more requests."""
        return bool(self._looks or self._resumed)

    def begun(self, partition: Partition, now: float) -> None:
        """Look, in time, at the sites of a partition that nobody was done with."""
        if partition.state.site_names:
            self._come_back(now)
            self._resumed[partition.number] = 0

    def lost(self, number: int) -> None:
        """Forget the sites of a partition that is no longer ours."""
        self._resumed.pop(number, None)
        for places in (self._looks, self._held_up):
            for place in [place for place in places if place[0] == number]:
                places.pop(place, None)

    def settled(self, partition: Partition, site: int) -> None:
        """Look at a site if nothing of it is queued."""
        if _is_idle(partition, site):
            self._look(partition, site)

    # -- answers --------------------------------------------------------------------------

    def guess_taken(self, answered: PageAnswer) -> bool:
        """Let a guess move where it is redirected to, if that URL is new."""
        partition, page, site = answered.partition, answered.page, answered.site
        state, targets = partition.state, answered.links.targets
        rule, distance = state.pages.guess[page], state.pages.distance[page]
        is_open = rule and not rule & JUDGED
        if not is_open or answered.outcome is not Outcome.REDIRECTED or not targets:
            return False
        key = targets[0].key
        if (
            _room_of(state) < 1
            or site_of(key) != state.site_names[site]
            or self._ports.partitioner.partition_of(key) != partition.number
            or state.table.find(key) is not None
            or distance % STEP >= MOST_HOPS
        ):
            return False
        self._judge(partition, page, Worth.MOVED)
        further = through(distance, LinkKind.REDIRECT)
        partition.plant(Mined(answered.ended, site, [key], [further], [rule], [page]))
        return True

    def learned(self, answered: PageAnswer) -> None:
        """Judge a guess that has its outcome; look at its site when that is due."""
        partition, page, site = answered.partition, answered.page, answered.site
        state, is_kept = partition.state, answered.outcome is Outcome.KEPT
        rule = state.pages.guess[page]
        is_guess = bool(rule) and not rule & JUDGED
        is_new = is_kept and not answered.times_shown
        if is_guess and is_kept:
            is_new &= not self._seen_texts.is_repeated_guess(answered)
            if rule == MiningRule.FORM and not state.pages.distance[page] % STEP:
                # Results of every query have a text of their own: what counts is where they lead.
                is_new = is_kept and _leads_on(answered)
        if is_guess and state.pages.status[page] == DONE:
            self._judge(partition, page, Worth.PAGE if is_new else Worth.NOTHING)
        kept = state.hosts.kept[answered.host]
        is_doubling = is_kept and kept >= FIRST_LOOK and not kept & (kept - 1)
        # More known pages show more patterns; an idle site has nothing else to do.
        if is_doubling or _is_idle(partition, site):
            self._look(partition, site)
        if self._held_up and not self._looks and self._affordable() > 0:
            number, other = next(iter(self._held_up))
            del self._held_up[number, other]
            if number in self._partitions:
                self._look(self._partitions[number], other)

    def _judge(self, partition: Partition, page: int, worth: Worth) -> None:
        state = partition.state
        rule = MiningRule(state.pages.guess[page])
        left = self._left(state, state.sites.host[state.pages.site[page]], rule)
        if worth is Worth.PAGE:
            left = min(left + GAIN[rule], MOST)
        elif worth is Worth.NOTHING:
            left = max(left - 1, 0)
        partition.record(GuessJudged(page, worth, left))

    # -- looking --------------------------------------------------------------------------

    def _look(self, partition: Partition, site: int) -> None:
        sites, place = partition.state.sites, (partition.number, site)
        if sites.closed[site] or sites.mined_out[site]:
            return
        self._come_back(self._ports.clock.now())
        if place not in self._looks:
            self._looks[place] = [partition.state.site_names[site] + "/"]

    def _come_back(self, moment: float) -> None:
        """Be called for the next look, unless that is seen to."""
        if not self.busy():
            self._agenda.note(moment, self._on_turn, 0)

    def _on_turn(self, _: int, now: float) -> None:
        """Look at the next part of the first site, and come back for the rest."""
        if self._looks:
            self._look_on(now)
        elif self._resumed:
            self._find_idle()
        if self.busy():
            self._agenda.note(now + 0.001, self._on_turn, 0)
        else:
            self._on_quiet()

    def _find_idle(self) -> None:
        """Go through the sites of a partition that was taken over, up to the first idle one."""
        number, first = self._resumed.popitem()
        partition = self._partitions.get(number)
        if partition is None:
            return
        state = partition.state
        sites, kept = state.sites, state.hosts.kept
        for site in range(first, len(state.site_names)):
            wants_none = sites.mined_out[site] or sites.closed[site] or not kept[sites.host[site]]
            if not wants_none and _is_idle(partition, site):
                self._resumed[number] = site + 1
                self._look(partition, site)
                return

    def _look_on(self, now: float) -> None:
        place, nodes = next(iter(self._looks.items()))
        partition, site = self._partitions.get(place[0]), place[1]
        if partition is None or partition.state.sites.closed[site]:
            nodes.clear()
        elif self._makes_guesses(partition, site, nodes, now):
            nodes.clear()  # what is left is looked at when these are judged
        elif not nodes and place not in self._held_up and _is_idle(partition, site):
            partition.record(MinedOut(now, site))
        if not nodes:
            del self._looks[place]

    def _makes_guesses(self, partition: Partition, site: int, nodes: list[str], now: float) -> bool:
        """Look at one part of a site; returns whether something came of it."""
        state = partition.state
        # The site answers every URL with a page, so no answer tells a right guess from a wrong one.
        if site in state.probes.everything:
            nodes.clear()
            return False
        known = list(self._known(state, nodes))
        if self._mode == "full":
            host = state.sites.host[site]
            patient = [rule for rule in MiningRule if self._left(state, host, rule) >= PATIENT]
            inside, beyond = guess_siblings(
                known, frozenset(patient), also_of_single=self._takes_singles
            )
            by_turns = zip_longest(guess_folders(known), inside)
            guesses = [guess for pair in by_turns for guess in pair if guess is not None]
            guesses += beyond
        else:
            guesses = guess_folders(known) if self._mode != "off" else []
        if self._forms is not None:
            rules = Rules.from_bytes(state.rules.get(site, b""))
            queries = self._forms.queries(
                state,
                site,
                known,
                lambda query: self._may_be_asked(partition, site, query, rules),
                is_idle=_is_idle(partition, site),
            )
            by_turns = zip_longest(guesses, queries)
            guesses = [guess for pair in by_turns for guess in pair if guess is not None]
        chosen = self._chosen(partition, site, guesses)
        if not chosen:
            return False
        # Until a wrong guess can be told from a page, one guess at a time is risked.
        if not self._can_say_no(state, site):
            if state.guesses.of_host(state.sites.host[site]).pages:
                self._prober.probe(partition, site, now)
                if self._prober.is_waiting(state, site):
                    return True
            chosen = chosen[:1]
        start = state.site_names[site]
        partition.plant(
            Mined(
                now,
                site,
                [start + guess.path for guess in chosen],
                [through(guess.distance, LinkKind.ANCHOR) for guess in chosen],
                [int(guess.rule) for guess in chosen],
                [guess.source for guess in chosen],
            )
        )
        return True

    def _known(self, state: PartitionState, nodes: list[str]) -> Iterator[Known]:
        """Yield what is known below the next node; one that is too large is taken apart."""
        node = nodes.pop()
        urls = list(islice(state.table.walk(node), PIECE + 1))
        if len(urls) > PIECE:
            children = list(islice(state.table.children(node), PIECE))
            nodes += [child for child in reversed(children) if is_node(child)]
            found = [(key, state.table.find(key)) for key in (node, *children)]
            urls = [(key, page) for key, page in found if page is not None]
        for key, page in urls:
            if "#" not in key:  # no guess is like what a plugin posts
                yield known_url(state, key, page)

    def _can_say_no(self, state: PartitionState, site: int) -> bool:
        earned = state.guesses.of_host(state.sites.host[site])
        return (
            earned.judged > earned.pages
            or not self._ports.job.extract.soft_404_after
            or self._prober.is_answered(state, site)
        )

    # -- how many -------------------------------------------------------------------------

    def _chosen(self, partition: Partition, site: int, guesses: Iterable[Guess]) -> list[Guess]:
        """Return the guesses that may be made now, and note if the budget holds one up."""
        state = partition.state
        host = state.sites.host[site]
        allowed = {
            rule: self._left(state, host, rule) - state.guesses.of(host, rule).open
            for rule in MiningRule
        }
        earned = state.guesses.of_host(host)
        trial = MOST * len(MiningRule) if earned.pages else DOZEN - earned.guessed
        affordable = min(self._affordable(), _room_of(state))
        rules = Rules.from_bytes(state.rules.get(site, b""))
        chosen: dict[str, Guess] = {}
        for guess in guesses:
            if len(chosen) >= trial:
                break
            if (
                guess.path in chosen
                or allowed[guess.rule] <= 0
                or not self._may_be_asked(partition, site, guess, rules)
            ):
                continue
            if len(chosen) >= affordable:
                if len(self._held_up) < MOST_HELD_UP:
                    self._held_up[partition.number, site] = None
                break
            allowed[guess.rule] -= 1
            chosen[guess.path] = guess
        return list(chosen.values())

    def _may_be_asked(self, partition: Partition, site: int, guess: Guess, rules: Rules) -> bool:
        state, number = partition.state, partition.number
        key = state.site_names[site] + guess.path
        most = self._farthest_dynamic if "?" in guess.path else self._farthest_static
        return (
            through(guess.distance, LinkKind.ANCHOR) <= most
            and state.table.find(key) is None
            and rules.is_allowed(guess.path)
            and self._ports.scope.judge(key).key == key
            and self._ports.partitioner.partition_of(key) == number
            and not self._is_trap(state, site, key)
        )

    def _is_trap(self, state: PartitionState, site: int, key: str) -> bool:
        host, name = state.sites.host[site], state.site_names[site]
        return bool(self._ports.job.traps.budget) and bool(state.traps.outcome_of(host, name, key))

    def _left(self, state: PartitionState, host: int, rule: MiningRule) -> int:
        """Return how many guesses a rule may still make in vain on a host."""
        earned = state.guesses.of(host, rule)
        return earned.left if earned.judged else FIRST[rule]

    def _affordable(self) -> int:
        """Return how many guesses the budget permits beside those that are open."""
        asked = vain = still_open = 0
        for partition in self._partitions.values():
            guesses = partition.state.guesses
            asked += guesses.asked
            vain += guesses.vain
            still_open += guesses.open
        return int(max(DOZEN, self._budget * asked)) - vain - still_open


def _leads_on(answered: PageAnswer) -> bool:
    """Tell whether a query led to a URL that was not known; a probe of the site is none."""
    sources = answered.partition.state.sources
    new = range(answered.known_urls, len(answered.partition.state.table))
    return any(sources.of(page)[1] == answered.page for page in new)


def _room_of(state: PartitionState) -> int:
    """Return how many more URLs the cycle under way takes; without cycles there is no end."""
    return state.history.room if state.history.cycle else sys.maxsize


def _is_idle(partition: Partition, site: int) -> bool:
    return not partition.scheduler.waiting(site)
