"""The flags that the commands about topics share, and the files that they name."""

from __future__ import annotations

from pathlib import Path

import click

from lycosa.errors import ConfigError
from lycosa.extract.topics.model import TopicModel

sources_argument = click.argument(
    "sources", metavar="[DIR]...", nargs=-1, type=click.Path(file_okay=False, path_type=Path)
)
model_flag = click.option(
    "--model",
    "model_file",
    metavar="FILE",
    type=click.Path(dir_okay=False, path_type=Path),
    default=Path("topics.model"),
    show_default=True,
    help="The model of topics.",
)
labels_flag = click.option(
    "--labels",
    "labels_file",
    metavar="FILE",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Labelled pages, one a line: URL or path, a tab, topics; or CSV.",
)
pools_flag = click.option(
    "--pools",
    "pools_file",
    metavar="FILE|TREE",
    type=click.Path(path_type=Path),
    help="Topics with keywords and URLs: a TOML or CSV file, or a tree of folders.",
)
level_flag = click.option(
    "--level",
    type=click.IntRange(0),
    default=0,
    metavar="N",
    help="Take topics up to this level: with 1, science.biology counts as science.",
)


def read_model(path: Path) -> TopicModel:
    """Read a model; raise an error that says how to make one."""
    try:
        return TopicModel.read(path)
    except OSError as error:
        raise ConfigError(
            f"{path}: cannot be read: {error.strerror}\n"
            "  name a model by --model, or train one: lycosa topics train"
        ) from None


def require_writable(path: Path, flag: str) -> None:
    """Refuse a file in a folder that is not there, before the work and not after it."""
    if not path.absolute().parent.is_dir():
        raise ConfigError(
            f"{path}: cannot be written: there is no folder {path.parent}\n"
            f"  make it, or choose another file with {flag}"
        )
