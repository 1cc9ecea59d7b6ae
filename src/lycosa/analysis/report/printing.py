"""Prints a report to PDF with a Chromium that gets only the report's own file.

The document forbids scripts and fetching (`page`), so the browser only lays it out. Chromium has no
sandbox as root, so root must set `LYCOSA_WITHOUT_SANDBOX=1` as for rendering.

Not promised: equal bytes. The same study gives the same pages, but a PDF contains the moment of its
making.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from pathlib import Path

from lycosa.errors import LycosaError
from lycosa.features.rendering.sandbox import VARIABLE
from lycosa.fetch.browser.executable import NAMES

MOST_SECONDS = 120.0
_FLAGS = (
    *("--headless", "--disable-gpu", "--no-first-run", "--disable-background-networking"),
    *("--disable-extensions", "--disable-component-update", "--disable-sync", "--mute-audio"),
    *("--no-pdf-header-footer", "--disable-dev-shm-usage"),
)


def find_printer() -> str:
    """Return the path of a Chromium; raise `LycosaError` with a remedy if there is none."""
    program = next(filter(None, map(shutil.which, NAMES)), None)
    if program is None:
        raise LycosaError(
            "a PDF of the report needs Chromium, which is not installed\n"
            "  install: apt-get install chromium, or typeset report.tex (--latex)"
        )
    if os.geteuid() == 0 and os.environ.get(VARIABLE) != "1":
        raise LycosaError(
            "Chromium has no sandbox when root runs it\n"
            f"  run it as another user, or allow that: {VARIABLE}=1"
        )
    return program


def print_pdf(program: str, document: Path, into: Path) -> None:
    """Print an HTML file; raise `LycosaError` if the browser fails."""
    with tempfile.TemporaryDirectory(prefix="lycosa-print-") as home:
        own = [f"--user-data-dir={home}", f"--print-to-pdf={into.resolve()}"]
        own += ["--no-sandbox"] if os.environ.get(VARIABLE) == "1" else []
        try:
            done = subprocess.run(
                [program, *_FLAGS, *own, document.resolve().as_uri()],
                stdin=subprocess.DEVNULL,
                capture_output=True,
                timeout=MOST_SECONDS,
                env={**os.environ, "HOME": home},
            )
        except subprocess.TimeoutExpired:
            raise LycosaError(f"{program}: took longer than {MOST_SECONDS:g} s to print") from None
        if done.returncode or not into.is_file():
            said = done.stderr.decode("utf-8", "replace").strip().splitlines()
            raise LycosaError(f"{program}: could not print the report\n  {(said or [''])[-1]}")
