"""Demonstrate a simulated crawl that is killed and continues (`make simulation`).

It crawls two hundred hosts on twenty addresses, with Crawl-delays, refusals and robots files that
fail at times, for two virtual hours, and is killed now and then. The summary comes from the log,
the segments and the referee.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from lycosa.model.job import Job
from lycosa.model.records import Outcome
from lycosa.simulation.kills import KillRandomly
from lycosa.simulation.simulation import Result, Simulation
from lycosa_testweb.generated.web import GeneratedWeb


def main(arguments: list[str] | None = None) -> int:
    """Run the demonstration; the exit code is 1 if the referee found a breach."""
    parser = argparse.ArgumentParser(
        prog="python -m tools.simulate",
        description="Crawl a generated web in virtual time, kill the crawler, judge it.",
    )
    parser.add_argument("--hosts", type=int, default=200, help="hosts of the web (200)")
    parser.add_argument("--hours", type=float, default=2.0, help="virtual hours to crawl (2)")
    parser.add_argument("--kills", type=int, default=12, help="how often to kill the crawler (12)")
    parser.add_argument("--seed", type=int, default=1, help="another seed is another web (1)")
    options = parser.parse_args(arguments)
    web = GeneratedWeb.wide(
        options.seed, hosts=options.hosts, addresses=max(1, options.hosts // 10)
    )
    job = Job.of(
        seeds=[web.home(number) for number in range(min(20, options.hosts))],
        limits={"host_pages": 200, "depth_static": 12},
        politeness={"delay_seconds": 30.0, "large_site_delay_seconds": 20.0},
    )
    print(f"a web of {options.hosts} hosts on {max(1, options.hosts // 10)} addresses,")
    print(f"crawled for {options.hours:g} virtual hours, killed {options.kills} times\n")
    with tempfile.TemporaryDirectory(prefix="lycosa-demo-") as folder:
        simulation = Simulation(web, job, Path(folder), seed=options.seed, log="sqlite")
        began = time.perf_counter()
        kills = KillRandomly(options.seed, options.kills, probability=0.001)
        result = simulation.run(_Progress(kills, simulation), options.hours * 3600)
        _clear_line()
        _tell(simulation, result, time.perf_counter() - began)
    return 1 if result.breaches else 0


class _Progress:
    """A kill plan that also shows on a terminal how far the crawl is."""

    def __init__(self, kills: KillRandomly, simulation: Simulation) -> None:
        self._kills = kills
        self._simulation = simulation
        self._began = simulation.clock.now()
        self._shown_at = 0.0

    def __call__(self, name: str) -> bool:
        """Show the virtual time ten times a second, and decide as the plan does."""
        now = time.perf_counter()
        if sys.stderr.isatty() and now - self._shown_at > 0.1:
            self._shown_at = now
            hours = (self._simulation.clock.now() - self._began) / 3600
            seen = self._simulation.referee.statistics
            print(f"\r{hours:8.2f} virtual hours   {seen}\033[K", end="", file=sys.stderr)
        return self._kills(name)


def _clear_line() -> None:
    if sys.stderr.isatty():
        print("\r\033[K", end="", file=sys.stderr)


def _tell(simulation: Simulation, result: Result, seconds: float) -> None:
    states = result.states.values()
    outcomes: Counter[int] = Counter()
    for state in states:
        outcomes += state.outcomes + state.ended_by_closing()
    kept = simulation.kept_urls()
    hosts = sum(len(state.host_names) for state in states)
    urls = sum(len(state.table) for state in states)
    rows = [
        ("crawled", f"{result.virtual_seconds / 3600:.1f} virtual hours in {seconds:.1f} s"),
        ("requests", f"{result.requests:,}"),
        (
            "pages kept",
            f"{len(kept):,}, each once: {'yes' if len(set(kept)) == len(kept) else 'NO'}",
        ),
        ("bytes kept", f"{result.kept_bytes:,}"),
        ("URLs known", f"{urls:,} on {hosts:,} hosts, {sum(s.pending for s in states):,} pending"),
        ("killed at", ", ".join(f"{name} ×{n}" for name, n in Counter(result.kills).items())),
    ]
    for name, value in rows:
        print(f"{name:<12} {value}")
    print("\noutcomes")
    for outcome, count in outcomes.most_common():
        print(f"  {Outcome(outcome).name.lower().replace('_', ' '):<20} {count:>8,}")
    print(f"\nthe referee\n{simulation.referee.report()}")


if __name__ == "__main__":
    sys.exit(main())
