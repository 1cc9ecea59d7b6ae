"""PageRank and HITS against published values, networkx and their own definitions."""

from __future__ import annotations

import random

import networkx
import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from lycosa.frontier.graph.hits import hits
from lycosa.frontier.graph.links import graph_of, weighted_graph_of
from lycosa.frontier.graph.pagerank import Bounds, pagerank, weighted_pagerank
from seeds import examples
from unit.frontier.graph.drawn_graphs import Drawn, graphs, made


@settings(deadline=None)
@given(graphs())
def test_pagerank_is_that_of_networkx(drawn: Drawn) -> None:
    expected = networkx.pagerank(drawn.theirs, alpha=0.85, tol=1e-14, max_iter=1000)
    found = pagerank(drawn.ours, tolerance=1e-13)
    assert found.error <= 1e-13
    for node, value in expected.items():
        assert found.values[node] == pytest.approx(value, abs=1e-11)


@settings(deadline=None)
@given(graphs())
def test_pagerank_satisfies_its_own_equation(drawn: Drawn) -> None:
    matrix, size = drawn.ours.out.matrix().toarray(), drawn.ours.size
    degrees = matrix.sum(axis=1)
    step = np.where(degrees[:, None] > 0, matrix / np.maximum(degrees, 1)[:, None], 1 / size)
    values = pagerank(drawn.ours, tolerance=1e-13).values
    assert values.sum() == pytest.approx(1.0)
    assert np.abs(0.85 * values @ step + 0.15 / size - values).max() < 1e-12


@settings(deadline=None)
@given(graphs())
def test_the_error_that_is_told_bounds_the_error_that_is_made(drawn: Drawn) -> None:
    exact = pagerank(drawn.ours, tolerance=1e-15).values
    for steps in (1, 2, 5):
        rough = pagerank(drawn.ours, tolerance=0.0, most_steps=steps)
        assert rough.steps <= steps
        assert np.abs(rough.values - exact).sum() <= rough.error + 1e-14


@given(graphs())
@settings(max_examples=examples(200), deadline=None)
def test_hits_is_that_of_networkx_where_the_answer_is_one(drawn: Drawn) -> None:
    sizes = np.linalg.svd(drawn.ours.out.matrix().toarray(), compute_uv=False)
    assume(len(sizes) > 1 and sizes[0] > 0 and sizes[1] / sizes[0] < 0.95)
    hubs, authorities = networkx.hits(drawn.theirs, max_iter=10_000, tol=1e-14)
    found = hits(drawn.ours, tolerance=1e-13, most_steps=2_000)
    for node in range(drawn.ours.size):
        assert found.hubs[node] == pytest.approx(hubs[node], abs=1e-9)
        assert found.authorities[node] == pytest.approx(authorities[node], abs=1e-9)


@settings(deadline=None)
@given(graphs())
def test_hits_always_gives_singular_vectors_and_no_negative_value(drawn: Drawn) -> None:
    assume(drawn.ours.links)
    found = hits(drawn.ours, tolerance=1e-8, most_steps=20_000)
    assert found.residual <= 1e-8
    matrix = drawn.ours.out.matrix().toarray()
    largest = np.linalg.svd(matrix, compute_uv=False)[0]
    unit = found.authorities / np.linalg.norm(found.authorities)
    assert np.linalg.norm(matrix.T @ matrix @ unit - largest**2 * unit) < 1e-5 * largest**2
    assert found.hubs.min() >= 0 and found.authorities.min() >= 0
    assert found.hubs.sum() == pytest.approx(1) and found.authorities.sum() == pytest.approx(1)


def test_two_equal_communities_share_the_authority() -> None:
    drawn = made(4, [(0, 1), (2, 3)])
    assert hits(drawn.ours).authorities.tolist() == pytest.approx([0, 0.5, 0, 0.5])


def test_nothing_and_no_links_have_ranks_too() -> None:
    empty = np.zeros(0, np.int32)
    assert pagerank(graph_of(empty, empty, 0)).values.tolist() == []
    assert hits(graph_of(empty, empty, 0)).hubs.tolist() == []
    assert pagerank(graph_of(empty, empty, 4)).values.tolist() == [0.25] * 4
    assert hits(graph_of(empty, empty, 4)).hubs.tolist() == [0.25] * 4


@settings(deadline=None)
@given(graphs(), st.randoms(use_true_random=False))
def test_weighted_pagerank_is_that_of_networkx(drawn: Drawn, chance: random.Random) -> None:
    graph = networkx.DiGraph()
    graph.add_nodes_from(drawn.theirs)
    for source, target in drawn.theirs.edges:
        graph.add_edge(source, target, weight=chance.choice([0.5, 1.0, 3.0]))
    edges = list(graph.edges.data("weight"))
    expected = networkx.pagerank(graph, alpha=0.85, tol=1e-14, max_iter=1000, weight="weight")
    sources, targets = (np.array([edge[n] for edge in edges], np.int32) for n in (0, 1))
    weights = np.array([edge[2] for edge in edges], np.float64)
    _, told = weighted_graph_of(sources, targets, weights, len(graph))
    found = weighted_pagerank(told, Bounds(tolerance=1e-13))
    assert found.values == pytest.approx([expected[node] for node in range(len(graph))], abs=1e-9)


def test_weights_that_are_all_equal_give_the_plain_pagerank() -> None:
    sources, targets = np.array([0, 0, 1, 2], np.int32), np.array([1, 2, 2, 0], np.int32)
    plain = pagerank(graph_of(sources, targets, 4)).values
    graph, weights = weighted_graph_of(sources, targets, np.full(4, 2.5), 4)
    assert weighted_pagerank(weights).values == pytest.approx(plain, abs=1e-9)
    assert pagerank(graph).values == pytest.approx(plain, abs=1e-9)
