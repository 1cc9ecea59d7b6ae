"""The commands `topics train` and `topics evaluate`: make a model of topics, and judge it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from rich.padding import Padding
from rich.table import Table
from rich.text import Text as Line

from lycosa._support.safe_text import in_json
from lycosa.cli.amounts import counted
from lycosa.cli.analysis.study import told
from lycosa.cli.input.options import json_flag
from lycosa.cli.input.topics import (
    labels_flag,
    level_flag,
    pools_flag,
    read_model,
    require_writable,
    sources_argument,
)
from lycosa.cli.screen.console import Screen
from lycosa.cli.screen.notices import notice
from lycosa.cli.screen.summary import facts_table

if TYPE_CHECKING:
    from collections.abc import Callable

    from lycosa.analysis.topics.evaluation import Evaluation
    from lycosa.extract.topics.model import TopicModel
    from lycosa.extract.topics.training import Example

_MOST_COLUMNS = 16
"""Most topics of a confusion matrix on a terminal; the picture has all."""


@click.command()
@sources_argument
@labels_flag
@pools_flag
@level_flag
@click.option(
    "--out",
    "target",
    metavar="FILE",
    type=click.Path(dir_okay=False, path_type=Path),
    default=Path("topics.model"),
    show_default=True,
    help="The model to write.",
)
@click.option(
    "--seed", type=int, default=0, metavar="N", help="Seed for the order of the examples."
)
@json_flag
def train(
    sources: tuple[Path, ...],
    labels_file: Path | None,
    pools_file: Path | None,
    level: int,
    target: Path,
    seed: int,
    as_json: bool,
) -> None:
    """Train a model from labelled pages, or from keywords.

    DIR is a crawl directory or a folder of HTML files. With --labels its labelled pages are the
    examples. With --pools alone no label is needed: the pages that match a topic's keywords best
    become its examples, together with those whose URLs it lists. A tree of folders with HTML
    pages needs no DIR.

    \b
      lycosa topics train mycrawl --labels labels.tsv
      lycosa topics train mycrawl --pools pools.toml --out fields.model
      lycosa topics train --pools tree/
    """
    require_writable(target, "--out")
    with told(as_json) as tell:
        model, sizes, how = _trained(
            sources, labels_file, pools_file, level=level, seed=seed, tell=tell
        )
        model.write(target)
    facts: dict[str, Any] = {
        "model": str(target),
        "digest": model.digest,
        "trained_by": how,
        "examples": sum(sizes.values()),
        "topics": sizes,
        "temperature": round(model.header.temperature, 4),
        "bytes": target.stat().st_size,
    }
    if as_json:
        click.echo(in_json(json.dumps(facts, indent=2, ensure_ascii=False)))
        return
    screen = Screen()
    topics = counted(len(model.names) - 1, "topic")
    screen.print(Line(f"{target}: {topics}, trained by {how}", "bold"), soft_wrap=True)
    rows = [(name, counted(sizes.get(name, 0), "example")) for name in model.names]
    screen.print(Padding(facts_table(rows), (1, 0, 1, 2)))
    judge = f"--labels {labels_file}" if labels_file else "--labels FILE"
    where = " ".join(map(str, sources)) or "DIR"
    screen.print(Line(f"judge it: lycosa topics evaluate {where} {judge}"), soft_wrap=True)


def _trained(
    sources: tuple[Path, ...],
    labels_file: Path | None,
    pools_file: Path | None,
    *,
    level: int,
    seed: int,
    tell: Callable[[str], None],
) -> tuple[TopicModel, dict[str, int], str]:
    """Return a model, the number of its examples by topic, and their source."""
    from lycosa.analysis.topics.examples import from_pools
    from lycosa.analysis.topics.keywords import train_by_keywords
    from lycosa.analysis.topics.pools import read_pools
    from lycosa.analysis.topics.texts import texts_of
    from lycosa.extract.topics import training

    if labels_file is None and pools_file is None:
        raise click.UsageError("Give --labels FILE or --pools FILE.")
    pools = read_pools(pools_file) if pools_file else []
    keywords = {pool.topic: pool.keywords for pool in pools if pool.keywords}
    if labels_file is not None:
        tell("reading pages")
        examples = _labelled(sources, labels_file, level)
        examples += from_pools(pools).values()
        tell(f"training: {len(examples):,} examples")
        model = training.train(examples, keywords=keywords, seed=seed)
        return model, model.header.trained_on, "labels"
    tell("reading pages")
    texts = sorted(text for source in sources for text in texts_of(source))
    given = from_pools(pools, texts)
    if keywords and texts:
        model = train_by_keywords(texts, pools, given, seed=seed, tell=tell)
        return model, model.header.trained_on, "keywords"
    if not given:
        raise click.UsageError("Name a DIR with pages that the keywords can match.")
    model = training.train(given.values(), keywords=keywords, seed=seed)
    return model, model.header.trained_on, "pages of the pools"


def _labelled(sources: tuple[Path, ...], labels_file: Path, level: int) -> list[Example]:
    from lycosa.analysis.topics.examples import labelled
    from lycosa.analysis.topics.labels import read_labels

    if not sources:
        raise click.UsageError("Name the DIR of the labelled pages.")
    found = labelled(sources, read_labels(labels_file), level)
    if found.missing:
        notice(f"{labels_file}: {counted(found.missing, 'label')} of pages that are not there")
    return found.examples


@click.command()
@sources_argument
@labels_flag
@level_flag
@click.option(
    "--model",
    "model_file",
    metavar="FILE",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Judge this model; it must not have been trained on these pages.",
)
@click.option(
    "--folds",
    type=click.IntRange(2),
    default=5,
    metavar="N",
    show_default=True,
    help="Without --model: train on all but one of N parts and judge on that part, for each.",
)
@click.option(
    "--picture",
    metavar="FILE",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Draw confusion and calibration: .svg or .pdf.",
)
@json_flag
def evaluate(
    sources: tuple[Path, ...],
    labels_file: Path | None,
    level: int,
    model_file: Path | None,
    folds: int,
    picture: Path | None,
    as_json: bool,
) -> None:
    """Judge a model by labelled pages: accuracy, F1, calibration, confusion.

    Without --model the labelled pages are cut into parts, and each part is judged by a model that
    was trained on the others. A model that is judged on pages it was trained on looks better than
    it is.

    \b
      lycosa topics evaluate mycrawl --labels labels.tsv
      lycosa topics evaluate othercrawl --labels others.tsv --model topics.model --picture m.svg
    """
    from lycosa.analysis.charts.model_picture import require_picture
    from lycosa.analysis.topics import evaluation

    if labels_file is None:
        raise click.UsageError("Give --labels FILE with the labelled pages.")
    if picture is not None:
        require_picture(picture)
    with told(as_json) as tell:
        tell("reading pages")
        examples = _labelled(sources, labels_file, level)
        if model_file is not None:
            found = evaluation.evaluate(read_model(model_file), examples)
        else:
            found = evaluation.cross_validate(examples, folds, tell=tell)
    name = str(model_file) if model_file is not None else f"judged in {folds} parts"
    if picture is not None:
        _draw(picture, name, found)
    if as_json:
        click.echo(in_json(json.dumps(_fields(name, found), indent=2, ensure_ascii=False)))
        return
    screen = Screen()
    screen.print(Line(f"{name}: {counted(found.pages, 'page')}", "bold"), soft_wrap=True)
    screen.print(Padding(facts_table(_facts(found)), (1, 0, 1, 2)))
    screen.print(Padding(_topics_table(found), (0, 0, 1, 2)))
    if len(found.topics) <= _MOST_COLUMNS:
        screen.print(Line("labelled (rows) and guessed (columns)", "bold"))
        screen.print(Padding(_confusion_table(found), (0, 0, 0, 2)))
    if picture is not None:
        screen.print(Line(f"\n{picture}: confusion and calibration"), soft_wrap=True)


def _facts(found: Evaluation) -> list[tuple[str, str]]:
    return [
        ("accuracy", f"{found.accuracy:.3f} (any label: {found.accuracy_any:.3f})"),
        ("macro-F1", f"{found.macro_f1:.3f}"),
        ("calibration error", f"{found.calibration_error:.3f}"),
    ]


def _topics_table(found: Evaluation) -> Table:
    table = Table("topic", box=None, padding=(0, 2, 0, 0))
    for title in ("pages", "precision", "recall", "F1"):
        table.add_column(title, justify="right")
    for one in found.topics:
        scores = (f"{value:.3f}" for value in (one.precision, one.recall, one.f1))
        table.add_row(Line(one.topic), f"{one.pages:,}", *scores)
    return table


def _confusion_table(found: Evaluation) -> Table:
    table = Table("", "", box=None, padding=(0, 1, 0, 0))
    for number in range(len(found.topics)):
        table.add_column(str(number + 1), justify="right")
    for number, (one, row) in enumerate(zip(found.topics, found.confusion, strict=True)):
        cells = [f"{count:,}" if count else "·" for count in row]
        table.add_row(Line(one.topic), str(number + 1), *cells)
    return table


def _fields(name: str, found: Evaluation) -> dict[str, Any]:
    return {
        "model": name,
        "pages": found.pages,
        "accuracy": round(found.accuracy, 4),
        "accuracy_any": round(found.accuracy_any, 4),
        "macro_f1": round(found.macro_f1, 4),
        "calibration_error": round(found.calibration_error, 4),
        "topics": [
            {
                "topic": one.topic,
                "pages": one.pages,
                "precision": round(one.precision, 4),
                "recall": round(one.recall, 4),
                "f1": round(one.f1, 4),
            }
            for one in found.topics
        ],
        "confusion": found.confusion,
        "calibration": [
            {
                "confidence": round(one.confidence, 4),
                "accuracy": round(one.accuracy, 4),
                "pages": one.pages,
            }
            for one in found.calibration
        ],
    }


def _draw(picture: Path, name: str, found: Evaluation) -> None:
    from lycosa.analysis.charts.model_picture import model_picture, write_picture

    sentence = (
        f"{found.pages:,} pages: accuracy {found.accuracy:.3f}, macro-F1 {found.macro_f1:.3f},"
        f" calibration error {found.calibration_error:.3f}"
    )
    names = [one.topic for one in found.topics]
    drawn = model_picture(
        f"Model of topics, {name}", sentence, names, found.confusion, found.calibration
    )
    write_picture(picture, drawn)


COMMANDS = (train, evaluate)
