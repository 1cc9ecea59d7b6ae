"""The job sections about content, order and storage, and the list of all sections.

A key is declared in one place, with its default, its unit, its possible values and a
sentence that says what it is for. The check of a job file, the reference page and the
commented example are all made from these declarations, so none of them can miss a key.

Not here: the sections about requests (`requests`).
"""

from __future__ import annotations

from lycosa.config.keys import Record, Table, key
from lycosa.config.requests import Fetch, Limits, Politeness, Robots
from lycosa.regex import Expression, compile_expression

SCHEDULERS = (
    "breadth-first",
    "best-first",
    "top-window",
    "leaf-window",
    "round-robin",
    "diverse",
    "profit",
)
SCORES = ("default", "links", "depth", "path")
PARTITIONERS = ("domain", "host-hash")
DURABILITIES = ("process", "power")
MINING = ("off", "folders", "full")
MIRRORS = ("follow", "skip")
POLICIES = ("off", "profit", "fresh", "uniform", "proportional")
QUALITIES = ("auto", "links", "pagerank")

LARGEST_INTEGER = 2**63 - 1
LONGEST_SECONDS = 1e10
"""Three centuries: whoever writes more has mistaken the unit."""


class Extract(Record):
    """What is taken out of a page."""

    most_links: int = key(0, "Links to take from one page; 0 is no limit.", unit="links")
    requisites: bool = key(
        False,
        "Whether what a page needs to be shown (images, styles, scripts) is fetched too, also from "
        "hosts that are out of scope.",
    )
    obey_nofollow: bool = key(
        True, "Whether links marked `nofollow`, one by one or for the whole page, are left alone."
    )
    soft_404_after: int = key(
        20,
        "When a site has given this many pages with text, it is asked once for a page that cannot "
        "exist, to know its error page if that comes as an ordinary one; 0 is never.",
        unit="pages",
        most=1000,
    )
    soft_404_bits: int = key(
        3,
        "A page is a soft 404 if its fingerprint differs from the error page's in no more bits.",
        unit="bits",
        most=10,
    )


class Structured(Record):
    """What pages say to machines, and what of it is kept as triples."""

    forms: tuple[str, ...] = key(
        ("rdfa", "json-ld", "microdata", "meta"),
        "The forms that are read: `rdfa`, `json-ld`, `microdata`, and `meta` for Open Graph, "
        "Twitter cards and Dublin Core. An empty list is none.",
        pattern="rdfa|json-ld|microdata|meta",
        pattern_text="`rdfa`, `json-ld`, `microdata` or `meta`",
    )
    drop: tuple[str, ...] = key(
        (
            "* <http://www.w3.org/1999/xhtml/vocab#stylesheet> *",
            "* <http://www.w3.org/1999/xhtml/vocab#icon> *",
            "* <http://www.w3.org/1999/xhtml/vocab#shortcut> *",
            "* <http://www.w3.org/1999/xhtml/vocab#apple-touch-icon> *",
            "* <http://www.w3.org/1999/xhtml/vocab#bookmark> *",
            "* <http*://schema.org/stylesheet> *",
            "* <http*://schema.org/icon> *",
            "* <http*://schema.org/shortcut> *",
            "* <http*://schema.org/bookmark> *",
        ),
        "Triples that are dropped: patterns of subject, predicate and object as N-Triples writes "
        "them, with `*` for any run of characters. Those given are what `rel` says without anybody "
        "meaning it.",
        pattern=r"\S+\s+\S+\s+\S[^\n]*",
        pattern_text="patterns of three parts, as in `* <http://example.org/price> *`",
    )
    links: bool = key(
        False,
        "Whether the addresses that structured data names by `@id`, `url` and `sameAs` are "
        "followed like links.",
    )
    most_triples: int = key(10_000, "Triples to take from one page; 0 is no limit.", unit="triples")
    largest_bytes: int = key(
        5_000_000,
        "A page that is longer is not read for structured data; 0 is no limit.",
        unit="bytes",
    )


