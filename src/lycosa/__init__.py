"""Lycosa: a web spider that is polite beyond doubt and loses nothing when it is killed.

    from lycosa import Job, run

    job = Job.of(["https://example.org/"], fetch={"contact": "you@example.org"})
    for page in run("mycrawl", job).pages(outcome="kept"):
        print(page.url, page.title)

`__all__` lists the public names; each is imported when it is first used. Everything else may
change from one version to the next.

    api            runs and reads crawls from Python programs
    cli            the `lycosa` command
    report         turns a study into an HTML document
    study          analyses a crawl's tables with SQL and link analysis
    serve          offers a crawl's triples as a SPARQL endpoint
    query          builds a triple store of a crawl, and answers SPARQL
    crawl          runs a crawl: workers, processes, and what operators read and change
    plugins        loads plugins and calls their hooks safely
    testweb        generates a web on this machine, for tests
    frontier       decides which URL is fetched next, and when
    cluster        maps URLs to partitions, and partitions to workers
    log            stores the events of each partition
    store          writes and reads WARC files, Parquet tables and quads
    objects        keeps content of a crawl where all machines reach it
    fetch          sends requests: DNS, HTTP, TLS, robots files
    extract        reads links, text, facts and triples out of pages
    graph          computes PageRank, components and near duplicates over arrays
    config         reads, checks and writes jobs
    coding         decodes HTTP heads, chunks and compressed bodies
    records        the records that the parts of a crawl pass to each other
    links          holds a page's links in columns
    url            parses, normalises and judges URLs
    regex          matches users' regular expressions in bounded time
    memory         puts the process's heap into large pages
    lean_arrow     loads pyarrow without numpy and its own allocator
    marks          names the page that a process reads, in a file that survives it
    clock          real and virtual time
    loop           the event loop
    channel        sends messages to another process, whole and in order
    sandbox        takes the network away from a process
    failpoints     named places where tests can kill the crawler
    amounts        formats sizes, durations and counts
    sparse         large arrays of zeros that take memory only where they are written
    decoders       decodes JSON and MessagePack into classes, from any thread
    beneath        opens files of a crawl directory without following links
    spreadsheets   makes CSV cells safe to open in a spreadsheet
    terminal_text  makes text from the web safe to print on a terminal
    errors         the exceptions, as one tree
"""

TYPE_CHECKING = False  # as checkers take it; `typing` would be half of what this import costs

if TYPE_CHECKING:
    from lycosa.api.crawl import Crawl
    from lycosa.api.rows import Link, Page
    from lycosa.api.run import run, run_async
    from lycosa.config import Job
    from lycosa.errors import LycosaError
    from lycosa.plugins.pages import SeenPage
    from lycosa.plugins.plugin import Plugin

__version__ = "0.1.0.dev0"

__all__ = [
    "Crawl",
    "Job",
    "Link",
    "LycosaError",
    "Page",
    "Plugin",
    "SeenPage",
    "run",
    "run_async",
]

_HOMES = {
    "Crawl": "lycosa.api.crawl",
    "Job": "lycosa.config",
    "Link": "lycosa.api.rows",
    "LycosaError": "lycosa.errors",
    "Page": "lycosa.api.rows",
    "Plugin": "lycosa.plugins.plugin",
    "SeenPage": "lycosa.plugins.pages",
    "run": "lycosa.api.run",
    "run_async": "lycosa.api.run",
}


if not TYPE_CHECKING:  # a checker would take every name for one of ours

    def __getattr__(name: str) -> object:
        """Import a public name when it is first used, so that `import lycosa` costs nothing."""
        if name not in _HOMES:
            raise AttributeError(f"module 'lycosa' has no attribute {name!r}")
        from importlib import import_module

        found: object = getattr(import_module(_HOMES[name]), name)
        globals()[name] = found
        return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
