"""Parts in a row over sockets, with a browser: referee and audit agree, also after SIGKILLs."""

from __future__ import annotations

import random
import signal
import subprocess
import sys
import time
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from integration.rendered_crawl import ManyScripts, crawl, lycosa, served
from lycosa.model.records import Posted
from lycosa.operate.inspect.audit import audit
from lycosa.runtime.directory import CrawlDirectory
from lycosa.storage.archive.reader import find_text, table
from lycosa_testweb.webs.script_maze import HOME, HOST, OTHER_HOST
from seeds import seeds

pytestmark = pytest.mark.needs("chromium")
PAUSE = 0.4
FLAGS = ("--workers", "1", "--delay", f"{PAUSE}s", "--set", "render.burst_parts=6")
APART_SECONDS = 5.0
"""After a death some answers are read by another process, and decided on when it has started."""


def rows_of(path: Path, host: str) -> list[int]:
    """Return how many requests to a host came in a row, each time; a pause parts them."""
    columns = ["began", "ended", "host", "outcome"]
    rows = [row for kind in ("pages", "hosts") for row in table(path, kind, columns).to_pylist()]
    found = sorted(
        (row["began"].timestamp(), row["ended"].timestamp())
        for row in rows
        if row["host"] == host and row["outcome"] != "rendered"
    )
    lengths, last = [0], found[0][1]
    for began, ended in found:
        if began - last >= PAUSE - 0.01:
            lengths.append(0)
        lengths[-1] += 1
        last = ended
    return lengths


def check(path: Path, web: ManyScripts) -> None:
    rows = table(path, "pages", ["url", "outcome"]).to_pylist()
    kept = Counter(row["url"] for row in rows if row["outcome"] == "kept")
    assert kept == Counter([*web.pages(), *web.scripts]), "each once"
    text = find_text(path, HOME) or ""
    assert [n for n in range(len(web.scripts)) if f"Said by {n}." not in text] == []
    for command in ("audit", "verify"):
        done = lycosa(command, path)
        assert done.returncode == 0, done.stdout + done.stderr


def test_over_sockets_parts_come_in_rows_and_the_audit_knows_the_rule(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    web, path = ManyScripts(), tmp_path / "crawl"
    with served(web, tmp_path) as (server, referee):
        is_part = web.scripts.__contains__
        referee.rules = replace(referee.rules, delay_seconds=PAUSE, burst_parts=6, is_part=is_part)
        crawl(server, path, "always", *FLAGS)
        assert [str(breach) for breach in referee.breaches] == []
    check(path, web)
    assert max(rows_of(path, HOST)) == 6
    assert max(rows_of(path, OTHER_HOST)) >= 3
    told = " ".join(lycosa("explain", path, f"{HOME}parts/own3.js").stdout.split())
    assert "may be asked for in a row with 5 other parts of a page" in told
    judged = audit(CrawlDirectory(path))
    assert judged.breaches == [] and any("parts of one page" in rule for rule in judged.rules)
    # What the log does not name is a breach.
    monkeypatch.setattr("lycosa.operate.inspect.request_record.PartsInRow", Posted)
    assert len(audit(CrawlDirectory(path)).breaches) >= 5


@pytest.mark.parametrize("seed", seeds(2, 12))
def test_rows_survive_kills_from_outside(seed: int, tmp_path: Path) -> None:
    web, path, chance = ManyScripts(), tmp_path / "crawl", random.Random(seed)
    with served(web, tmp_path) as (server, referee):
        referee.rules = replace(
            referee.rules,
            delay_seconds=PAUSE,
            burst_parts=6,
            is_part=web.scripts.__contains__,
            forget_window_seconds=APART_SECONDS,
        )
        point = ("answer.applied", "commit.flushed", "send.before")[seed % 3]
        crawl(server, path, "always", *FLAGS, kill_at=f"{point}:{6 + seed % 7}")
        server.client_killed()
        for _ in range(2):
            process = subprocess.Popen([sys.executable, "-m", "lycosa", "resume", path, "--quiet"])
            time.sleep(chance.uniform(2, 7))  # somewhere in the crawl
            process.send_signal(signal.SIGKILL)
            process.wait()
            server.client_killed()
        done = lycosa("resume", path, "--quiet")
        assert done.returncode == 0, done.stderr
        assert [str(breach) for breach in referee.breaches] == []
    check(path, web)
