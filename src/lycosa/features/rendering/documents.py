"""Turns what a browser made of a page into links, text and a record beside that of the page."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from lycosa.crawl.answers.page_answer import NO_FACTS, PageAnswer
from lycosa.crawl.answers.reading import links_of_page, read_page, showing_wishes
from lycosa.crawl.links.raw_links import NOFOLLOW, RawLinks
from lycosa.crawl.links.router import Router
from lycosa.crawl.ports import Ports
from lycosa.extract.facts import Facts
from lycosa.extract.text.fingerprint import fingerprint
from lycosa.features.rendering.rendered_tree import RenderedTree
from lycosa.fetch.browser.protocol import Done, Ending, FoundLink
from lycosa.frontier.partition import Partition
from lycosa.model.job import Job
from lycosa.model.records import (
    Answer,
    Capture,
    LinkKind,
    Outcome,
    Place,
    Purpose,
    Request,
)
from lycosa.model.url import canonical_key, host_of, parse, url_of
from lycosa.storage.warc.exchange import RENDERED_TYPE
from lycosa.storage.warc.record_reader import Stored

FOLLOWED = frozenset({"anchor", "navigation", "click", "state", "window", "form", "download"})
"""Ways in which a page tells of a link; a change of the fragment leads to no other page."""
MORE_TEXT, MORE_TEXT_BYTES = 1.3, 200
"""A document differs in its text if it has so many times as much, and this much more. This much
more is enough where scripts have fetched data: a long menu may stand around a short article."""


class Document(NamedTuple):
    """A rendered page, read."""

    answered: PageAnswer
    """The document, as if a server had sent it."""
    differs: bool
    """Whether it has links, text or structured data that the page as it came has not."""
    is_evidence: bool
    """Whether that speaks for rendering the site: the address of a search form does not."""

    @property
    def outcome(self) -> Outcome:
        """`KEPT`, or `HOOK_FAILED` or `TOO_MANY_ITEMS` if a plugin failed on it."""
        return self.answered.outcome


class Documents:
    """Reads and stores rendered pages; one per worker."""

    def __init__(self, ports: Ports, router: Router, tree: RenderedTree) -> None:
        """`tree` shows documents to plugins, and reads topics and structured data."""
        self._job: Job = ports.job
        self._store = ports.store
        self._router = router
        self._tree = tree

    def read(
        self,
        partition: Partition,
        page: int,
        plain: Stored,
        done: Done,
        found: Sequence[FoundLink],
        *,
        now: float,
        view: str = "",
    ) -> Document:
        """Read the links and the text of a page, or of one of its views, that was rendered."""
        state = partition.state
        key = state.table.key(page)
        url = url_of(key) + view
        wishes = [(n, v) for n, v in plain.headers if n.lower() == "x-robots-tag"]
        headers = (("Content-Type", RENDERED_TYPE), *wishes)
        body = done.html.encode("utf-8", "replace")
        answer = Answer(200, headers, body, now, now)
        request = Request(url, host_of(key), "", Purpose.PAGE, "", 0, partition.number)
        facts = read_page(answer, self._job) if body else NO_FACTS
        answered = PageAnswer(
            partition, page, request, answer, key=key, outcome=Outcome.KEPT, facts=facts
        )
        answered.site = state.pages.site[page]
        answered.host = state.sites.host[answered.site]
        raw = links_of_page(answer, facts, self._job) if body else RawLinks.of([], LinkKind.ANCHOR)
        raw = raw.with_more(self._found(found, facts))
        before = Answer(plain.status, plain.headers, plain.body, now, now)
        facts_before = read_page(before, self._job)
        if body:
            self._tree.find_triples(answered, before, facts_before)
        self._resolve(answered, self._tree.links(raw, answered), done)
        has_more = self._has_more(answered, facts_before, has_data=done.has_data)
        forms = {canonical_key(link.url, link.url) for link in found if link.how == "form"}
        new = self._new_links(answered)
        is_evidence = has_more or bool(new - forms)
        differs = is_evidence or bool(new) or bool(view and body)
        if body and (differs or done.picture):
            shown = self._tree.show(answered, raw)
            if shown is not raw:
                self._resolve(answered, self._tree.links(shown, answered), done)
            self._tree.post(answered)
            self._tree.classify(answered, had_text=bool(facts_before.content))
        return Document(answered, differs, is_evidence)

    def decided(self, document: Document) -> None:
        """Let topics know of a document that is stored and decided on."""
        self._tree.decided(document.answered)

    def _resolve(self, answered: PageAnswer, raw: RawLinks, done: Done) -> None:
        url, facts = answered.request.url, answered.facts
        base = parse(facts.base, url) if facts.base else parse(done.base or url, url)
        answered.links, answered.refused, answered.ahead = self._router.resolve(
            answered.partition, answered.page, raw, base or url, is_kept=True
        )

    def _new_links(self, answered: PageAnswer) -> set[str]:
        """Return where a document leads and the page as it came does not."""
        known = self._keys(answered.partition, answered.page) | {answered.key}
        return {target.key for target in answered.links.targets} - known

    def _has_more(self, answered: PageAnswer, before: Facts, *, has_data: bool) -> bool:
        """Return whether a document has text or data that the page as it came has not."""
        if answered.triples is not None:
            return True
        times = 1.0 if has_data else MORE_TEXT
        return len(answered.facts.content) > times * len(before.content) + MORE_TEXT_BYTES

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

    def store(self, document: Document, done: Done, *, view: str = "") -> Place:
        """Store a document, with its picture, beside the page that it was made of.

        A view has a row and a record of its own, whose URL has the fragment.
        """
        is_whole = done.ending is Ending.RENDERED
        answered = document.answered
        state, page, facts = answered.state, answered.page, answered.facts
        is_noindex, is_noarchive = showing_wishes(answered.answer, facts, self._job)
        return self._store.append(
            Capture(
                key=answered.key + view,
                purpose=Purpose.PAGE,
                outcome=Outcome.RENDERED,
                distance=state.pages.distance[page],
                request=answered.request,
                answer=answered.answer,
                links=answered.links,
                refused_links=answered.refused,
                title=facts.title,
                description=facts.description,
                text=facts.content,
                language=facts.language,
                charset=facts.charset,
                fingerprint=fingerprint(facts.content) if facts.content else 0,
                extra=answered.extra,
                triples=answered.triples,
                items=answered.items,
                held=state.place_of(page),
                picture=done.picture,
                unread="" if is_whole else f"browser:{done.ending}",
                is_noindex=is_noindex,
                is_noarchive=is_noarchive,
                is_withheld=is_noarchive and self._job.extract.obey_noarchive,
            )
        )
