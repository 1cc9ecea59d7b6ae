"""The published test data of the URL Standard (web-platform-tests), for http and https.

`LYCOSA_DATA` names the folder that holds `url/urltestdata.json` and `url/toascii.json`.
"""

import json
import os
from pathlib import Path
from typing import Any

import pytest

from lycosa.model.url import canonicalize, host_of, key_of, parse, url_of

pytestmark = pytest.mark.conformance


def published(name: str) -> list[dict[str, Any]]:
    folder = os.environ.get("LYCOSA_DATA")
    if not folder:
        pytest.fail(
            "LYCOSA_DATA is not set: it must name the folder with the published test data "
            f"(url/{name} in it), as `make conformance` does"
        )
    path = Path(folder) / "url" / name
    if not path.is_file():
        pytest.fail(f"LYCOSA_DATA={folder}: there is no url/{name} in it")
    cases = json.loads(path.read_text(encoding="utf-8"))
    return [case for case in cases if isinstance(case, dict)]


def is_about_the_web(case: dict[str, Any]) -> bool:
    """Tell whether the case ends in an http(s) URL, or fails on the way to one."""
    if not case.get("failure"):
        return str(case["href"]).startswith(("http://", "https://"))
    start = case["input"].lstrip().lower()
    base = (case["base"] or "").lower()
    scheme = start.partition(":")[0]
    has_other_scheme = ":" in start and scheme.isalpha() and scheme not in ("http", "https")
    return start.startswith(("http:", "https:")) or (
        base.startswith(("http:", "https:")) and not has_other_scheme
    )


def test_every_http_url_of_the_standard_is_parsed_as_published(
    capsys: pytest.CaptureFixture[str],
) -> None:
    cases = [case for case in published("urltestdata.json") if is_about_the_web(case)]
    wrong = []
    for case in cases:
        expected = None if case.get("failure") else case["href"]
        found = parse(case["input"], case["base"])
        if found != expected:
            wrong.append((case["input"], case["base"], expected, found))
    failures = sum(bool(case.get("failure")) for case in cases)
    with capsys.disabled():
        print(
            f"\nurltestdata.json: {len(cases) - len(wrong)} of {len(cases)} http(s) cases as "
            f"published, {failures} of them failures"
        )
    assert len(cases) > 300
    assert wrong == []


def test_everything_else_in_the_standards_data_is_parsed_as_published_too() -> None:
    cases = [case for case in published("urltestdata.json") if not is_about_the_web(case)]
    wrong = [
        case["input"]
        for case in cases
        if parse(case["input"], case["base"]) != (None if case.get("failure") else case["href"])
    ]
    assert wrong == []


def test_canonical_forms_of_the_published_urls_are_their_own_and_come_back_from_their_keys() -> (
    None
):
    canonical = 0
    for case in published("urltestdata.json"):
        url = canonicalize(case["input"], case["base"])
        if url is not None:
            canonical += 1
            assert canonicalize(url) == url
            assert url_of(key_of(url)) == url
    assert canonical > 200


def test_every_host_name_becomes_ascii_as_published(capsys: pytest.CaptureFixture[str]) -> None:
    cases = published("toascii.json")
    wrong = []
    for case in cases:
        url = canonicalize(f"https://{case['input']}/x")
        found = None if url is None else host_of(key_of(url))
        if found != case["output"]:
            wrong.append((case["input"], case["output"], found))
    with capsys.disabled():
        print(f"\ntoascii.json: {len(cases) - len(wrong)} of {len(cases)} as published")
    assert wrong == []
