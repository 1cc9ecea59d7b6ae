"""What processes have used, by the kernel's own count."""

from __future__ import annotations

import os
from pathlib import Path

_TICKS = os.sysconf("SC_CLK_TCK")


def cpu_seconds(pid: int) -> float:
    """Return the CPU time of a process and of its children; 0 if it has ended.

    The parent of one that has ended counts it.
    """
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        by_thread = [path.read_text() for path in Path(f"/proc/{pid}/task").glob("*/children")]
    except FileNotFoundError:
        return 0.0
    children = [int(child) for told in by_thread for child in told.split()]
    own: float = sum(map(int, fields[11:15])) / _TICKS
    return own + sum(map(cpu_seconds, children))
