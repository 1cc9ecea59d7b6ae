"""The command group `cluster`: a crawl that several machines share, seen and led as one."""

from __future__ import annotations

import click

from lycosa.cli.groups import LazyGroup


class ClusterGroup(LazyGroup):
    """The commands of a cluster."""

    modules = {  # noqa: RUF012
        "lycosa.cli.commands.cluster_status": ("status", "logs"),
        "lycosa.cli.commands.cluster_lead": ("drain", "stop", "set", "pause", "resume", "lift"),
        "lycosa.cli.commands.cluster_forget": ("forget",),
        "lycosa.cli.commands.cluster_up": ("up",),
    }


@click.group(cls=ClusterGroup)
def cluster() -> None:
    """See and lead a crawl that several machines share."""


COMMANDS = (cluster,)
