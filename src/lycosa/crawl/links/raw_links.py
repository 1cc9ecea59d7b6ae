"""Links as a page gives them, in columns, and the reasons for which some are not followed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import compress

from msgspec import Struct

from lycosa._support.tuples import NamedTuple
from lycosa.extract.html.values import OUTSIDE_HTML
from lycosa.model.records import LinkKind

NOFOLLOW = "nofollow"
REQUISITE = "requisite"
"""The reason of a link to what a page needs to be shown, where the job does not fetch that."""
WIDE = "wide"
"""The reason of a kind of link that only a job with `[extract] wide` follows."""
OUTSIDE = OUTSIDE_HTML
"""The reason of a link outside the element `html`, where the job does not follow those."""
FORM = "form"
"""The reason of a form's address: only a job with `[forms] search` follows some of them."""
NEVER = "never"
"""The reason of a kind of link that no crawl follows, as where a form is posted to."""
BY_KIND = frozenset({REQUISITE, WIDE, FORM, NEVER})
"""Reasons that the kind of a link alone has: they are recorded, and not counted as refusals."""


class RawLink(NamedTuple):
    """One link as a page gives it."""

    href: str
    kind: LinkKind
    text: str
    rel: str
    times: int


class RawLinks(Struct):
    """Links as a page gives them, in columns."""

    hrefs: Sequence[str]
    kinds: Sequence[int]
    texts: Sequence[str]
    rels: Sequence[str]
    times: Sequence[int]
    reasons: Sequence[str] = ()
    """Why each is not followed, "" if nothing here speaks against it; () if that is true of all."""

    @classmethod
    def of(cls, hrefs: Sequence[str], kind: LinkKind) -> RawLinks:
        """Return links of one kind that nothing more is known of."""
        nothing, count = [""] * len(hrefs), len(hrefs)
        return cls(hrefs, [int(kind)] * count, nothing, nothing, [1] * count)

    @classmethod
    def of_headers(cls, links: Sequence[tuple[str, LinkKind, str]]) -> RawLinks:
        """Return links that stand in headers, with their relations."""
        hrefs, kinds = [link[0] for link in links], [int(link[1]) for link in links]
        rels, count = [link[2] for link in links], len(links)
        return cls(hrefs, kinds, [""] * count, rels, [1] * count)

    def with_more(self, more: RawLinks) -> RawLinks:
        """Return these links and more of them."""
        reasons: list[str] = []
        if self.reasons or more.reasons:
            reasons += self.reasons or [""] * len(self.hrefs)
            reasons += more.reasons or [""] * len(more.hrefs)
        return RawLinks(
            [*self.hrefs, *more.hrefs],
            [*self.kinds, *more.kinds],
            [*self.texts, *more.texts],
            [*self.rels, *more.rels],
            [*self.times, *more.times],
            reasons,
        )

    def where(self, is_wanted: Sequence[bool]) -> RawLinks:
        """Return those of the links that are wanted."""
        return RawLinks(
            list(compress(self.hrefs, is_wanted)),
            list(compress(self.kinds, is_wanted)),
            list(compress(self.texts, is_wanted)),
            list(compress(self.rels, is_wanted)),
            list(compress(self.times, is_wanted)),
            list(compress(self.reasons, is_wanted)),
        )

    def each(self) -> Iterator[RawLink]:
        """Yield the links one by one, for those who look at a single page."""
        kinds = map(LinkKind, self.kinds)
        return map(RawLink, self.hrefs, kinds, self.texts, self.rels, self.times)
