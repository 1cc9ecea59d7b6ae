"""The history of a URL: each step at its moment, by the clock of the machine."""

from __future__ import annotations

from lycosa.features.plugins.scheduling import partitioner_of
from lycosa.frontier.fold.state import PartitionState
from lycosa.model.job import Job
from lycosa.model.records import Admitted, AnyEvent, Fetched, Outcome, Taken
from lycosa.model.records.topics import Classified
from lycosa.model.url import key_of
from lycosa.operate.inspect.explain import Step, explain
from lycosa.storage.log.format import encode
from lycosa.storage.log.memory import MemoryLog
from lycosa.storage.log.protocol import Take

URL = "http://a.test/page"
EVENTS: list[AnyEvent] = [
    Taken(1000.0, "w", clock_ahead=900.0),
    Admitted(1010.0, "", [key_of(URL)], [0]),
    Fetched(1020.0, 0, Outcome.NOT_FOUND, 404, 0, 0.0, 1021.0, None),
    Classified(0, [0], [255]),
]


def test_steps_without_a_moment_of_their_own_follow_at_once_on_a_machine_set_back() -> None:
    job = Job.of(seeds=[URL], frontier={"partitions": 1})
    log, state = MemoryLog(1), PartitionState()
    log.take("w", [Take(0, 0, encode(EVENTS))])
    for event in EVENTS:
        state.apply(event)
    told = explain(URL, job, log, {0: state}, partitioner_of(job))
    assert told.history == (
        Step(110.0, "given as a seed", is_admission=True),
        Step(120.0, "asked for: not found (not_found), status 404"),
        Step(120.0, "found to be about topic 0 (100% sure)"),
    )
