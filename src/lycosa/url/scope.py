"""Decides whether a job wants a URL, by running its key down the job's rules.

A `Scope` asks the rules in their order. The first accept or reject rule whose conditions
all hold decides; a transform rule changes the URL, and the rules after it see the new one. A URL
that no rule decides is accepted if the job has no accept rule and no seed hosts, and is otherwise
out of scope.

Always true:
  * the verdict depends on the key and the rules alone, never on earlier verdicts;
  * an accepted key is the key of a canonical URL, whatever the transforms did;
  * every refusal has a short, stable reason, under which it is counted.

Cost: without rules a tuple; otherwise one small object and the rules up to the first
that decides.
"""

from collections.abc import Iterable, Sequence

from msgspec import Struct

from lycosa.regex import TooSlow
from lycosa.url._ada import canonical_key
from lycosa.url.conditions import Candidate, in_hosts
from lycosa.url.rules import Action, Rule


class Verdict(Struct, frozen=True):
    """The decision of the rules: the key to go on with or None, and the reason."""

    key: str | None
    reason: str


BY_DEFAULT = "accept:default"
OUT_OF_SCOPE = "out-of-scope"
BAD_TRANSFORM = "transform:invalid"
TOO_SLOW = "expression:too-slow"
"""Of a crawl of before: an expression that only `re` knows took too long for the URL."""


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
        # Unpacked here once, because reading records and enums costs more than most conditions.
        self._steps = [
            (rule.conditions, rule.change, rule.action is Action.ACCEPT, rule.reason)
            for rule in asked
        ]
        self._accepts_by_name = any(rule.action is Action.ACCEPT for rule in asked)

    def judge(self, key: str) -> Verdict:
        """Return the verdict on one key."""
        if not self._steps:
            return Verdict(key, BY_DEFAULT)
        try:
            candidate = Candidate(key)
            for conditions, change, accepts, reason in self._steps:
                for condition in conditions:
                    if not condition.holds(candidate):
                        break
                else:
                    if change is None:
                        return Verdict(candidate.key if accepts else None, reason)
                    url = change.apply(candidate)
                    if url is not None:
                        changed = canonical_key(url)
                        if changed is None:
                            return Verdict(None, BAD_TRANSFORM)
                        candidate = Candidate(changed)
        except TooSlow:
            return Verdict(None, TOO_SLOW)
        if self._accepts_by_name:
            return Verdict(None, OUT_OF_SCOPE)
        return Verdict(candidate.key, BY_DEFAULT)
