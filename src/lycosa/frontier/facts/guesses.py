"""Counts the results of guessed URLs, by host and by rule: a part of the fold.

Every rule of a host that has made a guess has four numbers: guesses judged, pages found by them,
guesses still open, and how many more the rule may make in vain. The last one is decided elsewhere
and comes with the event that judges a guess.

Memory: some 300 bytes for a host with guesses, however many they are.

Not here: making guesses (`lycosa.frontier.patterns.miner`), judging them and deciding how many
more there will be (`lycosa.features.mining.mining`).
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator
from typing import Any

from lycosa._support.tuples import NamedTuple
from lycosa.frontier.facts.columns import JUDGED, VAIN
from lycosa.model.records import GuessJudged, MiningRule, Worth

TRIED = MiningRule.SITEMAP | JUDGED
"""Of a sitemap that was tried unasked (`SitemapTried`): to the rules of mining it is judged."""

_FIELDS = 4
_JUDGED, _PAGES, _OPEN, _LEFT = range(_FIELDS)
_SIZE = _FIELDS * (max(MiningRule) + 1)
_ALL = -1
"""Stands for all hosts together."""


class Yield(NamedTuple):
    """The results of a rule's guesses, on one host or on several."""

    judged: int = 0
    pages: int = 0
    open: int = 0
    left: int = 0
    """How many more it may make in vain; says nothing before one was judged."""

    @property
    def guessed(self) -> int:
        """Guesses made, also those without an answer yet."""
        return self.judged + self.open


def rule_name(guess: int) -> str:
    """Return the name of the rule that guessed a URL, by its column entry; "" for no guess."""
    return MiningRule(guess & ~(JUDGED | VAIN)).name.lower() if guess else ""


class Guesses:
    """The yields of the hosts of a partition."""

    def __init__(self) -> None:
        self.asked = 0
        """Answers to requests for pages, of every kind."""
        self.vain = 0
        """Guesses that were nothing."""
        self.open = 0
        """Guesses that have not been judged."""
        self._yields: dict[int, array[int]] = {_ALL: array("I", bytes(4 * _SIZE))}

    def of(self, host: int, rule: int) -> Yield:
        """Return the yield of a rule on a host."""
        numbers = self._yields.get(host)
        if numbers is None:
            return Yield()
        return Yield(*numbers[rule * _FIELDS : (rule + 1) * _FIELDS])

    def of_host(self, host: int) -> Yield:
        """Return the yield of all rules together on a host."""
        numbers = self._yields.get(host)
        if numbers is None:
            return Yield()
        return Yield(*(sum(numbers[field::_FIELDS]) for field in range(_FIELDS)))

    def by_rule(self) -> Iterator[tuple[MiningRule, Yield]]:
        """Yield each rule that has guessed, with its results over all hosts."""
        for rule in MiningRule:
            total = self.of(_ALL, rule)
            if total.guessed:
                yield rule, total

    def guessed(self, host: int, rule: int) -> None:
        """Count a guess."""
        if host not in self._yields:
            self._yields[host] = array("I", bytes(4 * _SIZE))
        for numbers in (self._yields[host], self._yields[_ALL]):
            numbers[rule * _FIELDS + _OPEN] += 1
        self.open += 1

    def judged(self, host: int, rule: int, event: GuessJudged) -> None:
        """Count the result of a guess; one that redirected is counted at its target."""
        self.withdrawn(host, rule)
        at = rule * _FIELDS
        for numbers in (self._yields[host], self._yields[_ALL]):
            if event.worth is not Worth.MOVED:
                numbers[at + _JUDGED] += 1
                numbers[at + _PAGES] += event.worth
        self._yields[host][at + _LEFT] = event.left
        self.vain += event.worth is Worth.NOTHING

    def withdrawn(self, host: int, rule: int) -> None:
        """Count a guess no more: it was linked or forbidden before it was asked for."""
        at = rule * _FIELDS + _OPEN
        if self._yields[host][at]:
            self._yields[host][at] -= 1
            self._yields[_ALL][at] -= 1
            self.open -= 1

    def closed(self, host: int) -> None:
        """Drop the open guesses of a host from the count: they will never be fetched."""
        numbers = self._yields.get(host)
        for rule in MiningRule if numbers is not None else ():
            while self.of(host, rule).open:
                self.withdrawn(host, rule)

    def pack(self) -> dict[str, Any]:
        """Return everything as plain values."""
        yields = {host: numbers.tolist() for host, numbers in self._yields.items()}
        return {"asked": self.asked, "vain": self.vain, "open": self.open, "yields": yields}

    def unpack(self, packed: dict[str, Any]) -> None:
        """Take over what `pack` returned; nothing, from before there was mining."""
        self.asked, self.vain = packed.get("asked", 0), packed.get("vain", 0)
        self.open = packed.get("open", 0)
        for host, numbers in packed.get("yields", {}).items():
            known = array("I", bytes(4 * _SIZE))
            known[: len(numbers)] = array("I", numbers)
            self._yields[host] = known
