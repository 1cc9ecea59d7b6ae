"""Draws the pictures of the tutorial from a crawl of the test web.

    .venv/bin/python tests/unit/cli/screen/pictures.py

takes a minute and writes docs/pictures. The figures are those of the crawl: the panel
shows a moment in its middle.
"""

from __future__ import annotations

import io
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from rich.console import Console
from rich.text import Text

from lycosa.cli.screen.panel import ProgressPanel, pauses_text
from lycosa.cli.screen.summary import print_summary
from lycosa.crawl.status.progress import Listener, Progress
from lycosa.model.job import Job
from lycosa.runtime.directory import CrawlDirectory
from lycosa.runtime.processes.run import Ended, run_crawl

PICTURES = Path(__file__).parents[4] / "docs" / "pictures"
COMMAND = "lycosa crawl --seeds seeds.txt -o mycrawl --max-pages 600 --delay 1s …"


def without_fonts(svg: str) -> str:
    """Return a picture that asks no other host for a font."""
    bare = re.sub(r"@font-face \{[^}]*\}", "", svg)
    return bare.replace("Fira Code, monospace", "Menlo, Consolas, DejaVu Sans Mono, monospace")


@contextmanager
def test_web(folder: Path) -> Iterator[list[str]]:
    command = [sys.executable, "-m", "lycosa", "testweb", "--kind", "wide", "--hosts", "40"]
    command += ["--seed", "3", "--no-tls", "--folder", str(folder)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        seeds = []
        for line in server.stdout:
            word, _, rest = line.strip().partition(" ")
            seeds += [rest] if word == "seed" else []
            if word == "ready":
                break
        try:
            yield seeds
        finally:
            server.terminate()


def crawled(folder: Path) -> tuple[Job, Progress, Ended]:
    with test_web(folder) as seeds:
        job = Job.of(
            seeds=seeds,
            limits={"pages": 600},
            politeness={
                "delay_seconds": 1.0,
                "large_site_delay_seconds": 1.0,
                "ip_delay_seconds": 0.05,
            },
            fetch={"allow_private": True, "hosts_file": str(folder / "hosts")},
        )
        moments: list[Progress] = []
        directory = CrawlDirectory.create(folder / "mycrawl", job)
        ended = run_crawl(directory, listener=Listener(moments.append))
    return job, moments[len(moments) // 2], ended


def draw(job: Job, moment: Progress, ended: Ended) -> dict[str, Console]:
    progress, summary = (
        Console(record=True, width=88, file=io.StringIO(), force_terminal=True, highlight=False)
        for _ in range(2)
    )
    progress.print(Text(f"$ {COMMAND}", "bold"))
    progress.print(Text(pauses_text(job), "dim"))
    progress.print(ProgressPanel(moment, job, "mycrawl", "Ctrl-C stops cleanly"))
    print_summary(summary, ended, job, Path("mycrawl"))
    return {"progress": progress, "summary": summary}


if __name__ == "__main__":
    with TemporaryDirectory(prefix="lycosa-pictures-") as temporary:
        consoles = draw(*crawled(Path(temporary)))
    for name, console in consoles.items():
        print(console.export_text(clear=False))
        svg = console.export_svg(title="lycosa", unique_id=name)
        (PICTURES / f"{name}.svg").write_text(without_fonts(svg))
