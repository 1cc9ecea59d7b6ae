"""The library that breaks machines does what it says, and nothing where it is told nothing."""

from __future__ import annotations

import json
import os
import struct
import subprocess
import sys
import time
from pathlib import Path

import pytest

from soak.machine import build_broken

MEASURED = """
import json, os, sys, time
with open(sys.argv[1], "wb", buffering=0) as file:
    began = time.monotonic()
    file.write(b"x")
    written = time.monotonic()
    os.fsync(file.fileno())
    synced = time.monotonic()
clocks = time.time(), time.clock_gettime(time.CLOCK_BOOTTIME)
print(json.dumps([written - began, synced - written, *clocks]))
"""


@pytest.mark.parametrize("numbers", [(0, 0, 0), (-3600, 300_000, 200_000)])
def test_writes_and_syncs_are_slow_and_the_wall_clock_alone_jumps(
    tmp_path: Path, numbers: tuple[int, int, int]
) -> None:
    told = tmp_path / "told"
    told.write_bytes(struct.pack("=qqq", *numbers))
    preloaded = {"LD_PRELOAD": str(build_broken(tmp_path)), "LYCOSA_BROKEN": str(told)}
    before = time.time(), time.clock_gettime(time.CLOCK_BOOTTIME)
    command = [sys.executable, "-c", MEASURED, str(tmp_path / "file")]
    output = subprocess.run(command, env=os.environ | preloaded, capture_output=True, check=True)
    after = time.time(), time.clock_gettime(time.CLOCK_BOOTTIME)
    write, sync, wall, boot = json.loads(output.stdout)
    ahead, sync_microseconds, write_microseconds = numbers
    assert write * 1e6 >= write_microseconds
    assert sync * 1e6 >= sync_microseconds
    assert before[0] <= wall - ahead <= after[0]
    assert before[1] <= boot <= after[1]
