"""Gives an order to a crawl for a command, and waits until it is applied."""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING, Any

import click

from lycosa.cli.input.options import id_flag, no_wait_flag
from lycosa.cli.screen.lines import command
from lycosa.runtime.orders.desk import Given, give
from lycosa.runtime.orders.live import read_frame

if TYPE_CHECKING:
    from collections.abc import Callable

    from lycosa.runtime.directory import CrawlDirectory
    from lycosa.runtime.orders.orders import Order

LOOK_SECONDS = 0.05


def order_flags(function: Callable[..., Any]) -> Callable[..., Any]:
    """Add the flags that all orders have."""
    as_json = click.option("--json", "as_json", is_flag=True, help="Print JSON.")
    return id_flag(no_wait_flag(as_json(function)))


def order(directory: CrawlDirectory, wanted: Order, text: str, flags: dict[str, Any]) -> Given:
    """Give an order, wait until it is applied, and print its result."""
    given = give(directory, wanted, flags["client_id"])
    say(directory, given, text, flags)
    return given


def say(directory: CrawlDirectory, given: Given, text: str, flags: dict[str, Any]) -> None:
    """Wait for an order if the crawl runs, and print its result."""
    is_applied = not flags["no_wait"] and wait(directory, given.number)
    if flags["as_json"]:
        data = {"order": given.number, "is_new": given.is_new, "is_applied": is_applied}
        click.echo(json.dumps(data))
        return
    again = "" if given.is_new else " (given before)"
    click.echo(f"order {given.number}{again}: {text}")
    if not is_applied and not flags["no_wait"] and not directory.is_distant:
        click.echo(
            "  the crawl is not running; the order applies from:"
            f" {command('resume', directory.path)}"
        )


def wait(directory: CrawlDirectory, number: int) -> bool:
    """Wait until all workers have applied an order; False if no process of this machine crawls."""
    if directory.is_distant:
        return False
    while (holder := directory.holder()) is not None:
        frame = read_frame(directory.path)
        if frame is not None and frame.pid == holder.pid and frame.order >= number:
            return True
        time.sleep(LOOK_SECONDS)
    return False
