"""Runs a server until Ctrl-C or SIGTERM ends it, and says so."""

from __future__ import annotations

import signal
import sys
from typing import Protocol

import click

from lycosa.cli.screen.notices import notice


class Server(Protocol):
    """What listens already, at an address that can be told."""

    def run(self) -> None:
        """Answer until it is interrupted."""
        ...

    def close(self) -> None:
        """Listen no more."""
        ...


def serve_until_stopped(server: Server, told: str) -> None:
    """Print where the server is, run it, and close it; a signal is no error."""
    before = signal.signal(signal.SIGTERM, _interrupt)
    try:
        click.echo(told)
        sys.stdout.flush()
        server.run()
    except KeyboardInterrupt:
        notice("stopped")
    finally:
        signal.signal(signal.SIGTERM, before)
        server.close()


def _interrupt(*_: object) -> None:
    raise KeyboardInterrupt
