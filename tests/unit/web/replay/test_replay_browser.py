"""`lycosa replay --open`: which browser is started, with which flags, and what is left of it."""

from __future__ import annotations

import os
import tempfile
import time
from pathlib import Path

import pytest

from lycosa.errors import LycosaError
from lycosa.web.replay import browser as replay_browser
from lycosa.web.replay.browser import browser_at, find_chromium, flags_for

URL = "http://replay.localhost:8891/"


def test_only_the_replay_server_goes_past_the_dead_proxy() -> None:
    flags = flags_for(URL)
    assert "--proxy-server=http://nowhere.invalid:1" in flags
    assert "--proxy-bypass-list=<-loopback>;replay.localhost:8891" in flags
    assert "--force-webrtc-ip-handling-policy=disable_non_proxied_udp" in flags
    assert "--no-sandbox" not in flags


def test_root_is_refused_because_its_browser_has_no_sandbox(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    with pytest.raises(LycosaError, match="as another user"):
        find_chromium()


def test_without_a_browser_the_error_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(LycosaError, match="apt-get install chromium"):
        find_chromium()


@pytest.mark.parametrize("ends", ["exec sleep 600", "trap '' TERM; while :; do sleep 0.1; done"])
def test_the_browser_and_its_private_profile_are_gone_at_the_end(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, ends: str
) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path / "temporary"))
    (tmp_path / "temporary").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", None)
    monkeypatch.setattr(replay_browser, "STOP_SECONDS", 0.2)
    program, said = tmp_path / "chromium", tmp_path / "said"
    program.write_text(
        f'#!/bin/sh\nprintf "%s\\n" $$ "$@" > {said}.new; mv {said}.new {said}\n{ends}\n'
    )
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    assert find_chromium() == program
    with browser_at(program, URL):
        until = time.monotonic() + 30
        while not said.exists() and time.monotonic() < until:
            time.sleep(0.01)
        pid, *words = said.read_text().splitlines()
        (profile,) = (tmp_path / "temporary").iterdir()
        assert words[-3:] == [f"--user-data-dir={profile}", "--", URL]
        assert profile.stat().st_mode & 0o077 == 0
    assert not Path(f"/proc/{pid}").exists()
    assert list((tmp_path / "temporary").iterdir()) == []
