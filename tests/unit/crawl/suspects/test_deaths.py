"""Which page is a suspect when a process died that had read it."""

from __future__ import annotations

import pytest
from benchmarks.partitions import waiting_partition

from lycosa.crawl.suspects.deaths import suspect
from lycosa.frontier.partition import Partition
from lycosa.model.records import Fetched, Outcome, ProcessDied, RenderQueued

OPEN, WAITS, DONE = 0, 1, 2


def partition() -> Partition:
    """Return three pages: one that is open, one that waits for a browser, one that is done."""
    made = waiting_partition()
    made.admit(1.0, "", [f"test.a.www:/{number}" for number in range(3)], [21] * 3)
    for page in (WAITS, DONE):
        made.finish(Fetched(1.0, page, Outcome.KEPT, 200, 1, 0.0, 1.0))
    made.record(RenderQueued(2.0, WAITS))
    return made


@pytest.mark.parametrize("was_reading", [False, True])
def test_a_page_that_was_not_decided_on_is_a_suspect_and_one_that_was_is_none(
    was_reading: bool,
) -> None:
    made = partition()
    suspect(made, ProcessDied(3.0, OPEN, was_reading), 3.0)
    suspect(made, ProcessDied(3.0, DONE, was_reading), 3.0)
    assert made.state.suspects.pages == {OPEN}
    assert made.state.suspects.rendered == set()


def test_a_kill_while_a_browser_works_takes_no_page_out_of_what_is_rendered() -> None:
    made = partition()
    suspect(made, ProcessDied(3.0, WAITS, was_reading=False), 3.0)
    assert made.state.suspects.rendered == set() and made.state.suspects.until > 3.0
    suspect(made, ProcessDied(4.0, WAITS, was_reading=True), 4.0)
    assert made.state.suspects.rendered == {WAITS}
