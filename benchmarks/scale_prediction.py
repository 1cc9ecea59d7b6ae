"""What the model predicts of a simulated cluster, beside what the simulation has counted.

`scale_curve` predicts the course of the crawl, `scale_traffic` what it writes to log and board;
here both become the figures that `scale_simulation` counts.
"""

from __future__ import annotations

from collections.abc import Callable
from math import log, sqrt
from typing import Any, NamedTuple

from benchmarks import scale_traffic
from benchmarks.charts import Line, draw
from benchmarks.scale_curve import Broad
from benchmarks.scale_curve import predict as curve
from benchmarks.scale_web import LATENCY_SECONDS, Sizes

SEED_SHARE = 100
"""One host in so many is a seed."""
FOUND_SECONDS = 0.3
MEAN_CLOCK_RATE = 0.98
"""Machines' clocks are up to 4 % slow, so pauses are longer by the true clock."""
HOST_BYTES, URL_BYTES, PAGE_BYTES = 686, 17, 39
"""Of memory, as tracemalloc counts it: `python benchmarks/resume.py --urls 400000 --fetches 40000
--hosts 20000`."""


class Plan(NamedTuple):
    """What is simulated."""

    machines: int = 64
    hosts: int = 100_000
    partitions: int = 1024
    connections: int = 16
    delay_seconds: float = 5.0
    far_links: int = 3
    seed: int = 1


