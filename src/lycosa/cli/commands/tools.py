"""The commands `config`, `testweb` and `completion`, which need no crawl."""

from __future__ import annotations

import difflib
import json
import shutil
import textwrap
from collections.abc import Iterator

import click
from click.shell_completion import get_completion_class

from lycosa.cli.input.options import json_flag
from lycosa.config import SECTIONS, example
from lycosa.config.keys import Key, keys_of
from lycosa.config.sections import RULES_DOC, SEEDS_DOC
from lycosa.config.writer import write_value
from lycosa.errors import ConfigError


@click.command()
@click.argument("section", required=False)
@click.option("--example", "as_example", is_flag=True, help="Print a complete, commented job file.")
@json_flag
def config(section: str | None, as_example: bool, as_json: bool) -> None:
    """List the sections and keys of a job.

    Without SECTION all sections with the names of their keys, else the keys of that section
    with their meanings.

    \b
      lycosa config limits
      lycosa config --example > crawl.toml
    """
    if section is not None and (section := section.strip("[]")) not in SECTIONS:
        near = difflib.get_close_matches(section, SECTIONS, 1, 0.5)
        guess = f"did you mean [{near[0]}]?  " if near else ""
        raise ConfigError(f"there is no section [{section}]\n  {guess}all sections: lycosa config")
    if as_json:
        names = [section] if section else list(SECTIONS)
        click.echo(json.dumps({name: _section_data(name) for name in names}, indent=2))
    elif as_example:
        click.echo(example(), nl=False)
    else:
        click.echo("\n".join(_page(section) if section else _overview()))


def _section_data(name: str) -> dict[str, object]:
    facts = ("default", "unit", "choices", "doc")
    return {
        key.name: {fact: getattr(key, fact) for fact in facts}
        for key in keys_of(SECTIONS[name]).values()
    }


def _width() -> int:
    return min(shutil.get_terminal_size((88, 24)).columns, 100)


def _wrapped(text: str, indent: str) -> str:
    return textwrap.fill(
        text, _width(), initial_indent=indent, subsequent_indent=indent, break_on_hyphens=False
    )


def _overview() -> Iterator[str]:
    yield _wrapped(f"seeds   {SEEDS_DOC}", "")
    yield _wrapped(f"rules   {RULES_DOC}", "")
    for name, section in SECTIONS.items():
        yield ""
        yield _wrapped(f"[{name}] {section.__doc__ or ''}", "")
        yield _wrapped(", ".join(keys_of(section)), "    ")
    yield ""
    yield "meanings: lycosa config SECTION   a complete job file: lycosa config --example"


def _page(name: str) -> Iterator[str]:
    yield _wrapped(f"[{name}] {SECTIONS[name].__doc__ or ''}", "")
    for key in keys_of(SECTIONS[name]).values():
        yield ""
        yield f"{key.name} = {write_value(key.default)}{_unit(key)}"
        yield _wrapped(key.doc, "    ")
        if key.choices:
            plugged = ", or `plugin:name`" if key.may_be_plugged else ""
            yield _wrapped("one of " + ", ".join(key.choices) + plugged, "    ")
    if name == "plugins":
        from lycosa.plugins.loader import installed

        yield ""
        found = [f"{plugin} ({package})" for plugin, package in installed().items()]
        yield _wrapped(f"installed: {', '.join(found) or 'none'}", "")


def _unit(key: Key) -> str:
    # The unit is left out where the name has it already.
    return f"   ({key.unit})" if key.unit and key.unit not in key.name.replace("_", " ") else ""


@click.command(
    add_help_option=False,
    context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False},
)
@click.argument("arguments", metavar="[ARGUMENT]...", nargs=-1, type=click.UNPROCESSED)
def testweb(arguments: tuple[str, ...]) -> int:
    """Serve a generated web on this machine, to test crawlers with.

    All arguments: lycosa testweb --help
    """
    from lycosa.testweb import command

    return command.main(list(arguments))


@click.command()
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
@click.pass_context
def completion(context: click.Context, shell: str) -> None:
    """Print a script that completes commands and flags in a shell.

    \b
      lycosa completion bash > ~/.local/share/bash-completion/completions/lycosa
      lycosa completion zsh  > ~/.zfunc/_lycosa
      lycosa completion fish > ~/.config/fish/completions/lycosa.fish
    """
    kind = get_completion_class(shell)
    assert kind is not None
    click.echo(kind(context.find_root().command, {}, "lycosa", "_LYCOSA_COMPLETE").source())


COMMANDS = (config, testweb, completion)
