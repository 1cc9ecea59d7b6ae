from __future__ import annotations

from lycosa.config import Job
from lycosa.crawl.status.progress import outcomes_of, seconds_left
from lycosa.frontier.fold.state import PartitionState
from lycosa.records import Admitted, Fetched, HostChanged, Outcome, RobotsLearned, RobotsState

JOB = Job.of(politeness={"delay_seconds": 10.0})


def state_with(*keys: str) -> PartitionState:
    state = PartitionState()
    state.apply(Admitted(0.0, "", list(keys), [0] * len(keys)))
    return state


def test_the_host_with_the_most_pauses_before_it_decides_the_estimate() -> None:
    state = state_with("test.a:/1", "test.a:/2", "test.a:/3", "test.b:/1")
    assert seconds_left([state], JOB, now=100.0) == 20.0


def test_a_host_that_is_not_due_yet_takes_longer() -> None:
    state = state_with("test.a:/1")
    state.apply(HostChanged(0.0, 0, 400.0, 1))
    assert seconds_left([state], JOB, now=100.0) == 300.0


def test_a_robots_file_that_could_not_be_had_is_waited_for() -> None:
    state = state_with("test.a:/1")
    state.apply(RobotsLearned(0.0, 0, RobotsState.UNREACHABLE, b"", 0.0, 3700.0, 0.0))
    assert seconds_left([state], JOB, now=100.0) == 3600.0


def test_nothing_pending_takes_no_time_and_closed_hosts_count_by_their_outcome() -> None:
    state = state_with("test.a:/1", "test.b:/1")
    state.apply(Fetched(1.0, 0, Outcome.KEPT, 200, 5, 0.0, 11.0))
    state.apply(HostChanged(2.0, 1, 0.0, 10, Outcome.HOST_GIVEN_UP))
    assert seconds_left([state], JOB, now=100.0) == 0.0
    assert outcomes_of([state]) == {"kept": 1, "host_given_up": 1}
