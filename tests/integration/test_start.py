"""A crawl loads what it uses and nothing else: most of the time of a small one is loading.

None of what is listed here is needed for a crawl over plain HTTP without plugins, and all of it
was in the way of one, or would be (docs/decisions/0031-a-start-in-less-time.md). Who adds an import
at the head of a module, and not where it is needed, brings it back.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from lycosa_testweb.generated.plan import Mixture
from lycosa_testweb.generated.web import GeneratedWeb
from lycosa_testweb.sections import Tree
from lycosa_testweb.servers.server import SocketWeb

pytestmark = pytest.mark.quick

CHILD = """\
import atexit, sys
sys.modules["numpy"] = None  # Arrow would load it, and it half of what is not wanted here
atexit.register(lambda: sys.stderr.write(" ".join(sys.modules)))
from lycosa.cli.start import program
program()
"""

NOT_NEEDED = {
    "asyncio": "our loop is our own",
    "ctypes": "nothing is asked of the C library beside what the environment says",
    "curl": "plain HTTP is spoken by ourselves",
    "email": "heads of answers are read by ourselves",
    "http": "the same",
    "lycosa.api": "that is for other programs",
    "lycosa.runtime.workers.worker_process": "there is one worker",
    "lycosa.runtime.workers.supervisor": "there is one worker",
    "lycosa.features.plugins.feature": "there are no plugins",
    "lycosa.extract.html.mentions": "the job is not wide",
    "lycosa.extract.html.mentioned_text": "the job is not wide",
    "lycosa.frontier.schedulers.tree": "another scheduler's",
    "lycosa.features.plugins.hooks": "there are no plugins",
    "lycosa.features.plugins.plugin": "there are no plugins",
    "lxml": "for other kinds of pages",
    "multiprocessing": "workers are started by ourselves",
    "pyarrow._compute": "rows are put in order by `_order`",
    "pyarrow.compute": "250 functions of Python",
    "pyarrow.dataset": "for those who read crawls",
    "pyarrow.fs": "the file systems of three clouds",
    "pyarrow.parquet": "what writes is in `pyarrow._parquet`",
    "pycurl": "plain HTTP is spoken by ourselves",
    "pyoxigraph": "for questions",
    "rich": "nobody looks",
    "shutil": "nothing is moved, and it loads three compressors",
    "ssl": "nobody asks for https",
    "tempfile": "memory is enough",
    "tomllib": "the job was made of flags",
    "xml": "for sitemaps",
}


@pytest.fixture
def loaded(tmp_path: Path) -> set[str]:
    """Crawl a page; returns what the process had loaded in the end."""
    child = tmp_path / "child.py"
    child.write_text(CHILD)
    web = GeneratedWeb(2, Mixture(1, 1, sections=(((Tree(1, 1),), 1.0),)))
    names = {name: value for name, value in os.environ.items() if name not in ("TMPDIR", "TEMP")}
    with SocketWeb(web) as server:
        command = [sys.executable, str(child), "crawl", web.home(0), "-o", str(tmp_path / "crawl")]
        command += ["--allow-private", "--depth", "0"]
        command += ["--set", f"fetch.hosts_file={server.hosts_file}"]
        command += ["--workers", "1", "--delay", "0", "--mining", "off", "--quiet", "--json"]
        ended = subprocess.run(
            command, capture_output=True, text=True, timeout=60, check=False, env=names
        )
    assert ended.returncode == 0, ended.stderr
    assert '"pages": 1' in ended.stdout
    return set(ended.stderr.split())


def test_a_crawl_of_one_page_loads_nothing_that_it_does_not_use(loaded: set[str]) -> None:
    assert {
        "lycosa.runtime.processes.run",
        "lycosa.storage.segments.sealing",
        "pyarrow._parquet",
    } <= loaded
    in_the_way = {name: why for name, why in NOT_NEEDED.items() if name in loaded}
    assert in_the_way == {}


NOT_FOR_PROGRAMS = ("asyncio", "duckdb", "pyarrow.compute", "pyarrow.fs", "pyarrow.parquet")
"""What a program that crawls and blocks has no use for."""


@pytest.mark.parametrize(
    ("line", "in_the_way"),
    [
        ("from lycosa import Crawl, Job, Plugin, run", NOT_FOR_PROGRAMS),
        ("import lycosa.analysis.exports.items", ("asyncio", "pyarrow.compute", "pyarrow.fs")),
    ],
)
def test_programs_and_exports_load_nothing_that_they_do_not_use(
    line: str, in_the_way: tuple[str, ...]
) -> None:
    told = f"import sys\n{line}\nprint(*sys.modules)"
    shown = subprocess.run([sys.executable, "-c", told], capture_output=True, text=True, check=True)
    assert {*in_the_way} & {*shown.stdout.split()} == set()
