"""A crawl in a cell of a notebook, executed by a real kernel."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbclient import NotebookClient
from traitlets.config import Config

from lycosa_testweb.servers.server import SocketWeb
from lycosa_testweb.webs.graph import GraphWeb

A = "http://www.a.test/"
CRAWL = """
from lycosa import Job, run
job = Job.of(
    seeds=["http://www.a.test/"],
    limits={{"pages": 3, "free_disk_bytes": 0}},
    politeness={{"delay_seconds": 0.0, "ip_delay_seconds": 0.0}},
    fetch={{"allow_private": True, "hosts_file": {hosts!r}}},
    discovery={{"mining": "off"}},
)
crawl = run({folder!r}, job)
print(crawl.reason, sum(page.outcome == "kept" for page in crawl.pages()))
"""
FAILS = """
def fail(progress):
    raise ValueError("of the program")
run({folder!r}, job, on_progress=fail, progress_seconds=0.01)
"""


@pytest.fixture
def hosts() -> Iterator[str]:
    edges = {A: [f"{A}{number}" for number in range(9)]}
    with SocketWeb(GraphWeb(edges, latency=0.05)) as server:
        yield str(server.hosts_file)


def _over_sockets_of(folder: str) -> Config:
    """A kernel that listens on Unix sockets.

    TCP ports are chosen, and let go, before the kernel takes them; another test may be quicker.
    """
    # Not `tmp_path`: the name of a Unix socket has at most 107 bytes.
    return Config(KernelManager={"transport": "ipc", "ip": f"{folder}/kernel"})


def test_a_cell_waits_for_the_crawl_and_shows_how_far_it_is(tmp_path: Path, hosts: str) -> None:
    cells = [
        CRAWL.format(hosts=hosts, folder=str(tmp_path / "crawl")),
        FAILS.format(folder=str(tmp_path / "other")),
    ]
    made: Any = nbformat.v4
    notebook = made.new_notebook(cells=[made.new_code_cell(cell) for cell in cells])
    with tempfile.TemporaryDirectory() as sockets:
        client = NotebookClient(
            notebook,
            timeout=100,
            allow_errors=True,
            resources={"metadata": {"path": str(tmp_path)}},
            config=_over_sockets_of(sockets),
        )
        client.execute()
    crawled, failed = (cell["outputs"] for cell in notebook["cells"])
    assert [out["text"] for out in crawled if out["output_type"] == "stream"] == ["pages 3\n"]
    (shown,) = [out["data"]["text/html"] for out in crawled if out["output_type"] == "display_data"]
    assert 'max="3" value="3"' in shown
    assert shown.endswith("ended: pages</div>")
    errors = [out["evalue"] for out in failed if out["output_type"] == "error"]
    assert errors == ["of the program"]
