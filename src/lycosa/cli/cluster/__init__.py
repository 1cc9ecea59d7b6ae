"""The command group `cluster`: commands to watch and lead a crawl that several machines share.

status  `status`, `logs`: read such a crawl
lead    `drain`, `stop`, `set`, `pause`, `resume`, `lift`: lead it
forget  `forget`: give up a machine that will not come back
restored  `restored`: go on with a log that was restored from an older copy
keys    `keys`: certificates and keys for servers and members
up      `up`: a cluster on one machine, to try
"""

from __future__ import annotations

import click

from lycosa.cli.groups import LazyGroup


class ClusterGroup(LazyGroup):
    """The commands of a cluster."""

    modules = {  # noqa: RUF012
        "lycosa.cli.cluster.status": ("status", "logs"),
        "lycosa.cli.cluster.lead": ("drain", "stop", "set", "pause", "resume", "lift"),
        "lycosa.cli.cluster.forget": ("forget",),
        "lycosa.cli.cluster.restored": ("restored",),
        "lycosa.cli.cluster.keys": ("keys",),
        "lycosa.cli.cluster.up": ("up",),
    }


@click.group(cls=ClusterGroup)
def cluster() -> None:
    """Watch and lead a crawl that several machines share."""


COMMANDS = (cluster,)
