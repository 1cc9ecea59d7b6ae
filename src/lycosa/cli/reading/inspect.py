"""The commands `status`, `queue`, `explain`, `cat` and `audit`, which only read a crawl."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import click
from rich.console import Console
from rich.padding import Padding
from rich.text import Text

from lycosa._support.safe_text import on_screen
from lycosa.cli.amounts import counted, duration_text, size_text
from lycosa.cli.input.options import json_flag, place_argument
from lycosa.cli.input.places import open_crawl
from lycosa.cli.input.seeds import with_scheme
from lycosa.cli.reading.prometheus import prometheus_option, prometheus_text
from lycosa.cli.screen.console import Screen
from lycosa.cli.screen.lines import put_aside_of, reading_text, time_left_text
from lycosa.cli.screen.notices import DAMAGED, Session
from lycosa.cli.screen.prospects import prospect_data, prospect_lines
from lycosa.cli.screen.status import CrawlStatus, status_of, store_text
from lycosa.cli.screen.summary import (
    command,
    counts_tables,
    facts_table,
    given_up_table,
    items_fact,
    left_out_table,
    mined_text,
    rendered_facts,
    saved_fact,
    triples_fact,
)
from lycosa.cli.screen.topics import (
    budgets_text,
    prediction_data,
    prediction_lines,
    topics_text,
)
from lycosa.crawl.status.left_out import end_of
from lycosa.crawl.status.unreachable import NO_SEED, what_was_missed

if TYPE_CHECKING:
    from typing import Any

    from lycosa.cli.input.places import Place
    from lycosa.model.job import Job
    from lycosa.operate.inspect.explain import Explanation
    from lycosa.operate.inspect.prediction import Prediction
    from lycosa.runtime.directory import CrawlDirectory

MOST_BLOCKED = 20
"""Most blocked hosts that `status` names; --json has all."""


def _print_json(data: object) -> None:
    click.echo(json.dumps(data, indent=2))


@click.command()
@place_argument
@json_flag
@prometheus_option
@click.pass_obj
def status(session: Session, /, path: Place, as_json: bool, form: str | None) -> None:
    """Show the state of a crawl, running or not."""
    if form:
        click.echo(prometheus_text(open_crawl(session, path)), nl=False)
        return
    directory = open_crawl(session, path)
    state = status_of(directory)
    if as_json:
        waits = [{**w, "until": _iso_or_none(w["until"])} for w in state.waits]
        following = {"next_cycle_at": _iso_or_none(state.next_cycle_at)}
        _print_json({"directory": str(path), **state._asdict(), "waits": waits, **following})
    else:
        _print_status(Screen(), path, state, directory.job())


def _print_status(console: Console, path: Place, state: CrawlStatus, job: Job) -> None:
    facts = [fact for fact in _status_facts(path, state) if fact[1]]
    console.print(Text(f"{path}: {_state(path, state)}", "bold"), soft_wrap=True)
    console.print(Padding(facts_table(facts), (1, 0, 0, 2)))
    for part in left_out_table(state.left_out, job, path):
        console.print(part, soft_wrap=True)
    for part in counts_tables(state.outcomes, state.refusals, state.structured):
        console.print(part)
    given_up = [list(one.values()) for one in state.given_up]
    for part in given_up_table(given_up, state.given_up_origins):
        console.print(part)


def _status_facts(path: Place, state: CrawlStatus) -> Iterator[tuple[str, str]]:
    """Yield every line of the table; the text of a line that does not apply is empty."""
    yield "pages", f"{state.pages:,}, {size_text(state.bytes)}"
    yield "URLs", f"{state.urls:,} known, {state.pending:,} in queue"
    yield "hosts", f"{state.hosts:,}"
    yield "on disk", size_text(state.disk_bytes) if state.disk_bytes is not None else ""
    yield "log", state.log
    yield "store", store_text(path, state) if state.store else ""
    yield "guessed", mined_text(state.mined) if state.mined else ""
    yield from rendered_facts(state.rendered, state.parts_refused)
    yield "browser", state.sandbox
    yield "topics", topics_text(state.topics) if state.topics else ""
    yield "budgets", budgets_text(state.budgets) if state.budgets else ""
    wanted = "of the pages are about wanted topics"
    yield "harvest", f"{state.harvest:.0%} {wanted}" if state.harvest is not None else ""
    yield from triples_fact(state.structured)
    if state.running_pid is None and not state.machines:
        yield from items_fact(state.items)
    yield from saved_fact(state.refusals)
    if state.cycle:
        put_off = f"; {counted(state.put_off, 'URL')} put off" if state.put_off else ""
        yield "cycle", f"{state.cycle}{put_off}"
        yield "next cycle", _next_cycle_text(path, state)
    yield "plugins", ", ".join(state.plugins)
    yield "waits for", _waits_text(state)
    waited = f"{duration_text(state.waited_seconds)} spent waiting for unreachable origins"
    yield "patience", waited if state.waited_seconds else ""
    left = time_left_text(state.seconds_left, state.limited_by)
    yield "to go", left if state.pending else ""
    yield "reading", reading_text(state.reading_again)
    yield "put aside", _put_aside_text(path, state)
    yield "changed", ", ".join(f"{key} = {value}" for key, value in state.values.items())
    rules = f"{counted(len(state.rules), 'rule')} added: {command('orders', path)}"
    yield "rules", rules if state.rules else ""
    yield "distances", _distances_text(state)
    yield "blocked", _blocked_text(path, state)


def _put_aside_text(path: Place, state: CrawlStatus) -> str:
    """Count the URLs put aside as traps, and show the command that gets them back."""
    put_aside = put_aside_of(state.refusals)
    if not put_aside:
        return ""
    urls = counted(sum(put_aside.values()), "URL")
    return f"{urls} as traps; retry them: {command('retry', path, '--traps')}"


def _blocked_text(path: Place, state: CrawlStatus) -> str:
    """Name the first blocked hosts, and the command that unblocks them."""
    if not state.blocked:
        return ""
    named = ", ".join(state.blocked[:MOST_BLOCKED])
    rest = len(state.blocked) - MOST_BLOCKED
    more = f" and {rest:,} more" if rest > 0 else ""
    return f"{named}{more}; lift: {command('unblock', path, 'HOST')}"


def _distances_text(state: CrawlStatus) -> str:
    """Count the pages whose shorter distance could not be passed on to their links."""
    parts = []
    if state.links_owed:
        parts.append(
            f"links of {counted(state.links_owed, 'page')} are on another machine and not read yet"
        )
    if state.links_given_up:
        given_up = counted(state.links_given_up, "page")
        parts.append(f"targets of {given_up} may be nearer to a seed than is known")
    return "; ".join(parts)


def _next_cycle_text(path: Place, state: CrawlStatus) -> str:
    if state.next_cycle_at is None:
        return f"none planned; do one now: {command('revisit', path)}"
    if state.next_cycle_at <= time.time():
        return "due"
    return f"not before {_moment(state.next_cycle_at)}"


def _waits_text(state: CrawlStatus) -> str:
    """Name the origins that must still wait, one a line."""
    lines = []
    for wait in state.waits:
        until = float(str(wait["until"]))
        when = f", until {_moment(until)}" if until else ""
        urls = f" ({counted(int(str(wait['urls'])), 'URL')})" if wait["urls"] else ""
        lines.append(f"{wait['who']}{urls}: {wait['why']}{when}")
    if state.waits_count > len(lines):
        lines.append(f"and {state.waits_count - len(lines):,} more")
    return "\n".join(lines)


def _state(path: Place, state: CrawlStatus) -> str:
    if state.machines:
        return f"running on {', '.join(state.machines)}"
    if state.running_pid is not None:
        workers = state.worker_pids
        with_workers = f" with {counted(len(workers), 'worker')}" if workers else ""
        how = "paused" if state.is_paused else "running"
        more = f"; go on: {command('resume', path)}" if state.is_paused else ""
        return f"{how} (process {state.running_pid}{with_workers}){more}"
    # a copy from a store has no log, so it must not look like a crawl that never began
    if state.is_copy and not state.urls:
        return f"a copy, without the log of the crawl; study it: {command('study', path)}"
    if not state.urls:
        return f"not started; start: {command('resume', path)}"
    if state.pending or state.is_followed:
        how = "paused and stopped" if state.is_paused else "stopped"
        return f"{how}; continue: {command('resume', path)}"
    missed = what_was_missed(state.outcomes, state.given_up_origins)
    if missed:
        what = counted(state.given_up_origins, "origin") if missed != NO_SEED else "no seed"
        not_be = "could not be reached" if missed != NO_SEED else "could be reached"
        return f"ended; {what} {not_be}; retry: {command('retry', path)}, then resume"
    if state.put_off and state.budgets:
        left = counted(state.put_off, "URL")
        more = command("resume", path, "--set", "topics.budgets=…")
        return f"ended; the budgets of topics are used up, {left} put off; larger ones: {more}"
    # without cycles or budgets, only a hard focus puts URLs off
    if state.put_off and not state.cycle:
        left = counted(state.put_off, "URL")
        more = command("resume", path, "--set", "topics.focus=soft")
        return (
            f"ended; {left} put off as unlikely to be about wanted topics; fetch them, too: {more}"
        )
    if state.put_off:
        left = counted(state.put_off, "URL")
        more = command("resume", path, "--cycles", str(state.cycle + 1))
        return f"ended after the last cycle; {left} put off; continue: {more}"
    word = end_of("exhausted", state.left_out)
    return f"{word}, except for URLs put aside" if put_aside_of(state.refusals) else word


@click.command()
@place_argument
@click.option("--host", metavar="HOST", default="", help="List only URLs of this host.")
@click.option(
    "--limit",
    metavar="N",
    type=click.IntRange(min=0),
    default=100,
    help="List at most N URLs; 0 means all. Default: 100.",
)
@json_flag
@click.pass_obj
def queue(session: Session, /, path: Place, host: str, limit: int, as_json: bool) -> None:
    """List the URLs in the queue, and the reason why each waits.

    The URL that is due first comes first; the scheduler chooses among URLs that are due now.

    \b
      lycosa queue mycrawl --host www.example.org
    """
    from lycosa.crawl.status.queue import queue_of
    from lycosa.runtime.orders.orders import host_named
    from lycosa.runtime.steady_clock import present_moment

    directory = open_crawl(session, path)
    job = directory.job()
    states = list(directory.states(job).values()) if directory.has_begun else []
    now = present_moment(states)
    found = queue_of(states, job, now, most=limit, host=host_named(host) if host else "")
    behind = max(0.0, now - time.time())
    shown = [one._replace(due=max(0.0, one.due - behind)) for one in found.first]
    if as_json:
        urls = [{**one._asdict(), "due": _iso_or_none(one.due)} for one in shown]
        totals = {"total": found.total, "put_off": found.put_off}
        _print_json({"directory": str(path), **totals, "urls": urls})
        return
    for one in shown:
        due = f", until {_moment(one.due)}" if one.due else ""
        click.echo(f"{one.url}\n  {_links(one.depth)}; waits for {one.waits_for}{due}")
    urls_text = counted(found.total, "URL")
    more = f"; {len(shown):,} are listed (--limit)" if len(shown) < found.total else ""
    put_off = f", {found.put_off:,} of them put off to a later cycle" if found.put_off else ""
    click.echo(f"{urls_text} in the queue{put_off}{more}")


@click.command()
@place_argument
@click.argument("url")
@json_flag
@click.pass_obj
def explain(session: Session, /, path: Place, url: str, as_json: bool) -> int:
    """Show the state and the history of a URL.

    Says where, when and how the URL was found, why it waits and when it is due, or which rule
    refuses it. In a crawl by topic it also computes, from the stored pages, how much each feature
    adds to the URL's place. The exit code is 1 when the crawl does not know the URL.
    """
    found, prediction = _explained(open_crawl(session, path), url)
    if as_json:
        _print_json(_explanation_data(found, prediction))
    else:
        _print_explanation(found, prediction)
    return 0 if found.is_known else 1


def _explained(directory: CrawlDirectory, url: str) -> tuple[Explanation, Prediction | None]:
    """Explain a URL from the log and, where the tables are on this machine, from these."""
    from lycosa.features.plugins.scheduling import partitioner_of
    from lycosa.frontier.freshness.quality import measure
    from lycosa.model.url import canonicalize
    from lycosa.operate.inspect.explain import explain as explain_url
    from lycosa.operate.inspect.refused_links import why_unknown, with_kinds
    from lycosa.runtime.steady_clock import present_moment
    from lycosa.storage.tables.link_ends import link_ends

    job = directory.job()
    states = directory.states(job)
    log = directory.log(job)
    partitioner = partitioner_of(job, noted=log.noted)
    now = present_moment(states.values())
    try:
        found = explain_url(
            with_scheme(url),
            job,
            log,
            states,
            partitioner,
            quality=lambda: measure(link_ends(directory.path), job.revisit.quality),
            now=now,
        )
    finally:
        log.close()
    if directory.is_distant:
        # the distance depends on links, and the tables with links are on other machines
        found = found._replace(prospect=None)
    if not found.is_known and canonicalize(with_scheme(url, is_said=False)):
        found = found._replace(standing=why_unknown(directory, found.url))
    found = found if directory.is_distant else with_kinds(directory, found)
    prediction = None
    # links and texts of another machine are in its own directory
    if found.topic and not directory.is_distant:
        from lycosa.operate.inspect.prediction import predicted, why_moved

        prediction = predicted(directory.path, job, found.url, partitioner, states)
        if prediction is not None:
            found = found._replace(history=tuple(why_moved(found.history, prediction.speakers)))
    behind = max(0.0, now - time.time())
    found = found._replace(
        due=max(0.0, found.due - behind), address_expires=max(0.0, found.address_expires - behind)
    )
    return found, prediction


def _explanation_data(found: Explanation, prediction: Prediction | None) -> dict[str, Any]:
    outcome = found.outcome.name.lower() if found.outcome else None
    place = found.place._asdict() if found.place else None
    history = [{"moment": _iso(step.moment), "what": step.what} for step in found.history]
    data = found._asdict() | {"outcome": outcome, "place": place, "history": history}
    moments = {"due": found.due, "address_expires": found.address_expires}
    told = {name: _iso(moment) if moment else None for name, moment in moments.items()}
    del data["prospect"]
    if not found.topic:
        del data["topic"]
    more = {"prospect": prospect_data(found.prospect)} if found.prospect else {}
    more |= {"prediction": prediction_data(prediction)} if prediction else {}
    return data | told | {"address": found.address or None} | more


def _print_explanation(found: Explanation, prediction: Prediction | None) -> None:
    click.echo(f"{found.url}\n  {found.standing}")
    if found.is_known:
        click.echo(f"  {_links(found.depth, found.rule, found.hops)}")
        click.echo(f"  {_address(found.address, found.address_expires)}")
    if found.due:
        click.echo(f"  due {_moment(found.due)}")
    if found.topic:
        click.echo(f"  {found.topic}")
    for line in prediction_lines(prediction) if prediction else ():
        click.echo(f"  {on_screen(line)}")
    for line in prospect_lines(found.prospect) if found.prospect else ():
        click.echo(f"  {line}")
    for step in found.history:
        click.echo(f"  {_moment(step.moment)}  {step.what}")


def _links(depth: int, rule: str = "", hops: int = 0) -> str:
    if not depth and rule == "sitemap":
        return "tried: sitemaps are often there"
    if not depth:
        return "a redirect target of a seed, or another page of its list" if hops else "a seed"
    return f"{counted(depth, 'link')} from a seed"


def _address(address: str, expires: float) -> str:
    if not address:
        return "the address of its host is not known"
    until = f"valid until {_moment(expires)}" if expires else "due for a new lookup"
    return f"its host has the address {address}, {until}"


def _iso(moment: float) -> str:
    return datetime.fromtimestamp(moment, UTC).isoformat(timespec="milliseconds")


def _iso_or_none(moment: object) -> str | None:
    return _iso(moment) if isinstance(moment, float) and moment else None


def _moment(moment: float) -> str:
    return f"{datetime.fromtimestamp(moment, UTC):%Y-%m-%d %H:%M:%S} UTC"


@click.command()
@place_argument
@json_flag
@click.pass_obj
def audit(session: Session, /, path: Place, as_json: bool) -> int:
    """Check every request of a crawl against the politeness rules.

    Lists each breach. The exit code is 1 if there is a breach, and 10 if there is none but
    some records of requests are damaged or missing, so that not all could be judged.
    """
    from lycosa.operate.inspect.audit import audit as audit_crawl

    directory = open_crawl(session, path)
    if directory.is_distant:
        from lycosa.runtime.shared_log.distant import bytes_elsewhere

        raise bytes_elsewhere(directory, "the records of requests")
    found = audit_crawl(directory)
    if as_json:
        _print_json(
            {
                "directory": str(path),
                "requests": found.requests,
                "is_clean": found.is_clean,
                "rules": list(found.rules),
                "breaches": list(found.breaches),
                "not_judged": list(found.not_judged),
                "links_owed": found.links_owed,
                "links_given_up": found.links_given_up,
            }
        )
    else:
        click.echo(f"{found.requests:,} requests checked against these rules:")
        for rule in found.rules:
            click.echo(f"  {rule}")
        for breach in found.breaches:
            click.echo(f"breach: {breach}")
        for gap in found.not_judged:
            click.echo(f"not judged: {gap}")
        if found.links_owed or found.links_given_up:
            click.echo(
                f"distances: links of {counted(found.links_owed, 'page')} are on other"
                f" machines and not read yet, of {counted(found.links_given_up, 'page')} given up"
            )
        if found.not_judged:
            click.echo(f"  some records are missing; repair: {command('verify', path)} --repair")
        click.echo(
            "clean" if found.is_clean else counted(len(found.breaches), "breach", "breaches")
        )
    if found.is_clean and found.not_judged:
        return DAMAGED
    return 0 if found.is_clean else 1


COMMANDS = (status, queue, explain, audit)
