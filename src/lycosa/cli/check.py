"""The command `check`: shows what a crawl makes of a URL, a robots file, a page or a scope."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from rich.console import RenderableType

from lycosa.cli.groups import CommandGroup
from lycosa.cli.input.jobs import build_job
from lycosa.cli.input.options import flags, json_flag, rule_flags, set_flag
from lycosa.cli.input.own_machine import opened_at
from lycosa.cli.input.places import open_crawl
from lycosa.cli.input.questions import answer_batch, asker_for, read_source, site_of_address
from lycosa.cli.input.seeds import has_scheme, with_scheme
from lycosa.cli.screen.console import Screen
from lycosa.cli.screen.notices import Session
from lycosa.model.job import Job, read_job

if TYPE_CHECKING:
    from lycosa.operate.checking.scope import ScopeChecker

batch_flag = click.option(
    "--batch",
    "is_batch",
    is_flag=True,
    help="Read lines of JSON from FILE or standard input, and write a line of JSON for each.",
)
job_flags = flags(
    click.option(
        "--config",
        "config_file",
        metavar="FILE",
        type=click.Path(path_type=Path),
        help="Read the job from this file (TOML).",
    ),
    set_flag,
)
ask_flags = flags(
    click.option(
        "--contact",
        metavar="TEXT",
        help="A web page or mail address where site owners reach you; part of the user agent.",
    ),
    click.option(
        "--allow-private",
        is_flag=True,
        help="Allow requests to private and loopback addresses.",
    ),
)


@click.group(cls=CommandGroup)
def check() -> None:
    """Test a URL, a robots file, a page or a scope without a crawl.

    Tells what a crawl would decide, and why; the same code decides. The exit code is 0 when
    the answer is yes and 1 when it is no: refused, disallowed, not kept, out of scope. With
    --batch it is 0 when every line could be answered, and 1 when some could not.
    """


@check.command()
@click.argument("urls", metavar="[URL]...", nargs=-1)
@click.option("--base", metavar="URL", help="Resolve relative URLs against this one.")
@job_flags
@json_flag
@batch_flag
def url(
    urls: tuple[str, ...], base: str | None, as_json: bool, is_batch: bool, **given: Any
) -> int:
    """Show the canonical form of a URL, its key, and every change on the way.

    \b
      lycosa check url 'HTTP://Example.ORG:80/a/../b?#top'
      lycosa check url --base https://example.org/docs/ ../img/x.png
      lycosa check url --batch < urls.jsonl > answers.jsonl

    A line of a batch is {"url", "base"}; "base" may be left out. The answer is
    {"canonical", "key", "url_id", "refusal"}. With --json one URL gives an object, several a
    list.
    """
    from lycosa.cli.screen import findings
    from lycosa.features.plugins.loader import load_hooks
    from lycosa.features.plugins.scheduling import partitioner_of
    from lycosa.operate.checking import batch, json_output
    from lycosa.operate.checking.urls import check_url

    if is_batch:
        return answer_batch(batch.urls(), urls)
    job = _job(given)
    partitioner = partitioner_of(job, load_hooks(job))
    checked = [check_url(one, base, partitioner) for one in _some(urls, "URL")]
    if as_json:
        _print_json(*(json_output.url_table(one) for one in checked))
    else:
        _print(findings.url_findings(one, job.frontier.partitions) for one in checked)
    return int(any(one.refusal for one in checked))


@check.command()
@click.argument("source", metavar="[FILE|URL]", required=False)
@click.argument("urls", metavar="[URL]...", nargs=-1)
@click.option("--agent", metavar="NAME", help="Read the file for this robot instead of lycosa.")
@job_flags
@ask_flags
@json_flag
@batch_flag
def robots(
    source: str | None,
    urls: tuple[str, ...],
    agent: str | None,
    as_json: bool,
    is_batch: bool,
    **given: Any,
) -> int:
    """Show what a robots file allows, and which line decides.

    Lists lines that have no effect or may be mistakes, with the reason.

    The file is a path, - for standard input, or any URL of a site, whose robots file is then
    fetched. URLs to judge may be paths; without any, the site's URL itself is judged.

    \b
      lycosa check robots robots.txt /private/x https://example.org/
      lycosa check robots https://example.org/ /cgi-bin/ --contact you@example.org
      lycosa check robots --batch < decisions.jsonl

    A line of a batch is {"robots_latin1", "agent", "url"}, the file with one character a
    byte; "agent" may be left out. The answer is {"allowed", "rule", "line"}, the rule as
    written in the file, or null. A batch compares the URL as it is written, otherwise its
    canonical form is compared.
    """
    from lycosa.cli.screen import findings
    from lycosa.fetch.robots.lines import explain_robots
    from lycosa.operate.checking import batch, json_output
    from lycosa.operate.checking.robots import check_paths

    job = _job(given | {"settings": (*given["settings"], *_agent_setting(agent))})
    if is_batch:
        return answer_batch(batch.robots(job), tuple(one for one in (source, *urls) if one))
    (source,) = _some((source,) if source else (), "FILE or a URL")
    asked = key = None
    if has_scheme(source):
        _, key = site_of_address(source)
        with asker_for(opened_at(job, source)) as asker:
            asked = asker.robots(key)
        found = asked.robots
    else:
        body = read_source(source, job.robots.largest_bytes)
        found = explain_robots(body, job.fetch.agent, job.robots.largest_bytes)
    paths = check_paths(found, urls or ((source,) if asked else ()), key)
    if as_json:
        _print_json(json_output.robots_table(found, paths, asked))
    else:
        _print([findings.robots_findings(source, found, paths, asked)])
    is_reachable = asked is None or asked.is_reachable
    return int(
        not is_reachable
        or not all(path.decision is not None and path.decision.is_allowed for path in paths)
    )


@check.command()
@click.argument("source", metavar="[FILE|URL]", required=False)
@click.option("--url", "base", metavar="URL", help="The URL of the page in the file.")
@click.option("--content-type", metavar="TYPE", help="The content type of the file.")
@job_flags
@ask_flags
@click.option("--requisites", is_flag=True, help="List images, styles and scripts too.")
@click.option("--wide", is_flag=True, help="List possible links, too, as in scripts and JSON.")
@json_flag
@batch_flag
def page(
    source: str | None,
    base: str | None,
    content_type: str | None,
    as_json: bool,
    is_batch: bool,
    **given: Any,
) -> int:
    """Show what Lycosa reads from a page, and which links it would follow.

    The page is a path, - for standard input, or a URL. A URL is fetched as in a crawl: first
    the site's robots file, then, if that allows it and after the pause, the page. With
    --config links are checked against the scope of that job.

    \b
      lycosa check page page.html --url https://example.org/page.html
      lycosa check page https://example.org/ --contact you@example.org
      lycosa check page --batch < pages.jsonl

    A line of a batch is {"file", "url", "content_type"}; the last two may be left out. The
    answer has "outcome", "title", "description", "language", "charset", "text", "links" (each
    with "url", "key", "kind", "text", "rel", "times"), "refused", and "structured" with the
    page's structured data ("triples", "forms", "left_out", "ntriples").
    """
    from lycosa.cli.screen import findings
    from lycosa.operate.checking import batch, json_output, pages
    from lycosa.operate.checking.scope import ScopeChecker

    job = _job(given)
    scope = ScopeChecker(job) if given["config_file"] else None
    if is_batch:
        return answer_batch(batch.pages(job, scope), (source,) if source else ())
    (source,) = _some((source,) if source else (), "FILE or a URL")
    asked = None
    if has_scheme(source):
        address: str | None
        address, key = site_of_address(source)
        with asker_for(opened_at(job, source)) as asker:
            asked = asker.page(key)
        checked = pages.check_page(asked.answer, address, job, scope)
    else:
        address = site_of_address(base)[0] if base else None
        sent = pages.answer_of_bytes(
            read_source(source, job.fetch.largest_body_bytes), content_type, job
        )
        checked = pages.check_page(sent, address, job, scope)
    if as_json:
        table = {"url": checked.url, **json_output.page_table(checked)}
        if asked is not None:
            table["robots"] = json_output.asked_table(asked)
        _print_json(table)
    else:
        _print([findings.page_findings(source, checked, asked)])
    return int(checked.outcome.name != "KEPT")


@check.command()
@click.argument("url")
@click.option(
    "--crawl",
    "path",
    metavar="DIR",
    type=click.Path(path_type=Path),
    help="Take the page and its parts from this crawl, with its job; nothing is asked for.",
)
@click.option(
    "--picture",
    metavar="FILE",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Write a picture of the page to this file (PNG); fetches images and styles, too.",
)
@job_flags
@ask_flags
@json_flag
@click.pass_obj
def render(
    session: Session,
    /,
    url: str,
    path: Path | None,
    picture: Path | None,
    as_json: bool,
    **given: Any,
) -> int:
    """Render one page as a crawl would, and report the result.

    Tells the ending, the seconds of each phase, the parts for which the page waited, and those
    that it did not get. The page and its parts are fetched as in a crawl: the site's robots file
    first, with guard and pauses; the browser reaches nothing.

    \b
      lycosa check render https://example.org/ --contact you@example.org
      lycosa check render https://example.org/ --crawl mycrawl --picture page.png
    """
    from lycosa.cli.screen import findings
    from lycosa.operate.checking import json_output
    from lycosa.operate.checking.rendering import OfCrawl, OfWeb, check_render

    mode = (*given["settings"], "render.mode=always")
    address = with_scheme(url)
    if path is not None:
        if given["config_file"]:
            raise click.UsageError("--crawl has a job of its own: leave out --config.")
        folder = open_crawl(session, path)
        job = build_job(folder.job(), given | {"settings": mode})
        found = check_render(address, OfCrawl(folder.path, job), job, wants_picture=bool(picture))
    else:
        job = opened_at(_job(given | {"settings": mode}), address)
        with asker_for(job) as asker:
            found = check_render(address, OfWeb(asker, job), job, wants_picture=bool(picture))
    told = ""
    if picture is not None:
        if found.done.picture:
            picture.write_bytes(found.done.picture)
        told = str(picture) if found.done.picture else "none could be taken"
    if as_json:
        _print_json(json_output.render_table(found))
    else:
        _print([findings.render_findings(found, told)])
    return int(not found.is_rendered)


@check.command()
@click.argument("urls", metavar="[URL]...", nargs=-1)
@click.option(
    "--dir",
    "path",
    metavar="DIR",
    type=click.Path(path_type=Path),
    help="Use the job of this crawl, with the hosts that joined its scope.",
)
@click.option("--seed", "seeds", metavar="URL", multiple=True, help="Add a seed to the job.")
@click.option("--only-seeds", is_flag=True, help="Fetch only the seeds, as in `lycosa crawl`.")
@job_flags
@rule_flags
@json_flag
@batch_flag
@click.pass_obj
def scope(
    session: Session,
    /,
    urls: tuple[str, ...],
    path: Path | None,
    seeds: tuple[str, ...],
    as_json: bool,
    is_batch: bool,
    **given: Any,
) -> int:
    """Show whether a URL is in scope, and which rule decides.

    \b
      lycosa check scope https://example.cl/a.pdf --include .cl --exclude 'regex:\\.pdf$'
      lycosa check scope https://example.org/x --seed https://example.org/
      lycosa check scope --dir mycrawl https://example.org/x

    A line of a batch is {"url", "base"}; "base" may be left out. The answer is {"in",
    "reason", "why", "rule", "transforms", "canonical", "key", "is_dynamic", "depth",
    "partition"}. With --json one URL gives an object, several a list.
    """
    from lycosa.cli.screen import findings
    from lycosa.operate.checking import batch, json_output

    if urls and not is_batch and (Path(urls[0]) / "crawl.toml").is_file():
        raise click.UsageError(f"{urls[0]} is a crawl: lycosa check scope --dir {urls[0]} URL")
    checker = _scope(session, path, seeds, given)
    if is_batch:
        return answer_batch(batch.scopes(checker), urls)
    checked = [checker.check(with_scheme(one)) for one in _some(urls, "URL")]
    if as_json:
        _print_json(*({"url": one.url, **json_output.scope_table(one)} for one in checked))
    else:
        frontier = checker.job.frontier
        _print(findings.scope_findings(one, frontier.partitions) for one in checked)
    return int(not all(one.is_wanted for one in checked))


def _scope(
    session: Session, path: Path | None, seeds: tuple[str, ...], given: dict[str, Any]
) -> ScopeChecker:
    from lycosa.operate.checking.scope import ScopeChecker
    from lycosa.runtime.directory import CrawlDirectory

    if path is None:
        return ScopeChecker(_job(given, [with_scheme(seed) for seed in seeds]))
    if given["config_file"] or given["include"] or given["exclude"] or seeds:
        raise click.UsageError(
            "--dir has a job of its own: leave out --config, --include, --exclude and --seed."
        )
    directory = CrawlDirectory.open(path)
    session.messages = directory.messages
    return ScopeChecker.of_directory(directory)


def _job(given: dict[str, Any], seeds: list[str] | None = None) -> Job:
    base = read_job(given["config_file"]) if given["config_file"] else Job()
    return build_job(base, given, seeds or ())


def _agent_setting(agent: str | None) -> tuple[str, ...]:
    return () if agent is None else (f"fetch.agent={agent}",)


def _some(values: tuple[str, ...], what: str) -> tuple[str, ...]:
    if not values:
        raise click.UsageError(f"Give a {what}, or --batch.")
    return values


def _print_json(*tables: object) -> None:
    """Print one answer as it is, several as a list."""
    click.echo(json.dumps(tables if len(tables) > 1 else tables[0], indent=2))


def _print(parts: Iterable[RenderableType]) -> None:
    console = Screen()
    for number, part in enumerate(parts):
        if number:
            console.print()
        console.print(part)


COMMANDS = (check,)
