"""Recognises soft 404s, error pages with status 200, by asking each site for a page it cannot have.

When a site (scheme, host, port) has given `soft_404_after` pages with text, or a first page
that was guessed (`lycosa.features.mining.mining`), one URL of it
that cannot exist is made up and admitted to the frontier, where it is a URL like any other:
it waits for its host's clock, and robots rules are looked at again before it is sent. Its
name is a hash of the site's; it stands in the folder of the page that was kept last, or of
an earlier one, or in the root: the first that robots rules and the scope allow and that
no page links to. If there is none, the site is not probed.

The answer is the *verdict*:

    PROBE_HONEST        404 or 410
    PROBE_SOFT          2xx with a text that is unlike the pages of the sample: from now on a
                        page of the site whose fingerprint differs from this one's in at most
                        `soft_404_bits` bits ends as SOFT_404
    PROBE_INCONCLUSIVE  all else: a redirect (mostly to the front page, which is a real one),
                        no text, another type, another error, or a text like the sample's

The *sample* are the pages that were kept until then. A site may show the same text everywhere
(an application that a browser must run) or nearly the same (a few words in a large frame);
there the probe's text says nothing. So it counts only if

  * at most half of the sample is within `soft_404_bits` of it: these are error pages that
    came before we knew, or few real ones that look like it, and they stay what they are; and
  * at most a tenth lies between that and three times as far. Where real pages come that
    near, some would come nearer by chance.

Fingerprints are those of the text without the page's own address (`lycosa.extract.echo`).

Always true:
  * a site is probed at most once, over all lives: the choice and the admission are one event;
  * a probe is archived, but it is not a page: it takes nothing from any limit, its links lead
    nowhere, it is in no sample and it is never revisited;
  * a page ends as SOFT_404 only on a site whose verdict was PROBE_SOFT, and never if it was
    one of those that looked like the error page before;
  * 429, 503 and failed connections are not a verdict: the probe waits with its host.

Cost: a search of the text of sampled pages, and of pages of sites with a soft 404, for their
own address; a second fingerprint is taken along with the first one.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator
from hashlib import blake2b

from lycosa.crawl.answers.page_answer import PageAnswer
from lycosa.crawl.points import Feature
from lycosa.crawl.ports import Ports
from lycosa.extract.echo import own_name
from lycosa.extract.text.fingerprint import distance, fingerprints
from lycosa.fetch.robots.rules import Rules
from lycosa.frontier.distance import SEED, through
from lycosa.frontier.facts.columns import DONE, NONE
from lycosa.frontier.fold.state import PartitionState
from lycosa.frontier.partition import Partition
from lycosa.model.records import (
    PROBED,
    UNCOUNTED,
    LinkKind,
    Outcome,
    ProbeChosen,
    Sampled,
    SiteProbed,
)

NO_VERDICT = UNCOUNTED | {Outcome.REFUSED_ADDRESS, Outcome.REFUSED_PORT}
"""After these nobody has answered the question."""

MOST_ALIKE = 0.5
"""Share of the sample that may look like the error page."""
MOST_SIMILAR = 0.1
"""Share of the sample that may come near it."""
SIMILAR_TIMES = 3
"""A page is near the error page within this many times the distance that counts as the same."""

DISTANCE = through(SEED, LinkKind.REDIRECT)
"""Before the site's other pages: each of them may be a soft 404."""


