"""Command groups that load their commands on demand and guess misspelt names."""

from __future__ import annotations

import importlib
import os
import sys
from collections.abc import Sequence
from pathlib import Path

import click

from lycosa._support.tuples import NamedTuple
from lycosa.cli.screen.output import escaping

LONGEST_NAME = 200
"""A longer word is not looked for on the disk."""


class Formatter(click.HelpFormatter):
    """Writes help without a line break inside of a word, such as `--min-free-disk`."""

    def __init__(self, *arguments: int | None, **options: int | None) -> None:
        from click._textwrap import TextWrapper  # only help needs it

        TextWrapper.wordsep_re = TextWrapper.wordsep_simple_re
        super().__init__(*arguments, **options)  # type: ignore[arg-type]


click.Context.formatter_class = Formatter


class CommandGroup(click.Group):
    """A group that guesses which command was meant, and lists them by purpose."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command, or say which one is near."""
        if args and not args[0].startswith("-") and self.get_command(ctx, args[0]) is None:
            import difflib  # only where something is misspelt

            near = difflib.get_close_matches(args[0], self.list_commands(ctx), 1, 0.5)
            guess = f" Did you mean {near[0]!r}?" if near else ""
            there = Path(args[0]) if len(args[0]) < LONGEST_NAME else Path()
            if there.is_file():
                guess = f" To crawl from the seeds in a file: lycosa crawl --seeds {args[0]}"
            elif (there / "crawl.toml").is_file():
                guess = f" To look at a crawl: lycosa status {args[0]}"
            raise click.UsageError(f"No such command {args[0]!r}.{guess}", ctx)
        return super().resolve_command(ctx, args)

    def invoke(self, ctx: click.Context) -> object:
        """Run the command; a reader that closes our output early (`| head`) is not an error."""
        try:
            with escaping():
                return super().invoke(ctx)
        except BrokenPipeError:
            # The rest of the buffer must not fail again when the program ends.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            return 0

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the commands in the order in which a new user needs them."""
        return list(self.commands)


class Purpose(NamedTuple):
    """Commands for one purpose: a heading, an example, and their names."""

    title: str
    example: str
    names: tuple[str, ...]


class LazyGroup(CommandGroup):
    """A group that imports the module of a command when the command is typed.

    `modules` gives each module with the names in its `COMMANDS`. So a crawl does not wait for the
    imports of `check`. `purposes` sorts the names for `--help`; without it, they are one list in
    the order of the modules.
    """

    modules: dict[str, tuple[str, ...]] = {}  # noqa: RUF012
    purposes: Sequence[Purpose] = ()

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return a command, imported now if it has not been."""
        if cmd_name not in self.commands:
            for module, names in self.modules.items():
                if cmd_name in names:
                    for command in importlib.import_module(module).COMMANDS:
                        self.add_command(command)
        return self.commands.get(cmd_name)

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return all names, without importing anything."""
        groups = [purpose.names for purpose in self.purposes] or self.modules.values()
        return [name for names in groups for name in names]

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands under the heading of what they are for."""
        if not self.purposes:
            super().format_commands(ctx, formatter)
            return
        column = max(map(len, self.list_commands(ctx)))
        for purpose in self.purposes:
            rows = []
            for name in purpose.names:
                command = self.get_command(ctx, name)
                assert command is not None, f"{name} is in no module"
                # Names are padded, so that the texts of all headings begin in one column.
                text = command.get_short_help_str(formatter.width - column - 4)
                rows.append((name.ljust(column), text))
            with formatter.section(f"{purpose.title} ({purpose.example})"):
                formatter.write_dl(rows)
