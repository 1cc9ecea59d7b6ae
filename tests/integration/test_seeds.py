"""Long lists of seeds by the command: killed while planted, resumed, added to, looked at."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from lycosa_testweb.servers.server import SocketWeb
from lycosa_testweb.webs.graph import GraphWeb
from seeds import few_of
from warm import lycosa

LYCOSA = (sys.executable, "-m", "lycosa")
SEEDS = 6000


@pytest.fixture
def server() -> Iterator[SocketWeb]:
    edges: dict[str, list[str]] = {f"http://www.a.test/{n}": [] for n in range(SEEDS)}
    with SocketWeb(GraphWeb(edges), tls=False) as served:
        yield served


def flags(server: SocketWeb) -> list[str]:
    hosts = f"fetch.hosts_file={server.hosts_file}"
    quiet = ["--set", "robots.sitemaps=false"]  # every URL is counted
    return ["--allow-private", "--set", hosts, "--delay", "0", "--ip-delay", "0", "--json", *quiet]


@pytest.mark.parametrize("place", few_of(["seeds.posted:2", "take.after:1"], 1))
def test_a_list_whose_planting_was_killed_is_planted_by_the_resume(
    place: str, server: SocketWeb, tmp_path: Path
) -> None:
    path, seeds = tmp_path / "c", [f"http://www.a.test/{n}" for n in range(SEEDS)]
    killed = subprocess.run(
        [*LYCOSA, "crawl", "--seeds", "-", "-o", str(path), "--max-pages", "5", *flags(server)],
        input="\n".join(seeds),
        env=os.environ | {"LYCOSA_KILL_AT": place},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert killed.returncode == -signal.SIGKILL
    resumed = lycosa("resume", path, "--json")
    assert resumed.returncode == 0, resumed.stderr
    assert json.loads(resumed.stdout)["pages"] == 5
    told = [json.loads(line) for line in resumed.stderr.splitlines() if line[0] == "{"]
    planted = [line["planted"] for line in told if line["event"] == "seeds"]
    assert planted == sorted(planted)  # a count a second, so a slow machine tells more of them
    assert planted[:1] + planted[-1:] == ([] if place.startswith("take") else [0, SEEDS])
    assert (path / "crawl.toml").stat().st_size < 5000
    status = json.loads(lycosa("status", path, "--json").stdout)
    assert (status["urls"], status["pages"], status["pending"]) == (SEEDS, 5, SEEDS - 5)


def test_status_reads_no_seeds_and_add_takes_more(server: SocketWeb, tmp_path: Path) -> None:
    path, file = tmp_path / "c", tmp_path / "list.txt"
    file.write_text("\n".join(f"http://www.a.test/{n}" for n in range(2000)))
    words = ["crawl", "--seeds", file, "-o", path, "--max-pages", "2", "--set", "crawl.workers=2"]
    done = lycosa(*words, *flags(server))
    assert done.returncode == 0, done.stderr
    (path / "seeds.txt").rename(path / "away")
    assert json.loads(lycosa("status", path, "--json").stdout)["urls"] == 2000
    (path / "away").rename(path / "seeds.txt")
    file.write_text("\n".join(f"http://www.a.test/{n}" for n in range(1000, 3500)))
    assert lycosa("add", path, "--seeds", file).stdout == f"2,500 seeds added to {path}\n"
    resumed = lycosa("resume", path, "--max-pages", "4", "--json")
    assert json.loads(resumed.stdout)["pages"] == 4, resumed.stderr
    assert json.loads(lycosa("status", path, "--json").stdout)["urls"] == 3500
