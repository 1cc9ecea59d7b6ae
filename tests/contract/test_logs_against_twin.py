"""Every log against a plain twin: random takes, commits, posts, notes and repeats of both."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from all_logs import KINDS, crawl_of, eventually
from lycosa.model.records import Counted, Discovered, Taken
from lycosa.storage.log.format import decode_messages, encode
from lycosa.storage.log.protocol import Head, Log, Take, Write
from seeds import examples

PARTITIONS = 3
EXAMPLES = {"memory": 150, "loose": 150, "sqlite": 30, "postgres": 12, "jetstream": 8}
NEEDS = {"postgres": [pytest.mark.needs("postgresql")]}

partitions = st.integers(0, PARTITIONS - 1)
takes = st.tuples(st.just("take"), st.integers(0, 1), partitions, st.sampled_from([0, 0, 0, -1, 1]))
commits = st.tuples(
    st.just("commit"),
    st.integers(0, 1),
    st.lists(
        st.tuples(partitions, st.sampled_from([0, 0, 0, 0, -1, 1]), st.sets(partitions)),
        max_size=3,
        unique_by=lambda entry: entry[0],
    ),
    st.integers(1, 2),
)
notes = st.tuples(st.just("note"), st.integers(0, 1), st.sampled_from("ab"))
ends = st.tuples(st.just("end"), st.integers(0, 1), st.booleans())
steps = st.lists(st.one_of(takes, commits, commits, notes, ends), max_size=12)


class Twin:
    """What a log should hold, as plainly as it can be said."""

    def __init__(self) -> None:
        self.logs: list[list[bytes]] = [[] for _ in range(PARTITIONS)]
        self.inboxes: list[list[str]] = [[] for _ in range(PARTITIONS)]
        self.owners = [""] * PARTITIONS
        self.notes: dict[str, bytes] = {}


@pytest.mark.hypothesis
@pytest.mark.parametrize("kind", [pytest.param(k, marks=NEEDS.get(k, ())) for k in KINDS])
def test_a_log_does_what_its_twin_does(kind: str, request: pytest.FixtureRequest) -> None:
    @settings(
        max_examples=examples(EXAMPLES[kind]),
        suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
    )
    @given(steps)
    def run(plan: list[tuple[object, ...]]) -> None:
        with (
            tempfile.TemporaryDirectory() as folder,
            crawl_of(kind, request, Path(folder), PARTITIONS) as crawl,
        ):
            logs = [crawl.connect(), crawl.connect()]
            twin = Twin()
            for number, step in enumerate(_possible(plan) if kind == "loose" else plan):
                _ACTIONS[str(step[0])](twin, logs, number, *step[1:])
            compare(twin, logs[0])

    run()


def _possible(plan: list[tuple[object, ...]]) -> Iterator[tuple[object, ...]]:
    """Leave out expectations beyond the end of a log, which no caller can have read.

    A write with one is refused; but if a copy of it is still on its way, it may arrive when the log
    has grown to its expectation, and a plan that does not wait for it would be surprised.
    """
    for step in plan:
        if step[0] == "take":
            yield (*step[:3], min(0, cast(int, step[3])))
        elif step[0] == "commit":
            wanted = cast(list[tuple[int, int, set[int]]], step[2])
            some = [(partition, min(0, off), targets) for partition, off, targets in wanted]
            yield (*step[:2], some, step[3])
        else:
            yield step


def act_take(twin: Twin, logs: list[Log], step: int, who: int, partition: int, off: int) -> None:
    expect = max(0, len(twin.logs[partition]) + off)
    owner = f"owner {step}"
    events = encode([Taken(float(step), owner)])
    is_right = expect == len(twin.logs[partition])
    answer = logs[who].take(owner, [Take(partition, expect, events)])
    assert answer == [expect + 1 if is_right else None]
    if is_right:
        twin.logs[partition].append(events)
        twin.owners[partition] = owner


def act_commit(
    twin: Twin,
    logs: list[Log],
    step: int,
    who: int,
    wanted: list[tuple[int, int, set[int]]],
    times: int,
) -> None:
    writes: list[Write] = []
    right: list[bool] = []
    for partition, off, targets in wanted:
        expect = max(0, len(twin.logs[partition]) + off)
        right.append(expect == len(twin.logs[partition]))
        events = encode([Counted({f"{step} {partition}": 1})])
        posts = [(t, encode([Discovered(1.0, "", [f"{step} {partition}"], [0])])) for t in targets]
        writes.append(Write(partition, expect, events, posts, 0))
    for _ in range(times):
        answers = logs[who].commit(writes)
        assert answers == [
            write.expect + 1 if is_right else None
            for write, is_right in zip(writes, right, strict=True)
        ]
    for write, is_right in zip(writes, right, strict=True):
        if is_right:
            twin.logs[write.partition].append(write.events)
            for target, _ in write.posts:
                twin.inboxes[target].append(f"{step} {write.partition}")


def act_note(twin: Twin, logs: list[Log], step: int, who: int, name: str) -> None:
    logs[who].note(name, f"{step}".encode())
    kept = twin.notes.setdefault(name, f"{step}".encode())
    assert logs[1 - who].noted(name) == kept


def act_end(twin: Twin, logs: list[Log], step: int, who: int, is_moved: bool) -> None:
    heads = [logs[who].head(partition) for partition in range(PARTITIONS)]
    if is_moved:
        heads[0] = heads[0]._replace(log=heads[0].log + 1)
    logs[who].note_at("end", f"{step}".encode(), heads)
    if not is_moved:
        twin.notes.setdefault("end", f"{step}".encode())
    assert logs[who].noted("end") == twin.notes.get("end")


_ACTIONS: dict[str, Any] = {
    "take": act_take,
    "commit": act_commit,
    "note": act_note,
    "end": act_end,
}


def compare(twin: Twin, log: Log) -> None:
    for partition in range(PARTITIONS):
        wanted = list(enumerate(twin.logs[partition], 1))
        eventually(lambda: list(log.read(partition, 0)), lambda found, w=wanted: found == w)  # type: ignore[misc] # noqa: B023
        keys = twin.inboxes[partition]
        eventually(
            lambda: inbox_keys(log, partition),  # noqa: B023
            lambda found, k=keys: sorted(found) == sorted(k),  # type: ignore[misc]
        )
        head = log.head(partition)
        assert (head.log, head.owner) == (len(wanted), twin.owners[partition])
        assert bool(head.inbox) == bool(keys)
    eventually(lambda: log.notes(""), lambda found: found == twin.notes)
    heads: list[Head] = [log.head(partition) for partition in range(PARTITIONS)]
    eventually(log.heads, lambda found: found == heads)


def inbox_keys(log: Log, partition: int) -> list[str]:
    keys: list[str] = []
    after = 0
    while entries := log.inbox(partition, after):
        assert [sequence for sequence, _ in entries] == sorted({s for s, _ in entries})
        after = entries[-1][0]
        for _, entry in entries:
            for found in decode_messages(entry):
                assert isinstance(found, Discovered)
                keys += found.keys
    return keys
