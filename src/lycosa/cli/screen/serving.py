"""Runs a server until Ctrl-C or SIGTERM ends it, and says so."""

from __future__ import annotations

import signal
import sys
from collections.abc import Callable
from typing import Protocol

import click

from lycosa.cli.screen.notices import notice


class Server(Protocol):
    """A server that listens already, at a known address."""

    def run(self) -> None:
        """Answer requests until interrupted."""
        ...

    def close(self) -> None:
        """Stop listening."""
        ...


def serve_until_stopped(server: Server, told: str, then: Callable[[], None] | None = None) -> None:
    """Print the server's address, run it, and close it; a signal is not an error.

    `then` is called once the address is printed.
    """
    before = signal.signal(signal.SIGTERM, _interrupt)
    try:
        click.echo(told)
        sys.stdout.flush()
        if then is not None:
            then()
        server.run()
    except KeyboardInterrupt:
        notice("stopped")
    finally:
        signal.signal(signal.SIGTERM, before)
        server.close()


def _interrupt(*_: object) -> None:
    raise KeyboardInterrupt
