"""The job sections about order and storage, and the list of all sections.

A key is declared in one place, with its default, its unit, its possible values and a
sentence that says what it is for. The check of a job file, the reference page and the
commented example are all made from these declarations, so none of them can miss a key.

Not here: the sections about requests (`requests`) and about content (`content`).
"""

from __future__ import annotations

from collections.abc import Iterator

from lycosa._support.regex import Expression, compile_expression
from lycosa.model.job.content import Extract, Forms, Plugins, Structured
from lycosa.model.job.keys import Record, key
from lycosa.model.job.log_servers import server_problem
from lycosa.model.job.login import Login
from lycosa.model.job.notify import Notify, Statistics
from lycosa.model.job.recipes import RECIPES
from lycosa.model.job.render import Render
from lycosa.model.job.requests import Fetch, Limits, Politeness, Robots
from lycosa.model.job.revisit import Revisit
from lycosa.model.job.store import Store
from lycosa.model.job.topics import Topics


class Caches(Record):
    """Sizes of the caches of each worker: memory against work that is done again."""

    references: int = key(
        20_000,
        "Resolved and judged links, by the folder of their page; some 500 bytes each.",
        unit="links",
        least=1,
        most=10_000_000,
    )
    robots_rules: int = key(
        10_000,
        "Sites whose robots rules are kept ready to be asked; others are compiled again.",
        unit="sites",
        least=1,
        most=10_000_000,
    )
    sent_urls: int = key(
        2_048,
        "URLs that a partition has sent to another one and does not send again.",
        unit="URLs",
        least=1,
        most=10_000_000,
    )


SCHEDULERS = (
    "breadth-first",
    "best-first",
    "top-window",
    "leaf-window",
    "round-robin",
    "diverse",
    "profit",
    "topics",
)
SCORES = ("default", "links", "depth", "path")
CHILDREN = ("a-z", "z-a")
SPLITTING_PARTITIONERS = ("url-hash", "url-sum")
PARTITIONERS = ("domain", "host-hash", "host-even-sum", "host-odd-sum", *SPLITTING_PARTITIONERS)
DURABILITIES = ("process", "power")
MINING = ("off", "folders", "full")
MIRRORS = ("follow", "skip")

LARGEST_INTEGER = 2**63 - 1
LONGEST_SECONDS = 1e10
"""Largest time, three centuries: a larger value means that the unit was mistaken."""


class Frontier(Record):
    """The order of the crawl, and the partitions of the URL space."""

    scheduler: str = key(
        "breadth-first",
        "The order in which URLs are fetched; docs/howto/choose-a-scheduler.md shows each of them.",
        choices=SCHEDULERS,
        may_be_plugged=True,
    )
    score: str = key(
        "default",
        "The score that `best-first` and the windows order URLs by: the number of links to a "
        "URL, its nearness to a seed, the shortness of its path, or a plugin's. The default is "
        "links for `best-first`, and no score for windows; the other schedulers do not use it.",
        choices=SCORES,
        may_be_plugged=True,
    )
    window: int = key(
        20,
        "The number of hosts (`top-window`) or leaves (`leaf-window`) in a window; they are"
        " served before the window moves on, in its own order or by their score.",
        unit="URLs",
        least=1,
        most=10_000,
    )
    window_share: float = key(
        1.0,
        "With `top-window`, the part of a partition's hosts that its window holds, up to `window` "
        "of them: each partition has a window of its own size, and it is served as a whole before "
        "the window of the next partition.",
        most=1,
    )
    children: str = key(
        "a-z",
        "The order of the children in a node of the tree, for both windows: hosts and folders from "
        "the first in the alphabet on, or from the last.",
        choices=CHILDREN,
    )
    page_urls: int = key(
        10_000,
        "The number of URLs over which `diverse` spreads the sites.",
        unit="URLs",
        least=1,
        most=1_000_000,
    )
    partitions: int = key(
        64,
        "The number of partitions of the URL space; cannot be changed later.",
        unit="partitions",
        least=1,
        most=4096,
    )
    url_memory_bytes: int = key(
        0,
        "Memory limit of the known URLs. Beyond it, URLs of sites that are finished or "
        "wait for long are moved to disk, compressed, until they are needed. 0 means no limit.",
        unit="bytes",
    )
    partitioner: str = key(
        "domain",
        "URLs with the same registrable domain, or with the same host, share a partition; the "
        "sums are Tarantula's hashes and less even (docs/reference/partitioners.md). With the last "
        "two, every URL has its own, and partitions take turns at a host. Cannot be changed later.",
        choices=PARTITIONERS,
        may_be_plugged=True,
    )
    phases: int = key(
        0,
        "With `url-hash` or `url-sum`, the number of host sets that partitions take turns at; at "
        "least as many as there are partitions, and 0 means as many. Cannot be changed later.",
        unit="host sets",
        most=1_048_576,
    )
    slot_seconds: float = key(
        60.0,
        "With `url-hash` or `url-sum`, time that a partition with due URLs may serve a host set"
        " while another partition waits for it.",
        unit="seconds",
    )

    def contradictions(self) -> Iterator[str]:
        """Yield the faults of the section as a whole."""
        if 0 < self.phases < self.partitions:
            yield (
                f"has fewer `phases` ({self.phases}) than `partitions` ({self.partitions}), so "
                "that some partitions would always wait\n"
                f"  raise `phases` to {self.partitions} at least, or remove it"
            )


class Discovery(Record):
    """Guessing URLs without links from known ones."""

    mining: str = key(
        "folders",
        "URLs to guess: none; the folders above a page; or also URLs that continue a series "
        "(numbers, dates, paging parameters), learned by comparing known ones.",
        choices=MINING,
    )
    single_example: bool = key(
        False,
        "With `full`: also guess the neighbour of a URL that is the only one of its kind, "
        "`pics1/page2.html` and `pics2/page1.html` from `pics1/page1.html`.",
    )
    budget: float = key(
        0.1,
        "The share of all page requests that failed guesses may take; a dozen are free. "
        "A rule that fails on a host ends there much earlier.",
        most=1,
    )


