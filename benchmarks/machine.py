"""The machine and the state of the code that a measurement belongs to."""

from __future__ import annotations

import os
import platform
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def machine() -> str:
    """Return cores, architecture and kernel."""
    release = platform.release().split("-")[0]
    return f"{os.cpu_count()} cores, {platform.machine()}, Linux {release}"


def commit() -> str:
    """Return the last commit that changed `src`; `-dirty` follows where it was changed since."""
    name = _git("log", "-1", "--format=%h", "--abbrev=8", "--", "src").stdout.strip()
    if not name:
        return "an unknown commit"
    changed = _git("diff", "--quiet", "HEAD", "--", "src").returncode
    return f"{name}-dirty" if changed else name


def _git(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True, check=False)
