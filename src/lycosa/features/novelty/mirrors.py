"""Recognises mirrors, hosts that show the pages of another host, and stops following their links.

With `mirrors = "skip"` the fingerprint of every page with text is compared with those of the pages
of other hosts that this worker has seen lately. When `mirror_pages` pages of a host were near pages
of one other host, and these are four fifths of all that were compared, it is a *mirror*: an event
says so, and from then on the links of its pages are archived and counted (`mirror`), but lead
nowhere. One page that two hosts share, a licence or an error, makes no mirror.

Always true:
  * the host that comes later is the mirror, and no host is the mirror of its own mirror, however
    many are between them: of hosts that show the same, one is followed;
  * a mirror stays one over kills and resumes, until the operator releases it;
  * redirects are followed: they belong to a page, not to what it says.

Limits: a worker compares what it has fetched itself, since it began; of each quarter of the bits it
remembers the last fingerprint (`lycosa.features.novelty.copies`). So with several workers a
mirror and its original are compared if the same worker has both; hosts of one domain always are.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from lycosa.crawl.answers.page_answer import PageAnswer
from lycosa.crawl.points import Feature
from lycosa.features.novelty._seen import SHORTEST_TEXT
from lycosa.features.novelty.copies import Nearness
from lycosa.frontier.partition import Partition
from lycosa.model.job import Traps
from lycosa.model.records import MirrorFound, Outcome

REASON = "mirror"
SHARE = 0.8
"""Of the pages with text that a mirror has given, so many must be those of its original."""


class Mirrors(Feature):
    """Finds mirrors out; one per worker."""

    def __init__(self, traps: Traps, partitions: Mapping[int, Partition]) -> None:
        self._traps = traps
        self._partitions = partitions
        self._near = Nearness()
        self._names: dict[str, int] = {}
        self._numbers: list[str] = []
        self._compared: Counter[int] = Counter()
        """How many pages of a host were compared with those of others."""
        self._shared: Counter[tuple[int, int]] = Counter()
        """How many of these (the host comes first) were those of one other host."""

    def taken(self, answered: PageAnswer) -> bool:
        """Return whether the links of a page that was just kept lead nowhere, and count them."""
        if answered.outcome is not Outcome.KEPT:
            return False
        mirrors = answered.state.traps.mirrors
        if answered.host not in mirrors and answered.is_readable:
            self._compare(answered)
        if answered.host not in mirrors:
            return False
        if answered.links.targets:
            answered.partition.count_refusal(REASON, len(answered.links.targets))
        return True

    def _compare(self, answered: PageAnswer) -> None:
        partition, host = answered.partition, answered.host
        if len(answered.text) < SHORTEST_TEXT or not answered.fingerprint:
            return
        own = self._number(partition.state.host_names[host])
        self._compared[own] += 1
        other = self._near.owner(answered.fingerprint)
        if other is None or other == own:
            self._near.note(answered.fingerprint, own)
            return
        self._shared[own, other] += 1
        shared = self._shared[own, other]
        if shared >= self._traps.mirror_pages and shared >= SHARE * self._compared[own]:
            original = self._first(self._numbers[other])
            if original != self._numbers[own]:
                partition.record(MirrorFound(answered.ended, host, original))

    def _first(self, name: str) -> str:
        """Return the host that a host is a mirror of, at once or by others; or itself."""
        for partition in self._partitions.values():
            host = partition.state.host_number(name)
            if host is not None and host in partition.state.traps.mirrors:
                return self._first(partition.state.traps.mirrors[host])
        return name

    def _number(self, name: str) -> int:
        number = self._names.setdefault(name, len(self._numbers))
        if number == len(self._numbers):
            self._numbers.append(name)
        return number
