"""What a crawl waits for is said with its reason and its moment."""

from __future__ import annotations

import pytest

from lycosa.crawl.status import waiting
from lycosa.crawl.status.waiting import Wait, wait_of_page, waits_of
from lycosa.frontier.fold.state import PartitionState
from lycosa.model.job import Job
from lycosa.model.records import (
    Admitted,
    AnyEvent,
    Fetched,
    HostChanged,
    HostResolved,
    Outcome,
    RobotsLearned,
    RobotsState,
    SiteChanged,
)
from lycosa.model.url import key_of

NOW = 1_000.0
HERE = "http://a.test"
JOB = Job.of(politeness={"delay_seconds": 15.0})


def known(crawl_delay: float = 0.0, host_due: float = 0.0) -> RobotsLearned:
    return RobotsLearned(900.0, 0, RobotsState.KNOWN, b"", crawl_delay, 90_000.0, host_due)


def unreachable(expires: float) -> RobotsLearned:
    return RobotsLearned(900.0, 0, RobotsState.UNREACHABLE, b"", 0.0, expires, 0.0)


def state_after(*events: AnyEvent) -> PartitionState:
    state = PartitionState()
    state.apply(Admitted(800.0, "", [key_of(f"{HERE}/"), key_of(f"{HERE}/x")], [0, 21]))
    for event in events:
        state.apply(event)
    return state


@pytest.mark.parametrize(
    ("events", "why", "until"),
    [
        ([known(host_due=1_010.0)], waiting.PAUSE, 1_010.0),
        ([known(60.0, 1_050.0)], waiting.CRAWL_DELAY, 1_050.0),
        ([known(), HostChanged(990.0, 0, 1_300.0, 1)], waiting.REFUSED, 1_300.0),
        (
            [known(), HostChanged(990.0, 0, 1_005.0, 1, is_announced=True)],
            waiting.ANNOUNCED,
            1_005.0,
        ),
        ([SiteChanged(990.0, 0, 1_060.0, 1)], waiting.NO_CONNECTION_MADE, 1_060.0),
        ([unreachable(1_120.0)], waiting.ROBOTS, 1_120.0),
        (
            [HostResolved(990.0, 0, "", 1_050.0), HostChanged(990.0, 0, 1_060.0, 1)],
            waiting.NO_ANSWER,
            1_060.0,
        ),
        (
            [
                HostResolved(990.0, 0, "", 1_050.0, is_missing=True),
                HostChanged(990.0, 0, 1_020.0, 0),
            ],
            waiting.NO_NAME,
            1_020.0,
        ),
    ],
)
def test_every_reason_to_wait_has_its_words_and_its_moment(
    events: list[AnyEvent], why: str, until: float
) -> None:
    state = state_after(*events)
    expected = Wait(HERE, why, until, 2)
    assert waits_of([state], JOB, NOW) == waiting.Waits([expected], 1)
    assert wait_of_page(state, 0, JOB, NOW) == expected


def test_a_page_that_is_tried_again_says_so() -> None:
    failed = Fetched(990.0, 0, Outcome.SERVER_ERROR, 500, 0, 1_050.0, 995.0)
    kept = Fetched(991.0, 1, Outcome.KEPT, 200, 10, 0.0, 996.0)
    state = state_after(known(), failed, kept)
    why = "a page is tried again after a failure (server_error)"
    assert waits_of([state], JOB, NOW).first == [Wait(HERE, why, 1_050.0, 1)]
    assert wait_of_page(state, 0, JOB, NOW) == Wait(HERE, why, 1_050.0, 1)


def test_what_may_be_asked_for_now_waits_for_nothing() -> None:
    state = state_after(known())
    assert waits_of([state], JOB, NOW) == waiting.Waits([], 0)
    assert wait_of_page(state, 0, JOB, NOW) is None


def test_a_few_are_named_and_the_rest_is_counted() -> None:
    state = PartitionState()
    for n in range(20):
        state.apply(Admitted(800.0, "", [key_of(f"http://h{n}.test/")], [0]))
        state.apply(SiteChanged(990.0, n, 2_000.0 - n, 1))
    waits = waits_of([state], JOB, NOW)
    assert waits.total == 20
    assert [wait.until for wait in waits.first] == [1_981.0, 1_982.0, 1_983.0, 1_984.0, 1_985.0]
