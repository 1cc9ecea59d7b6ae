"""Reads the input of commands: a query, a file, standard input, a URL, or a batch."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import IO, TYPE_CHECKING

import click

from lycosa.cli.screen.notices import notice
from lycosa.errors import LycosaError, QueryError
from lycosa.model.job import Job

if TYPE_CHECKING:
    from lycosa.operate.checking.batch import Batch
    from lycosa.operate.checking.single_fetch import Asker

_FILE_NAME = re.compile(r"[\w./~+-]+")
"""Text that cannot be a query: every query has a space or a bracket."""

_LONGEST_QUERY_BYTES = 10_000_000


def site_of_address(raw_url: str) -> tuple[str, str]:
    """Return the canonical form of a URL, and its key."""
    from lycosa.model.url import canonicalize, key_of, refusal
    from lycosa.operate.checking.urls import REFUSALS

    canonical = canonicalize(raw_url)
    if canonical is None:
        why = REFUSALS[refusal(raw_url) or "invalid"]
        raise LycosaError(f"{raw_url}: cannot be crawled: {why}")
    return canonical, key_of(canonical)


def asker_for(job: Job) -> Asker:
    """Return the client that fetches single pages for `check`, with a notice when it waits."""
    from lycosa.operate.checking.single_fetch import Asker

    def waiting(host: str, seconds: float) -> None:
        if seconds >= 0.1:
            notice(f"{host}: waiting {seconds:.1f} s, as a crawl would")

    return Asker(job, waiting)


def read_source(source: str, largest_bytes: int) -> bytes:
    """Read a file, or standard input, up to one byte more than the limit."""
    try:
        with click.open_file(source, "rb") as file:
            content: bytes = file.read(largest_bytes + 1)
    except OSError as error:
        raise LycosaError(
            f"{source}: cannot be read: {error.strerror}\n"
            "  give a path, - for standard input, or a URL with its scheme"
        ) from None
    return content


def query_text(given: str) -> str:
    """Return a query that was typed, or that stands in a file or in standard input (`-`)."""
    if given != "-":
        try:
            is_file = Path(given).is_file()
        except (OSError, ValueError):
            is_file = False
        if not is_file:
            if "." in given and _FILE_NAME.fullmatch(given):
                raise QueryError(
                    f"{given}: there is no such file\n"
                    "  give a query in quotes, a file that holds one, or - for standard input"
                )
            return given
    try:
        return read_source(given, _LONGEST_QUERY_BYTES).decode()
    except UnicodeDecodeError:
        raise QueryError(f"{given}: is not in UTF-8\n  save the query as UTF-8") from None


def answer_batch(batch: Batch, sources: tuple[str, ...]) -> int:
    """Answer the lines of a file or of standard input, each before the next is read."""
    if len(sources) > 1:
        raise click.UsageError("Give --batch one FILE, or none for standard input.")
    for source in sources or ("-",):
        try:
            file: IO[bytes] = click.open_file(source, "rb")
        except OSError as error:
            raise LycosaError(f"{source}: cannot be read: {error.strerror}") from None
        with file:
            for line in batch.answers(iter(file.readline, b"")):
                sys.stdout.write(f"{line}\n")
                sys.stdout.flush()
    return int(batch.errors > 0)
