from __future__ import annotations

import pytest

from lycosa.crawl.status.figures import FIGURES, OF_THIS_RUN, TOGETHER, outcomes_of
from lycosa.crawl.status.progress import Listener, Progress, seconds_left
from lycosa.frontier.fold.state import PartitionState
from lycosa.model.job import Job
from lycosa.model.records import Admitted, Fetched, HostChanged, Outcome, RobotsLearned, RobotsState

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


def test_progress_is_added_up_every_second_as_long_as_that_costs_little() -> None:
    seldom, often = Listener(progress_seconds=5.0), Listener(progress_seconds=0.25)
    assert (seldom.seconds_to_next(0.001), often.seconds_to_next(0.001)) == (1.0, 0.25)
    assert seldom.seconds_to_next(0.03) == pytest.approx(3.0)
    assert seldom.seconds_to_next(0.1) == 5.0
    assert seldom.seconds_to_next(1.0) == often.seconds_to_next(1.0) == 30.0


def test_every_figure_has_a_rule_by_which_workers_are_added_up() -> None:
    of_time = {"seconds", "pages_per_second", "workers", "limited_by"}
    of_the_run = {"unsent_bytes", "unsent_seconds", "unsent_problem", "free_disk_bytes"}
    assert TOGETHER.keys() | OF_THIS_RUN.keys() == set(Progress._fields) - of_time - of_the_run
    assert not TOGETHER.keys() & OF_THIS_RUN.keys()
    assert FIGURES.keys() <= TOGETHER.keys()
