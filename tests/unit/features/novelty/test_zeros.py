"""Tables of zeros that take memory only where something was written."""

from __future__ import annotations

import resource

from lycosa.features.novelty.copies import zeros


def test_all_zero_and_written_where_asked() -> None:
    table = zeros("Q", 1000)
    table[7] = 2**64 - 1
    assert (len(table), table[7], sum(table)) == (1000, 2**64 - 1, 2**64 - 1)


def test_none_at_all() -> None:
    assert not zeros("I", 0)


def test_what_is_not_touched_takes_no_memory() -> None:
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    table = zeros("I", 1 << 28)  # a gigabyte
    table[1 << 27] = 1
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 100_000
