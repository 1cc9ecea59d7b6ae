"""Crawls that copy their segments to a store, for tests of `lycosa fetch`."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple


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
    arguments = ["--kind", kind, "--no-tls", "--folder", str(folder)]
    command = [sys.executable, "-m", "lycosa", "testweb", *arguments]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        told: dict[str, list[str]] = {}
        while (words := server.stdout.readline().split()) != ["ready"]:
            assert words, "the test web did not start"
            told.setdefault(words[0], []).append(words[1])
        try:
            yield Web(told["seed"], str(Path(told["hosts"][0]).resolve()))
        finally:
            server.terminate()


def start(*words: object) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "lycosa", *map(str, words), "--quiet"]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
