"""The keys about statistics over time: the figures, the interval, and the file."""

from __future__ import annotations

from lycosa.model.job.keys import Record, key

FIGURES = (
    "pages",
    "bytes",
    "requests",
    "pages_per_second",
    "pending",
    "put_off",
    "in_flight",
    "hosts",
    "hosts_waiting",
    "errors",
    "refused",
    "guessed",
    "guessed_pages",
    "triples",
    "seconds_left",
)
"""The names of all figures; `lycosa.crawl.status.statistics` computes them."""


class Statistics(Record):
    """Figures of a running crawl, written to a file at regular intervals."""

    file: str = key(
        "",
        "The file to which a line is appended at every interval: JSON if its name ends in"
        " `.jsonl`, else CSV. "
        "A resumed crawl appends to it. Empty means that no file is written.",
        is_path=True,
    )
    every_seconds: float = key(
        60.0,
        "Time between two lines; the end of a run adds a last one.",
        unit="seconds",
        least=1,
    )
    figures: tuple[str, ...] = key(
        FIGURES,
        "The figures of a line, after its moment and the seconds of this run.",
        pattern="|".join(FIGURES),
        pattern_text="one of " + ", ".join(f"`{name}`" for name in FIGURES),
    )
