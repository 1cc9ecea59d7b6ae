"""The commands `sparql`, `triples` and `export triples` (structured data)."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import msgspec

from lycosa._support.safe_text import on_screen
from lycosa.analysis.triples.formats import FORMS, GRAPH_FORMS
from lycosa.cli.amounts import counted
from lycosa.cli.check import ask_flags, batch_flag, job_flags
from lycosa.cli.input.jobs import build_job
from lycosa.cli.input.options import directory_argument, json_flag, raw_flag
from lycosa.cli.input.own_machine import opened_at
from lycosa.cli.input.questions import (
    answer_batch,
    asker_for,
    query_text,
    read_source,
    site_of_address,
)
from lycosa.cli.input.seeds import has_scheme
from lycosa.cli.screen.notices import Session, notice
from lycosa.cli.screen.output import Data, line_on_screen
from lycosa.cli.screen.summary import command
from lycosa.crawl.status.words import answer_in_words
from lycosa.errors import LycosaError
from lycosa.model.job import Job, read_job
from lycosa.runtime.directory import CrawlDirectory

if TYPE_CHECKING:
    from lycosa.analysis.triples.protocol import QueryReply


def _open(session: Session, path: Path) -> CrawlDirectory:
    directory = CrawlDirectory.open(path)
    session.messages = directory.messages
    return directory


@click.command()
@directory_argument
@click.argument("query", metavar="QUERY|FILE|-")
@click.option(
    "--format",
    "form",
    type=click.Choice(FORMS),
    help="Output format. Of tables: table (default), json, xml, csv, tsv; of graphs: turtle "
    "(default), ntriples, nquads, trig, rdfxml, jsonld.",
)
@raw_flag
@click.pass_obj
def sparql(session: Session, /, path: Path, query: str, form: str | None, is_raw: bool) -> int:
    """Query the structured data of a crawl in SPARQL.

    \b
      lycosa sparql mycrawl 'SELECT ?page ?type { GRAPH ?page { ?thing a ?type } }'
      lycosa sparql mycrawl question.rq --format csv > answer.csv
      lycosa sparql mycrawl - < question.rq

    Each page has a graph, named by its URL; without GRAPH a query is about all pages together.
    Build the index first: lycosa index. The exit code is 1 when the answer to an ASK is no.
    """
    from lycosa.analysis.triples.answer_pool import AnswerProcess
    from lycosa.analysis.triples.protocol import Query, QueryRequest

    _open(session, path)
    wanted = Query(query_text(query), form=form or "usual", is_guarded=not is_raw)
    process = AnswerProcess(path, ends_with_us=True)
    try:
        _tell_of_news(path)
        return _print_reply(process.answer(QueryRequest(wanted, 0, 0)))
    finally:
        process.end()


def _print_reply(replies: Iterator[QueryReply]) -> int:
    """Print a result while it arrives; return the exit code."""
    from lycosa.analysis.triples.answer_pool import raise_unless_answer

    output = Data()
    table: list[bytes] = []
    form, last = "", None
    for last in replies:
        if last.kind == "begin":
            form = last.text
        elif last.kind == "piece" and form == "table":
            table.append(last.body)
        elif last.kind == "piece":
            output.write(last.body)
    output.flush()
    raise_unless_answer(last)
    if form == "table":
        _print_table(*msgspec.msgpack.decode(b"".join(table)))
    elif form == "json":
        output.write(b"\n")
        output.flush()
    return int(last is not None and last.is_no)


def _tell_of_news(path: Path) -> None:
    from lycosa.analysis.triples.index import Index

    if missing := Index(path).missing():
        more = counted(missing, "sealed segment")
        notice(f"{more} not in the index yet; load: {command('index', path)}")


def _print_table(said: str, head: list[str], rows: list[list[str]]) -> None:
    if said:
        click.echo(said)
        return
    lines = [head, *([on_screen(cell).replace("\n", " ") for cell in row] for row in rows)]
    widths = [max(len(line[number]) for line in lines) for number in range(len(head))]
    lines.insert(1, ["-" * width for width in widths])
    for line in lines:
        cells = (cell.ljust(width) for cell, width in zip(line, widths, strict=True))
        click.echo("  ".join(cells).rstrip())
    if not rows:
        click.echo("no rows")


@click.command()
@click.argument("source", metavar="[FILE|URL]", required=False)
@click.option("--base", metavar="URL", help="The URL of the document in the file.")
@click.option("--media-type", metavar="TYPE", help="The media type of the file, such as text/html.")
@click.option(
    "--format",
    "form",
    type=click.Choice(GRAPH_FORMS),
    default="ntriples",
    help="Output format (default: ntriples).",
)
@click.option(
    "--filter",
    "is_filtered",
    is_flag=True,
    help="Drop the triples that a crawl would drop ([structured] drop).",
)
@job_flags
@ask_flags
@batch_flag
def triples(
    source: str | None,
    base: str | None,
    media_type: str | None,
    form: str,
    is_filtered: bool,
    is_batch: bool,
    **given: Any,
) -> int:
    """Print the structured data of a document as triples.

    Reads RDFa, JSON-LD, Microdata, Open Graph, Twitter cards and Dublin Core. The document is a
    path, - for standard input, or a URL, which is fetched as in a crawl: first the site's robots
    file, then, if that allows it and after the pause, the page.

    \b
      lycosa triples page.html --base https://example.org/page.html
      lycosa triples https://example.org/ --contact you@example.org --format turtle
      lycosa triples --batch < documents.jsonl

    A line of a batch is {"file", "base", "media_type"}; the last two may be left out. The answer
    is {"ntriples", "left_out"}. To read fewer forms: --set structured.forms='["rdfa"]'.
    """
    from lycosa.operate.checking import triples as distilling
    from lycosa.operate.checking.pages import answer_of_bytes

    job = _job(given)
    if is_batch:
        batch = distilling.batch(job, is_filtered=is_filtered)
        return answer_batch(batch, (source,) if source else ())
    if source is None:
        raise click.UsageError("Give a FILE or a URL, or --batch.")
    if has_scheme(source):
        address, key = site_of_address(source)
        with asker_for(opened_at(job, address)) as asker:
            answer = asker.page(key).answer
        if not 200 <= answer.status < 300:
            raise LycosaError(f"{address}: there is no document: {answer_in_words(answer)}")
        base = base or address
    else:
        path = Path("stdin.html" if source == "-" else source)
        base = base or path.absolute().as_uri()
        body = read_source(source, job.fetch.largest_body_bytes)
        answer = answer_of_bytes(body, media_type or distilling.media_type_of(path), job)
    found = distilling.distil(answer, base, job, is_filtered=is_filtered)
    _print_triples(found.triples, base, form)
    for reason, count in found.left_out.items():
        notice(f"left out: {count:,} {_reason(reason)}")
    return 0


def _reason(name: str) -> str:
    from lycosa.extract.structured.counts import REASONS

    return REASONS[name]


def _print_triples(found: bytes, base: str, form: str) -> None:
    output = Data()
    if form != "ntriples":
        from lycosa.analysis.triples.sparql import rewritten

        found = rewritten(found, base, form)
    output.write(found)
    output.flush()


def _job(given: dict[str, Any]) -> Job:
    base = read_job(given["config_file"]) if given["config_file"] else Job()
    return build_job(base, given, ())


@click.command(name="triples")
@directory_argument
@click.option(
    "--to",
    "url",
    metavar="URL",
    required=True,
    help="The receiver: a SPARQL 1.1 Graph Store (http://host:7878/store), or the statements of "
    "an RDF4J repository (http://host:8080/rdf4j-server/repositories/NAME/statements). It may "
    "contain a user and a password: http://user:password@host/.",
)
@click.option(
    "--protocol",
    type=click.Choice(("graph-store", "rdf4j")),
    help=(
        "Protocol of the receiver (default: rdf4j if the URL ends in /statements, else "
        "graph-store)."
    ),
)
@json_flag
@click.pass_obj
def export_triples(
    session: Session, /, path: Path, url: str, protocol: str | None, as_json: bool
) -> None:
    """Send the structured data of a crawl to a triple store.

    Each page has a graph, named by its URL. Graphs that were sent to this URL before are not sent
    again; a page that was fetched again replaces its graph there. If the export is stopped, the
    next run continues where it was.
    """
    from lycosa.analysis.triples.export import Exported
    from lycosa.analysis.triples.export import export as send

    _open(session, path)
    with line_on_screen() as show:

        def tell(done: Exported) -> None:
            show(f"{done.quads:,} triples of {counted(done.pages, 'page')} sent")

        done = send(path, url, protocol, tell)
    if as_json:
        click.echo(json.dumps(done._asdict(), indent=2))
    else:
        click.echo(
            f"{done.quads:,} triples of {counted(done.pages, 'page')} sent in "
            f"{counted(done.requests, 'request')}"
        )


COMMANDS = (sparql, triples)