class Traps(Record):
    """Limits for traps: places with ever more URLs and no new content."""

    budget: int = key(
        20,
        "Number of pages of one shape (a folder, ignoring numbers and dates) that may have no"
        " new content but more links; further URLs of that shape are put aside. Pages without"
        " new links count "
        "a quarter. 0 turns the defence off.",
        unit="pages",
        most=1_000_000,
    )
    folder_budget: int = key(
        50,
        "The same for all shapes below the first folder of a path together.",
        unit="pages",
        least=1,
        most=1_000_000,
    )
    host_budget: int = key(150, "The same for a whole host.", unit="pages", least=1, most=1_000_000)
    earned: int = key(
        5,
        "A page with something new adds this to all three budgets, up to their first value.",
        unit="pages",
        least=1,
        most=1000,
    )
    known_copies: bool = key(
        True,
        "If a page is kept already, treat a link to another view of it as a link to that page: "
        "with another session id, for print, to reply to a comment (`replytocom`), a directory "
        "listing in another order, or another spelling (`/%7Eann` for `/~ann`).",
    )
    mirrors: str = key(
        "follow",
        "Whether to follow the links of a host that mirrors another host.",
        choices=MIRRORS,
    )
    mirror_pages: int = key(
        10,
        "A host is a mirror if at least this many of its pages, and four fifths of all of them, "
        "are those of one other host.",
        unit="pages",
        least=1,
    )


class Log(Record):
    """The log: where it is kept, and how often the crawl is saved."""

    server: str = key(
        "",
        "The server that keeps the log: postgresql://HOST/DATABASE or nats://HOST1,HOST2,HOST3; "
        "empty for a file in the crawl directory. Without a password (docs/reference/logs.md); "
        "`lycosa move` changes it.",
    )
    name: str = key(
        "",
        "The crawl's name in the server, made when the crawl is begun.",
        pattern="[a-z0-9_]{0,50}",
        pattern_text="at most 50 of a-z, 0-9 and _",
    )
    commit_seconds: float = key(
        0.5,
        "Time between commits: a crash loses at most this much work.",
        unit="seconds",
        least=0.001,
        most=3600,
    )
    commit_answers: int = key(
        64,
        "Commit after this many answers of hosts without a pause, if that comes sooner: after a"
        " kill all uncommitted pages are fetched again. 0 means that only time counts.",
        unit="answers",
    )
    snapshot_batches: int = key(
        200, "A partition is snapshotted after this many of its batches.", unit="batches", least=1
    )
    durability: str = key(
        "process",
        "Faults that a commit survives: the death of the process, or a power cut, too.",
        choices=DURABILITIES,
    )
    seal_seconds: float = key(
        300.0,
        "Time between two sealings of segments, which let other programs read them; 0 means only"
        " when a segment is full.",
        unit="seconds",
    )
    segment_bytes: int = key(
        1_000_000_000,
        "A segment is sealed when its WARC file reaches this size.",
        unit="bytes",
        least=1000,
    )

    def contradictions(self) -> Iterator[str]:
        """Yield the faults of the section as a whole."""
        if self.server and (problem := server_problem(self.server)):
            yield f"`server`: {problem}"


class Crawl(Record):
    """The processes that do the work."""

    workers: int = key(
        0,
        "Number of processes that crawl in parallel, each with its own partitions; 0 means one for "
        "every processor core, but at most one for every partition and for every eight "
        "connections, and a single one in a crawl that is focused on topics.",
        unit="processes",
        most=1024,
    )
    silent_seconds: float = key(
        30.0,
        "A worker that does not respond for this long is killed and replaced.",
        unit="seconds",
        least=2,
    )
    reading_seconds: float = key(
        30.0,
        "A worker that has been reading one page for this long is killed and replaced. The page"
        " is requested once more, and each of its readers gets the same time in a process of its"
        " own. 0 means no limit.",
        unit="seconds",
        least=0,
    )
    reading_memory_bytes: int = key(
        1_000_000_000,
        "A worker whose memory grows by this much while it reads one page is killed and replaced"
        " likewise. 0 means no limit.",
        unit="bytes",
        least=0,
    )
    recipe: str = key(
        "none",
        "The recipe that the job was begun with (`lycosa crawl --recipe`). Its settings stand in "
        "their own sections; the name alone changes nothing.",
        choices=("none", *RECIPES),
    )


SECTIONS: dict[str, type] = {
    "limits": Limits,
    "politeness": Politeness,
    "robots": Robots,
    "fetch": Fetch,
    "extract": Extract,
    "structured": Structured,
    "render": Render,
    "frontier": Frontier,
    "topics": Topics,
    "discovery": Discovery,
    "forms": Forms,
    "login": Login,
    "traps": Traps,
    "log": Log,
    "store": Store,
    "revisit": Revisit,
    "crawl": Crawl,
    "caches": Caches,
    "statistics": Statistics,
    "notify": Notify,
    "plugins": Plugins,
}

SEEDS_DOC = (
    "The URLs that the crawl starts from; a long list as `{file = 'list.txt'}`, a file with one "
    "URL a line beside the job file."
)
RULES_DOC = "The rules of the scope and of rewriting URLs; one `[[rules]]` table each, in order."


def until_pattern(entry: str) -> Expression | None:
    """Return the expression of an entry of `until`; None for a plain URL."""
    prefix = "regex:"
    if not entry.startswith(prefix):
        return None
    return compile_expression(entry[len(prefix) :])
