"""The command group `new`: writes projects to begin with."""

from __future__ import annotations

import re
from pathlib import Path

import click

from lycosa.cli.groups import CommandGroup
from lycosa.errors import LycosaError

_NAME = re.compile(r"[a-z][a-z0-9]*(?:[-_][a-z0-9]+)*")
"""Names that are good for a package, a module and an entry point at once."""

_PROJECT = """\
[build-system]
requires = ["setuptools>=77"]
build-backend = "setuptools.build_meta"

[project]
name = "lycosa-{name}"
version = "0.1"
description = "A plugin of Lycosa"
readme = "README.md"
dependencies = ["lycosa[selectors]"]

[project.optional-dependencies]
test = ["pytest"]

[project.entry-points."lycosa.plugins"]
{name} = "lycosa_{module}:plugin"

[tool.setuptools]
py-modules = ["lycosa_{module}"]
"""
_MODULE = '''\
"""Emits the headings of every page, and follows links that a crawl would not see."""

from typing import Any

from lycosa import Plugin, SeenPage


def plugin(settings: dict[str, Any]) -> Plugin:
    """Make the plugin from the job's [plugins.settings.{name}]."""
    selector = settings.get("heading", "h1")

    def look(page: SeenPage) -> None:
        for heading in page.css(selector):
            page.emit("heading", text="".join(heading.css("::text").getall()).strip())
        page.follow(page.css("[data-href]"))

    return Plugin("{name}", items={{"heading": {{"text": str}}}}, on_page=look)
'''
_TEST = '''\
"""The plugin on a saved page; nothing is asked for."""

from pathlib import Path

from lycosa import Job
from lycosa.testing import show_page

PAGE = Path(__file__).with_name("page.html")
URL = "https://example.org/list"


def test_headings_are_emitted() -> None:
    shown = show_page("{name}", PAGE, url=URL)
    assert (shown.outcome, shown.failure) == ("kept", "")
    assert [item.values for item in shown.items] == [{{"text": "Ten walks"}}]


def test_links_of_scripts_are_followed_within_the_scope() -> None:
    shown = show_page("{name}", PAGE, url=URL)
    assert "https://example.org/walks/2" in [link.url for link in shown.links]
    assert [link.reason for link in shown.refused] == ["out-of-scope"]


def test_the_job_says_which_heading() -> None:
    plugins = {{"use": ["{name}"], "settings": {{"{name}": {{"heading": "h2"}}}}}}
    job = Job.of([URL], plugins=plugins)
    shown = show_page("{name}", PAGE, url=URL, job=job)
    assert [item.values for item in shown.items] == [{{"text": "By the river"}}]
'''
_PAGE = """\
<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>Walks</title></head>
<body>
<h1>Ten <em>walks</em></h1>
<h2>By the river</h2>
<p><a href="/walks/1">First</a> <button data-href="/walks/2">Second</button></p>
<p><a href="https://example.net/">Elsewhere</a></p>
</body>
</html>
"""
_README = """\
# lycosa-{name}

A plugin of Lycosa. `lycosa_{module}.py` is the plugin, `tests/` shows it a saved page.

    pip install -e '.[test]'
    pytest

A job names it:

    lycosa crawl https://example.org/ -o mycrawl --contact you@example.org --set plugins.use={name}
    lycosa export items mycrawl --kind heading -o headings.csv

To test it on another page, save that page (`lycosa cat mycrawl URL > tests/page.html`); to try
selectors on it: `lycosa shell mycrawl URL`.
"""
_FILES = {
    "README.md": _README,
    "lycosa_{module}.py": _MODULE,
    "pyproject.toml": _PROJECT,
    "tests/page.html": _PAGE,
    "tests/test_{module}.py": _TEST,
}


@click.group(cls=CommandGroup)
def new() -> None:
    """Write a project to begin with."""


@new.command()
@click.argument("name")
@click.option(
    "-o",
    "--output",
    "folder",
    metavar="DIR",
    type=click.Path(path_type=Path),
    help="The folder to make; lycosa-NAME unless given.",
)
def plugin(name: str, folder: Path | None) -> None:
    """Write a plugin as a package, with a test that passes when it is installed.

    Nothing that exists is changed: the folder must be a new one.

    \b
      lycosa new plugin headings
      pip install -e 'lycosa-headings[test]'
      pytest lycosa-headings
    """
    if not _NAME.fullmatch(name):
        raise LycosaError(
            f"a plugin cannot be called {name!r}\n"
            "  use small letters, digits and single hyphens, and begin with a letter: word-count"
        )
    _refuse_installed(name)
    home = folder or Path(f"lycosa-{name}")
    files = written(home, name)
    for file in files:
        click.echo(str(file))
    click.echo(f"next: pip install -e '{home}[test]' && pytest {home}", err=True)


def written(home: Path, name: str) -> list[Path]:
    """Write the files of a plugin into a folder that is made for them."""
    module = name.replace("-", "_")
    try:
        # Fails where the folder exists, also between a look and the making of it.
        home.mkdir(parents=True)
        made = []
        for path, content in _FILES.items():
            file = home / path.format(module=module)
            file.parent.mkdir(exist_ok=True)
            text = content if content is _PAGE else content.format(name=name, module=module)
            with file.open("x", encoding="utf-8") as out:
                out.write(text)
            made.append(file)
    except FileExistsError:
        raise LycosaError(
            f"{home}: exists already, and nothing in it was changed\n"
            "  choose another folder: lycosa new plugin NAME -o DIR"
        ) from None
    except OSError as error:
        raise LycosaError(
            f"{error.filename or home}: cannot be written: {error.strerror}\n"
            "  choose another folder with -o"
        ) from None
    return made


def _refuse_installed(name: str) -> None:
    """Refuse the name of a plugin that is installed: a job could not tell the two apart."""
    from lycosa.features.plugins.loader import installed

    if (package := installed().get(name)) is not None:
        raise LycosaError(
            f"there is a plugin `{name}` already, of the package {package}\n  choose another name"
        )


COMMANDS = (new,)
