"""Numbers for ids, degrees, and sums of groups."""

from __future__ import annotations

from collections import Counter
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lycosa.frontier.graph.groups import links_of_groups, means, ranks, sums, within_and_between
from lycosa.frontier.graph.links import Rows, targets_only_in
from lycosa.frontier.graph.numbering import UNKNOWN, Numbering
from unit.frontier.graph.drawn_graphs import Drawn, graphs, made

IDS = st.integers(-(2**63), 2**63 - 1) | st.integers(-3, 3)


@given(st.lists(IDS, max_size=30), st.lists(IDS, max_size=30))
def test_every_id_has_one_number_and_others_have_none(known: list[int], asked: list[int]) -> None:
    numbering = Numbering(np.array(known, np.int64))
    assert len(numbering) == len(set(known))
    found = numbering.numbers(np.array(known + asked, np.int64)).tolist()
    order = sorted(set(known))
    expected = [order.index(one) if one in order else UNKNOWN for one in known + asked]
    assert found == expected


@given(graphs())
def test_degrees_are_those_of_networkx(drawn: Drawn) -> None:
    size = drawn.ours.size
    assert drawn.ours.links == drawn.theirs.number_of_edges()
    ins, outs = dict(drawn.theirs.in_degree), dict(drawn.theirs.out_degree)
    assert drawn.ours.in_degrees.tolist() == [ins[node] for node in range(size)]
    assert drawn.ours.out_degrees.tolist() == [outs[node] for node in range(size)]


def pairs(rows: Rows) -> dict[tuple[int, int], int]:
    ends = zip(rows.sources().tolist(), rows.targets.tolist(), strict=True)
    return dict(zip(ends, rows.worths.tolist(), strict=True))


@given(graphs(), st.randoms(use_true_random=False))
def test_groups_have_the_links_of_their_nodes(drawn: Drawn, random: Random) -> None:
    of = [random.randint(0, 3) for _ in range(drawn.ours.size)]
    found = links_of_groups(drawn.ours.out, np.array(of, np.int32), 4)
    expected = Counter((of[source], of[target]) for source, target in drawn.theirs.edges)
    assert pairs(found) == dict(expected)
    within, between = within_and_between(found)
    assert within.tolist() == [expected[group, group] for group in range(4)]
    assert pairs(between) == {ends: n for ends, n in expected.items() if ends[0] != ends[1]}


@given(graphs())
def test_blocks_are_all_rows_and_all_links_one_after_the_other(drawn: Drawn) -> None:
    rows = drawn.ours.out
    blocks = list(rows.blocks())
    assert [n for rows, _ in blocks for n in range(rows.start, rows.stop)] == [*range(rows.size)]
    assert [n for _, some in blocks for n in range(some.start, some.stop)] == [*range(rows.links)]
    told = [source for block in blocks for source in rows.sources(block.rows).tolist()]
    assert told == rows.sources().tolist()
    assert {*zip(told, rows.targets.tolist(), strict=True)} == {*drawn.theirs.edges}


@given(graphs(), st.data())
def test_links_that_others_have_are_left_out(drawn: Drawn, data: st.DataObject) -> None:
    edges = sorted(drawn.theirs.edges)
    known = data.draw(st.lists(st.sampled_from(edges), unique=True)) if edges else []
    found = targets_only_in(drawn.ours.out, made(drawn.ours.size, known).ours.out)
    assert found.tolist() == [target for source, target in edges if (source, target) not in known]


def test_sums_means_and_ranks() -> None:
    values, groups = np.array([1.0, 2.0, 6.0]), np.array([0, 2, 2], np.int32)
    assert sums(values, groups, 3).tolist() == [1.0, 0.0, 8.0]
    assert means(values, groups, 3).tolist() == [1.0, 0.0, 4.0]
    assert ranks(np.array([5.0, 9.0, 5.0, 1.0])).tolist() == [2, 1, 2, 4]
    assert ranks(np.zeros(0)).tolist() == pytest.approx([])
