"""The keys about telling the operator: a command, a webhook, and a file of figures over time."""

from __future__ import annotations

from lycosa.model.job.keys import Record, key

HAPPENINGS = ("end", "stall", "disk")
"""The run has ended; nothing has been fetched for a while; the disk is nearly full."""


class Notify(Record):
    """Notifications when a run ends, stands still, or fills the disk."""

    command: str = key(
        "",
        "The program that is started, with its arguments, as a shell would split them; no shell "
        "runs it. The event is in its environment (LYCOSA_EVENT, LYCOSA_CRAWL, LYCOSA_REASON,"
        " LYCOSA_PAGES) and, as JSON, on its standard input. Empty means none.",
    )
    webhook: str = key(
        "",
        "The http or https address to which the event is posted as JSON. `${NAME}` stands "
        "for a secret, as in `[login] fields`; if the whole address is secret, write `${NAME}`"
        " alone. Empty means none.",
        pattern=r"|https?://[^\s@/?]+([/?]\S*)?|\$\{[A-Za-z_][A-Za-z0-9_]*\}",
        pattern_text="an http or https address without a password, or `${NAME}`",
        is_confidential=True,
    )
    on: tuple[str, ...] = key(
        HAPPENINGS,
        "Events to report: the end of a run, a standstill, a disk that is nearly full.",
        pattern="|".join(HAPPENINGS),
        pattern_text="one of " + ", ".join(f"`{name}`" for name in HAPPENINGS),
    )
    stall_seconds: float = key(
        600.0,
        "Time without a finished request after which a run counts as standing still. A pause by"
        " the operator is not a standstill.",
        unit="seconds",
        least=1,
    )
    disk_bytes: int = key(
        2_000_000_000,
        "The disk of the crawl is nearly full if it has less free space than this.",
        unit="bytes",
        least=0,
    )
    time_limit_seconds: float = key(
        30.0,
        "Time limit of the command, and of an attempt to reach the webhook.",
        unit="seconds",
        least=1,
    )


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
