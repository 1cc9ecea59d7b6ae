"""SIGKILL while a crawl is logged in: every page is kept, and no secret is in any file.

The site kills the crawl when a request comes in, before it is answered: in the middle of a login,
or of a page. The moment is that of the site, so it does not depend on how fast this machine is.
"""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
import zlib
from pathlib import Path

import pytest

from integration.loopback_site import quick_job
from integration.members_site import MEMBERS, PASSWORD, SESSION, Asked, MembersSite, members_site
from lycosa import Crawl
from lycosa.model.job import Job
from lycosa.runtime.directory import CrawlDirectory

LIMIT_SECONDS = 120


def job_for(site: MembersSite) -> Job:
    return quick_job(
        site,
        0.02,
        limits={"seconds": 0.0},
        login={
            "url": f"{site.url}login",
            "page": f"{site.url}login",
            "fields": ["user=ada", "password=${SITE_PASSWORD}"],
            "plain_fields": ["user"],
        },
    )


def life(site: MembersSite, folder: Path, kill_at: int, after_seconds: float = 0.0) -> int:
    """Run a crawl until the site has got so many requests, or to its end if it gets fewer."""
    command = [sys.executable, "-m", "lycosa", "resume", str(folder), "--quiet"]
    environment = os.environ | {"SITE_PASSWORD": PASSWORD}
    with subprocess.Popen(
        command, env=environment, stdout=subprocess.DEVNULL, start_new_session=True
    ) as process:
        left = kill_at

        def watch(asked: Asked) -> None:
            nonlocal left
            left -= 1
            if left == 0:
                time.sleep(after_seconds)
                os.killpg(process.pid, signal.SIGKILL)

        site.watch = watch
        try:
            return process.wait(LIMIT_SECONDS)
        finally:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)


def unpacked(content: bytes) -> bytes:
    """Return what is in a file of gzip members, as far as it goes: the last one may be torn."""
    found = b""
    while content:
        member = zlib.decompressobj(wbits=31)
        try:
            found += member.decompress(content)
        except zlib.error:
            break
        content = member.unused_data
    return found


def check_no_secret(folder: Path) -> None:
    for path in folder.rglob("*"):
        if path.is_file():
            content = path.read_bytes()
            for secret in (PASSWORD, SESSION):
                assert secret.encode() not in content, path
                assert secret.encode() not in unpacked(content), path


def check_whole(site: MembersSite, folder: Path) -> None:
    kept = [page.url for page in Crawl(folder).pages(outcome="kept") if "/members/" in page.url]
    assert sorted(kept) == [f"{site.url}members/{n}" for n in range(MEMBERS)]
    assert set(site.paths("POST")) == {"/login"}
    assert "/logout" not in site.paths()


def test_a_login_and_a_members_page_that_are_killed_lose_no_page_and_no_secret(
    tmp_path: Path,
) -> None:
    folder = tmp_path / "crawl"
    with members_site() as site:
        CrawlDirectory.create(folder, job_for(site))
        assert life(site, folder, 4) == -signal.SIGKILL  # robots file, front page, form, login
        assert site.paths("POST") == ["/login"]
        check_no_secret(folder)
        assert life(site, folder, 5) == -signal.SIGKILL  # form, login, and pages for members
        assert any(path.startswith("/members/") for path in site.paths())
        check_no_secret(folder)
        assert life(site, folder, 1_000) == 0
        check_whole(site, folder)
    check_no_secret(tmp_path)


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(6))
def test_kills_at_random_moments_of_a_logged_in_crawl(seed: int, tmp_path: Path) -> None:
    chance = random.Random(seed)
    folder = tmp_path / "crawl"
    with members_site(loses_after=chance.choice([2, 1_000])) as site:
        CrawlDirectory.create(folder, job_for(site))
        kills = 0
        for _ in range(8):
            ended = life(site, folder, chance.randint(1, 9), chance.random() * 0.03)
            kills += ended == -signal.SIGKILL
            check_no_secret(folder)
            if ended == 0:
                break
        assert kills >= 1
        assert life(site, folder, 1_000) == 0
        check_whole(site, folder)
    check_no_secret(tmp_path)
