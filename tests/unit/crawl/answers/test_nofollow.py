"""`nofollow`, wherever it stands, is obeyed or not, as the job says."""

from __future__ import annotations

from pathlib import Path

import pytest

from lycosa.model.job import Job
from lycosa_testweb.web import HTML, Reply
from unit.crawl.drawn_web import DrawnWeb, crawl, kept, linking, page

HOME, ON, OFF = "http://site.test/", "http://site.test/on", "http://site.test/off"
LINKS = '<a href="/on">on</a><a href="/off">off</a>'
MARKED = {
    "rel": page('<a href="/on">on</a><a rel="external NOFOLLOW" href="/off">off</a>'),
    "meta": page(LINKS, '<meta name="robots" content="noindex, nofollow">'),
    "meta for us": page(LINKS, '<meta name="lycosa" content="nofollow">'),
    "header": Reply(200, (*HTML, ("X-Robots-Tag", "nofollow")), LINKS.encode()),
    "header for us": Reply(200, (*HTML, ("X-Robots-Tag", "lycosa: nofollow")), LINKS.encode()),
}


def found(mark: Reply, obeys: bool, folder: Path) -> set[str]:
    web = DrawnWeb({HOME: mark, ON: linking(), OFF: linking()})
    return kept(crawl(web, Job.of([HOME], extract={"obey_nofollow": obeys}), folder))


@pytest.mark.parametrize("mark", MARKED)
def test_nofollow_is_obeyed(mark: str, tmp_path: Path) -> None:
    left = {HOME, ON} if mark == "rel" else {HOME}
    assert found(MARKED[mark], True, tmp_path) == left


@pytest.mark.parametrize("mark", MARKED)
def test_nofollow_is_ignored_by_a_job_that_says_so(mark: str, tmp_path: Path) -> None:
    assert found(MARKED[mark], False, tmp_path) == {HOME, ON, OFF}


def test_nofollow_for_another_robot_is_not_for_us(tmp_path: Path) -> None:
    mark = Reply(200, (*HTML, ("X-Robots-Tag", "otherbot: nofollow")), LINKS.encode())
    assert found(mark, True, tmp_path) == {HOME, ON, OFF}
