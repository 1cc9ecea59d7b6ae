"""The published decisions once more, through `lycosa check --batch`."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from lycosa.model.url import canonicalize, key_of

pytestmark = pytest.mark.conformance


def published(name: str) -> str:
    folder = os.environ.get("LYCOSA_DATA")
    if not folder:
        pytest.fail("LYCOSA_DATA must name the folder with the published test data")
    return (Path(folder) / name).read_text(encoding="utf-8")


def answers(kind: str, lines: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    text = "".join(json.dumps(line) + "\n" for line in lines)
    command = [sys.executable, "-m", "lycosa", "check", kind, "--batch"]
    done = subprocess.run(command, input=text, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    return [json.loads(line) for line in done.stdout.splitlines()]


def test_every_robots_decision_is_the_expected_one() -> None:
    decisions = [json.loads(line) for line in published("robots/google.jsonl").splitlines()]
    lines = [
        {"id": number, "robots_latin1": one["robots_latin1"], "agent": one["ua"], "url": one["url"]}
        for number, one in enumerate(decisions)
    ]
    found = answers("robots", lines)
    assert [one["id"] for one in found] == list(range(len(decisions)))
    right = sum(
        one["allowed"] == decision["allowed"]
        for one, decision in zip(found, decisions, strict=True)
    )
    print(f"check robots --batch: {right} of {len(decisions)} decisions as published")
    assert right == len(decisions)
    for one, decision in zip(found, decisions, strict=True):
        assert one["rule"] is None or one["rule"] in decision["robots_latin1"]
        assert one["allowed"] or one["rule"]


def is_about_the_web(case: dict[str, Any]) -> bool:
    """Tell whether the case ends in an http(s) URL, or fails on the way to one."""
    if not case.get("failure"):
        return str(case["href"]).startswith(("http://", "https://"))
    start, base = case["input"].lstrip().lower(), (case["base"] or "").lower()
    scheme, colon, _ = start.partition(":")
    is_other = bool(colon) and scheme.isalpha() and scheme not in ("http", "https")
    is_web = start.startswith(("http:", "https:"))
    return is_web or (base.startswith(("http:", "https:")) and not is_other)


def test_every_http_url_of_the_standard_gets_the_key_of_its_published_form() -> None:
    cases = [
        case for case in json.loads(published("url/urltestdata.json")) if isinstance(case, dict)
    ]
    cases = [case for case in cases if is_about_the_web(case)]
    found = answers("url", ({"url": case["input"], "base": case["base"]} for case in cases))
    for one, case in zip(found, cases, strict=True):
        expected = None if case.get("failure") else canonicalize(case["href"])
        assert one["canonical"] == expected
        assert one["key"] == (None if expected is None else key_of(expected))
        assert (one["refusal"] == "invalid") == bool(case.get("failure"))
    print(f"check url --batch: {len(cases)} http(s) cases as published")
    assert len(cases) > 300