class Prober(Feature):
    """Decides on probes and soft 404s; one per worker."""

    def __init__(self, ports: Ports, *, reads_all: bool = False) -> None:
        self._scope = ports.scope
        self._partitioner = ports.partitioner
        self._wanted = ports.job.extract.soft_404_after
        self._bits = ports.job.extract.soft_404_bits
        self._reads_all = reads_all
        """Plugins may change the text, so what was read apart does not count."""
        self._watched: dict[int, array[int]] = {}
        """By partition: 0 for a site of which all is known, and that has no soft 404s."""

    def watched(self, partition: Partition) -> array[int]:
        """Return the column of sites of which not all is known; it begins with no site."""
        column = self._watched[partition.number] = array("B")
        return column

    def lost(self, partition: int) -> None:
        """Forget which sites of a partition are settled."""
        self._watched.pop(partition, None)

    def recognised(self, answered: PageAnswer) -> None:
        """Give a page or a probe its outcome, given what the answer alone says."""
        probes, site = answered.partition.state.probes, answered.site
        probe = probes.chosen.get(site)
        if probe is None:
            compares = self._wanted > 0  # it may be one of the sample
            if not compares:
                self._settle(answered.partition.number, site)
        elif probe == answered.page or site in probes.not_found:
            compares = True
        else:
            # The site is honest, or its answer is still to come.
            if probe == NONE or answered.state.pages.outcome[probe] in PROBED:
                self._settle(answered.partition.number, site)
            return
        if compares and answered.text:
            answered.nameless_fingerprint = self._nameless(answered)
        answered.outcome = self._judge(answered)

    def _settle(self, partition: int, site: int) -> None:
        """Ask no more to be called for new pages of a site."""
        column = self._watched.get(partition)
        if column is not None:
            column.extend([1] * (site + 1 - len(column)))
            column[site] = 0

    def _nameless(self, answered: PageAnswer) -> int:
        findings = answered.answer.findings
        if findings is None or self._reads_all:
            return fingerprints(answered.text, own_name(answered.path).encode())[1]
        found: int = findings.nameless_fingerprint
        return found

    def _judge(self, answered: PageAnswer) -> Outcome:
        probes, outcome = answered.partition.state.probes, answered.outcome
        if probes.is_probe(answered.site, answered.page):
            return outcome if outcome in NO_VERDICT else self._verdict(answered)
        known = probes.not_found.get(answered.site)
        if (
            known is None
            or not self._wanted
            or outcome is not Outcome.KEPT
            or not answered.is_readable
            or answered.page in known.beside
        ):
            return outcome
        found = answered.nameless_fingerprint
        is_soft = found and distance(found, known.fingerprint) <= self._bits
        return Outcome.SOFT_404 if is_soft else outcome

    def learned(self, answered: PageAnswer) -> None:
        """Record what a page adds to the sample of its site, or a probe to what is known."""
        partition, site, page = answered.partition, answered.site, answered.page
        probes = partition.state.probes
        probe = probes.chosen.get(site)
        if probe is not None:
            if probe == page and answered.outcome not in NO_VERDICT:
                self._learn_verdict(answered)
        elif (
            answered.outcome is Outcome.KEPT
            and self._wanted
            and answered.is_readable
            and all(page != sampled for sampled, _ in probes.sample(site))
        ):
            partition.record(Sampled(site, page, answered.nameless_fingerprint))
            if probes.sample_size(site) >= self._wanted:
                self.probe(partition, site, answered.ended)

    def is_answered(self, state: PartitionState, site: int) -> bool:
        """Return whether what the site says of made-up URLs is known, as far as it will be."""
        page = state.probes.chosen.get(site)
        return page is not None and (page == NONE or state.pages.status[page] == DONE)

    def is_waiting(self, state: PartitionState, site: int) -> bool:
        """Return whether the answer to a probe is still to come."""
        return site in state.probes.chosen and not self.is_answered(state, site)

    def probe(self, partition: Partition, site: int, moment: float) -> None:
        """Let a site be probed, unless it is or nothing of it is there to compare with."""
        probes = partition.state.probes
        if self._wanted and site not in probes.chosen and probes.sample_size(site):
            key = self._choose(partition, site)
            partition.plant(ProbeChosen(moment, site, key, DISTANCE))

    def _verdict(self, answered: PageAnswer) -> Outcome:
        if answered.outcome is Outcome.NOT_FOUND:
            return Outcome.PROBE_HONEST
        found = answered.nameless_fingerprint
        if answered.outcome is not Outcome.KEPT or not answered.is_readable or not found:
            return Outcome.PROBE_INCONCLUSIVE
        sample = answered.state.probes.sample(answered.site)
        distances = [distance(found, other) for _, other in sample]
        size, alike = len(distances), sum(bits <= self._bits for bits in distances)
        similar = sum(bits <= SIMILAR_TIMES * self._bits for bits in distances) - alike
        is_telling = alike <= MOST_ALIKE * size and similar <= MOST_SIMILAR * size
        return Outcome.PROBE_SOFT if is_telling else Outcome.PROBE_INCONCLUSIVE

    def _learn_verdict(self, answered: PageAnswer) -> None:
        partition, site, verdict = answered.partition, answered.site, answered.outcome
        moment = answered.ended
        if verdict is not Outcome.PROBE_SOFT:
            is_unclear = verdict is Outcome.PROBE_INCONCLUSIVE
            is_everything = is_unclear and 200 <= answered.answer.status < 300
            partition.record(SiteProbed(moment, site, verdict, is_everything=is_everything))
            return
        found = answered.nameless_fingerprint
        sample = partition.state.probes.sample(site)
        beside = [other for other, known in sample if distance(found, known) <= self._bits]
        partition.record(SiteProbed(moment, site, verdict, found, beside))

    def _choose(self, partition: Partition, site: int) -> str:
        """Return a URL of the site that may be asked for and that nobody knows, or ""."""
        state = partition.state
        rules = Rules.from_bytes(state.rules.get(site, b""))
        site_key = state.site_names[site]
        for folder in dict.fromkeys(_folders(state, site)):
            key = self._probe_in(partition.number, site_key, folder)
            if (
                rules.is_allowed(key[len(site_key) :])
                and self._scope.judge(key).key == key
                and state.table.find(key) is None
            ):
                return key
        return ""

    def _probe_in(self, number: int, site: str, folder: str) -> str:
        """Return a made-up URL in a folder; it is of this partition also if hosts are split."""
        key = f"{site}{folder}{probe_name(site)}"
        tries = 0
        while self._partitioner.splits_hosts and self._partitioner.partition_of(key) != number:
            tries += 1
            key = f"{site}{folder}{probe_name(f'{site} {tries}')}"
        return key


def probe_name(site: str) -> str:
    """Return the name of the page that a site is asked for in vain."""
    return f"{blake2b(site.encode(), digest_size=8).hexdigest()}.html"


def probe_of(state: PartitionState, site: int) -> str | None:
    """Return the key of the URL that a site was or is to be probed with."""
    page = state.probes.chosen.get(site, NONE)
    return None if page == NONE else state.table.key(page)


def _folders(state: PartitionState, site: int) -> Iterator[str]:
    """Yield the folders of the pages in the sample, the last one first, then the root."""
    start = len(state.site_names[site])
    for page, _ in reversed(list(state.probes.sample(site))):
        path = state.table.key(page)[start:].partition("?")[0]
        yield path[: path.rindex("/") + 1]
    yield "/"
