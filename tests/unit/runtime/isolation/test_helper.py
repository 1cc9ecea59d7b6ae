"""The process that reads pages apart: what it finds, and what it survives."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from functools import partial

import pytest

from lycosa.crawl.suspects.findings import Asked, Findings
from lycosa.model.job import Job
from lycosa.runtime.isolation.helper import Helper
from lycosa.runtime.isolation.readers import Readers
from lycosa.runtime.processes.main_loop import MainLoop
from lycosa_testweb.webs.bombs import marked
from unit.runtime.isolation.read_pages import HTML, PAGES, asked_of, travelled

pytestmark = pytest.mark.slow

LIMITS = {"reading_seconds": 2.0, "reading_memory_bytes": 400_000_000}


@pytest.fixture
def main() -> Iterator[MainLoop]:
    with MainLoop() as loop:
        yield loop


def read_all(main: MainLoop, helper: Helper, pages: list[Asked]) -> list[Findings | None]:
    found: dict[int, Findings | None] = {}

    def came(number: int, findings: Findings | None) -> None:
        found[number] = findings
        if len(found) == len(pages):
            main.loop.stop()

    for number, page in enumerate(pages):
        helper.read(page, partial(came, number))
    main.run()
    helper.close()
    return [found[number] for number in range(len(pages))]


def test_what_another_process_finds_is_what_this_one_finds(main: MainLoop) -> None:
    job = Job.of(crawl=LIMITS)
    pages = [asked_of(*page) for page in PAGES.values()]
    found = read_all(main, Helper(main.loop, job, has_plugins=False), pages)
    here = Readers(job, has_plugins=False)
    assert found == [travelled(here.read(page)) for page in pages]


@pytest.mark.parametrize("reader", ["links", "json-ld", "rdfa", "microdata", "meta"])
def test_a_reader_that_dies_is_named_and_the_others_are_heard(
    reader: str, main: MainLoop, monkeypatch: pytest.MonkeyPatch
) -> None:
    job = Job.of(crawl=LIMITS)
    good = travelled(Readers(job, has_plugins=False).read(asked_of(HTML, marked(reader, "crash"))))
    monkeypatch.setenv("LYCOSA_READ_BOMB", "1")
    pages = [asked_of(HTML, marked(reader, effect)) for effect in ("crash", "loop", "allocate")]
    for found in read_all(main, Helper(main.loop, job, has_plugins=False), pages):
        assert found is not None
        assert found.unread == reader
        assert found.outcome is good.outcome
        if reader == "links":
            continue
        assert found.facts.hrefs == good.facts.hrefs
        assert found.fingerprint == good.fingerprint
        assert found.structured is not None
        assert good.structured is not None
        counts = good.structured.counts.copy()
        del counts[reader]
        assert found.structured.counts == counts


def test_a_helper_that_is_killed_has_a_successor(main: MainLoop) -> None:
    helper = Helper(main.loop, Job.of(crawl=LIMITS), has_plugins=False)
    page = asked_of(*PAGES["structured data"])
    main.loop.call_soon(lambda: os.kill(helper._process.pid, signal.SIGKILL))  # type: ignore[union-attr]
    (found,) = read_all(main, helper, [page])
    assert found == travelled(Readers(Job(), has_plugins=False).read(page))


def test_what_is_cut_is_called_back_without_findings(main: MainLoop) -> None:
    helper = Helper(main.loop, Job.of(crawl=LIMITS), has_plugins=False)
    main.loop.call_soon(helper.cut_all)
    assert read_all(main, helper, [asked_of(*PAGES["nothing"])]) == [None]
