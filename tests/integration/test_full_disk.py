"""A crawl fills its disk, says so, and goes on when there is room.

The disk is a small tmpfs in a mount namespace of its own; the test web serves outside.
"""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import pytest

from lycosa.model.job import Job
from lycosa.model.job.requests import Limits
from lycosa.operate.inspect.audit import audit
from lycosa.runtime.directory import CrawlDirectory
from lycosa.simulation.referee_rules import referee_rules
from lycosa.storage.archive.reader import table
from lycosa_testweb.generated.plan import Mixture
from lycosa_testweb.generated.web import GeneratedWeb
from lycosa_testweb.referee.referee import Referee
from lycosa_testweb.servers.server import SocketWeb
from needs import UNSHARE
from seeds import soak
from socket_crawls import DEPTH, RULES_LATER, job_of, web_of
from warc_tools import check_folder

HOSTS = 24
PLENTY = "300m"
ENDING_SECONDS = 10.0
"""From the last commit that succeeded to the end of the process, on a busy machine."""

pytestmark = pytest.mark.needs("mounts")

SCRIPT = """
set -e
disk=$1 job=$2 out=$3 python=$4
shift 4
mount -t tmpfs -o "size=$1" lycosa "$disk"
mkdir "$disk/crawl"
cp "$job" "$disk/crawl/crawl.toml"
number=0
for size; do
    mount -o "remount,size=$size" "$disk"
    code=0
    "$python" -m lycosa resume "$disk/crawl" --quiet >"$out/said-$number" 2>&1 || code=$?
    echo "$code" >"$out/code-$number"
    echo "ended"
    read -r _
    number=$((number + 1))
done
cp -r "$disk/crawl" "$out/crawl"
"""


class Run(NamedTuple):
    """What one `lycosa resume` came to."""

    code: int
    said: str


def wordy_web() -> GeneratedWeb:
    """Pages of several kilobytes, so that not the log fills the disk but what was fetched."""
    plan = web_of(HOSTS, HOSTS).plan
    assert isinstance(plan, Mixture)
    return GeneratedWeb(3, replace(plan, words=2500))


def resume_on(
    sizes: list[str], job: Job, folder: Path, on_end: Callable[[], None]
) -> tuple[list[Run], CrawlDirectory]:
    """Resume once on a disk of each size; returns what was said, and a copy of the crawl."""
    disk, out = folder / "disk", folder / "out"
    disk.mkdir()
    out.mkdir()
    job_file = CrawlDirectory.create(folder / "job", job).job_file
    words = [str(disk), str(job_file), str(out), sys.executable, *sizes]
    command = [*UNSHARE, "sh", "-c", SCRIPT, "script", *words]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True) as script:
        assert script.stdin is not None and script.stdout is not None
        while script.stdout.readline():
            on_end()
            script.stdin.write("go on\n")
            script.stdin.flush()
    assert script.returncode == 0
    runs = [
        Run(int((out / f"code-{n}").read_text()), (out / f"said-{n}").read_text())
        for n in range(len(sizes))
    ]
    return runs, CrawlDirectory.open(out / "crawl")


def crawl_on(
    sizes: list[str], web: GeneratedWeb, folder: Path, change: Callable[[Job], Job]
) -> tuple[list[Run], CrawlDirectory, Referee]:
    referee = Referee(RULES_LATER, web)
    with SocketWeb(web, referee=referee) as server:
        job = change(job_of(web, server))
        # To the server a process that failed is one that was killed, a while before its end.
        rules = replace(referee_rules(job, 0.1), tolerance_seconds=0.03)
        referee.rules = replace(rules, forget_window_seconds=ENDING_SECONDS)
        runs, directory = resume_on(sizes, job, folder, server.client_killed)
        server.settle()
    return runs, directory, referee


def check_complete(web: GeneratedWeb, directory: CrawlDirectory) -> None:
    """Every page is there once, with its links and text, and others read the archive."""
    path = directory.path
    pages = table(path, "pages", ["url", "outcome", "fetch_id"]).to_pylist()
    kept = Counter(row["url"] for row in pages if row["outcome"] == "kept")
    seeds = [web.home(number) for number in range(HOSTS)]
    assert set(kept) == web.pages_within(seeds, DEPTH)
    assert max(kept.values()) == 1
    fetches = {row["fetch_id"] for row in pages}
    for kind in ("links", "text"):
        assert set(table(path, kind, ["fetch_id"])["fetch_id"].to_pylist()) <= fetches
    assert len(table(path, "text", ["url_id"])) == len(kept)
    assert audit(directory).breaches == []
    check_folder(path)


def check_told(run: Run) -> None:
    assert run.code in (4, 5), run.said
    assert "Traceback" not in run.said and "mistake" not in run.said
    assert "disk" in run.said and "make room" in run.said


@pytest.mark.parametrize(
    "sizes",
    [
        pytest.param(["1000k", "3m"], marks=pytest.mark.soak),
        ["2m"],
        pytest.param(["2600k"], marks=pytest.mark.soak),
    ],
    ids=" ".join,
)
def test_a_disk_that_what_was_fetched_fills_loses_nothing(sizes: list[str], tmp_path: Path) -> None:
    def change(job: Job) -> Job:
        return replace(job, frontier=replace(job.frontier, partitions=4))

    web = wordy_web()
    runs, directory, referee = crawl_on([*sizes, PLENTY], web, tmp_path, change)
    for run in runs[:-1]:
        check_told(run)
    assert runs[-1].code == 0, runs[-1].said
    assert [str(breach) for breach in referee.breaches] == []
    check_complete(web, directory)


@soak
def test_a_disk_that_the_log_fills_loses_nothing(tmp_path: Path) -> None:
    web = web_of(HOSTS, HOSTS)
    sizes = ["20k", "36k", "56k", "400k", "1200k"]
    runs, directory, referee = crawl_on([*sizes, PLENTY], web, tmp_path, lambda job: job)
    for run in runs[:-1]:
        check_told(run)
    # The first disk has no room for the job's copy beside the log; the log fills the next two.
    assert [run.code for run in runs[:3]] == [5, 4, 4]
    assert runs[-1].code == 0, runs[-1].said
    assert [str(breach) for breach in referee.breaches] == []
    check_complete(web, directory)


def test_a_crawl_stops_before_the_disk_is_full(tmp_path: Path) -> None:
    def change(job: Job) -> Job:
        usual = Limits().free_disk_bytes
        return replace(job, limits=replace(job.limits, free_disk_bytes=usual))

    web = web_of(HOSTS, HOSTS)
    runs, directory, referee = crawl_on(["30m"], web, tmp_path, change)
    assert runs[0].code == 69, runs[0].said  # it kept no page
    assert "Ended because the disk has less than 1" in runs[0].said
    assert "(--min-free-disk)" in runs[0].said
    states = directory.states(directory.job()).values()
    assert sum(state.pending for state in states) > 0
    assert referee.statistics.requests == 0
