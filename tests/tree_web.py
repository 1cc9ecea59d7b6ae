"""Webs that `lycosa testweb` serves in a process of its own."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

Served = tuple[str, list[str]]
"""The path of the hosts file, and the seeds."""


@contextmanager
def served_web(folder: Path, *flags: str) -> Iterator[Served]:
    """Serve a web of this kind; its files go into the folder."""
    command = [sys.executable, "-m", "lycosa", "testweb", *flags, "--no-tls"]
    command += ["--folder", str(folder)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        told: dict[str, list[str]] = {}
        try:
            while (words := server.stdout.readline().split()) != ["ready"]:
                assert words, "the test web did not start"
                told.setdefault(words[0], []).append(words[1])
            yield str(Path(told["hosts"][0]).resolve()), told.get("seed", [])
        finally:
            server.terminate()


@contextmanager
def tree_web(folder: Path, levels: int, fanout: int, hosts: int) -> Iterator[Served]:
    """Serve so many hosts, each a tree of pages; there is a seed for each host."""
    sizes = ["--levels", str(levels), "--fanout", str(fanout), "--hosts", str(hosts)]
    with served_web(folder, "--kind", "tree", *sizes) as served:
        yield served
