"""Turns what a browser made of a page into links, text and a record beside that of the page."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from lycosa.config import Job
from lycosa.crawl.answers.links import Router
from lycosa.crawl.answers.page_answer import NO_FACTS
from lycosa.crawl.answers.reading import (
    NOFOLLOW,
    RawLinks,
    links_of_page,
    read_page,
    showing_wishes,
)
from lycosa.crawl.ports import Ports
from lycosa.extract.facts import Facts
from lycosa.extract.fingerprint import fingerprint
from lycosa.frontier.partition import Partition
from lycosa.records import (
    Answer,
    Capture,
    LinkKind,
    Links,
    Outcome,
    Place,
    Purpose,
    Request,
)
from lycosa.render.protocol import Done, FoundLink
from lycosa.store.warc.exchange import RENDERED_TYPE
from lycosa.store.warc.record_reader import Stored
from lycosa.url import host_of, parse, url_of

FOLLOWED = frozenset({"anchor", "navigation", "click", "state", "window", "form", "download"})
"""Ways in which a page tells of a link; a change of the fragment leads to no other page."""
MORE_TEXT, MORE_TEXT_BYTES = 1.3, 200
"""A document differs in its text if it has so many times as much, and this much more."""


class Document(NamedTuple):
    """A rendered page, read."""

    answer: Answer
    facts: Facts
    links: Links
    refused: Links
    differs: bool


class Documents:
    """Reads and stores rendered pages; one per worker."""

    def __init__(self, ports: Ports, router: Router) -> None:
        self._job: Job = ports.job
        self._store = ports.store
        self._router = router

    def read(
        self,
        partition: Partition,
        page: int,
        plain: Stored,
        done: Done,
        found: Sequence[FoundLink],
        now: float,
    ) -> Document:
        """Read the links and the text of a page that was rendered."""
        key = partition.state.table.key(page)
        url = url_of(key)
        wishes = [(n, v) for n, v in plain.headers if n.lower() == "x-robots-tag"]
        headers = (("Content-Type", RENDERED_TYPE), *wishes)
        body = done.html.encode("utf-8", "replace")
        answer = Answer(200, headers, body, now, now)
        facts = read_page(answer, self._job) if body else NO_FACTS
        raw = links_of_page(answer, facts, self._job) if body else RawLinks.of([], LinkKind.ANCHOR)
        raw = raw.with_more(self._found(found, facts))
        base = parse(facts.base, url) if facts.base else parse(done.base or url, url)
        links, refused = self._router.resolve(partition, page, raw, base or url, is_kept=True)
        before = read_page(Answer(plain.status, plain.headers, plain.body, now, now), self._job)
        known = self._keys(partition, page) | {key}
        has_links = any(target.key not in known for target in links.targets)
        has_text = len(facts.content) > MORE_TEXT * len(before.content) + MORE_TEXT_BYTES
        return Document(answer, facts, links, refused, has_links or has_text)

    def _found(self, found: Sequence[FoundLink], facts: Facts) -> RawLinks:
        wanted = [link for link in found if link.how in FOLLOWED]
        obeys = self._job.extract.obey_nofollow
        reasons = [
            NOFOLLOW if obeys and (facts.is_nofollow or NOFOLLOW in link.rel.lower()) else ""
            for link in wanted
        ]
        return RawLinks(
            [link.url for link in wanted],
            [int(LinkKind.ANCHOR)] * len(wanted),
            [link.text for link in wanted],
            [link.rel.lower() for link in wanted],
            [1] * len(wanted),
            reasons,
        )

    def _keys(self, partition: Partition, page: int) -> set[str]:
        """Return where the page as it came leads."""
        place = partition.state.place_of(page)
        return {link.key for link in self._store.links(place)} if place is not None else set()

    def store(
        self, partition: Partition, page: int, document: Document, picture: bytes = b""
    ) -> Place:
        """Store a document, with its picture, beside the page that it was made of."""
        state, facts = partition.state, document.facts
        key = state.table.key(page)
        is_noindex, is_noarchive = showing_wishes(document.answer, facts, self._job)
        request = Request(url_of(key), host_of(key), "", Purpose.PAGE, "", 0, partition.number)
        return self._store.append(
            Capture(
                key=key,
                purpose=Purpose.PAGE,
                outcome=Outcome.RENDERED,
                distance=state.pages.distance[page],
                request=request,
                answer=document.answer,
                links=document.links,
                refused_links=document.refused,
                title=facts.title,
                description=facts.description,
                text=facts.content,
                language=facts.language,
                charset=facts.charset,
                fingerprint=fingerprint(facts.content) if facts.content else 0,
                held=state.place_of(page),
                picture=picture,
                is_noindex=is_noindex,
                is_noarchive=is_noarchive,
                is_withheld=is_noarchive and self._job.extract.obey_noarchive,
            )
        )
