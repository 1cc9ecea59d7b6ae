"""Components and bow tie against networkx, by the definitions of the parts."""

from __future__ import annotations

import networkx
import numpy as np
from hypothesis import given, settings

from lycosa.frontier.graph.bow_tie import PARTS, bow_tie, strong_components, weak_components
from lycosa.frontier.graph.links import graph_of
from seeds import examples
from unit.frontier.graph.drawn_graphs import Drawn, graphs, made


def sets(labels: object) -> set[frozenset[int]]:
    array = np.asarray(labels)
    return {frozenset(np.flatnonzero(array == label).tolist()) for label in np.unique(array)}


@given(graphs())
def test_components_are_those_of_networkx(drawn: Drawn) -> None:
    strong = {frozenset(part) for part in networkx.strongly_connected_components(drawn.theirs)}
    weak = {frozenset(part) for part in networkx.weakly_connected_components(drawn.theirs)}
    assert sets(strong_components(drawn.ours)) == strong
    assert sets(weak_components(drawn.ours)) == weak


def expected_parts(theirs: networkx.DiGraph) -> list[str]:
    """The bow tie, word for word."""
    strong = [set(part) for part in networkx.strongly_connected_components(theirs)]
    largest = max(map(len, strong))
    core = min((part for part in strong if len(part) == largest), key=min)
    after, before = set(core), set(core)
    for node in core:
        after |= networkx.descendants(theirs, node)
        before |= networkx.ancestors(theirs, node)
    out, into = after - core, before - core
    behind = {found for node in into for found in networkx.descendants(theirs, node)}
    towards = {found for node in out for found in networkx.ancestors(theirs, node)}
    connected = networkx.node_connected_component(theirs.to_undirected(), min(core))
    parts = []
    for node in range(len(theirs)):
        if node in core:
            parts.append("scc")
        elif node in into:
            parts.append("in")
        elif node in out:
            parts.append("out")
        elif node in behind and node in towards:
            parts.append("tube")
        else:
            parts.append("tendril" if node in connected else "island")
    return parts


@given(graphs(14, 24))
@settings(max_examples=examples(300))
def test_every_node_is_in_the_part_that_the_definition_says(drawn: Drawn) -> None:
    found = [PARTS[part] for part in bow_tie(drawn.ours)]
    assert found == expected_parts(drawn.theirs)


def test_a_graph_with_every_part() -> None:
    core, tube, island = [(0, 1), (1, 2), (2, 0)], [(3, 5), (5, 4)], [(8, 9)]
    tendrils = [(3, 6), (7, 4), (10, 6)]
    drawn = made(11, [*core, (3, 0), (2, 4), *tube, *tendrils, *island])
    names = [PARTS[part] for part in bow_tie(drawn.ours)]
    assert names[:3] == ["scc"] * 3
    assert names[3:] == [
        *("in", "out", "tube", "tendril", "tendril", "island", "island", "tendril")
    ]


def test_a_long_chain_needs_no_deep_stack() -> None:
    size = 200_000
    drawn = np.arange(size - 1, dtype=np.int32)
    parts = bow_tie(graph_of(drawn, drawn + 1, size))
    assert np.bincount(parts, minlength=6).tolist() == [1, 0, size - 1, 0, 0, 0]
