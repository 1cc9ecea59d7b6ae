"""Pages of one origin share a tab, and nothing passes from one to the next."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

pytestmark = [pytest.mark.needs("chromium"), pytest.mark.needs("user namespaces"), pytest.mark.slow]
PROGRAM = Path(__file__).parents[3] / "sandboxed_pages.py"
CLEAN = ["", 0, 0, "", None, "0000", 0, "", 0, 0, 0, "", "", "", "", 1, 1, 1]


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    folder = tmp_path_factory.mktemp("sandboxed")
    as_user = ["unshare", "--user", "--map-user=1000", "--map-group=1000"]
    words = [sys.executable, str(PROGRAM), str(folder)]
    done = subprocess.run(
        words if os.geteuid() else [*as_user, *words],
        env={**os.environ, "HOME": str(folder)},
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    assert {one["ending"] for one in found.values()} == {"rendered"}, found
    return found


def seen(page: dict[str, Any]) -> list[Any]:
    """Return what a page has found of those before it."""
    found: list[Any] = json.loads(page["html"].partition('<p id="seen">')[2].partition("</p>")[0])
    return found


def test_a_hostile_page_leaves_nothing_to_the_next_page_in_its_process(
    told: dict[str, Any],
) -> None:
    assert seen(told["hostile"]) == [
        18,
        1,
        1,
        "left",
        "left",
        1,
        1,
        1,
        1,
        1,
    ]  # what there is to find
    hostile, good, again = (told[name] for name in ("hostile", "good", "good again"))
    assert seen(good) == seen(again) == CLEAN
    assert set(hostile["renderers"]) & set(good["renderers"]) & set(again["renderers"])
    # A request that it sends while it goes belongs to no page.
    assert good["wanted"] == good["missing"] == []


def test_another_origin_has_a_process_of_its_own(told: dict[str, Any]) -> None:
    assert not set(told["elsewhere"]["renderers"]) & set(told["good again"]["renderers"])
    assert seen(told["elsewhere"]) == CLEAN


@pytest.mark.parametrize("name", ["frame", "worker"])
def test_a_tab_in_which_more_than_the_page_ran_is_not_used_again(
    told: dict[str, Any], name: str
) -> None:
    before = told["framed" if name == "frame" else "working"]
    after = told[f"after a {name}"]
    assert not set(before["renderers"]) & set(after["renderers"])
    assert seen(after) == CLEAN


def test_a_page_that_does_not_give_way_is_rendered_and_the_next_as_well(
    told: dict[str, Any],
) -> None:
    before, after = told["stubborn"], told["after a stubborn page"]
    assert "stubborn" in before["html"]
    assert not set(before["renderers"]) & set(after["renderers"])
    assert seen(after) == CLEAN
