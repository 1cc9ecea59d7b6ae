"""Archived pages for replays in a browser."""

from __future__ import annotations

import time

from playwright.sync_api import Frame, Page

SHOWN_SECONDS = 60


def archived(page: Page, url: str) -> Frame:
    """Return the frame in which the player shows an archived page."""
    ends = time.monotonic() + SHOWN_SECONDS
    while time.monotonic() < ends:
        for frame in page.frames:
            if "mp_/" in frame.url and frame.url.endswith(f"mp_/{url}"):
                frame.wait_for_load_state()
                return frame
        page.wait_for_timeout(50)
    raise AssertionError(f"{url} is not shown: {[frame.url for frame in page.frames]}")
