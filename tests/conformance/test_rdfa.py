"""The published cases of RDFa 1.1: every one gives the graph that is expected.

`docs/decisions/0021-structured-data.md` says why those that are named here do not.
"""

from __future__ import annotations

import json
import logging
import os
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
import rdflib
from rdflib.compare import isomorphic

from lycosa.extract.rdfa import distil

pytestmark = pytest.mark.conformance

MEDIA_TYPES = {
    "html": "text/html",
    "svg": "image/svg+xml",
    "xhtml": "application/xhtml+xml",
    "xml": "application/xml",
}
REASONS = {
    "rdfa1.1/html4": {"0295": "all cases in one, some of them contradicting others"},
    "rdfa1.1/html5-invalid": {
        "0280": "wants a blank node for the page and another spelling of the duration",
        "0295": "all cases in one, some of them contradicting others",
    },
    "rdfa1.1/svg": {"0295": "all cases in one, those of HTML among them"},
    "rdfa1.1/xhtml1": {"0295": "all cases in one, those of HTML 5 among them"},
    "rdfa1.1/xml": {
        "0180": "wants the base element of HTML in XML, and no default prefix as elsewhere",
        "0295": "all cases in one, those of HTML among them",
    },
}
STRING = b"^^<http://www.w3.org/2001/XMLSchema#string>"


def published() -> Path:
    folder = os.environ.get("LYCOSA_DATA")
    if not folder:
        pytest.fail("LYCOSA_DATA must name the folder with the published test data")
    return Path(folder) / "rdfa"


def graph_of(triples: bytes) -> rdflib.Graph:
    """Read triples. rdflib takes two spellings of one moment for one literal, as the expected
    graphs were written by it: they have `+00:00` where the page has `Z`."""
    graph = rdflib.Graph()
    graph.parse(data=triples.replace(STRING, b""), format="nt")
    return graph


def passes(folder: Path, case: dict[str, Any]) -> bool:
    media_type = MEDIA_TYPES[case["url"].rpartition(".")[2]]
    found = distil((folder / case["input"]).read_bytes(), case["url"], media_type)
    return bool(isomorphic(graph_of(found), graph_of((folder / case["nt"]).read_bytes())))


def test_every_case_gives_the_expected_graph(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.ERROR, "rdflib.term")  # it warns of dates that are none
    folder = published()
    counts: Counter[str] = Counter()
    failed: dict[str, set[str]] = {}
    for case in json.loads((folder / "index.json").read_text(encoding="utf-8")):
        counts[case["suite"]] += 1
        if not passes(folder, case):
            failed.setdefault(case["suite"], set()).add(case["num"])
    for suite, count in sorted(counts.items()):
        missed = failed.get(suite, set())
        print(f"{suite}: {count - len(missed)} of {count}", *sorted(missed))
    assert failed == {suite: set(reasons) for suite, reasons in REASONS.items()}
