"""Microdata to RDF, by the cases of the W3C: graphs must be isomorphic.

Values are compared, not their spelling: the expected files were written by a program that had
brought `00:00:00Z` to `00:00:00+00:00`.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from rdflib import Graph
from rdflib.compare import isomorphic

from lycosa.extract.structured import microdata

pytestmark = pytest.mark.conformance

BASE = "http://w3c.github.io/microdata-rdf/tests/"
KNOWN_FAILURES: dict[str, str] = {}
"""Numbers of cases, and why they fail."""

REGISTRY = {
    **microdata.REGISTRY,
    "http://expansion/": dict.fromkeys(
        ("subPropertyOf", "equivalentProperty"), "http://www.w3.org/1999/02/22-rdf-syntax-ns#type"
    ),
}
"""Two cases are about a vocabulary that the suite's own registry knows."""


def test_the_published_cases(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("CRITICAL", "rdflib")  # which warns of dates that are none
    folder = Path(os.environ["LYCOSA_DATA"]) / "microdata"
    failed: dict[str, str] = {}
    paths = sorted(folder.glob("*.html"))
    for path in paths:
        url = f"{BASE}{path.name}"
        found = microdata.distil(path.read_bytes(), url, "text/html", registry=REGISTRY)
        ours = Graph().parse(data=found.decode(), format="nt")
        theirs = Graph().parse(path.with_suffix(".nt"), format="nt")
        if not isomorphic(ours, theirs):
            failed[path.stem] = KNOWN_FAILURES.get(path.stem, "unknown")
    print(f"\nmicrodata: {len(paths) - len(failed)} of {len(paths)}; failed: {failed or 'none'}")
    assert len(paths) == 83
    assert set(failed) == set(KNOWN_FAILURES)
