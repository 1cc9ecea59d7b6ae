"""Error pages known of a partition's sites, and the probes that reveal them: part of the fold.

A site is *sampled* until it has given enough pages, then a probe is *chosen*, then the site is
*probed*. Each step drops data that is no longer needed: a site costs 16 bytes per
sampled page at first and one number in the end; only sites with a known soft 404 keep more.

Not here: the decisions themselves (`lycosa.features.soft_404`).
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator
from typing import Any

from lycosa._support.tuples import NamedTuple
from lycosa.frontier.facts.columns import NONE
from lycosa.model.records import Outcome, ProbeChosen, Sampled, SiteProbed


class NotFound(NamedTuple):
    """The error page that a site shows with status 200."""

    fingerprint: int
    beside: tuple[int, ...]
    """Pages that look like it but were stored before it was known: they stay pages."""


class Probes:
    """The samples, probes and soft 404s of the sites of a partition."""

    def __init__(self) -> None:
        self.chosen: dict[int, int] = {}
        """The page that is the probe of a site; `NONE` if there is nothing to ask for."""
        self.not_found: dict[int, NotFound] = {}
        self.everything: set[int] = set()
        """Sites that made a page of their probe, and may do so of every URL."""
        self._samples: dict[int, array[int]] = {}

    def is_probe(self, site: int, page: int) -> bool:
        """Return whether a page of the site is one that we made up."""
        return self.chosen.get(site) == page

    def sample_size(self, site: int) -> int:
        """Return how many pages of a site are in its sample."""
        return len(self._samples.get(site, ())) // 2

    def sample(self, site: int) -> Iterator[tuple[int, int]]:
        """Yield the pages of a site's sample, in the order they came, with fingerprints."""
        numbers = iter(self._samples.get(site, ()))
        return zip(numbers, numbers, strict=True)

    def apply_sampled(self, event: Sampled) -> None:
        """Add a page to the sample of its site."""
        if event.site not in self._samples:
            self._samples[event.site] = array("Q")
        self._samples[event.site].extend((event.page, event.fingerprint))

    def apply_chosen(self, event: ProbeChosen, page: int) -> None:
        """Note the probe; `page` is the number that its URL gets."""
        if event.key:
            self.chosen[event.site] = page
        else:
            self.chosen[event.site] = NONE
            self._samples.pop(event.site, None)

    def apply_probed(self, event: SiteProbed) -> None:
        """Note the result of the probe; the sample is no longer needed."""
        self._samples.pop(event.site, None)
        if event.verdict is Outcome.PROBE_SOFT:
            self.not_found[event.site] = NotFound(event.fingerprint, tuple(event.beside))
        if event.is_everything:
            self.everything.add(event.site)

    def pack(self) -> dict[str, Any]:
        """Return everything as plain values."""
        return {
            "chosen": self.chosen,
            "not_found": self.not_found,
            "everything": sorted(self.everything),
            "samples": {site: sample.tolist() for site, sample in self._samples.items()},
        }

    def unpack(self, packed: dict[str, Any]) -> None:
        """Take over what `pack` returned; nothing, from before there were probes."""
        self.chosen = packed.get("chosen", {})
        self.not_found = {
            site: NotFound(fingerprint, tuple(beside))
            for site, (fingerprint, beside) in packed.get("not_found", {}).items()
        }
        self.everything = set(packed.get("everything", ()))
        for site, sample in packed.get("samples", {}).items():
            self._samples[site] = array("Q", sample)
