"""Partitions are spread evenly, and few of them move."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from lycosa.runtime.processes.assignments import assign
from seeds import examples


def owners(partitions: int, workers: int) -> list[int]:
    found = [-1] * partitions
    for worker, numbers in enumerate(assign(partitions, workers)):
        for number in numbers:
            assert found[number] == -1
            found[number] = worker
    return found


@settings(deadline=None, max_examples=examples(40))
@given(st.integers(1, 200), st.integers(1, 40))
def test_every_partition_has_one_worker_and_all_have_alike(partitions: int, workers: int) -> None:
    assert -1 not in owners(partitions, workers)
    sizes = [len(numbers) for numbers in assign(partitions, workers)]
    assert len(sizes) == workers
    assert max(sizes) - min(sizes) <= 1


def test_most_partitions_stay_when_a_worker_comes_or_goes() -> None:
    for workers in range(1, 32):
        before, after = owners(256, workers), owners(256, workers + 1)
        moved = sum(a != b for a, b in zip(before, after, strict=True))
        needed = 256 / (workers + 1)
        assert needed - 1 <= moved <= 3 * needed, (workers, moved)


def test_the_answer_is_written_in_stone() -> None:
    assert assign(8, 3) == [[0, 2, 7], [1, 4, 5], [3, 6]]