def predict(plan: Plan) -> dict[str, Any]:
    """Return what the model says of the figures that a simulation counts."""
    sizes = Sizes()
    crawl = Broad(
        machines=plan.machines,
        connections=plan.connections,
        hosts=plan.hosts,
        seeds=len(range(0, plan.hosts, SEED_SHARE)),
        pages_by_share=sizes.shares(),
        far_links=plan.far_links,
        delay_seconds=plan.delay_seconds / MEAN_CLOCK_RATE,
        latency_seconds=sum(LATENCY_SECONDS) / 2,
        found_seconds=FOUND_SECONDS,
        starts_at=scale_traffic.start_seconds(plan.machines),
    )
    course = curve(crawl)
    counts = scale_traffic.traffic(crawl, course, plan.partitions)
    seconds = len(course.pages) * course.step_seconds + scale_traffic.END_SECONDS
    pages = float(course.pages.sum())
    largest = _largest_share(plan, sizes)
    totals = {name: float(some.sum()) for name, some in counts.items()}
    totals["puts"] = scale_traffic.board_puts(plan.machines, seconds)
    return {
        "plan": plan._asdict(),
        "pages": pages,
        "requests": float(course.requests.sum()),
        "seconds": seconds,
        "half_at": course.seconds_until(0.5),
        "nine_tenths_at": course.seconds_until(0.9),
        "shares": [plan.partitions // plan.machines, -(-plan.partitions // plan.machines)],
        "totals": totals,
        "pages_a_second": course.a_second(course.pages).tolist(),
        "requests_a_second": course.a_second(course.requests).tolist(),
        "by_second": {name: some.tolist() for name, some in counts.items()},
        "memory": {
            "urls": largest * pages / plan.machines,
            "hosts": largest * plan.hosts / plan.machines,
            "traced_bytes": largest
            * (plan.hosts * HOST_BYTES + pages * (URL_BYTES + PAGE_BYTES))
            / plan.machines,
        },
    }


def _largest_share(plan: Plan, sizes: Sizes) -> float:
    """Return by how much the machine with most URLs is above the average.

    Hosts fall on machines by chance, so the URLs of one machine vary by the square root of the sum
    of the squares of sizes; the largest of n machines is some sqrt(2 ln n) deviations above.
    """
    squares = sum(size * size * share for size, share in sizes.shares().items())
    deviation = sqrt(squares * plan.hosts / plan.machines)
    mean = sizes.mean * plan.hosts / plan.machines
    return 1 + sqrt(2 * log(plan.machines)) * deviation / mean


ROWS: list[tuple[str, Callable[[dict[str, Any]], float], str]] = [
    ("pages", lambda found: found["pages"], ",.0f"),
    ("requests", lambda found: found["requests"], ",.0f"),
    ("virtual seconds until the end", lambda found: found["seconds"], ",.0f"),
    ("half of the pages after, s", lambda found: _reached(found, 0.5), ",.0f"),
    ("nine tenths after, s", lambda found: _reached(found, 0.9), ",.0f"),
    ("pages a second, the best 60 s", lambda found: _best(found["pages_a_second"]), ",.0f"),
    ("requests a second, the best 60 s", lambda found: _best(found["requests_a_second"]), ",.0f"),
    ("pages a second, all in all", lambda found: found["pages"] / found["seconds"], ",.0f"),
    ("posts a page", lambda found: found["totals"]["posts"] / found["pages"], ".2f"),
    ("log bytes a page: events", lambda f: f["totals"]["event_bytes"] / f["pages"], ".0f"),
    ("log bytes a page: posts", lambda f: f["totals"]["post_bytes"] / f["pages"], ".0f"),
    ("commits a second, all in all", lambda f: f["totals"]["commits"] / f["seconds"], ",.0f"),
    ("commits a second, the worst 60 s", lambda f: _best(f["by_second"]["commits"]), ",.0f"),
    ("batches a page", lambda found: found["totals"]["appends"] / found["pages"], ".2f"),
    ("board writes a second", lambda f: f["totals"]["puts"] / f["seconds"], ".2f"),
    ("partitions of a machine, fewest", lambda found: found["shares"][0], "d"),
    ("partitions of a machine, most", lambda found: found["shares"][1], "d"),
    ("URLs of the fullest machine", lambda found: found["memory"]["urls"], ",.0f"),
    ("its partitions in memory, kB", lambda f: f["memory"]["traced_bytes"] / 1000, ",.0f"),
]


NOT_IN_PARTS = 5
"""Rows from the third to this one speak of the end; one more speaks of the fullest machine."""


def first_part(predicted: dict[str, Any], seconds: int) -> dict[str, Any]:
    """Return what the model says of the first seconds of a crawl."""
    by_second = {name: some[:seconds] for name, some in predicted["by_second"].items()}
    machines = predicted["plan"]["machines"]
    puts = (
        scale_traffic.board_puts(machines, seconds) - machines * scale_traffic.OTHER_PUTS_A_MEMBER
    )
    return predicted | {
        "pages": sum(predicted["pages_a_second"][:seconds]),
        "requests": sum(predicted["requests_a_second"][:seconds]),
        "seconds": seconds,
        "pages_a_second": predicted["pages_a_second"][:seconds],
        "requests_a_second": predicted["requests_a_second"][:seconds],
        "by_second": by_second,
        "totals": {name: sum(some) for name, some in by_second.items()} | {"puts": puts},
    }


def _reached(found: dict[str, Any], share: float) -> float:
    total, sums = sum(found["pages_a_second"]), 0.0
    for second, count in enumerate(found["pages_a_second"]):
        sums += count
        if sums >= share * total:
            return float(second)
    return float("nan")


def _best(counts: list[float], seconds: int = 60) -> float:
    windows = [sum(counts[at : at + seconds]) for at in range(max(1, len(counts) - seconds))]
    return max(windows) / seconds


def table(predicted: dict[str, Any], simulated: dict[str, Any] | None) -> str:
    """Return both side by side."""
    if simulated is None:
        lines = ["| | predicted |", "|---|---|"]
        lines += [f"| {name} | {value(predicted):{form}} |" for name, value, form in ROWS]
        return "\n".join(lines)
    lines = ["| | predicted | simulated | deviation |", "|---|---|---|---|"]
    rows = ROWS
    if simulated.get("is_part"):
        predicted = first_part(predicted, int(simulated["seconds"]))
        rows = [*ROWS[:2], *ROWS[NOT_IN_PARTS:-2]]
    for name, value, form in rows:
        said, was = value(predicted), value(simulated)
        lines.append(f"| {name} | {said:{form}} | {was:{form}} | {100 * (said / was - 1):+.0f} % |")
    return "\n".join(lines)


def picture(predicted: dict[str, Any], simulated: dict[str, Any]) -> str:
    """Return a chart of both, in means of five seconds."""

    def line(name: str, found: dict[str, Any], key: str, colour: str, is_dashed: bool) -> Line:
        means = [
            (at + 2.5, sum(found[key][at : at + 5]) / 5) for at in range(0, len(found[key]) - 4, 5)
        ]
        return Line(name, means, colour, is_dashed)

    return draw(
        f"{simulated['plan']['machines']} machines, {simulated['plan']['hosts']:,} hosts",
        "seconds (virtual time)",
        "a second",
        [
            line("requests, predicted", predicted, "requests_a_second", "#1f77b4", True),
            line("requests, simulated", simulated, "requests_a_second", "#1f77b4", False),
            line("pages, predicted", predicted, "pages_a_second", "#d95f02", True),
            line("pages, simulated", simulated, "pages_a_second", "#d95f02", False),
        ],
    )
