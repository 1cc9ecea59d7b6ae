"""Prints a report to PDF by a Chromium, which nothing but the report's own file is given.

The document forbids scripts and fetching (`page`), so the browser only lays it out. Root has no
sandbox for it, and needs `LYCOSA_WITHOUT_SANDBOX=1` as for rendering.

Not always true: the same study gives the same pages, but a PDF has the moment of its making in it.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from pathlib import Path

from lycosa.crawl.rendering.sandbox import VARIABLE
from lycosa.errors import LycosaError
from lycosa.render.executable import NAMES

MOST_SECONDS = 120.0
_FLAGS = (
    *("--headless", "--disable-gpu", "--no-first-run", "--disable-background-networking"),
    *("--disable-extensions", "--disable-component-update", "--disable-sync", "--mute-audio"),
    *("--no-pdf-header-footer", "--disable-dev-shm-usage"),
)


def find_printer() -> str:
    """Return the path of a Chromium; raises `LycosaError` with what to do where there is none."""
    program = next(filter(None, map(shutil.which, NAMES)), None)
    if program is None:
        raise LycosaError(
            "a PDF of the report is printed by Chromium, and there is none\n"
            "  install: apt-get install chromium, or typeset report.tex (--latex)"
        )
    if os.geteuid() == 0 and os.environ.get(VARIABLE) != "1":
        raise LycosaError(
            "Chromium has no sandbox when root runs it\n"
            f"  run it as another user, or allow that: {VARIABLE}=1"
        )
    return program


def print_pdf(program: str, document: Path, into: Path) -> None:
    """Print an HTML file; raises `LycosaError` if the browser does not."""
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
