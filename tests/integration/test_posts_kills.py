"""SIGKILL at random moments of a crawl that posts: the site gets no POST twice."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import threading
import time
from pathlib import Path

import pytest

from integration.posting_crawls import PLUGIN, POSTS, command_for
from integration.posting_site import PostingSite, Sent, posting_site
from item_crawls import packages
from lycosa import Crawl
from warm import lycosa

KILLS = 10


def run_and_kill(command: list[str], site: PostingSite, posts: int, seconds: float) -> bool:
    """Run a crawl, and kill it so long after so many POSTs; False if it ended before."""
    enough = threading.Event()
    left = posts

    def watch(sent: Sent) -> None:
        nonlocal left
        left -= 1
        if left == 0:
            enough.set()

    site.watch = watch
    process = subprocess.Popen(command, start_new_session=True)
    while not enough.wait(0.05) and process.poll() is None:
        pass
    time.sleep(seconds)
    was_killed = process.poll() is None
    if was_killed:
        os.killpg(process.pid, signal.SIGKILL)
    code = process.wait(120)
    assert was_killed or code == 0
    return was_killed


@pytest.mark.parametrize("workers", [1, 3])
def test_no_kill_lets_anything_be_posted_twice(
    workers: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plugin = packages(tmp_path / "packages")
    (plugin / "rows.py").write_text(PLUGIN)
    monkeypatch.setenv("PYTHONPATH", str(plugin))
    chance, folder = random.Random(workers), tmp_path / "c"
    with posting_site() as site:
        command = command_for(site, folder, workers)
        again = [*command[:3], "resume", str(folder), "--quiet"]
        kills = 0
        while kills < KILLS:
            seconds = chance.choice([0.0, 0.0, chance.random() * 0.05])
            assert run_and_kill(command, site, chance.randint(1, 3), seconds)
            kills, command = kills + 1, again
        site.watch = lambda sent: None
        assert subprocess.run(again, check=False, timeout=120).returncode == 0
        assert set(site.times().values()) == {1}, "never twice"
        crawl = Crawl(folder)
        counts = crawl.outcomes()
        unknown = counts.get("unknown_post", 0)
        assert counts["kept"] - 1 + unknown == POSTS, "none is lost, and none is forgotten"
        assert 0 < unknown <= KILLS * workers
        answered = {str(item.values["of"]) for item in crawl.items("answer")}
        assert len(answered) == POSTS - unknown
        before = site.times()
        assert lycosa("retry", folder).returncode == 0
        assert subprocess.run(again, check=False, timeout=120).returncode == 0
        repeated = {body: times for body, times in site.times().items() if times > before[body]}
        assert len(repeated) <= unknown
        assert max(site.times().values()) == 2
        assert len(list(Crawl(folder).items("answer"))) == POSTS
        assert Crawl(folder).outcomes().get("unknown_post", 0) in (0, unknown)
