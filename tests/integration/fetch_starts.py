"""Crawls that copy their segments to a store, for tests of `lycosa fetch`."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from tree_web import served_web


class Web(NamedTuple):
    seeds: list[str]
    hosts_file: str

    def flags(self, store: Path) -> list[str]:
        keys = [f"fetch.hosts_file={self.hosts_file}", "store.seal_seconds=1"]
        keys += ["frontier.partitions=8"]
        pauses = ["--delay", "40ms", "--ip-delay", "1ms", "--allow-private"]
        return [*pauses, "--store", store.as_uri(), *(w for key in keys for w in ("--set", key))]


@contextmanager
def web_of(kind: str, folder: Path) -> Iterator[Web]:
    with served_web(folder, "--kind", kind) as (hosts_file, seeds):
        yield Web(seeds, hosts_file)


def start(*words: object) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "lycosa", *map(str, words), "--quiet"]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
