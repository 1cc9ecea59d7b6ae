"""The decisions that the tests of Google's robots parser demand."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from lycosa.fetch.robots import compile_robots

pytestmark = pytest.mark.conformance

RESPELLED = {
    ("/foo/bar/\u00e3\u0083\u0084", "/foo/bar/ツ"),
    ("/foo/bar/%E3%83%84", "/foo/bar/ツ"),
    ("/foo/bar/%62%61%7A", "/foo/bar/baz"),
}
"""Pattern and path that the parser takes as they come and its caller must respell.

RFC 9309, 2.2.2 lists these pairs as equal; we respell them ourselves and so allow them.
"""


def decisions() -> list[dict[str, Any]]:
    folder = os.environ.get("LYCOSA_DATA")
    if not folder:
        pytest.fail("LYCOSA_DATA must name the folder with the published test data")
    text = (Path(folder) / "robots" / "google.jsonl").read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines()]


def path_of(url: str) -> str:
    parts = urlsplit(url)
    return (parts.path or "/") + ("?" + parts.query if parts.query else "")


def is_respelled(decision: dict[str, Any]) -> bool:
    path = path_of(decision["url"])
    return any(
        path == other and f"Allow: {pattern}\n" in decision["robots_latin1"]
        for pattern, other in RESPELLED
    )


def decide(decision: dict[str, Any]) -> bool:
    rules = compile_robots(decision["robots_latin1"].encode("latin-1"), decision["ua"])
    return rules.is_allowed(path_of(decision["url"]))


def test_every_decision_is_the_expected_one_except_where_rfc_9309_says_otherwise() -> None:
    all_of_them = decisions()
    expected = [decision for decision in all_of_them if not is_respelled(decision)]
    wrong = [decision for decision in expected if decide(decision) != decision["allowed"]]
    print(f"robots: {len(expected) - len(wrong)} of {len(all_of_them)} decisions as published")
    assert wrong == []
    assert len(expected) == len(all_of_them) - len(RESPELLED)


def test_paths_that_rfc_9309_calls_equal_are_allowed_together() -> None:
    respelled = [decision for decision in decisions() if is_respelled(decision)]
    assert len(respelled) == 3
    assert all(decide(decision) and not decision["allowed"] for decision in respelled)