class Frontier(Record):
    """The order of the crawl, and how the URL space is cut."""

    scheduler: str = key(
        "breadth-first",
        "What is fetched next; docs/howto/choose-a-scheduler.md shows each of them.",
        choices=SCHEDULERS,
        may_be_plugged=True,
    )
    score: str = key(
        "default",
        "What `best-first` goes by, and what orders the URLs within a window: how many links to "
        "a URL were seen, how near it is to a seed, how short its path is, or what a plugin "
        "says. By default links for `best-first`, and nothing for windows; the other schedulers "
        "have no use for it.",
        choices=SCORES,
        may_be_plugged=True,
    )
    window: int = key(
        20,
        "How many hosts (`top-window`) or leaves (`leaf-window`) a window holds; without a score "
        "it makes no difference.",
        unit="URLs",
        least=1,
        most=10_000,
    )
    page_urls: int = key(
        10_000,
        "How many URLs `diverse` spreads over one page.",
        unit="URLs",
        least=1,
        most=1_000_000,
    )
    partitions: int = key(
        64,
        "Into how many partitions the URL space is cut; cannot be changed later.",
        unit="partitions",
        least=1,
        most=4096,
    )
    url_memory_bytes: int = key(
        0,
        "Memory that the known URLs may take. Beyond it, URLs of sites that are finished or "
        "wait for long are put on disk, compressed, until they are needed. 0 is no limit.",
        unit="bytes",
    )
    partitioner: str = key(
        "domain",
        "What keeps URLs together in a partition: the registrable domain or the host; "
        "cannot be changed later.",
        choices=PARTITIONERS,
        may_be_plugged=True,
    )


class Discovery(Record):
    """Whether URLs that nobody links to are guessed from those that are known."""

    mining: str = key(
        "folders",
        "What is guessed: nothing; the folders above a page; or also what continues its siblings "
        "(numbers, dates, paging parameters), learned by comparing them.",
        choices=MINING,
    )
    budget: float = key(
        0.1,
        "The share of all requests for pages that guesses may cost in vain; a dozen are free. "
        "A rule that does not pay on a host ends there much earlier.",
        most=1,
    )


class Traps(Record):
    """What becomes of places that have ever more URLs and nothing new."""

    budget: int = key(
        20,
        "How many pages of one shape (a folder, numbers and dates aside) may bring nothing new and "
        "lead on; then further URLs of that shape are put aside. Pages that lead nowhere count a "
        "quarter. 0 is no defence.",
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
        "What a page that brings something new gives back to all three, up to what they were.",
        unit="pages",
        least=1,
        most=1000,
    )
    mirrors: str = key(
        "follow",
        "Whether the links of a host that shows what another host shows are followed.",
        choices=MIRRORS,
    )
    mirror_pages: int = key(
        10,
        "So many pages must be those of one other host, and four fifths of all that the host has "
        "given, before it is taken for a mirror.",
        unit="pages",
        least=1,
    )


class Log(Record):
    """How the crawl is written down as it goes."""

    commit_seconds: float = key(
        0.5, "Time between commits: what a crash can cost.", unit="seconds", least=0.001, most=3600
    )
    commit_answers: int = key(
        64,
        "A commit comes after so many answers of hosts without a pause, if that is sooner: all of "
        "them are asked for again after a kill. 0 leaves it to the time.",
        unit="answers",
    )
    snapshot_batches: int = key(
        200, "A partition is snapshotted after so many of its batches.", unit="batches", least=1
    )
    durability: str = key(
        "process",
        "What a commit survives: the death of the process, or a power cut.",
        choices=DURABILITIES,
    )
    seal_seconds: float = key(
        300.0,
        "How often what was fetched is sealed while the crawl runs, so that others can read it; "
        "0 is only when a segment is full.",
        unit="seconds",
    )
    segment_bytes: int = key(
        1_000_000_000,
        "A segment whose WARC file is this long is sealed, and another one begun.",
        unit="bytes",
        least=1000,
    )


