"""A small web of trees that `lycosa testweb` serves in a process of its own."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def tree_web(folder: Path, levels: int, fanout: int, hosts: int) -> Iterator[tuple[str, list[str]]]:
    """Serve so many hosts; return the path of the hosts file, and a seed of each host."""
    arguments = ["--levels", str(levels), "--fanout", str(fanout), "--hosts", str(hosts)]
    command = [sys.executable, "-m", "lycosa", "testweb", "--kind", "tree", "--no-tls", *arguments]
    command += ["--folder", str(folder)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        told: dict[str, list[str]] = {}
        while (words := server.stdout.readline().split()) != ["ready"]:
            assert words, "the test web did not start"
            told.setdefault(words[0], []).append(words[1])
        yield str(Path(told["hosts"][0]).resolve()), told["seed"]
        server.terminate()
