"""Decides whether a job wants a URL, by running its key down the job's rules.

A `Scope` asks the rules in their order. The first accept or reject rule whose conditions
all hold decides; a transform rule changes the URL, and the rules after it see the new one. A URL
that no rule decides is accepted if the job has no accept rule and no seed hosts, and is otherwise
out of scope.

Always true:
  * the verdict depends on the key and the rules alone, never on earlier verdicts;
  * an accepted key is the key of a canonical URL, after any transforms;
  * every refusal has a short, stable reason, under which it is counted.

Cost: without rules a tuple; otherwise one small object and the rules up to the first
that decides. Rules in a row that name beginnings of URLs are looked up by site: a thousand of them
cost what one does.
"""

from collections.abc import Iterable, Sequence
from itertools import groupby

from msgspec import Struct

from lycosa.model.url._ada import canonical_key
from lycosa.model.url.conditions import (
    Begins,
    Candidate,
    Condition,
    HasScheme,
    IsHost,
    IsUnder,
    in_hosts,
)
from lycosa.model.url.key import site_of
from lycosa.model.url.rules import Action, Rule
from lycosa.model.url.transforms import Change

Step = tuple[tuple[Condition, ...], tuple[str, ...], Change | None, bool, str]
"""A rule, unpacked once: reading records and enums costs more than most conditions.

The second part has the beginnings of URLs, if these are the rule's only condition.
"""


class Verdict(Struct, frozen=True):
    """The decision of the rules: the key to go on with or None, and the reason."""

    key: str | None
    reason: str


BY_DEFAULT = "accept:default"
OUT_OF_SCOPE = "out-of-scope"
BAD_TRANSFORM = "transform:invalid"


class Scope:
    """The rules of a job, and the hosts that it accepts where no rule decides.

    `extra_hosts` are for the hosts of the seeds: a job that gives them and no rules
    stays on them.
    """

    def __init__(self, rules: Sequence[Rule], extra_hosts: Iterable[str] = ()) -> None:
        self.rules = tuple(rules)
        asked = self.rules
        if hosts := list(extra_hosts):
            asked += (Rule(Action.ACCEPT, "extra-host", (in_hosts(hosts),)),)
        self._steps = _steps_of(asked)
        self._accepts_by_name = any(rule.action is Action.ACCEPT for rule in asked)
        self.judges_by_site = all(_looks_at_sites(rule) for rule in asked)
        """Whether all URLs of a site get the same verdict, and none is changed."""
        self.accepted_beginnings = _accepted_at_once(asked)
        """Beginnings of URLs that the first rule accepts, whatever follows."""

    def judge(self, key: str) -> Verdict:
        """Return the verdict on one key."""
        if not self._steps:
            return Verdict(key, BY_DEFAULT)
        candidate: Candidate | None = None
        for step in self._steps:
            if isinstance(step, BySite):
                verdict = step.verdict(key)
                if verdict is not None:
                    return verdict
                continue
            conditions, beginnings, change, accepts, reason = step
            if beginnings:
                if key.startswith(beginnings):
                    return Verdict(key if accepts else None, reason)
                continue
            # made late, because rules by prefix need only the key
            if candidate is None:
                candidate = Candidate(key)
            for condition in conditions:
                if not condition.holds(candidate):
                    break
            else:
                if change is None:
                    return Verdict(key if accepts else None, reason)
                url = change.apply(candidate)
                if url is not None:
                    changed = canonical_key(url)
                    # a transform may build anything; only canonical URLs may enter the frontier
                    if changed is None:
                        return Verdict(None, BAD_TRANSFORM)
                    key, candidate = changed, None
        # accept rules name the whole scope; without any, the job only excludes
        if self._accepts_by_name:
            return Verdict(None, OUT_OF_SCOPE)
        return Verdict(key, BY_DEFAULT)


class BySite:
    """Rules in a row that accept or reject by beginnings of URLs alone, each under its sites."""

    def __init__(self, rules: Iterable[Rule]) -> None:
        self._rules: dict[str, list[tuple[tuple[str, ...], bool, str]]] = {}
        for rule in rules:
            of_site: dict[str, list[str]] = {}
            for beginning in _beginnings_of(rule):
                of_site.setdefault(site_of(beginning), []).append(beginning)
            for site, some in of_site.items():
                entry = (tuple(some), rule.action is Action.ACCEPT, rule.reason)
                self._rules.setdefault(site, []).append(entry)

    def verdict(self, key: str) -> Verdict | None:
        """Return the verdict of the first rule that decides on a key, if one does."""
        for beginnings, accepts, reason in self._rules.get(site_of(key), ()):
            if key.startswith(beginnings):
                return Verdict(key if accepts else None, reason)
        return None


def _steps_of(rules: Iterable[Rule]) -> list[Step | BySite]:
    """Return the checks of a URL, in order."""
    steps: list[Step | BySite] = []
    for is_by_site, some in groupby(rules, lambda rule: bool(_beginnings_of(rule))):
        row = list(some)
        # a table by site pays from the second prefix on; a single one is a plain comparison
        if is_by_site and sum(len(_beginnings_of(rule)) for rule in row) > 1:
            steps.append(BySite(row))
        else:
            steps += [
                (
                    rule.conditions,
                    _beginnings_of(rule),
                    rule.change,
                    rule.action is Action.ACCEPT,
                    rule.reason,
                )
                for rule in row
            ]
    return steps


def _looks_at_sites(rule: Rule) -> bool:
    """Return whether a rule asks for nothing but host and scheme, and changes nothing."""
    return rule.change is None and all(
        isinstance(condition, IsHost | IsUnder | HasScheme) or _names_sites(condition)
        for condition in rule.conditions
    )


def _names_sites(condition: Condition) -> bool:
    """Return whether all beginnings of a condition end with the slash after their site."""
    return isinstance(condition, Begins) and all(
        beginning.find("/") == len(beginning) - 1 for beginning in condition.beginnings
    )


def _accepted_at_once(rules: Sequence[Rule]) -> tuple[str, ...]:
    """Return the beginnings that the first rule accepts, if they are all that it asks for."""
    if not rules or rules[0].action is not Action.ACCEPT:
        return ()
    return tuple(beginning for beginning in _beginnings_of(rules[0]) if "/" in beginning)


def _beginnings_of(rule: Rule) -> tuple[str, ...]:
    """Return the beginnings of URLs that are all that a rule asks for; () for other rules."""
    if rule.change is not None or len(rule.conditions) != 1:
        return ()
    condition = rule.conditions[0]
    return condition.beginnings if isinstance(condition, Begins) else ()
