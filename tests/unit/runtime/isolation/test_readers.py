"""What is read apart is what the stages read."""

from __future__ import annotations

import pytest

from lycosa.crawl.answers.reading import is_sitemap, judge, read_page
from lycosa.crawl.suspects.findings import Findings
from lycosa.extract.structured.distiller import Page
from lycosa.extract.text.fingerprint import fingerprint
from lycosa.features.triples import distiller_of
from lycosa.model.job import Job
from lycosa.model.records import Answer, Outcome
from lycosa.runtime.isolation.readers import Readers
from unit.runtime.isolation.read_pages import HTML, PAGES, asked_of, travelled


@pytest.mark.parametrize("name", PAGES)
def test_readers_find_what_the_stages_find(name: str) -> None:
    job = Job.of(extract={"requisites": True})
    asked = asked_of(*PAGES[name])
    answer = asked.answer()
    found = travelled(Readers(job, has_plugins=False).read(asked))
    assert found.outcome is judge(answer, job)
    if found.outcome is not Outcome.KEPT:
        return
    facts = read_page(answer, job)
    assert found.facts == facts
    assert found.is_sitemap == is_sitemap(answer, facts)
    assert found.fingerprint == (fingerprint(facts.content) if facts.content else 0)
    distiller = distiller_of(job)
    page = Page(asked.body, asked.url, answer.header("content-type"), facts)
    forms = distiller.forms_of(page)
    assert found.structured == (distiller.distil(page, "b", forms) if forms else None)
    assert found.unread == ""


def test_an_answer_with_findings_is_not_read_again() -> None:
    findings = Findings(Outcome.KEPT, is_sitemap=True, unread="links")
    answer = Answer(200, (), b"<a href=/x>", 0.0, 1.0, findings=findings)
    assert judge(answer, Job()) is Outcome.KEPT
    assert read_page(answer, Job()).hrefs == []
    assert is_sitemap(answer, findings.facts)


def test_with_plugins_language_and_topics_are_left_to_the_worker() -> None:
    asked = asked_of(HTML, b"<p>text")
    assert Readers(Job(), has_plugins=True).read(asked).is_foreign is None
    assert Readers(Job(), has_plugins=False).read(asked).is_foreign is False
