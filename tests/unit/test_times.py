"""What `make test-times` measures."""

from __future__ import annotations

import os
import subprocess
import sys

from times import processor_seconds

BURNS = "import time\nwhile time.process_time() < 0.2: pass"


def test_what_a_child_has_used_counts() -> None:
    before = processor_seconds(os.getpid())
    subprocess.run([sys.executable, "-c", BURNS], check=True)
    # Each of four sums that the kernel gives is cut to a tick of 10 ms, before and after.
    assert processor_seconds(os.getpid()) - before >= 0.15
