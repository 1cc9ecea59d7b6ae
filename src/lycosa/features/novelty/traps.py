"""Keeps the crawl out of traps: endless calendars, session ids, paths that repeat themselves.

A calendar has a page for every month, a shop a URL for every session, a broken link a path that
repeats itself for ever. All of them say the same again and again. So
every page that is kept for the first time is *weighed*: have pages of its shape said this before?

    word by word           on any page
    but for digits         where the URL has a date, or the page counts on: `/cal/17` to `/cal/18`;
                           a page of which many figures are new (`figures`) is new
    but for a few words    where the URL carries a session or many parameters, or repeats itself;
                           URLs of the page's own path that it shows do not count as words
    but for session names  where a folder looks like a session: `/s/4f6a09c1d2e3b857/cart`
    whatever it says       where the path is nested deeper than people nest folders

A page that repeats a text, but shows pictures that were not seen so together, is not weighed.

Sitemaps are weighed apart (`sitemap_trees`): indexes in indexes may go on without end.

A finite site repeats itself, too: it shows its English page in every language that the page was not
translated to. But it shows each of its texts a few times, and a trap shows few texts for ever. So
a page that repeats another one word by word costs nothing until its site has shown that text
`OFTEN` times; in its own shape a little from `SOME` times on. Nor is a page held against what
stands in another folder.

Each shape of URLs (`lycosa.frontier.patterns.shapes`) has a budget of pages (`budget`), each first
folder one of `folder_budget` and the host one of `host_budget`. A page with nothing new takes one
from all three, or a quarter if it led to no unknown URL: then it is not a way into a trap, like the
shell of an application. A page with something new gives `earned` back, up to the full budget. At
zero a shape or folder is shut: URLs of it that were never asked for are *put aside* when their turn
comes, with the reason as their outcome. When the budget of the host is empty, the host is closed.
Nothing is dropped: what was put aside stands in the log, and `lycosa retry --traps` brings it back.

Always true:
  * a place in which at least one page of `earned` + 1 is new is never shut, however large it is;
  * a site of plain URLs that shows no text more than `SOME` times, and does not count in digits
    alone, is never shut;
  * seeds, what a page needs to be shown, and pages that were asked for before are never put aside;
  * what is decided is an event (`Weighed`, `Settled`, `HostChanged`); what was seen lately is not,
    and is forgotten at a kill, except for what was found to be repeated.

Cost: for a page with a text of its own, one comparison beside the hash that discovery takes anyway;
for one with a date in its URL, or with a number and a few links to new URLs, the hash of the
text without digits.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING

from lycosa.crawl.answers.page_answer import PageAnswer
from lycosa.crawl.points import Feature, Occasion
from lycosa.extract.echo import without_own_queries
from lycosa.extract.echo import without_tokens as without_token_words
from lycosa.extract.text.fingerprint import distance, fingerprint, without_digits
from lycosa.features.novelty._seen import TrapLook
from lycosa.features.novelty.copies import (
    NEAR_BITS,
    SeenTexts,
    compared_content,
    content_number,
)
from lycosa.features.novelty.sitemap_trees import is_in_shut_tree, weigh_list
from lycosa.frontier.distance import SEED
from lycosa.frontier.facts.columns import NONE
from lycosa.frontier.facts.traps import FULL, HostPurses, first_folder, shape_number
from lycosa.frontier.fold.state import PartitionState
from lycosa.frontier.partition import Partition
from lycosa.frontier.patterns.shapes import (
    Compared,
    Shape,
    shape_of,
    without_tokens,
)
from lycosa.model.job import Traps
from lycosa.model.records import HostChanged, Outcome, Weighed

if TYPE_CHECKING:
    from lycosa.features.novelty.figures import SeenFigures

WHOLE = 4
"""Price of a page that brings nothing new and leads on; budgets are counted in quarters."""
OFTEN = 32
"""A text that a site has shown so often before is nothing new wherever it stands: no site is in
more languages, and a trap shows it for ever."""
SOME = 8
"""Times that a text may be shown before pages of its own shape that repeat it cost something."""

Holder = tuple[int, int, Outcome]
"""A shape or folder by its number, what its budget holds, and what it is shut with."""


class TrapWatch(TrapLook, Feature):
    """Weighs pages and puts URLs aside; one per worker. `_seen` lets most pages go unweighed."""

    occasions = MappingProxyType({"learned": Occasion.FIRST})

    def __init__(self, traps: Traps, seen_texts: SeenTexts) -> None:
        super().__init__(seen_texts)
        self._traps = traps
        self._texts = seen_texts
        self._figures: SeenFigures | None = None

    def _permitted(self, state: PartitionState, page: int, purses: HostPurses) -> Outcome | None:
        """Return what a URL ends as whose host has something shut."""
        site = state.pages.site[page]
        if (
            state.pages.fetch[page] != NONE
            or state.pages.distance[page] == SEED
            or page in state.requisites
        ):
            return None
        if state.traps.indexes and is_in_shut_tree(state, page, purses):
            return Outcome.TRAP_NOTHING_NEW
        name, key = state.site_names[site], state.table.key(page)
        outcome = state.traps.outcome_of(state.sites.host[site], name, key)
        if outcome is Outcome.TRAP_SESSION and not self._was_seen_behind(name, key[len(name) :]):
            return None
        return outcome

    def _was_seen_behind(self, site_name: str, path: str) -> bool:
        """Return whether a path was kept with another session; true of any without a session."""
        bare = without_tokens(path)
        return bare == path or self._texts.knows(_behind(site_name, bare))

    def _weigh_list(self, answered: PageAnswer) -> None:
        """Weigh a sitemap or a feed."""
        weigh_list(answered, WHOLE * self._traps.host_budget, WHOLE * self._traps.earned, WHOLE)

    def _weigh(self, answered: PageAnswer, template: int, was_shown: bool) -> None:
        """Weigh a page; `template` is its text without digits as a number, if it may count on."""
        if not answered.is_readable:
            return
        # Each property is a call of Python: this is asked of every seventh page of many hosts.
        site_name, purses = answered.site_name, self._purses(answered)
        path = answered.key[len(site_name) :]
        shape = shape_of(path)
        number = shape_number(site_name, shape.text)
        # `template` is 0 where the page cannot count on, which most pages cannot.
        if template and shape.compared is Compared.EXACTLY:
            was_shown = was_shown or _was_repeated(purses, [number], template)
            if was_shown and _counts_on(answered, shape):
                shape = shape._replace(trap=Outcome.TRAP_COUNTER, compared=Compared.WITHOUT_DIGITS)
        holders = self._holders(site_name, path, shape, number)
        content = self._content(shape, answered, site_name)
        if shape.compared is Compared.WITHOUT_TOKENS:
            self._texts.note_number(_behind(site_name, without_tokens(path)))
        is_notorious = answered.times_shown >= OFTEN or _was_repeated(
            purses, [holder[0] for holder in holders], content
        )
        is_old = (
            shape.trap is Outcome.TRAP_COUNTER
            or is_notorious
            or self._is_old(shape, number, content, purses)
        )
        if shape.compared is Compared.NOT_AT_ALL:
            is_old = True
        elif is_old and self._has_new_figures(shape, number, answered.text):
            is_old = False
        elif is_old and self._texts.shows_other_pictures(site_name, answered.answer.body):
            return  # a gallery has one text and ever other pictures: neither new nor a repetition
        if is_old:
            self._charge(answered, shape, holders, content, is_notorious)
        elif purses is not None and not answered.times_shown:
            # A text that the site has shown elsewhere is not held against a page, nor for it.
            self._earn(answered.partition, answered.page, answered.host, holders)

    @staticmethod
    def _purses(answered: PageAnswer) -> HostPurses | None:
        return answered.partition.state.traps.hosts.get(answered.host)

    def _holders(self, site_name: str, path: str, shape: Shape, number: int) -> list[Holder]:
        """Return the shape of a page and its first folder, if it has one."""
        holders = [(number, WHOLE * self._traps.budget, shape.trap)]
        if folder := first_folder(path):
            most = WHOLE * self._traps.folder_budget
            above = shape_number(site_name, folder)
            holders.append((above, most, Outcome.TRAP_NOTHING_NEW))
        return holders

    def _charge(
        self,
        answered: PageAnswer,
        shape: Shape,
        holders: list[Holder],
        content: int,
        is_notorious: bool,
    ) -> None:
        """Charge a page with nothing new to its budgets."""
        led_to = len(answered.state.table) - answered.known_urls
        is_guess = answered.state.pages.guess[answered.page] != 0
        # A page that leads nowhere is not a way into a trap, such as the shell of an application.
        cost = WHOLE if led_to or is_guess else 1
        if is_notorious:
            pass
        elif shape.compared is Compared.EXACTLY:
            # Sites show a page in each language that it was not translated to.
            cost, content = int(led_to > 0 and answered.times_shown >= SOME), 0
        elif shape.compared is Compared.WITHOUT_TOKENS:
            # Records have such names, too, and pages that say little. And behind the next session
            # may be an article that was not seen: only what was seen is put aside, by its shape.
            cost, holders = cost if led_to else 0, holders[:1]
        if cost:
            has_token = shape.compared is Compared.WITHOUT_TOKENS
            host_cost = 0 if has_token and len(holders) == 1 else cost
            self._spend(answered, holders, cost, host_cost, content)

    def _spend(
        self,
        answered: PageAnswer,
        holders: list[Holder],
        cost: int,
        host_cost: int,
        content: int,
    ) -> None:
        """Take from each budget and from the host's, and shut what has nothing left."""
        partition, page, host = answered.partition, answered.page, answered.host
        state = partition.state
        purses = self._purses(answered)
        host_left = FULL if purses is None else purses.left
        if host_cost:
            host_left = WHOLE * self._traps.host_budget if host_left == FULL else host_left
            host_left = max(host_left - host_cost, 0)
        for number, budget, trap in holders:
            purses = self._purses(answered)  # the first event of a host makes them
            if purses is not None and number in purses.shut:
                continue
            purse = purses.shapes.get(number) if purses is not None else None
            left = max((budget if purse is None else purse.left) - cost, 0)
            shuts = None if left else trap
            partition.record(Weighed(page, number, left, host_left, content, shuts))
        if not host_left:
            due, strikes = state.hosts.due[host], state.hosts.strikes[host]
            closed = Outcome.TRAP_NOTHING_NEW
            partition.change_host(HostChanged(answered.ended, host, due, strikes, closed))

    def _earn(self, partition: Partition, page: int, host: int, holders: list[Holder]) -> None:
        """Give back to those budgets that are not full."""
        purses, earned = partition.state.traps.hosts[host], WHOLE * self._traps.earned
        most = WHOLE * self._traps.host_budget
        host_left = (
            FULL if purses.left == FULL or purses.left + earned >= most else (purses.left + earned)
        )
        changed = [
            (number, FULL if purse.left + earned >= budget else purse.left + earned)
            for number, budget, _ in holders
            if (purse := purses.shapes.get(number)) is not None
        ]
        if not changed and host_left != purses.left:
            changed = [(holders[0][0], FULL)]
        for number, left in changed:
            partition.record(Weighed(page, number, left, host_left))

    def _content(self, shape: Shape, answered: PageAnswer, site_name: str) -> int:
        """Return what a page is compared by, as a number."""
        if shape.compared is Compared.NEARLY:
            text = without_own_queries(answered.text, answered.path)
            return answered.fingerprint if text is answered.text else fingerprint(text)
        if shape.compared is Compared.WITHOUT_TOKENS:
            group = f"without tokens: {site_name}{without_tokens(answered.path)}"
            return content_number(group, without_token_words(answered.text))
        if shape.compared is Compared.WITHOUT_DIGITS:
            bare = without_digits(answered.text)
            return content_number(f"without digits: {site_name}", bare)
        return content_number(site_name, compared_content(answered))

    def _has_new_figures(self, shape: Shape, number: int, text: bytes) -> bool:
        """Return whether a page is a table that differs from others in its figures."""
        if shape.compared is not Compared.WITHOUT_DIGITS:
            return False
        if self._figures is None:
            from lycosa.features.novelty.figures import SeenFigures  # few crawls come to suspect

            self._figures = SeenFigures()
        return self._figures.are_new(number, text)

    def _is_old(self, shape: Shape, number: int, content: int, purses: HostPurses | None) -> bool:
        """Return whether pages of the shape have said the same, and remember that this one does.

        The same text below another folder is not a repetition: sites are the same in several
        languages.
        """
        if shape.compared is Compared.NEARLY:
            purse = purses.shapes.get(number) if purses is not None else None
            return self._texts.is_near(str(number), content) or any(
                distance(content, other) <= NEAR_BITS
                for other in (purse.contents if purse is not None else ())
            )
        return self._texts.note_number(content ^ number)


def _behind(site_name: str, bare_path: str) -> int:
    """Return the number of a path whose session was taken out."""
    return content_number(f"behind a session: {site_name}", bare_path.encode())


def _was_repeated(purses: HostPurses | None, numbers: list[int], content: int) -> bool:
    """Return whether a content is among those that were paid for, perhaps in another life."""
    return purses is not None and any(
        (purse := purses.shapes.get(number)) is not None and content in purse.contents
        for number in numbers
    )


def _counts_on(answered: PageAnswer, shape: Shape) -> bool:
    """Return whether a page was guessed, or has led to a new URL of its own shape."""
    state, site_name = answered.state, answered.site_name
    if state.pages.guess[answered.page]:
        return True  # the miner counts on, so the page need not
    ahead = (state.table.key(further) for further in range(answered.known_urls, len(state.table)))
    return any(
        key.startswith(site_name) and shape_of(key[len(site_name) :]).text == shape.text
        for key in ahead
    )