class Crawl(Record):
    """The processes that do the work."""

    workers: int = key(
        0,
        "How many processes crawl side by side, each with partitions of its own; 0 is one for "
        "every processor core, but no more than there are partitions to crawl and one for every "
        "eight connections.",
        unit="processes",
        most=1024,
    )
    silent_seconds: float = key(
        30.0,
        "A worker that gives no sign of life for so long is killed and replaced.",
        unit="seconds",
        least=2,
    )


class Revisit(Record):
    """Whether pages are fetched again, and which."""

    policy: str = key(
        "off",
        "By what a cycle chooses the URLs it fetches. `profit` weighs the quality of a page with "
        "how probably the copy of it is out of date; `fresh` makes as many copies fresh as can be; "
        "`uniform` visits all pages equally often, `proportional` in proportion to how often they "
        "change. `off` is a crawl without cycles.",
        choices=POLICIES,
    )
    cycles: int = key(
        1, "How many cycles there are, the first crawl included.", unit="cycles", least=1
    )
    continuous: bool = key(False, "Whether one cycle follows the other until the crawl is stopped.")
    cycle_urls: int = key(
        100_000, "How many URLs a cycle fetches, new and known.", unit="URLs", least=1
    )
    cycle_seconds: float = key(
        86_400.0,
        "How long after the beginning of a cycle the next one begins, or later, when all of it is "
        "done. Of a host a cycle takes no more URLs than its pause permits in that time. 0 begins "
        "at once.",
        unit="seconds",
    )
    not_before_seconds: float = key(
        3_600.0, "A page that was seen more lately than this is left out.", unit="seconds"
    )
    change_seconds: float = key(
        864_000.0,
        "How long a page stays as it is, on the average: what is believed of a host before "
        "anything is known.",
        unit="seconds",
        least=1,
    )
    change_bits: int = key(
        0,
        "A page whose text is another one still counts as unchanged when its fingerprint differs "
        "from that of the known version in no more bits than this; 0 is any other text.",
        unit="bits",
        most=64,
    )
    quality: str = key(
        "auto",
        "What the quality of a page is for `profit`: its PageRank in the graph so far (`pagerank`, "
        "needs `pip install 'lycosa[study]'`), or the links to it and its depth (`links`); `auto` "
        "is the first where it can be had.",
        choices=QUALITIES,
    )
    seconds: float = key(
        0.0,
        "In a crawl without cycles: when a page that was kept is asked for again; 0 is never.",
        unit="seconds",
    )
    conditional: bool = key(
        True,
        "Tell the server which version is held (ETag, Last-Modified), so that a page that has not"
        " changed is not sent again.",
    )


class Plugins(Record):
    """What others add to the crawl: columns, links, rules, readers of more types, orders."""

    use: tuple[str, ...] = key(
        (),
        "The plugins that the crawl uses, by their names, in the order in which they are asked.",
        pattern=r"[A-Za-z0-9][A-Za-z0-9_.-]*",
        pattern_text="names of letters, digits, `_`, `.` and `-`",
    )
    settings: Table = key(
        Table(),
        "What a plugin is told, in a table with its name, as `[plugins.settings.wordcount]`; the "
        "plugin says which keys it knows.",
    )


SECTIONS: dict[str, type] = {
    "limits": Limits,
    "politeness": Politeness,
    "robots": Robots,
    "fetch": Fetch,
    "extract": Extract,
    "structured": Structured,
    "frontier": Frontier,
    "discovery": Discovery,
    "traps": Traps,
    "log": Log,
    "revisit": Revisit,
    "crawl": Crawl,
    "plugins": Plugins,
}

SEEDS_DOC = (
    "The URLs that the crawl starts from; a long list as `{file = 'list.txt'}`, a file with one "
    "URL a line beside the job file."
)
RULES_DOC = "What is in scope, and how URLs are rewritten; one `[[rules]]` table each, in order."


def until_pattern(entry: str, *, may_be_slow: bool = True) -> Expression | None:
    """Return the expression of an entry of `until`, or None when it is a plain URL."""
    prefix = "regex:"
    if not entry.startswith(prefix):
        return None
    return compile_expression(entry[len(prefix) :], may_be_slow=may_be_slow)
