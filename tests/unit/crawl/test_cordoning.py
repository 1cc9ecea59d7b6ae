"""Deaths are written down by the one that takes a partition, and struck out by who has lived."""

from __future__ import annotations

from lycosa.runtime.cluster.cordons import Cordons
from lycosa.runtime.coordination.memory import MemoryBoard
from lycosa.runtime.members.taking import known_cordons, strike_out, write_deaths


def test_a_process_that_was_cut_off_strikes_its_earlier_lives_out() -> None:
    board = MemoryBoard()
    for life in (2, 3, 4, 5):
        write_deaths(board, {7: life})
    known = known_cordons(board, [])
    assert known is not None and known.cordoned == {7}
    assert known_cordons(board, [3]) == Cordons({7: (2, 4, 5)})
    assert known_cordons(board, []) == Cordons({7: (2, 4, 5)})
    # The one that takes its partitions may write its death down after that.
    write_deaths(board, {7: 3, 8: 3})
    assert known_cordons(board, [3]) == Cordons({7: (2, 4, 5)})


def test_an_owner_that_has_lived_strikes_all_deaths_out() -> None:
    board = MemoryBoard()
    write_deaths(board, {7: 2, 8: 2})
    strike_out(board, [7])
    assert known_cordons(board, []) == Cordons({8: (2,)})
