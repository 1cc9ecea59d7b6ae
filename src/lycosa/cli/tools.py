"""The commands `config`, `owners-page`, `testweb` and `completion`, which need no crawl."""

from __future__ import annotations

import difflib
import json
import shutil
import textwrap
from collections.abc import Iterator
from pathlib import Path

import click
from click.shell_completion import get_completion_class

from lycosa.cli.input.options import json_flag
from lycosa.errors import ConfigError
from lycosa.model.job import SECTIONS, example
from lycosa.model.job.keys import Key, keys_of
from lycosa.model.job.reader import hint_for
from lycosa.model.job.sections import RULES_DOC, SEEDS_DOC
from lycosa.model.job.writer import write_value


@click.command()
@click.argument("section", required=False)
@click.option("--example", "as_example", is_flag=True, help="Print a complete, commented job file.")
@json_flag
def config(section: str | None, as_example: bool, as_json: bool) -> None:
    """List the sections and keys of a job.

    Without SECTION all sections with the names of their keys, else the keys of that section
    with their meanings. SECTION may also be a key, `rules` or `seeds`.

    \b
      lycosa config limits
      lycosa config depth_static
      lycosa config rules
      lycosa config --example > crawl.toml
    """
    key = ""
    if section is not None and (section := section.strip("[]")) not in SECTIONS:
        if section in ("rules", "seeds"):
            _show_top_level(section, as_json)
            return
        section, key = _section_of_key(section)
    if as_json:
        names = [section] if section else list(SECTIONS)
        data = {name: _section_data(name) for name in names}
        if section and key:
            data = {section: {key: data[section][key]}}
        click.echo(json.dumps(data, indent=2))
    elif as_example:
        click.echo(example(), nl=False)
    else:
        click.echo("\n".join(_page(section, key) if section else _overview()))


def _section_of_key(name: str) -> tuple[str, str]:
    """Return the section and the key of this name, which may be `section.key` or the key alone."""
    before, _, wanted = name.rpartition(".")
    for section, record in SECTIONS.items():
        if wanted in keys_of(record) and before in ("", section):
            return section, wanted
    near = difflib.get_close_matches(name, SECTIONS, 1, 0.5)
    guess = f"did you mean [{near[0]}]?  " if near else hint_for(wanted, "")
    every = [key for record in SECTIONS.values() for key in keys_of(record)]
    if not guess and (near := difflib.get_close_matches(wanted, every, 1, 0.7)):
        guess = f"did you mean `{near[0]}`?  "
    raise ConfigError(f"there is no section or key `{name}`\n  {guess}all of them: lycosa config")


def _show_top_level(name: str, as_json: bool) -> None:
    """Show the syntax of `seeds` or `rules`."""
    from lycosa.model.url.ready_lists import REJECT_LISTS, TRANSFORM_LISTS
    from lycosa.model.url.rules import KEYS

    keys = {action.value: list(known[1:]) for action, known in KEYS.items()}
    if as_json:
        data = {"seeds": SEEDS_DOC} if name == "seeds" else {"rules": keys}
        click.echo(json.dumps(data, indent=2))
        return
    click.echo(_wrapped(f"{name}   {SEEDS_DOC if name == 'seeds' else RULES_DOC}", ""))
    if name == "seeds":
        click.echo('\nseeds = ["https://example.org/"]')
        return
    click.echo(_RULES_EXAMPLE)
    for action, known in keys.items():
        click.echo(_wrapped(f'action = "{action}": {", ".join(known)}', ""))
    lists = f"lists: {', '.join(REJECT_LISTS)} (reject); {', '.join(TRANSFORM_LISTS)} (transform)"
    click.echo(_wrapped(lists, ""))
    click.echo(_wrapped("The first rule that accepts or rejects a URL decides.", ""))


_RULES_EXAMPLE = """
[[rules]]
action = "reject"                    # accept, reject or transform
suffix = [".cl", "example.org"]      # every key must hold, and one value of each
max_query_parameters = 3

[[rules]]
action = "transform"
list = "tracking"
"""


def _section_data(name: str) -> dict[str, dict[str, object]]:
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


def _page(name: str, wanted: str = "") -> Iterator[str]:
    yield _wrapped(f"[{name}] {SECTIONS[name].__doc__ or ''}", "")
    for key in keys_of(SECTIONS[name]).values():
        if wanted not in ("", key.name):
            continue
        yield ""
        yield f"{key.name} = {write_value(key.default)}{_unit(key)}"
        yield _wrapped(key.doc, "    ")
        if key.choices:
            plugged = ", or `plugin:name`" if key.may_be_plugged else ""
            yield _wrapped("one of " + ", ".join(key.choices) + plugged, "    ")
    if name == "plugins" and not wanted:
        from lycosa.features.plugins.loader import installed

        yield ""
        found = [f"{plugin} ({package})" for plugin, package in installed().items()]
        yield _wrapped(f"installed: {', '.join(found) or 'none'}", "")


def _unit(key: Key) -> str:
    # The unit is left out if the name of the key has it.
    return f"   ({key.unit})" if key.unit and key.unit not in key.name.replace("_", " ") else ""


@click.command("owners-page")
@click.argument("path", metavar="[DIR]", required=False, type=click.Path(path_type=Path))
@click.option(
    "--mail", required=True, metavar="ADDRESS", help="A mail address where site owners reach you."
)
@click.option("--operator", required=True, metavar="TEXT", help="Your name, or your institution's.")
@click.option(
    "--purpose", default="", metavar="TEXT", help="The purpose of the crawl, in a sentence."
)
def owners_page(path: Path | None, mail: str, operator: str, purpose: str) -> None:
    """Print a page for site owners, which --contact can name.

    The page says who crawls, with which user agent, how fast, and how a site can ask for fewer
    requests or none at all. With DIR the name and the pauses are those of that crawl, else the
    usual ones. Publish it, and crawl with its address:

    \b
      lycosa owners-page --mail you@example.org --operator 'Ada, Example Institute' > crawler.html
      lycosa crawl https://example.com/ -o mycrawl --contact https://example.org/crawler.html
    """
    from lycosa.model.job import Job
    from lycosa.operate.inspect import owners_page as page

    if "@" not in mail.strip("@") or set(mail) & set(" <>\"'"):
        raise ConfigError(f"{mail}: is not a mail address\n  write it like you@example.org")
    if path is None:
        job = Job.of()
    else:
        from lycosa.runtime.directory import CrawlDirectory

        job = CrawlDirectory.open(path).job()
    click.echo(page.owners_page(job, operator, mail, purpose), nl=False)


@click.command(
    add_help_option=False,
    context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False},
)
@click.argument("arguments", metavar="[ARGUMENT]...", nargs=-1, type=click.UNPROCESSED)
def testweb(arguments: tuple[str, ...]) -> int:
    """Serve a generated web on this machine, to test crawlers with.

    All arguments: lycosa testweb --help
    """
    from lycosa_testweb import command

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


COMMANDS = (config, owners_page, testweb, completion)
