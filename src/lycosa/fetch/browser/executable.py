"""Finds the browser, or raises an error that says what to install."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from lycosa.errors import ConfigError

NAMES = (
    "chromium-headless-shell",
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
    "chrome",
)
"""The headless shell first: it is Chromium without windows, which takes less than half the time."""


def find_browser(given: str = "") -> Path:
    """Return the path of a Chromium; raise `ConfigError` if rendering is impossible here."""
    if given:
        path = shutil.which(given)
        if path is None:
            raise ConfigError(
                f"[render] browser: {given} is not a program that can be run\n"
                "  name a Chromium, or leave the key out to look for one"
            )
        return Path(path)
    for name in NAMES:
        found = shutil.which(name)
        if found is not None:
            return Path(found)
    for downloaded in _of_playwright():
        return downloaded
    raise ConfigError(
        "[render] finds no Chromium\n"
        "  install: apt-get install chromium-headless-shell (or chromium)\n"
        "  or name one: --set render.browser=/path/to/chromium"
    )


def _of_playwright() -> list[Path]:
    """Return the browsers that Playwright has downloaded, the newest first."""
    folder = os.environ.get("PLAYWRIGHT_BROWSERS_PATH") or Path.home() / ".cache/ms-playwright"
    shells = Path(folder).glob("chromium_headless_shell-*/chrome-*linux*/*headless*shell")
    browsers = Path(folder).glob("chromium-*/chrome-linux*/chrome")
    return [*sorted(shells, reverse=True), *sorted(browsers, reverse=True)]
