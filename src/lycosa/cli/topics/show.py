"""The commands `topics show` and `topics test`: a model's words, and its verdict on a page."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from rich.padding import Padding
from rich.table import Table
from rich.text import Text as Line

from lycosa._support.safe_text import in_json
from lycosa.cli.amounts import counted, size_text
from lycosa.cli.analysis.study import told
from lycosa.cli.input.jobs import build_job
from lycosa.cli.input.options import flags, json_flag, set_flag
from lycosa.cli.input.own_machine import opened_at
from lycosa.cli.input.questions import asker_for, read_source, site_of_address
from lycosa.cli.input.seeds import has_scheme
from lycosa.cli.input.topics import model_flag, read_model
from lycosa.cli.screen.console import Screen
from lycosa.crawl.status.words import outcome_in_words
from lycosa.errors import LycosaError
from lycosa.model.job import Job

if TYPE_CHECKING:
    from lycosa.analysis.topics.texts import Text

_WORDS = 8
_SHOWN = 5
"""Most topics listed for a page; --json has all."""


@click.command()
@model_flag
@click.option(
    "--words",
    "sample",
    metavar="DIR",
    type=click.Path(file_okay=False, path_type=Path),
    help="Name the words that speak for each topic, from the pages of this crawl or folder.",
)
@json_flag
def show(model_file: Path, sample: Path | None, as_json: bool) -> None:
    """Show the topics of a model: names, parents, sizes, keywords, words.

    A model knows words by numbers (a hash), so it cannot spell them. With --words the words are
    taken from pages: the words with the most weight for each topic, over its pages.
    """
    from lycosa.analysis.topics.names import parent_of

    model = read_model(model_file)
    words = _words(model_file, sample, as_json) if sample is not None else {}
    header = model.header
    topics = [
        {
            "topic": name,
            "parent": parent_of(name) or None,
            "examples": header.trained_on.get(name, 0),
            "threshold": round(threshold, 4),
            "keywords": list(header.keywords.get(name, ())),
            "words": words.get(name, []),
        }
        for name, threshold in zip(model.names, header.thresholds, strict=True)
    ]
    size = model_file.stat().st_size
    if as_json:
        facts = {
            "model": str(model_file),
            "digest": model.digest,
            "bytes": size,
            "temperature": round(header.temperature, 4),
            "topics": topics,
        }
        click.echo(in_json(json.dumps(facts, indent=2, ensure_ascii=False)))
        return
    screen = Screen()
    title = f"{model_file}: {counted(len(model.names) - 1, 'topic')}, {size_text(size)}"
    screen.print(Line(f"{title}, {model.digest}", "bold"), soft_wrap=True)
    table = Table("topic", "parent", box=None, padding=(0, 2, 0, 0))
    for column in ("examples", "threshold"):
        table.add_column(column, justify="right")
    table.add_column("words" if words else "keywords", overflow="fold")
    for one in topics:
        named: Any = one["words"] if words else one["keywords"]
        told_words = Line(", ".join(named))
        cells = (f"{one['examples']:,}", f"{one['threshold']:.2f}")
        table.add_row(Line(str(one["topic"])), Line(str(one["parent"] or "")), *cells, told_words)
    screen.print(Padding(table, (1, 0, 0, 2)))


def _words(model_file: Path, sample: Path, as_json: bool) -> dict[str, list[str]]:
    from lycosa.analysis.topics.telling_words import telling_words
    from lycosa.analysis.topics.texts import texts_of

    with told(as_json) as tell:
        tell("reading pages")
        return telling_words(read_model(model_file), texts_of(sample), _WORDS)


@click.command()
@click.argument("source", metavar="FILE|URL")
@model_flag
@click.option("--why", is_flag=True, help="List the words that speak for and against the topic.")
@click.option("--topic", metavar="NAME", help="The topic that --why is about (the likeliest).")
@flags(
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
    set_flag,
)
@json_flag
def test(
    source: str,
    model_file: Path,
    why: bool,
    topic: str | None,
    as_json: bool,
    **given: Any,
) -> int:
    """Show the topics that a model gives one page, and why.

    The page is a path, - for standard input, or a URL. A URL is fetched as in a crawl: first the
    site's robots file, then, if that allows it and after the pause, the page. The exit code is 0
    when the page has a topic and 1 when it has none.

    \b
      lycosa topics test page.html --why
      lycosa topics test https://example.org/ --contact you@example.org
    """
    from lycosa.analysis.topics.telling_words import parts_of

    model = read_model(model_file)
    text = _page(source, build_job(Job(), given))
    probabilities = model.probabilities(text.title, text.content)
    found = [model.names[one.number] for one in model.found(text.title, text.content)]
    order = sorted(range(len(probabilities)), key=lambda at: -probabilities[at])
    # A topic that is asked for is explained even if the page does not have it.
    about = _number(model.names, topic) if topic is not None else order[0]
    parts = parts_of(model, text, about) if why or topic is not None else []
    if as_json:
        facts: dict[str, Any] = {
            "source": source,
            "title": text.title,
            "topics": found,
            "probabilities": {model.names[at]: round(probabilities[at], 4) for at in order},
        }
        if why or topic is not None:
            words = [{"word": one.word, "part": round(one.part, 4)} for one in parts]
            facts["why"] = {"topic": model.names[about], "words": words}
        click.echo(in_json(json.dumps(facts, indent=2, ensure_ascii=False)))
        return int(not found)
    screen = Screen()
    screen.print(Line(f"{text.title or source}", "bold"), soft_wrap=True)
    said = ", ".join(found) if found else "no topic is sure enough"
    screen.print(Line(f"topics: {said}"), soft_wrap=True)
    table = Table("topic", box=None, padding=(0, 2, 0, 0))
    table.add_column("probability", justify="right")
    table.add_column("from", justify="right")
    for at in order[:_SHOWN]:
        threshold = model.header.thresholds[at]
        table.add_row(Line(model.names[at]), f"{probabilities[at]:.3f}", f"{threshold:.2f}")
    screen.print(Padding(table, (1, 0, 0, 2)))
    if parts:
        screen.print(Line(f"\nwords for (+) and against (-) {model.names[about]}", "bold"))
        shown = [f"{one.part:+.2f} {one.word}" for one in parts[:20]]
        screen.print(Padding(Line(", ".join(shown)), (0, 0, 0, 2)))
    return int(not found)


def _number(names: tuple[str, ...], topic: str) -> int:
    if topic not in names:
        raise LycosaError(f"the model has no topic `{topic}`\n  topics: {', '.join(names)}")
    return names.index(topic)


def _page(source: str, job: Job) -> Text:
    """Return the text of a page, fetched or read."""
    from lycosa.analysis.topics.texts import Text
    from lycosa.operate.checking import pages

    if has_scheme(source):
        address, key = site_of_address(source)
        with asker_for(opened_at(job, address)) as asker:
            answer = asker.page(key).answer
    else:
        address = None
        body = read_source(source, job.fetch.largest_body_bytes)
        answer = pages.answer_of_bytes(body, None, job)
    checked = pages.check_page(answer, address, job)
    if checked.outcome.name != "KEPT":
        raise LycosaError(
            f"{source}: there is no page to read: {outcome_in_words(checked.outcome)}\n"
            f"  see the reason: lycosa check page {source}"
        )
    return Text(source, checked.facts.title, checked.facts.content)


COMMANDS = (show, test)
