"""Starts members of a cluster by the command line."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path


def start(folder: Path, number: int, *words: str) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "lycosa", *words, "-o", str(folder / f"m{number}"), "--quiet"]
    with (folder / f"m{number}.said").open("ab") as said:
        return subprocess.Popen(command, stdout=said, stderr=subprocess.STDOUT)
