"""`lycosa cluster up`: a cluster on this machine, of which nothing is left afterwards."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import psutil
import pytest

from lycosa.storage.archive.reader import table
from seeds import soak
from worker_crawls import eventually

TRIAL = [sys.executable, "-m", "lycosa", "cluster", "up", "2", "-o", "trial"]


def started(
    folder: Path, sign: str, *flags: str
) -> tuple[subprocess.Popen[bytes], list[psutil.Process]]:
    """Start a trial; return it with its children when a file of this pattern is in its folder."""
    with (folder / "said").open("wb") as said:
        process = subprocess.Popen([*TRIAL, *flags], cwd=folder, stdout=said, stderr=said)
    eventually(lambda: process.poll() is not None or any((folder / "trial").glob(sign)), 60.0)
    assert process.poll() is None, (folder / "said").read_text()
    return process, psutil.Process(process.pid).children()


def are_gone(children: list[psutil.Process]) -> bool:
    return not any(
        child.is_running() and child.status() != psutil.STATUS_ZOMBIE for child in children
    )


@soak
def test_a_trial_that_is_stopped_leaves_its_folder_and_nothing_else(tmp_path: Path) -> None:
    process, children = started(tmp_path, "store/*/manifests/*")  # pages are there
    commands = [" ".join(child.cmdline()) for child in children]
    assert sum("nats-server" in command for command in commands) == 3
    server = next(child.cmdline()[-1] for child in children if "nats.conf" in child.cmdline()[-1])
    process.send_signal(signal.SIGTERM)
    assert process.wait(90) == 130, (tmp_path / "said").read_text()
    assert are_gone(children)
    assert not Path(server).parent.exists()
    said = (tmp_path / "said").read_text()
    assert "the log: tls://127." in said
    assert "the whole crawl is in" in said
    pages = table(tmp_path / "trial" / "crawl", "pages", ["url", "outcome"]).to_pylist()
    assert any(page["outcome"] == "kept" for page in pages)
    for number in (1, 2):
        assert (
            "Stopped; nothing is lost." in (tmp_path / "trial" / f"member-{number}.txt").read_text()
        )


@pytest.mark.needs("postgresql")
def test_servers_and_members_die_with_a_trial_that_is_killed(tmp_path: Path) -> None:
    process, _ = started(tmp_path, "member-2.txt", "--log", "postgresql")
    trial = psutil.Process(process.pid)
    eventually(lambda: len(trial.children()) == 3, 60.0)  # the file is there before its member
    children = trial.children()
    postgres = next(child for child in children if child.name() == "postgres")
    children += postgres.children()
    process.kill()
    process.wait()
    eventually(lambda: are_gone(children), 20.0)


def test_a_folder_that_is_there_is_not_used(tmp_path: Path) -> None:
    (tmp_path / "trial").mkdir()
    done = subprocess.run(TRIAL, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr == "trial: exists already\n  name a new folder: -o DIR\n"


@pytest.mark.soak
def test_the_demo_ends_well_though_a_member_is_killed(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "tools.cluster_demo", "--hosts", "24"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    print(done.stdout)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "0 lost, 0 kept twice" in done.stdout
    assert "clean, 0 breaches" in done.stdout
