"""Guesses URLs without a known link to them, from known URLs of the site (Tarantula 5.1).

The miner compares neighbours in the URL table. It is a pure function: known paths in, in
key order, and guesses out, the most promising first.

    folders     /video/clips/x.html  gives  /video/clips/, /video/ and /
    runs        page1, page2, page5  gives  page3 and page4, then page6

    singles     pics1/Page1.html     gives  pics1/Page2.html and pics2/Page1.html, where asked for

Folders need one page below them. A *run* needs two pages that differ in one spot alone
(`templates`). A single page starts no run; its neighbour, the one below it or else the one above,
is guessed only by a job that wants that, and a run begins when it exists. A run grows from the
pages that exist: into its gaps from both sides, then beyond its ends, by one URL at first and by
more the more were found in a row. A guess in vain ends it there. In a folder without known pages
one URL is guessed; the others follow when that exists.

Runs and folders that differ in numbers alone are a *family* (`/g/7/` and `/g/8/`). As long as
nothing was found of a family, one guess of it is made at a time; when that was in vain, none.

Always true:
  * a guess is never a known URL, and always comes from a page of the same site;
  * the same paths give the same guesses in the same order.

Cost: linear in the paths, some ten microseconds each; memory for the paths of one call.
Not here: how many guesses are made, and judging them (`lycosa.features.mining.mining`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from enum import IntEnum
from itertools import pairwise
from math import gcd
from typing import NamedTuple

from lycosa.frontier.patterns.templates import Template, spots_of
from lycosa.model.records import MiningRule

FARTHEST_INSIDE, FARTHEST_BEYOND = 8, 4
"""URLs by which a run grows at once, into a gap and beyond an end."""
SPARSEST = 20
"""A run may span this many values per known page; beyond that the numbers are names."""
MOST_VAIN = 2
"""A family ends, inside of its runs, when guesses in vain outnumber found pages by this."""
_FROM_ZERO = frozenset({MiningRule.HEXADECIMAL, MiningRule.DATE})
"""Other runs are not continued below 1, where most people begin to count."""
_SINGLE_RULES = frozenset(
    (MiningRule.NUMBER, MiningRule.PADDED, MiningRule.NUMBERED_FOLDER, MiningRule.PAGING)
)
MOST_SINGLE = 100
"""A greater number that stands alone is a name."""
_HEX_LETTERS = "abcdefABCDEF"
_NUMBERS = re.compile(r"\d+")


class Standing(IntEnum):
    """Knowledge about the page at a URL."""

    PAGE = 1
    OPEN = 2
    """Not fetched yet."""
    NOTHING = 3
    """It is not a page, or it is the copy of one."""


class Known(NamedTuple):
    """A URL of the site."""

    path: str
    page: int
    standing: Standing
    distance: int
    rule: int = 0
    """The rule that guessed it; 0 if a link led to it."""

    @property
    def is_page(self) -> bool:
        """Whether there is a page."""
        return self.standing is Standing.PAGE


class Guess(NamedTuple):
    """A URL that may exist."""

    path: str
    rule: MiningRule
    source: int
    """The page that it was guessed from."""
    distance: int
    """Of that page."""


class Rank(IntEnum):
    """The kinds of guesses, in the order in which they are made."""

    ABOVE = 0
    INSIDE = 1
    BEYOND = 2


class _Promise(NamedTuple):
    """A guess with its rank: the smallest is the most promising."""

    rank: Rank
    evidence: int
    guess: Guess
    family: str


class _Families:
    """Guesses that were found and guesses in vain, by families."""

    def __init__(self) -> None:
        self._found: dict[tuple[MiningRule, str], int] = {}
        self._vain: dict[tuple[MiningRule, Rank, str], int] = {}

    def note(self, rule: MiningRule, family: str, url: Known, rank: Rank) -> None:
        if url.standing is Standing.PAGE:
            self._found[rule, family] = self._found.get((rule, family), 0) + 1
        elif url.standing is Standing.NOTHING:
            where = (rule, rank, family)
            self._vain[where] = self._vain.get(where, 0) + 1

    def choose(self, promises: Iterable[_Promise]) -> Iterator[_Promise]:
        """Yield the guesses that each family may make, in order."""
        made: dict[tuple[MiningRule, str], int] = {}
        for promise in sorted(promises):
            guess, family = promise.guess, (promise.guess.rule, promise.family)
            found = self._found.get(family, 0)
            vain = self._vain.get((guess.rule, promise.rank, promise.family), 0)
            most_vain = MOST_VAIN if promise.rank is Rank.INSIDE else 1
            if vain >= found + most_vain or (not found and made.get(family)):
                continue
            made[family] = made.get(family, 0) + 1
            yield promise


def guess_folders(known: Iterable[Known]) -> list[Guess]:
    """Return the folders above pages that are not known, those with most below them first."""
    taken: set[str] = set()
    below: dict[str, int] = {}
    nearest: dict[str, Known] = {}
    families = _Families()
    for url in known:
        taken.add(url.path)
        if url.path.endswith("/"):
            families.note(MiningRule.FOLDER, _family(url.path), url, Rank.ABOVE)
        if not url.is_page:
            continue
        weight = 100 if url.path.endswith("/") else 1
        for folder in folders_above(url.path):
            below[folder] = below.get(folder, 0) + weight
            best = nearest.get(folder)
            if best is None or (url.distance, url.page) < (best.distance, best.page):
                nearest[folder] = url
    promises = [
        _Promise(
            Rank.ABOVE,
            -count,
            Guess(folder, MiningRule.FOLDER, nearest[folder].page, nearest[folder].distance),
            _family(folder),
        )
        for folder, count in below.items()
        if folder not in taken
    ]
    return [promise.guess for promise in families.choose(promises)]


class Siblings(NamedTuple):
    """Guesses that continue the runs of a site, the most promising first."""

    inside: list[Guess]
    """Guesses in gaps."""
    beyond: list[Guess]
    """Guesses beyond the ends."""


def guess_siblings(
    known: Iterable[Known], patient: frozenset[MiningRule], *, also_of_single: bool = False
) -> Siblings:
    """Return guesses that continue the runs of a site.

    The runs of `patient` rules, those that have paid here, step over one URL that is nothing.
    With `also_of_single` there are neighbours of pages that are the only ones of their kind.
    """
    site, families = _Site(known), _Families()
    promises: list[_Promise] = []
    strangers: dict[str, _Promise] = {}
    for run in (*site.runs(), *(site.singles() if also_of_single else ())):
        run.tell(families)
        for promise in run.promises(1 if run.rule in patient else 0):
            if promise.guess.path in site.taken:
                continue
            folder = run.folder_of(promise.guess)
            if not folder or folder in site.folders:
                promises.append(promise)
            elif folder not in site.tried:
                strangers[folder] = min(promise, strangers.get(folder, promise))
    found = Siblings([], [])
    for promise in families.choose([*promises, *strangers.values()]):
        if promise.guess.path not in site.taken:
            site.taken.add(promise.guess.path)
            (found.inside if promise.rank is Rank.INSIDE else found.beyond).append(promise.guess)
    return found


def folders_above(path: str) -> Iterator[str]:
    """Yield the folders in which a path lies, the nearest first."""
    end = path.partition("?")[0].rstrip("/").rfind("/")
    while end >= 0:
        yield path[: end + 1]
        end = path.rfind("/", 0, end)


def _family(path: str) -> str:
    return _NUMBERS.sub("#", path)


class _Site:
    """The known paths of a site, grouped for comparison."""

    def __init__(self, known: Iterable[Known]) -> None:
        self.taken: set[str] = set()
        self.folders: set[str] = set()
        """In which there are pages."""
        self.tried: set[str] = set()
        """In which something was guessed in vain."""
        self._values: dict[tuple[MiningRule, Template], dict[int, Known]] = {}
        self._telling: set[Template] = set()
        for url in known:
            self.taken.add(url.path)
            if url.is_page:
                self.folders.update(folders_above(url.path))
            elif url.rule and url.standing is Standing.NOTHING:
                self.tried.update(folders_above(url.path))
            for spot in spots_of(url.path):
                self._values.setdefault((spot.rule, spot.template), {})[spot.value] = url
                if spot.is_telling and url.is_page:
                    self._telling.add(spot.template)
        self._join_padded()
        self._join_capitals()

    def _join_padded(self) -> None:
        """Let `010` join a run in which `009` stands: by itself it shows no leading zeros."""
        for (rule, template), values in list(self._values.items()):
            if not template.width or template.way != "n":
                continue
            bare = (
                MiningRule.NUMBER if rule is MiningRule.PADDED else rule,
                template._replace(width=0),
            )
            others = self._values.get(bare, {})
            for value in [value for value in others if len(str(value)) == template.width]:
                values[value] = others.pop(value)

    def _join_capitals(self) -> None:
        """Let `10` join a run in which `0A` stands: by itself it shows no capitals."""
        for template in self._telling:
            if template.way == "X":
                small = (MiningRule.HEXADECIMAL, template._replace(way="x"))
                others = self._values.pop(small, {})
                self._values[MiningRule.HEXADECIMAL, template].update(others)

    def runs(self) -> Iterator[_Run]:
        """Yield the runs: templates of which two pages or more are known."""
        words = {(template.before, template.after) for template in self._telling}
        for (rule, template), values in self._values.items():
            if len(values) < 2:
                continue
            if rule is MiningRule.HEXADECIMAL:
                if template not in self._telling:
                    continue
            elif (template.before.rstrip(_HEX_LETTERS), template.after) in words:
                continue  # what looks decimal here is part of a hexadecimal run
            run = _Run(rule, template, values)
            if run.is_one:
                yield run

    def singles(self) -> Iterator[_Single]:
        """Yield the pages that are the only ones of their template."""
        words = {(template.before, template.after) for template in self._telling}
        for (rule, template), values in self._values.items():
            if rule not in _SINGLE_RULES or sum(url.is_page for url in values.values()) != 1:
                continue
            if (template.before.rstrip(_HEX_LETTERS), template.after) not in words:
                yield _Single(template, values)


class _Run:
    """Values of one template, and how it goes on."""

    def __init__(self, rule: MiningRule, template: Template, values: dict[int, Known]) -> None:
        self.rule = rule
        self.family = _family(f"{template.before}\n{template.after}")
        self._template = template
        self._values = values
        self._pages = sorted(value for value, url in values.items() if url.is_page)
        self._step = _step(self._pages, rule) if len(self._pages) > 1 else 0

    @property
    def is_one(self) -> bool:
        """Whether enough is known to compare, and not so little that the numbers are names."""
        pages = self._pages
        return bool(self._step) and pages[-1] - pages[0] <= SPARSEST * self._step * len(pages)

    def tell(self, families: _Families) -> None:
        """Tell the family of this run which of its guesses were found."""
        first, last = self._pages[0], self._pages[-1]
        for value, url in self._values.items():
            if url.rule == self.rule:
                rank = Rank.INSIDE if first < value < last else Rank.BEYOND
                families.note(self.rule, self.family, url, rank)

    def folder_of(self, guess: Guess) -> str:
        """Return the folder that counts, if it is one, as the guess has it."""
        if not self._template.is_folder:
            return ""
        end = len(guess.path) - len(self._template.after)
        return f"{guess.path[:end]}{self._template.after.partition('/')[0]}/"

    def promises(self, patience: int) -> Iterator[_Promise]:
        """Yield guesses for the missing neighbours of pages."""
        pages, step = self._pages, self._step
        for low, high in pairwise(pages):
            if high - low > step:
                yield from self._grow(low, step, high, Rank.INSIDE, patience)
                yield from self._grow(high, -step, low, Rank.INSIDE, patience)
        yield from self._grow(pages[-1], step, None, Rank.BEYOND, patience)
        yield from self._grow(pages[0], -step, self._floor() - 1, Rank.BEYOND, patience)

    def _floor(self) -> int:
        """Return the lowest value worth a guess."""
        least = 0 if self.rule in _FROM_ZERO or self._step > 1 else 1
        return min(self._pages[0], least)

    def _grow(
        self, start: int, step: int, end: int | None, rank: Rank, patience: int
    ) -> Iterator[_Promise]:
        source, value, left = self._values[start], start + step, self._reach(start, step, rank)
        while left and (end is None or (value < end if step > 0 else value > end)):
            url = self._values.get(value)
            if url is not None:
                if url.standing is Standing.OPEN or not patience:
                    return
                patience -= 1
            elif not self._template.holds(value):
                return
            else:
                path = self._template.path(value)
                guess = Guess(path, self.rule, source.page, source.distance)
                yield _Promise(rank, -len(self._pages), guess, self.family)
                left -= 1
            value += step

    def _reach(self, start: int, step: int, rank: Rank) -> int:
        """Return how far to grow, by the number of pages found in a row up to here."""
        found, value = 0, start
        while found < FARTHEST_INSIDE and (url := self._values.get(value)) is not None:
            if not url.is_page or url.rule != self.rule:
                break
            found += 1
            value -= step
        if rank is Rank.INSIDE:
            return min(2 * found or 1, FARTHEST_INSIDE)
        return min(found // 2 or 1, FARTHEST_BEYOND)


class _Single(_Run):
    """The only page of its template."""

    def __init__(self, template: Template, values: dict[int, Known]) -> None:
        super().__init__(MiningRule.SINGLE, template, values)

    def promises(self, patience: int) -> Iterator[_Promise]:
        """Yield a guess for one neighbour, unless one is known."""
        value = self._pages[0]
        neighbour = value - 1 if value > 1 else value + 1
        if len(self._values) > 1 or value > MOST_SINGLE or not self._template.holds(neighbour):
            return
        source = self._values[value]
        path = self._template.path(neighbour)
        guess = Guess(path, self.rule, source.page, source.distance)
        yield _Promise(Rank.BEYOND, 0, guess, self.family)


def _step(pages: list[int], rule: MiningRule) -> int:
    """Return the step of a run: 1 unless all its pages show another."""
    common = gcd(*(high - low for low, high in pairwise(pages)))
    if rule is MiningRule.PAGING and common >= 5 and not any(page % common for page in pages):
        return common
    return common if len(pages) >= 4 else 1
