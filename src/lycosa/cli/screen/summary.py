"""Prints the summary of a run: why it ended, what was found, and what to type next."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from lycosa.cli.amounts import counted, duration_text, size_text
from lycosa.cli.screen.lines import (
    HowEnded,
    errors_of,
    items_stored,
    left_out_of,
    put_aside_of,
    reason_text,
)
from lycosa.cli.screen.lines import command as command
from lycosa.cli.screen.topics import topics_facts
from lycosa.crawl.links.known_copies import KNOWN_COPY
from lycosa.crawl.status.left_out import amount_text, told
from lycosa.crawl.status.progress import Progress
from lycosa.crawl.status.words import in_words
from lycosa.errors import ConfigError
from lycosa.extract.structured.counts import BROKEN, PAGES, REASONS, TRIPLES
from lycosa.frontier.facts.rendering import SHELL
from lycosa.model.job import Job
from lycosa.model.job.seeds import parted

_IN_LOG = " (lycosa.log names the pages)"

_SLOW_COMMIT_SECONDS = 0.1
"""A commit that waits longer, twice a second, holds the crawl up; --json always has the time."""

_MOST_KINDS = 8
"""How many kinds of items are named; --json has all."""

_MOST_ORIGINS = 8
"""How many unreachable origins are listed; the log file and --json have more."""


def summary_of(ended: HowEnded, job: Job, path: Path | None = None) -> RenderableType:
    """Return the summary of a run, ready to be printed; with the items of a directory, if given."""
    progress = ended.progress
    facts = [
        ("pages", f"{progress.pages:,}, {size_text(progress.bytes)}"),
        ("hosts", f"{sum(progress.hosts.values()):,}"),
        ("this run", _run_text(progress)),
        ("in queue", counted(progress.pending, "URL")),
        *triples_fact(progress.structured),
        *(items_fact(items_stored(path)) if path is not None else []),
    ]
    if progress.unsent_bytes:
        unsent = f"{size_text(progress.unsent_bytes)} are here alone; a resume copies them"
        facts.append(("not in store", unsent))
    if progress.put_off:
        why = (
            "they are unlikely to be about wanted topics"
            if job.topics.focus == "hard"
            else "to the next cycle"
        )
        if job.topics.policy == "budget":
            why = "the budgets of their topics are used up"
        facts.insert(4, ("put off", f"{counted(progress.put_off, 'URL')}, {why}"))
    if progress.is_paused:
        facts.insert(0, ("paused", "you have paused the crawl; a resume ends the pause"))
    facts += topics_facts(progress.topics, progress.budgets, job)
    if progress.mined:
        facts.append(("guessed", mined_text(progress.mined)))
    facts += rendered_facts(progress.rendered, progress.parts_refused)
    facts += left_out_facts(progress.left_out, job)
    facts += saved_fact(progress.refusals)
    is_whole = ended.is_complete and not put_aside_of(progress.refusals) and not progress.left_out
    parts: list[RenderableType] = [
        Text(reason_text(ended, job), "bold green" if is_whole else "bold yellow"),
        Padding(facts_table(facts), (1, 0, 0, 2)),
    ]
    parts += counts_tables(progress.outcomes, progress.refusals, progress.structured)
    parts += given_up_table(progress.given_up, progress.given_up_origins)
    return Group(*parts)


def saved_fact(refusals: dict[str, int]) -> list[tuple[str, str]]:
    """Return the number of links to other views of a kept page, if there are any."""
    if not (count := refusals.get(KNOWN_COPY, 0)):
        return []
    what = "led to kept pages (session ids, print versions, replies, sorted listings)"
    return [("saved", f"{counted(count, 'link')} {what}")]


def mined_text(mined: dict[str, list[int]]) -> str:
    """Count the guesses that were pages: `10 of 14 were pages (folder 3/5, number 7/9)`."""
    all_guessed, all_pages = (sum(counts) for counts in zip(*mined.values(), strict=True))
    rules = ", ".join(
        f"{rule.replace('_', ' ')} {pages:,}/{guessed:,}"
        for rule, (guessed, pages) in mined.items()
    )
    return f"{all_pages:,} of {all_guessed:,} were pages ({rules})"


def _run_text(progress: Progress) -> str:
    text = f"{counted(progress.requests, 'request')} in {duration_text(progress.seconds)}"
    if progress.workers > 1:
        text += f" by {progress.workers:,} workers"
    wait = progress.commit_queue_seconds + progress.commit_lock_seconds
    if progress.commits and wait / progress.commits >= _SLOW_COMMIT_SECONDS:
        text += f"; slow disk: each commit waited {wait / progress.commits * 1000:,.0f} ms"
    return text


def commands_of(ended: HowEnded, job: Job, path: Path, width: int) -> Text:
    """Return the next commands; a command is never wrapped, so that it can be copied."""
    commands = list(_commands(ended, job, path))
    longest = max(len(line) for line, _ in commands)
    text = Text("\nnext\n", "bold")
    for line, purpose in commands:
        text.append(f"  {line:<{longest}}".rstrip(), "not bold cyan")
        if longest + 28 <= width:
            text.append(f"{'':{longest - len(line)}}   {purpose}", "not bold dim")
        text.append("\n")
    text.rstrip()
    return text


def facts_table(facts: list[tuple[str, str]]) -> Table:
    """Return a table of names and values."""
    table = Table.grid(padding=(0, 3, 0, 0))
    table.add_column(min_width=9, style="bold cyan", no_wrap=True)
    table.add_column()
    for name, value in facts:
        table.add_row(name, Text(value))
    return table


def triples_fact(structured: dict[str, int]) -> list[tuple[str, str]]:
    """Return the number of triples, if there are any."""
    if not structured.get(TRIPLES):
        return []
    pages = counted(structured.get(PAGES, 0), "page")
    return [("triples", f"{structured[TRIPLES]:,} on {pages}")]


def items_fact(items: dict[str, int] | None) -> list[tuple[str, str]]:
    """Return the numbers of items that plugins have emitted, by kind."""
    if items is None:
        return [("items", "not counted: a table is damaged")]
    kinds = [f"{count:,} {kind}" for kind, count in [*items.items()][:_MOST_KINDS]]
    if len(items) > _MOST_KINDS:
        kinds.append(f"{sum([*items.values()][_MOST_KINDS:]):,} of other kinds")
    return [("items", ", ".join(kinds))] if kinds else []


def rendered_facts(
    rendered: dict[str, int], parts_refused: dict[str, int]
) -> list[tuple[str, str]]:
    """Say what a browser has rendered, what it lacked, or that pages seem empty without one."""
    counts = dict(rendered)
    shells = counts.pop(SHELL, 0)
    facts: list[tuple[str, str]] = []
    if counts:
        named = ", ".join(f"{count:,} {name}" for name, count in counts.items())
        facts.append(("browser", named))
    if parts_refused:
        named = ", ".join(f"{count:,} {in_words(why)}" for why, count in parts_refused.items())
        parts = counted(sum(parts_refused.values()), "part")
        facts.append(("lacking", f"{parts} of pages: {named}"))
    if shells:
        pages = counted(shells, "page")
        facts.append(("scripts", f"{pages} without text or links but for scripts: --render auto"))
    return facts


def left_out_facts(left_out: dict[str, int], job: Job) -> list[tuple[str, str]]:
    """Return what the limits have left out, a line for each."""
    lines = "\n".join(amount_text(one) for one in told(left_out, job))
    return [("beyond", lines)] if lines else []


def left_out_table(left_out: dict[str, int], job: Job, path: object) -> list[RenderableType]:
    """Return a table of what the limits have left out, each with its command."""
    parts: list[RenderableType] = []
    for one in told(left_out, job):
        line = Text(f"  {amount_text(one)}", "yellow")
        parts += [line, Text(f"    {command(one.command, path, *one.rest)}", "cyan")]
    return [Text("\nleft out by limits", "bold"), *parts] if parts else []


def given_up_table(given_up: list[list[Any]], origins: int) -> list[RenderableType]:
    """Return a table of the unreachable origins, if there are any."""
    if not given_up:
        return []
    table = Table.grid(padding=(0, 3, 0, 0))
    table.add_column(justify="right", min_width=9, style="red")
    table.add_column(no_wrap=True, overflow="ellipsis")
    table.add_column(style="dim")
    for origin, urls, why in given_up[:_MOST_ORIGINS]:
        table.add_row(f"{urls:,}", Text(origin), why)
    if origins > _MOST_ORIGINS:
        table.add_row("", Text(f"and {origins - _MOST_ORIGINS:,} more origins", "dim"))
    title = Text("\nunreachable origins, with their URLs in queue", "bold")
    return [title, Padding(table, (0, 0, 0, 2))]


def counts_tables(
    outcomes: dict[str, int], refusals: dict[str, int], structured: dict[str, int]
) -> list[RenderableType]:
    """Return tables of errors, excluded pages and refused links, without the empty ones."""
    not_taken = {
        REASONS.get(name, name) + (_IN_LOG if name in BROKEN else ""): count
        for name, count in structured.items()
        if name not in (TRIPLES, PAGES)
    }
    left_out = left_out_of(outcomes)
    left_out.pop("host_limit", None)  # it is named with the limit and its command
    groups = [
        ("errors", errors_of(outcomes), "red"),
        ("left out", left_out, "yellow"),
        ("links refused", dict(sorted(refusals.items(), key=lambda item: -item[1])), "dim"),
        ("structured data left out", not_taken, "dim"),
    ]
    parts: list[RenderableType] = []
    for title, counts, style in groups:
        if not counts:
            continue
        table = Table.grid(padding=(0, 3, 0, 0))
        table.add_column(justify="right", min_width=9, style=style)
        table.add_column(no_wrap=True, overflow="ellipsis")
        for name, count in list(counts.items())[:12]:
            table.add_row(f"{count:,}", Text(in_words(name)))
        if len(counts) > 12:
            table.add_row(f"{sum(list(counts.values())[12:]):,}", Text("others", "dim"))
        parts += [Text(f"\n{title}", "bold"), Padding(table, (0, 0, 0, 2))]
    return parts


def _commands(ended: HowEnded, job: Job, path: Path) -> Iterator[tuple[str, str]]:
    url = "URL"
    # a long list of seeds is not kept in memory: the log has it
    with suppress(ConfigError, IndexError):
        url, _ = parted(job.seeds[0])
    yield command("explain", path, url), "the history of a URL"
    if ended.progress.pages:
        own = list(_of_recipe(job.crawl.recipe, path))
        yield from own
        if not own:
            yield command("cat", path, url, "--text"), "the text of a page"
            yield command("index", path), _indexes(ended)
            yield command("report", path), "all of it as a web page"
        yield command("audit", path), "was every request polite?"
    yield command("status", path), "show these figures again"
    if ended.progress.given_up_origins or ended.reason == "no seed":
        yield command("retry", path), "try unreachable origins"
    if put_aside_of(ended.progress.refusals):
        yield command("retry", path, "--traps"), "fetch what was put aside"
    for one in told(ended.progress.left_out, job):
        if one.command != "retry":
            yield command(one.command, path, *one.rest), amount_text(one)
    if not ended.is_complete:
        yield command("resume", path, *_more(ended, job)), "continue the crawl"


def _of_recipe(recipe: str, path: Path) -> Iterator[tuple[str, str]]:
    """Yield the commands that a crawl with a recipe was made for."""
    match recipe:
        case "archive":
            yield command("verify", path), "is the archive whole?"
            yield command("export wacz", path, "-o", f"{path.name}.wacz"), "one file, to replay"
        case "site-check":
            yield command("check-site", path), "broken links and other faults"
            yield command("export sitemap", path, "-o", "sitemap.xml"), "a sitemap of the site"
        case "dataset":
            yield (
                command("export text", path, "--format", "parquet", "-o", f"{path.name}.parquet"),
                "a table of texts",
            )
            yield command("index", path, "--only", "text"), "prepare lycosa search"
        case "study":
            yield command("report", path), "figures and tables as a web page"
            yield command("study", path), "tables for lycosa sql"
        case "semantic":
            yield command("index", path, "--only", "triples"), "prepare lycosa sparql"
            yield command("export triples", path, "--to", "URL"), "to a triple store"


def _indexes(ended: HowEnded) -> str:
    """Return the purpose of an index: search and, if there are triples, SPARQL."""
    also = " and SPARQL" if ended.progress.structured.get(TRIPLES) else ""
    return f"prepare lycosa search{also}"


def _more(ended: HowEnded, job: Job) -> list[str]:
    """Return the flag that raises the limit that ended the run."""
    limits = job.limits
    match ended.reason:
        case "pages":
            return ["--max-pages", str(limits.pages * 2)]
        case "bytes":
            return ["--max-bytes", str(limits.bytes * 2)]
        case "seconds":
            return ["--time", f"{limits.seconds * 2:g}s"]
        case "exhausted":
            if job.topics.policy == "budget":
                return ["--set", "topics.budgets=…"]
            if job.topics.focus == "hard":
                return ["--set", "topics.focus=soft"]
            return ["--cycles", str(job.revisit.cycles + 1)]
    return []


def print_summary(
    console: Console, ended: HowEnded, job: Job, path: Path, why_empty: Sequence[str] = ()
) -> None:
    """Print the summary for people; `why_empty` are the reasons if no content was kept."""
    console.print()
    console.print(summary_of(ended, job, path))
    if why_empty:
        what = "No page with content was kept." if ended.progress.pages else "No page was kept."
        console.print(Text(f"\n{what}", "bold red"))
    for why in why_empty:
        console.print(Text(f"  {why}"), soft_wrap=True)
    console.print(commands_of(ended, job, path, console.width), soft_wrap=True)
