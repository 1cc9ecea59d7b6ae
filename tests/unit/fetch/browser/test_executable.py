"""The browser is found, or the error says what to install."""

from __future__ import annotations

from pathlib import Path

import pytest

from lycosa.errors import ConfigError
from lycosa.fetch.browser.executable import find_browser


def program(folder: Path, name: str) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / name
    path.write_text("#!/bin/sh\n")
    path.chmod(0o755)
    return path


def test_the_systems_browser_comes_before_one_of_playwright(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    monkeypatch.setenv("PLAYWRIGHT_BROWSERS_PATH", str(tmp_path / "own"))
    with pytest.raises(ConfigError, match="apt-get install chromium"):
        find_browser()
    own = program(tmp_path / "own" / "chromium-1200" / "chrome-linux", "chrome")
    assert find_browser() == own
    shell = tmp_path / "own" / "chromium_headless_shell-1200" / "chrome-headless-shell-linux64"
    lean = program(shell, "chrome-headless-shell")
    assert find_browser() == lean
    system = program(tmp_path / "bin", "chromium")
    assert find_browser() == system
    shell = program(tmp_path / "bin", "chromium-headless-shell")
    assert find_browser() == shell


def test_a_browser_that_is_named_must_be_there(tmp_path: Path) -> None:
    named = program(tmp_path, "mine")
    assert find_browser(str(named)) == named
    with pytest.raises(ConfigError, match="is not a program that can be run"):
        find_browser(str(tmp_path / "other"))
