"""Secrets reach the origin that they are for, and no other port or scheme of its host."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from integration.recorded_requests import recording
from lycosa.model.job import Job
from lycosa.runtime.directory import CrawlDirectory
from lycosa.runtime.processes.run import run_crawl

pytestmark = pytest.mark.quick


@pytest.mark.parametrize(
    "settings",
    [
        {"headers": ["127.0.0.1 Authorization: Bearer ${TOKEN}"]},
        {"cookie_file": "cookies.txt"},
        {"cookies": True},
    ],
    ids=["header", "cookie file", "session"],
)
def test_another_port_of_the_host_gets_no_secret(
    settings: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TOKEN", "t0ken")
    file = tmp_path / "cookies.txt"
    file.write_text("127.0.0.1\tFALSE\t/\tFALSE\t0\tid\tfrom-the-file\n")
    file.chmod(0o600)
    has_session = bool(settings.pop("cookies", False))
    if "cookie_file" in settings:
        settings["cookie_file"] = str(file)
    with recording() as (other, asked_there):
        home_page = f'<a href="http://127.0.0.1:{other}/a">a</a> <a href="/second">b</a>'
        with recording(home_page) as (home, asked_here):
            job = Job.of(
                seeds=[f"http://127.0.0.1:{home}/"],
                fetch={"allow_private": True, "cookies": has_session},
                login=settings,
                politeness={"delay_seconds": 0.0, "ip_delay_seconds": 0.0},
                discovery={"mining": "off"},
                limits={"depth_static": 1},
            )
            run_crawl(CrawlDirectory.create(tmp_path / "crawl", job))
    assert any(request.startswith("/a\n") for request in asked_there)
    secrets = ("t0ken", "from-the-file", f"of-{home}")
    assert any(secret in request for secret in secrets for request in asked_here)
    assert not any(secret in request for secret in secrets for request in asked_there)
