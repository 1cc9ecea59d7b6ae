"""The decisions that the tests of Google's robots parser demand."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from lycosa.fetch.robots.rules import compile_robots

pytestmark = pytest.mark.conformance


def decisions() -> list[dict[str, Any]]:
    folder = os.environ.get("LYCOSA_DATA")
    if not folder:
        pytest.fail("LYCOSA_DATA must name the folder with the published test data")
    text = (Path(folder) / "robots" / "google.jsonl").read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines()]


def path_of(url: str) -> str:
    parts = urlsplit(url)
    return (parts.path or "/") + ("?" + parts.query if parts.query else "")


def decide(decision: dict[str, Any]) -> bool:
    rules = compile_robots(decision["robots_latin1"].encode("latin-1"), decision["ua"])
    return rules.is_allowed(path_of(decision["url"]))


def test_every_decision_is_the_expected_one() -> None:
    all_of_them = decisions()
    wrong = [decision for decision in all_of_them if decide(decision) != decision["allowed"]]
    print(f"robots: {len(all_of_them) - len(wrong)} of {len(all_of_them)} decisions as published")
    assert wrong == []
