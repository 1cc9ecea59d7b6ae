"""Generates docs/reference/commands.md from the `--help` text of every command."""

from __future__ import annotations

import re

import click

from lycosa.cli import main

_INTRODUCTION = """\
# Commands

This page is what `--help` says. Results go to standard output; progress, notices and errors
to standard error. Sizes have units of a thousand (`800k`, `10MB`) or of 1024 (`1.5GiB`); times
are `30s`, `5m`, `1h30m`, `2d`, and a bare number is seconds.

## Exit codes

| code | meaning |
|---|---|
"""


def reference() -> str:
    """Return the page."""
    parts = [_INTRODUCTION + "".join(_exit_codes())]
    parent = click.Context(
        main.cli, info_name="lycosa", terminal_width=88, **main.cli.context_settings
    )
    parts.append(_section("lycosa", main.cli.get_help(parent)))
    for name in main.cli.list_commands(parent):
        command = main.cli.get_command(parent, name)
        assert command is not None
        context = click.Context(command, parent, info_name=name, terminal_width=88)
        parts.append(_section(f"lycosa {name}", command.get_help(context)))
        if isinstance(command, click.Group):
            for inner_name in command.list_commands(context):
                inner = command.get_command(context, inner_name)
                assert inner is not None
                inside = click.Context(inner, context, info_name=inner_name, terminal_width=88)
                parts.append(_section(f"lycosa {name} {inner_name}", inner.get_help(inside)))
    return "\n".join(parts)


def _section(title: str, text: str) -> str:
    lines = "\n".join(line.rstrip() for line in text.splitlines())
    return f"## {title}\n\n```\n{lines}\n```\n"


def _exit_codes() -> list[str]:
    """Take the table from the docstring that says what `main` returns."""
    rows = re.findall(r"^ {4}(\d+) +(.+)$", main.__doc__ or "", re.MULTILINE)
    return [f"| {code} | {meaning} |\n" for code, meaning in rows]
