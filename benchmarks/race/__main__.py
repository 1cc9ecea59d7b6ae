"""Run the race and write it down; `python -m benchmarks.race --help` tells how."""

from __future__ import annotations

import argparse
import dataclasses
import json
import os
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.machine import commit, machine
from benchmarks.race import environments, profile, server, spread, table, trees
from benchmarks.race.clients import MAKERS, Client, Course, clients, html_files, run_folder
from benchmarks.race.measuring import Run, Summary, measure, summarise

RESULTS = Path(__file__).resolve().parents[1] / "RESULTS.md"


@dataclass
class Race:
    """What was measured on one tree."""

    tree: trees.Tree
    runs: dict[str, list[Run]] = field(default_factory=dict)
    starts: dict[str, float] = field(default_factory=dict)
    pages: dict[str, frozenset[str]] = field(default_factory=dict)

    def summaries(self) -> list[Summary]:
        return [summarise(runs) for runs in self.runs.values()]


def main() -> None:
    asked = _arguments()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("ended by SIGTERM"))
    if (os.cpu_count() or 1) < 2:
        raise SystemExit("the race needs two cores: one for the server, one for the client")
    nginx = trees.program("nginx", "nginx")
    chosen = [trees.prepare(trees.TREES[name]) for name in asked.trees]
    if asked.profile:
        for tree in chosen:
            with server.serving(nginx, tree, tls=asked.tls) as port:
                profile.write(Course(tree, port, tls=asked.tls))
        return
    racers = clients(asked.clients, asked.beside)
    began = time.monotonic()
    races = [_race(nginx, tree, racers, asked) for tree in chosen]
    section = _section(races, racers, time.monotonic() - began, asked.tls)
    print(section)
    if asked.json:
        asked.json.write_text(json.dumps(_figures(races), indent=1) + "\n")
    if not asked.no_results:
        marks = table.TLS_MARKS if asked.tls else table.MARKS
        RESULTS.write_text(table.placed(RESULTS.read_text(), section, *marks))


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.race", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="tree A, one run, no plain Scrapy")
    parser.add_argument("--trees", nargs="+", choices=list(trees.TREES), default=None)
    parser.add_argument("--clients", nargs="+", choices=list(MAKERS), default=None)
    parser.add_argument(
        "--beside", nargs="+", default=[], metavar="REVISION", help="Lycosa as it was then, too"
    )
    parser.add_argument("--runs", type=int, default=None, help="runs of each client (3)")
    parser.add_argument(
        "--slow-seconds",
        type=float,
        default=30.0,
        help="when a slow rival is cut off; 0 is never (30)",
    )
    parser.add_argument("--names", action="store_true", help="also Lycosa on 64 hosts, both ways")
    parser.add_argument("--tls", action="store_true", help="over TLS 1.3, pages by gzip")
    parser.add_argument("--profile", action="store_true", help="where Lycosa's time goes instead")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures there too")
    parser.add_argument("--no-results", action="store_true", help="leave RESULTS.md as it is")
    asked = parser.parse_args()
    quick = ["lycosa", "wget2", "scrapy-lexbor"]
    usual = quick if asked.quick else [*quick, "scrapy-plain"]
    asked.clients = asked.clients or usual + (
        ["lycosa-spread", "lycosa-names"] if asked.names else []
    )
    asked.trees = asked.trees or (["A"] if asked.quick else ["A", "B"])
    asked.runs = asked.runs or (1 if asked.quick else 3)
    return asked


def _race(
    nginx: trees.Program, tree: trees.Tree, racers: Sequence[Client], asked: argparse.Namespace
) -> Race:
    """Let the clients take turns on one tree."""
    race = Race(tree)
    for file in html_files(tree.root / tree.scope.strip("/")):
        file.read_bytes()
    for turn in range(asked.runs):
        for client in racers:
            served = spread.spread(tree, client.hosts) if client.hosts else tree
            tls = asked.tls and not client.names
            with server.serving(nginx, served, names=client.names, tls=tls) as port:
                if turn == 0:
                    alone, _ = _run(client, Course(served, port, only_start=True, tls=tls))
                    race.starts[client.name] = alone.usage.cpu_seconds
                seconds = asked.slow_seconds if client.is_slow else 0.0
                run, pages = _run(client, Course(served, port, seconds=seconds, tls=tls))
            race.runs.setdefault(client.name, []).append(run)
            if run.complete and (client.hosts or not client.names):
                race.pages[client.name] = pages
            print(
                f"tree {tree.name}, run {turn + 1}, {client.title}: {run.pages:,} pages, "
                f"{run.usage.cpu_seconds:.2f} CPU s, {run.pages_per_cpu_second:,.0f} a CPU second",
                file=sys.stderr,
                flush=True,
            )
    return race


def _run(client: Client, course: Course) -> tuple[Run, frozenset[str]]:
    folder = Path(tempfile.mkdtemp(prefix=f"{client.name}-", dir=run_folder()))
    try:
        usage = measure(
            client.command(course, folder),
            folder=folder,
            environment=client.environment,
            most_seconds=course.seconds + 120 if course.seconds else 900,
            fine=client.fine,
        )
        pages = frozenset(client.pages(folder))
        if not pages:
            said = (folder / "output").read_text(errors="replace")[-2000:]
            raise SystemExit(f"{client.title} has kept no page\n{said}")
        complete = not course.seconds or usage.wall_seconds < course.seconds
        size = _megabytes(folder)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return Run(client.name, course.tree.name, usage, len(pages), complete, size), pages


def _megabytes(folder: Path) -> float:
    return sum(file.stat().st_size for file in folder.rglob("*") if file.is_file()) / 1e6


def _section(races: Iterable[Race], racers: Sequence[Client], seconds: float, tls: bool) -> str:
    titles = {client.name: client.title for client in racers}
    versions = ", ".join(f"{client.title} {client.version}" for client in racers)
    parts = [
        "## The race over TLS" if tls else "## The race",
        "    python -m benchmarks.race" + (" --tls" if tls else ""),
        table.TLS_INTRODUCTION if tls else table.INTRODUCTION,
        f"{_machine()}; {versions}; commit {commit()}; {time.strftime('%Y-%m-%d')}; "
        f"{seconds / 60:.0f} minutes, load {os.getloadavg()[1]:.1f} at the end (about 1.5 is the "
        "race alone).",
    ]
    for race in races:
        summaries, tree = race.summaries(), race.tree
        runs = max(one.runs for one in summaries)
        parts += [
            f"### Tree {tree.name}: `{tree.scope.strip('/')}` of {tree.package}, "
            f"{runs} run{'s' if runs > 1 else ''}",
            table.markdown(table.HEADS, table.rows(summaries, titles, race.starts)),
            "\n".join(
                "* " + said
                for said in table.ratios(summaries, titles) + table.differences(race.pages, titles)
            ),
        ]
    return "\n\n".join(parts)


def _figures(races: Iterable[Race]) -> dict[str, object]:
    return {
        "machine": _machine(),
        "commit": commit(),
        "trees": {
            race.tree.name: {
                "summaries": [dataclasses.asdict(one) for one in race.summaries()],
                "start_cpu_seconds": race.starts,
                "runs": [dataclasses.asdict(run) for runs in race.runs.values() for run in runs],
            }
            for race in races
        },
    }


def _machine() -> str:
    return f"{machine()}, {environments.described()}"


if __name__ == "__main__":
    main()
