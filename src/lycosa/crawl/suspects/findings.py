"""An answer to be read apart and its findings, in values that processes can exchange."""

from __future__ import annotations

from collections import Counter
from typing import Any, NamedTuple

import msgspec

from lycosa.crawl.answers.page_answer import NO_FACTS, PageTopics
from lycosa.extract.facts import Facts
from lycosa.extract.structured.distiller import Found
from lycosa.model.records import Answer, Outcome


class Asked(NamedTuple):
    """An answer to read, in values that can be sent to any process."""

    status: int
    headers: tuple[tuple[str, str], ...]
    by_name: dict[str, str] | None
    body: bytes
    url: str
    path: str
    """The key without the site, to recognise a page that names itself."""
    label: str
    """Prefix of the blank nodes of the fetch."""

    def answer(self) -> Answer:
        """Return the answer."""
        return Answer(self.status, self.headers, self.body, 0.0, 0.0, by_name=self.by_name)


class Findings(msgspec.Struct):
    """All findings of the readers in one answer."""

    outcome: Outcome = Outcome.KEPT
    facts: Facts = msgspec.field(default_factory=lambda: NO_FACTS)
    is_sitemap: bool = False
    fingerprint: int = 0
    nameless_fingerprint: int = 0
    is_foreign: bool | None = None
    """None if the worker is to decide, as in crawls with plugins."""
    topics: PageTopics | None = None
    structured: Found | None = None
    unread: str = ""

    def packed(self) -> tuple[Any, ...]:
        """Return everything as plain values, for `marshal`: text may hold lone surrogates."""
        found, topics = self.structured, self.topics
        return (
            int(self.outcome),
            msgspec.structs.astuple(self.facts),
            self.is_sitemap,
            self.fingerprint,
            self.nameless_fingerprint,
            self.is_foreign,
            None if topics is None else (list(topics.probabilities), list(topics.found)),
            None if found is None else (found.triples, dict(found.counts), dict(found.left_out)),
            self.unread,
        )

    @classmethod
    def unpacked(cls, packed: tuple[Any, ...]) -> Findings:
        """Return the findings from the values that `packed` made."""
        outcome, facts, is_sitemap, whole, nameless, is_foreign, topics, found, unread = packed
        return cls(
            Outcome(outcome),
            Facts(*facts),
            is_sitemap,
            whole,
            nameless,
            is_foreign,
            None if topics is None else PageTopics(*topics),
            None if found is None else Found(found[0], Counter(found[1]), Counter(found[2])),
            unread,
        )
