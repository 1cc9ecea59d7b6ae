"""The fetches of a crawl's list are those that the log has decided on."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import msgspec
import pytest

from lycosa.analysis.page_list.fetches import fetches_now
from lycosa.model.records import Outcome
from lycosa.storage.archive.archive import ArchiveStore
from lycosa.storage.log.protocol import Write
from lycosa.storage.log.sqlite import SqliteLog
from unit.storage.archive.exchanges import answer, capture


class Crawl:
    """A store and a log, committed as `crawl.worker.commits` does."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.store = ArchiveStore(folder)
        self.log = SqliteLog(folder / "log", 1)
        self._commits = 0
        self._fetched = 0

    def fetch(self, is_failure: bool = False) -> None:
        self._fetched += 1
        reply = answer(b"", status=0) if is_failure else None
        outcome = Outcome.TIMEOUT if is_failure else Outcome.KEPT
        self.store.append(capture(self._fetched, reply=reply, outcome=outcome))

    def commit(self, meanwhile: int = 0, *, failures: int = 0) -> None:
        """Commit what was fetched; `meanwhile` pages are decided on between cut and flush."""
        self.store.mark()
        for number in range(meanwhile):
            self.fetch(is_failure=number < failures)
        ends = self.store.flush()
        assert self.log.commit([Write(0, self._commits, b"", [], 0, ends=ends)]) != [None]
        self._commits += 1

    @property
    def listed(self) -> int:
        return len(fetches_now(self.folder).opened)


@pytest.fixture
def crawl(tmp_path: Path) -> Iterator[Crawl]:
    made = Crawl(tmp_path)
    with closing(made.log), closing(made.store):
        yield made


def test_a_fetch_is_listed_when_its_event_is_in_the_log(crawl: Crawl) -> None:
    crawl.fetch()
    crawl.fetch()
    crawl.commit(meanwhile=3)
    assert crawl.listed == 2
    crawl.commit()
    assert crawl.listed == 5


def test_a_failure_without_a_record_waits_for_its_event_too(crawl: Crawl) -> None:
    crawl.fetch()
    crawl.commit(meanwhile=2, failures=2)
    assert crawl.listed == 1
    crawl.commit()
    assert crawl.listed == 3


def test_fetches_of_several_segments_are_listed(crawl: Crawl) -> None:
    crawl.fetch()
    crawl.store.roll()
    crawl.fetch()
    crawl.store.mark()
    crawl.store.roll()
    crawl.fetch()
    ends = crawl.store.flush()
    crawl.log.commit([Write(0, 0, b"", [], 0, ends=ends)])
    assert crawl.listed == 2


def test_a_fetch_before_the_first_commit_is_not_listed(crawl: Crawl) -> None:
    crawl.commit()
    crawl.fetch()
    crawl.store.flush()
    assert crawl.listed == 0


def test_a_log_of_an_older_version_lists_all_committed_rows(crawl: Crawl) -> None:
    crawl.fetch()
    crawl.store.mark()
    crawl.fetch()
    worker, packed = crawl.store.flush()
    older = [one[:3] for one in msgspec.msgpack.decode(packed)]
    ends = worker, msgspec.msgpack.encode(older)
    crawl.log.commit([Write(0, 0, b"", [], 0, ends=ends)])
    assert crawl.listed == 2
