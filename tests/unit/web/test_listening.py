"""The server's memory: what it loads, and what connections leave behind."""

from __future__ import annotations

import gc
import subprocess
import sys
import weakref

from lycosa._support.memory import expect_much
from lycosa.web.listening import COLLECTING, collecting_often

LARGE = {"duckdb", "numpy", "pyarrow", "pyoxigraph", "tantivy"}
CYCLES = 20_000


class _Connection:
    def __init__(self) -> None:
        self.itself = self


def _left_of(count: int) -> int:
    alive: weakref.WeakSet[_Connection] = weakref.WeakSet()
    for _ in range(count):
        alive.add(_Connection())
    return len(alive)


def test_the_server_loads_none_of_the_large_libraries() -> None:
    modules = "lycosa.cli.publishing.serve, lycosa.web.running"
    code = f"import sys, {modules}; print(*sys.modules)"
    ended = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60
    )
    loaded = set(ended.stdout.split())
    assert "uvicorn" in loaded
    assert not LARGE & loaded


def test_what_connections_leave_behind_is_freed_while_the_server_runs() -> None:
    before = gc.get_threshold()
    try:
        expect_much()
        assert _left_of(CYCLES) == CYCLES
        with collecting_often():
            assert _left_of(CYCLES) <= 2 * COLLECTING[0]
        assert gc.get_threshold() == (200_000, 20, 20)
    finally:
        gc.set_threshold(*before)
