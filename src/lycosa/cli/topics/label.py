"""The command `topics label`: shows a page at a time and writes down its topics."""

from __future__ import annotations

import os
import sys
import termios
import tty
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from lycosa.cli.amounts import counted
from lycosa.cli.input.topics import pools_flag, read_model, sources_argument
from lycosa.errors import ConfigError
from lycosa.extract.topics.model import OTHER, TopicModel

if TYPE_CHECKING:
    from lycosa.analysis.topics.labelling import Labelling

_LINES, _COLUMNS = 6, 100
_KEYS = "number: topic   0: other   + NAME: new topic   u: undo   s: skip   q: quit"
_END = ("q", "\x03", "\x04")


@click.command()
@sources_argument
@click.option(
    "--labels",
    "labels_file",
    metavar="FILE",
    type=click.Path(dir_okay=False, path_type=Path),
    default=Path("labels.tsv"),
    show_default=True,
    help="The file to write to; its labels are kept, and its pages are not shown again.",
)
@click.option("--topic", "topics", metavar="NAME", multiple=True, help="A topic to choose from.")
@pools_flag
@click.option(
    "--model",
    "model_file",
    metavar="FILE",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Show this model's guess for each page, and choose from its topics.",
)
@click.option("--unsure", is_flag=True, help="Show pages first that the model is unsure of.")
def label(
    sources: tuple[Path, ...],
    labels_file: Path,
    topics: tuple[str, ...],
    pools_file: Path | None,
    model_file: Path | None,
    unsure: bool,
) -> None:
    """Label pages by hand, a page at a time.

    Shows title, URL, first lines and the model's guess, and waits for a key: the number of a
    topic, 0 for none of them, u to undo, s to skip, q to quit. Several topics: 1,3 and Enter
    where topics are more than nine. Each answer is written at once, so you can stop at any time
    and go on later. Without a terminal the answers are read from standard input, a line each.

    \b
      lycosa topics label mycrawl --topic biology --topic physics
      lycosa topics label mycrawl --model topics.model --unsure
    """
    from lycosa.analysis.topics.labelling import Labelling
    from lycosa.analysis.topics.texts import texts_of

    if not sources:
        raise click.UsageError("Name the DIR of the pages: a crawl, or a folder of HTML files.")
    if unsure and model_file is None:
        raise click.UsageError("--unsure needs --model FILE.")
    model = read_model(model_file) if model_file is not None else None
    texts = [text for source in sources for text in texts_of(source)]
    course = Labelling(texts, labels_file, model, is_unsure_first=unsure)
    names = _names(topics, pools_file, model, course)
    _ask(course, names)
    click.echo(f"{labels_file}: {counted(len(course.labels), 'page')} labelled")


def _names(
    topics: tuple[str, ...], pools_file: Path | None, model: TopicModel | None, course: Labelling
) -> list[str]:
    """Return the topics to choose from, in a steady order."""
    from lycosa.analysis.topics.names import fault_of
    from lycosa.analysis.topics.pools import read_pools

    for topic in topics:
        if fault := fault_of(topic):
            raise ConfigError(fault)
    found = [
        *topics,
        *(pool.topic for pool in (read_pools(pools_file) if pools_file else ())),
        *(model.names if model is not None else ()),
        *sorted({topic for each in course.labels.values() for topic in each}),
    ]
    names = [name for name in dict.fromkeys(found) if name != OTHER]
    if not names:
        raise click.UsageError("Name topics to choose from: --topic NAME, --pools or --model.")
    return names


def _ask(course: Labelling, names: list[str]) -> None:
    """Show page after page, and carry out the answers."""
    is_shown = ""
    answers = _answers(names)
    while (text := course.current) is not None:
        if is_shown != text.address:
            _show(course, names)
            is_shown = text.address
        answer = next(answers, "q").strip()
        if answer in _END:
            return
        if answer == "u":
            if not course.undo():
                click.echo("nothing to undo")
            is_shown = ""
        elif answer == "s":
            course.skip()
        elif chosen := _chosen(answer, names):
            course.choose(chosen)
            click.echo(f"  {', '.join(chosen)}")
    click.echo("no page is left to label")


def _answers(names: list[str]) -> Iterator[str]:
    """Yield answers: keys of a terminal, or lines where topics are more than nine."""
    while sys.stdin.isatty() and len(names) <= 9:
        with _single_keys():
            key = os.read(sys.stdin.fileno(), 1).decode("ascii", "replace")
        if not key:
            return
        yield f"+ {click.prompt('name of the new topic')}" if key == "+" else key
    while line := sys.stdin.readline():
        yield line


@contextmanager
def _single_keys() -> Iterator[None]:
    """Give keys one by one for a while; keys that were typed early are kept."""
    terminal = sys.stdin.fileno()
    before = termios.tcgetattr(terminal)
    tty.setcbreak(terminal, termios.TCSADRAIN)
    try:
        yield
    finally:
        termios.tcsetattr(terminal, termios.TCSADRAIN, before)


def _chosen(answer: str, names: list[str]) -> tuple[str, ...]:
    """Return the topics that an answer names; None, with a message, for an invalid answer."""
    from lycosa.analysis.topics.names import fault_of

    if answer.startswith("+"):
        name = answer[1:].strip()
        if fault := fault_of(name):
            click.echo(fault)
            return ()
        if name not in (*names, OTHER):
            names.append(name)
        return (name,)
    parts = [part.strip() for part in answer.split(",")]
    if not all(part.isascii() and part.isdigit() and int(part) <= len(names) for part in parts):
        click.echo(f"`{answer}` is not an answer: {_KEYS}")
        return ()
    return tuple(dict.fromkeys(names[int(one) - 1] if int(one) else OTHER for one in parts))


def _show(course: Labelling, names: list[str]) -> None:
    text = course.current
    assert text is not None
    click.echo(f"\n{text.title or '(no title)'}\n{text.address}")
    lines = [line for line in text.content.decode("utf-8", "replace").splitlines() if line.strip()]
    for line in lines[:_LINES]:
        click.echo(f"  {line[:_COLUMNS]}{'…' if len(line) > _COLUMNS else ''}")
    if guess := course.guess():
        click.echo(f"the model's guess: {guess[0]} ({guess[1]:.0%})")
    click.echo("   ".join(f"{number} {name}" for number, name in enumerate(names, 1)))
    click.echo(f"{_KEYS}   ({counted(course.left, 'page')} left)")


COMMANDS = (label,)
