"""The readers of an answer by name.

    type         the outcome: some types are recognised by the first bytes of the body
    links        the scan of the page: links, text, title, directives
    fingerprint  of the text
    language     whether the job keeps the language of the text
    topics       the topics of the page
    rdfa, json-ld, microdata, meta     structured data, each form by itself

All of them are pure: their findings depend on the answer and the job. The stages call the same
functions (`lycosa.crawl.answers`), so there is one way to read a page.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from lycosa.crawl.answers import reading
from lycosa.crawl.suspects.findings import Asked, Findings
from lycosa.extract.echo import own_name
from lycosa.extract.structured.distiller import Page
from lycosa.extract.text.fingerprint import fingerprints
from lycosa.features.triples import distiller_of
from lycosa.model.job import Job
from lycosa.model.records import Answer, Outcome

if TYPE_CHECKING:
    from lycosa.features.languages import LanguageFilter
    from lycosa.features.topics.classifier import Classifier

TYPE, LINKS, FINGERPRINT = "type", "links", "fingerprint"
LANGUAGE, TOPICS = "language", "topics"


class Readers:
    """Reads answers for a job."""

    def __init__(self, job: Job, *, has_plugins: bool) -> None:
        """With `has_plugins`, leave language and topics to the worker: plugins may change the
        text."""
        self._job = job
        self._distiller = distiller_of(job) if job.structured.forms else None
        self._languages: LanguageFilter | None = None
        self._classifier: Classifier | None = None
        self._tells_language = not has_plugins
        if job.extract.languages and not has_plugins:
            from lycosa.features.languages import LanguageFilter  # loads a detector

            self._languages = LanguageFilter(job)
        if job.topics.model and not has_plugins:
            from lycosa.features.topics.classifier import (
                Classifier,  # few crawls have a model
            )

            self._classifier = Classifier(job, 0)

    def read(self, asked: Asked) -> Findings:
        """Read an answer with all readers at once."""
        findings, answer = Findings(), asked.answer()
        for _, read in self.steps():
            read(asked, answer, findings)
            if findings.outcome is not Outcome.KEPT:
                break
        self.distil(asked, findings, self.forms(asked, findings))
        return findings

    def steps(self) -> Sequence[tuple[str, Callable[[Asked, Answer, Findings], None]]]:
        """Return all readers except those of structured data, in the order of their
        dependencies."""
        return (
            (TYPE, self._judge),
            (LINKS, self._scan),
            (FINGERPRINT, self._compare),
            (LANGUAGE, self._tell_language),
            (TOPICS, self._classify),
        )

    def forms(self, asked: Asked, findings: Findings) -> list[str]:
        """Return the forms of structured data that a page may hold."""
        if self._distiller is None or findings.outcome is not Outcome.KEPT:
            return []
        return self._distiller.forms_of(self._page(asked, findings))

    def distil(self, asked: Asked, findings: Findings, forms: list[str]) -> None:
        """Read structured data in some forms."""
        if forms and self._distiller is not None:
            page = self._page(asked, findings)
            findings.structured = self._distiller.distil(page, asked.label, forms)

    def _page(self, asked: Asked, findings: Findings) -> Page:
        content_type = asked.answer().header("content-type")
        return Page(asked.body, asked.url, content_type, findings.facts)

    def _judge(self, asked: Asked, answer: Answer, findings: Findings) -> None:
        findings.outcome = reading.judge(answer, self._job)

    def _scan(self, asked: Asked, answer: Answer, findings: Findings) -> None:
        findings.facts = reading.read_page(answer, self._job)
        findings.is_sitemap = reading.is_sitemap(answer, findings.facts)

    def _compare(self, asked: Asked, answer: Answer, findings: Findings) -> None:
        if findings.facts.content:
            both = fingerprints(findings.facts.content, own_name(asked.path).encode())
            findings.fingerprint, findings.nameless_fingerprint = both

    def _tell_language(self, asked: Asked, answer: Answer, findings: Findings) -> None:
        if self._tells_language:
            findings.is_foreign = self._languages is not None and self._languages.is_foreign(
                findings.facts
            )

    def _classify(self, asked: Asked, answer: Answer, findings: Findings) -> None:
        if self._classifier is not None and findings.facts.content:
            findings.topics = self._classifier.classify(findings.facts)
