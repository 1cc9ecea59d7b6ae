"""Compares the triples that a test expects with those it got."""

from __future__ import annotations

from rdflib import Graph
from rdflib.compare import isomorphic, to_canonical_graph

SCHEMA = "http://schema.org/"


def graph_of(ntriples: bytes | str) -> Graph:
    text = ntriples if isinstance(ntriples, str) else ntriples.decode()
    return Graph().parse(data=text, format="nt")


def turtle(text: str) -> Graph:
    prefixes = (
        "@prefix s: <http://schema.org/> . @prefix og: <http://ogp.me/ns#> ."
        " @prefix xsd: <http://www.w3.org/2001/XMLSchema#> ."
    )
    return Graph().parse(data=f"{prefixes}\n{text}", format="turtle")


def assert_same(found: bytes, expected: str) -> None:
    ours, theirs = graph_of(found), turtle(expected)
    if not isomorphic(ours, theirs):
        raise AssertionError(
            f"found\n{to_canonical_graph(ours).serialize(format='nt')}"
            f"expected\n{to_canonical_graph(theirs).serialize(format='nt')}"
        )
