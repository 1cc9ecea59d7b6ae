"""Run the broad race; `python -m benchmarks.broad --help` tells how."""

from __future__ import annotations

import argparse
import json
import os
import shutil
import statistics
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

from benchmarks.broad.web import ADDRESSES, PAGES, BroadWeb, serving
from benchmarks.race.clients import CONNECTIONS, lycosa_program, run_folder
from benchmarks.race.environments import bench_environment
from benchmarks.race.measuring import Usage, measure
from benchmarks.race.table import markdown

HEADS = ["client", "pages", "pages per CPU-second", "lowest to highest", "wall, s", "peak, MB"]
SPIDER = Path(__file__).parent / "spider.py"


def lycosa(web: BroadWeb, folder: Path) -> list[str]:
    command = [lycosa_program(), "crawl", "--seeds", str(folder / "seeds")]
    command += ["-o", str(folder / "crawl"), "--include", ".test", "--allow-private"]
    command += ["--workers", "1", "--delay", "0", "--ip-delay", "0", "--mining", "off"]
    command += ["--connections", str(CONNECTIONS), "--depth", "3000"]
    for setting in (
        "politeness.answer_time_factor=0",
        "robots.sitemaps=false",
        f"fetch.hosts_file={folder / 'hosts'}",
        f"fetch.ca_file={web.authority}",
    ):
        command += ["--set", setting]
    return [*command, "--quiet", "--json"]


def scrapy(web: BroadWeb, folder: Path) -> list[str]:
    python = str(bench_environment() / "bin" / "python")
    files = [str(folder / name) for name in ("seeds", "hosts", "pages.jsonl")]
    return [python, str(SPIDER), *files, "--connections", str(CONNECTIONS)]


def scrapy_pages(folder: Path) -> set[str]:
    with (folder / "pages.jsonl").open() as lines:
        return {json.loads(line)["url"] for line in lines}


def lycosa_urls(folder: Path) -> set[str]:
    found = set()
    for file in (folder / "crawl" / "cdx").glob("*.cdxj"):
        for line in file.read_text().splitlines():
            record = json.loads(line.split(" ", 2)[2])
            if record["mime"] == "text/html" and str(record["status"]) == "200":
                found.add(record["url"])
    return found


CLIENTS: dict[
    str, tuple[str, Callable[[BroadWeb, Path], list[str]], Callable[[Path], set[str]], list[str]]
] = {
    "lycosa": ("Lycosa", lycosa, lycosa_urls, []),
    "scrapy": ("Scrapy, settings for broad crawls", scrapy, scrapy_pages, ["--seconds"]),
}


def run(web: BroadWeb, name: str, seconds: float) -> tuple[Usage, int]:
    """Run one client from one host on each address; the value has the pages that it kept."""
    _, command, pages, limit = CLIENTS[name]
    folder = Path(tempfile.mkdtemp(prefix=f"broad-{name}-", dir=run_folder()))
    try:
        (folder / "hosts").write_text(web.hosts_lines())
        (folder / "seeds").write_text("".join(web.front(n) + "\n" for n in range(ADDRESSES)))
        asked = command(web, folder)
        asked += [*limit, f"{seconds:g}"] if limit and seconds else []
        usage = measure(asked, folder=folder, environment={}, most_seconds=1_800)
        return usage, len(pages(folder))
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def table(runs: dict[str, list[tuple[Usage, int]]]) -> str:
    rows = []
    for name, found in runs.items():
        rates = [pages / usage.cpu_seconds for usage, pages in found]
        rows.append(
            [
                CLIENTS[name][0],
                f"{statistics.median_low(pages for _, pages in found):,}",
                f"**{statistics.median(rates):,.0f}**",
                f"{min(rates):,.0f}-{max(rates):,.0f}",
                f"{statistics.median(usage.wall_seconds for usage, _ in found):.1f}",
                f"{statistics.median(usage.peak_megabytes for usage, _ in found):.0f}",
            ]
        )
    return markdown(HEADS, rows)


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.broad", description=__doc__)
    parser.add_argument("--hosts", type=int, default=10_000)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--clients", nargs="+", choices=list(CLIENTS), default=list(CLIENTS))
    parser.add_argument(
        "--slow-seconds", type=float, default=60.0, help="when Scrapy is cut off; 0 is never (60)"
    )
    asked = parser.parse_args(arguments)
    runs: dict[str, list[tuple[Usage, int]]] = {name: [] for name in asked.clients}
    with serving(asked.hosts) as web:
        for _ in range(asked.runs):
            for name in asked.clients:
                runs[name].append(run(web, name, asked.slow_seconds))
    print(
        f"{asked.hosts:,} hosts on {ADDRESSES} addresses, half over TLS, {PAGES} pages each;"
        f" {asked.runs} runs in turns; load {os.getloadavg()[0]:.1f} at the end.\n"
    )
    print(table(runs))


if __name__ == "__main__":
    main()
