"""The command `cat`, which prints what a crawl has stored of a URL."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from lycosa._support.safe_text import on_screen
from lycosa.cli.input.options import directory_argument
from lycosa.cli.input.places import open_crawl
from lycosa.cli.input.seeds import with_scheme
from lycosa.cli.screen.notices import Session


@click.command()
@directory_argument
@click.argument("url")
@click.option(
    "--body", "part", flag_value="body", default="body", help="Print the content (default)."
)
@click.option(
    "--headers",
    "part",
    flag_value="headers",
    help="Print status line and headers as they were sent.",
)
@click.option("--text", "part", flag_value="text", help="Print the visible text.")
@click.option(
    "--main",
    "part",
    flag_value="main",
    help="Print the main text, without navigation; needs the extra main-text.",
)
@click.pass_obj
def cat(session: Session, /, path: Path, url: str, part: str) -> None:
    """Print the archived answer of a URL.

    Bytes are written as they were sent. On a terminal, control characters and those that change
    the direction of text are shown by their numbers, so that a page cannot control the terminal.
    The text of a document that has not been indexed yet (PDF, office files) is read now.
    """
    from lycosa.operate.inspect.content import content_of

    found = content_of(open_crawl(session, path), with_scheme(url))
    content = {"headers": found.headers, "body": found.body, "text": found.text.encode()}.get(part)
    if part == "text" and not content:
        from lycosa.analysis.documents.reader import document_of_answer

        content = document_of_answer(found.headers, found.body, url).encode()
    if content is None:
        from lycosa.analysis.study.main_text import main_of_answer
        from lycosa.runtime.directory import CrawlDirectory

        engine = CrawlDirectory.open(path).job().extract.main_text
        content = (main_of_answer(engine, found.headers, found.body) or found.text).encode()
    if sys.stdout.isatty():
        click.echo(on_screen(content.decode("utf-8", "replace")))
    else:
        is_text = part in ("text", "main")
        click.echo(content, nl=is_text and not content.endswith(b"\n"))


COMMANDS = (cat,)
