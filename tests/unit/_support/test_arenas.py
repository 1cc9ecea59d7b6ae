"""Small objects lie in large pages, survive there, and leave when nobody needs them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from lycosa._support.memory import TUNABLES
from seeds import few_of

PAGES = Path("/sys/kernel/mm/transparent_hugepage/enabled")

MEASURED = """
import json, sys
from lycosa._support.memory import enlarge_arenas

before = [(number, str(number)) for number in range(20_000)]
enlarge_arenas()
enlarge_arenas()
from lycosa._support.memory._arenas import block_count, holds

found = {"at first": block_count()}
made = [(number, str(number)) for number in range(1_000_000)]
found["full"] = block_count()
found["are held"] = sum(holds(id(pair)) for pair in made)
found["is held from before"] = holds(id(before[0]))
found["are right"] = all(pair == (n, str(n)) for n, pair in enumerate(made))
with open("/proc/self/smaps", encoding="ascii") as file:
    found["are large"] = _large(file.read(), id(made[500_000]))
# Every second one goes, and comes again: what stays is not touched.
for place in range(0, len(made), 2):
    made[place] = None
for place in range(0, len(made), 2):
    made[place] = (place, str(place))
found["are right again"] = all(pair == (n, str(n)) for n, pair in enumerate(made))
found["full again"] = block_count()
del made
found["empty"] = block_count()
before.clear()
again = [(number, str(number)) for number in range(300_000)]
found["again"] = block_count(), all(pair == (n, str(n)) for n, pair in enumerate(again))
print(json.dumps(found))
"""

SMAPS = '''
def _large(smaps, address):
    """Return whether large pages are asked for where an object lies."""
    inside = False
    for line in smaps.splitlines():
        first = line.split(" ", 1)[0]
        if "-" in first and not first.endswith(":"):
            begin, end = (int(part, 16) for part in first.split("-"))
            inside = begin <= address < end
        elif inside and line.startswith("VmFlags"):
            return "hg" in line.split()
    return False
'''


def run(tunables: str, allocator: str = "") -> dict[str, Any]:
    """Return what a process found that had these settings."""
    environment = os.environ | {TUNABLES: tunables, "PYTHONMALLOC": allocator}
    if not allocator:
        del environment["PYTHONMALLOC"]
    done = subprocess.run(
        [sys.executable, "-c", SMAPS + MEASURED],
        env=environment,
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def test_small_objects_lie_in_large_pages() -> None:
    found = run("")
    assert found["at first"] == 0
    assert found["are right"] is found["are right again"] is True
    assert found["is held from before"] is False
    if not PAGES.exists() or "[madvise]" not in PAGES.read_text(encoding="ascii"):
        assert found["full"] == 0
        return
    assert found["are large"] is True
    # A pair and its text take at least 56 + 48 bytes; a few fill up arenas from before.
    assert 1_000_000 * 104 // 2**21 - 2 <= found["full"] < 120
    assert found["are held"] > 980_000
    assert found["full again"] == found["full"]
    assert found["empty"] < found["full"] // 10
    assert found["again"][0] > 10
    assert found["again"][1]


def test_who_wants_none_has_none() -> None:
    found = run("glibc.malloc.hugetlb=0")
    assert (found["full"], found["are held"], found["are right"]) == (0, 0, True)


@pytest.mark.parametrize("allocator", few_of(["malloc", "pymalloc_debug"], 1))
def test_other_allocators_do_as_they_did(allocator: str) -> None:
    found = run("", allocator)
    assert found["are right"] is found["are right again"] is True
    assert (found["full"] == 0) is (allocator == "malloc" or found["are held"] == 0)
