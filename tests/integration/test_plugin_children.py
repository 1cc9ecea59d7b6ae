"""A program that a plugin starts has the environment of the user, and nothing of ours.

A crawl starts itself anew to have its heap in large pages, and tells the C library so by an
environment variable; `lycosa._support.memory` takes that out again.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from lycosa import Crawl
from lycosa._support.memory import TUNABLES, are_given
from lycosa_testweb.generated.plan import Mixture
from lycosa_testweb.generated.web import GeneratedWeb
from lycosa_testweb.sections import Tree
from lycosa_testweb.servers.server import SocketWeb
from seeds import few_of

PLUGIN = """\
import os
import subprocess
from lycosa import Plugin
from lycosa._support import memory

def look(page):
    page["environment"] = subprocess.run(["env", "-0"], capture_output=True, check=True).stdout
    page["told"] = memory.told()
    page["process"] = os.getpid()

found = Plugin("starter", columns={"environment": bytes, "told": str, "process": int}, on_page=look)
"""


@pytest.mark.parametrize(
    ("workers", "before"), few_of([(2, "glibc.malloc.perturb=0"), (1, None)], 1)
)
def test_what_a_plugin_starts_sees_the_environment_of_the_user(
    tmp_path: Path, workers: int, before: str | None
) -> None:
    environment = {name: value for name, value in os.environ.items() if name != TUNABLES}
    if before is not None:
        environment[TUNABLES] = before
    environment["PYTHONPATH"] = str(packages(tmp_path / "packages"))
    web = GeneratedWeb(2, Mixture(6, 1, sections=(((Tree(1, 1),), 1.0),)))
    with SocketWeb(web) as server:
        seeds = [web.home(number) for number in range(6)]
        options = ["--delay", "10ms", "--ip-delay", "0s", "--allow-private", "--quiet"]
        settings = ["plugins.use=starter", f"fetch.hosts_file={server.hosts_file}"]
        settings.append("frontier.partitions=8")
        command = [sys.executable, "-m", "lycosa", "crawl", *seeds, "-o", str(tmp_path / "c")]
        command += [*options, "--workers", str(workers)]
        for setting in settings:
            command += ["--set", setting]
        done = subprocess.run(
            command, env=environment, capture_output=True, text=True, timeout=120, check=False
        )
    assert done.returncode == 0, done.stderr
    kept = list(Crawl(tmp_path / "c").pages(outcome="kept"))
    assert kept and len({page.extra["process"] for page in kept}) == workers
    for page in kept:
        said, told = page.extra["environment"], page.extra["told"]
        assert isinstance(said, bytes) and isinstance(told, str)
        entries = said.decode().rstrip("\0").split("\0")
        seen = dict(entry.split("=", 1) for entry in entries)
        # What the user has typed is accepted by the programs that a crawl starts, too.
        accepted = seen.pop("LYCOSA_TRUST", "").split()
        assert set(environment.pop("LYCOSA_TRUST", "").split()) <= set(accepted)
        assert seen == environment
        # The crawl itself has its large pages, where there are any.
        assert ("glibc.malloc.hugetlb=1" in told) is are_given()


def packages(folder: Path) -> Path:
    """Make a folder with an installed plugin."""
    info = folder / "starter-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: starter\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[lycosa.plugins]\nstarter = starter:found\n")
    (folder / "starter.py").write_text(PLUGIN)
    return folder
