from __future__ import annotations

import asyncio
import os
import stat
import tempfile
from pathlib import Path
from typing import Any

import pytest

from lycosa.errors import ConfigError
from lycosa.features.rendering import browsers
from lycosa.features.rendering.browsers import browsers_of, require_browser
from lycosa.fetch.browser.renderer import BrowserProcess
from lycosa.model.job import Job

RENDERING = Job.of(render={"mode": "auto"})


@pytest.fixture(autouse=True)
def as_root(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(browsers, "find_browser", lambda named="": Path("/usr/bin/true"))
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    monkeypatch.delenv("LYCOSA_WITHOUT_SANDBOX", raising=False)


def test_root_renders_only_where_the_operator_allows_it_without_a_sandbox(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with pytest.raises(ConfigError, match=r"--set render\.without_sandbox=true"):
        require_browser(RENDERING)
    require_browser(Job())
    require_browser(Job.of(render={"mode": "auto", "without_sandbox": True}))
    monkeypatch.setenv("LYCOSA_WITHOUT_SANDBOX", "1")
    require_browser(RENDERING)


def test_that_there_is_no_sandbox_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    from lycosa.features.rendering.sandbox import sandbox_text

    assert sandbox_text(RENDERING) == sandbox_text(Job.of(render={"without_sandbox": True})) == ""
    allowed = Job.of(render={"mode": "auto", "without_sandbox": True})
    assert sandbox_text(allowed).startswith("Chromium runs without its sandbox")
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    assert sandbox_text(allowed).startswith("Chromium may run without its sandbox")


def test_the_folder_of_a_browser_is_private_and_cannot_be_guessed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    loop: Any = asyncio.new_event_loop()
    made: list[BrowserProcess] = browsers_of(RENDERING, loop, lambda place: None).browsers  # type: ignore
    loop.close()
    (home,) = tmp_path.iterdir()
    assert stat.S_IMODE(home.stat().st_mode) == 0o700
    assert not home.name.endswith(f"-{os.getpid()}-0")
    for browser in made:
        browser.close()
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_another_crawl_removes_meanwhile_stops_no_crawl(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    of_the_dead = [tmp_path / f"{browsers._PREFIX}0-{name}" for name in ("gone", "left")]
    of_the_dead[1].mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr(Path, "glob", lambda *_: iter(of_the_dead))  # one has gone since
    browsers._remove_old()
    assert not of_the_dead[1].exists()


def test_a_folder_that_somebody_has_made_before_is_emptied_without_following_links(
    tmp_path: Path,
) -> None:
    outside, home = tmp_path / "outside", tmp_path / "home"
    outside.mkdir()
    (outside / "kept").write_text("mine")
    home.mkdir(mode=0o700)
    (home / "link").symlink_to(outside)
    (home / "profile").mkdir()
    process: Any = BrowserProcess(None, Path("true"), home)  # type: ignore[arg-type]
    process._empty_home()
    assert list(home.iterdir()) == [] and (outside / "kept").exists()
