"""A page with a mark makes its reader misbehave, where `read.bomb` is armed and nowhere else."""

from __future__ import annotations

import os
import signal
import subprocess
import sys

import pytest

from lycosa_testweb.webs.bombs import marked

_READ = """
import resource, sys
from lycosa.extract.page import scan
from lycosa.extract.structured.distiller import Distiller, Page
from lycosa._support.failpoints import arm_from_environment
arm_from_environment()
if sys.argv[2] == "allocate":
    resource.setrlimit(resource.RLIMIT_AS, (1 << 30, 1 << 30))
if sys.argv[2] == "loop":
    resource.setrlimit(resource.RLIMIT_CPU, (2, 2))
page = sys.stdin.buffer.read()
facts = scan(page, "text/html")
print("scanned", flush=True)
print(Distiller().distil(Page(page, "http://a.test/", "text/html", facts), "b").size)
"""


def _read(reader: str, effect: str, armed: str) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [sys.executable, "-c", _READ, reader, effect],
        input=marked(reader, effect),
        env={**os.environ, "LYCOSA_READ_BOMB": armed},
        capture_output=True,
        check=False,
    )


@pytest.mark.parametrize(
    ("effect", "ends"),
    [("loop", -signal.SIGKILL), ("allocate", 1), ("crash", -signal.SIGSEGV)],
)
def test_a_marked_page_makes_its_reader_misbehave(effect: str, ends: int) -> None:
    run = _read("json-ld", effect, "1")
    assert (run.returncode, run.stdout) == (ends, b"scanned\n")
    assert effect != "allocate" or b"MemoryError" in run.stderr


def test_the_scan_of_a_marked_page_can_misbehave_too() -> None:
    run = _read("links", "crash", "1")
    assert (run.returncode, run.stdout) == (-signal.SIGSEGV, b"")


def test_a_marked_page_is_a_good_page_where_nothing_is_armed() -> None:
    run = _read("json-ld", "crash", "")
    assert (run.returncode, run.stdout) == (0, b"scanned\n5\n")
