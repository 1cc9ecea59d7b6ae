"""The command group `topics`: models that say what pages are about.

train  `train`, `evaluate`: make a model, and judge it
show   `show`, `test`: a model's words, and its verdict on a page
label  `label`: label pages by hand
crawl  `seeds`, `split`, `apply`: use a model on a crawl
"""

from __future__ import annotations

import click

from lycosa.cli.groups import LazyGroup


class TopicsGroup(LazyGroup):
    """The commands about topics."""

    modules = {  # noqa: RUF012
        "lycosa.cli.topics.train": ("train", "evaluate"),
        "lycosa.cli.topics.show": ("show", "test"),
        "lycosa.cli.topics.label": ("label",),
        "lycosa.cli.topics.crawl": ("seeds", "split", "apply"),
    }


@click.group(cls=TopicsGroup)
def topics() -> None:
    """Train and use models that say what pages are about.

    A topic is a field of knowledge. Name topics by keywords, or label some pages; train a model,
    judge it, and use it on a crawl.

    \b
      lycosa topics train mycrawl --pools pools.toml
      lycosa topics evaluate mycrawl --labels labels.tsv --picture model.svg
      lycosa topics test https://example.org/ --contact you@example.org
      lycosa topics apply mycrawl
    """


COMMANDS = (topics,)
