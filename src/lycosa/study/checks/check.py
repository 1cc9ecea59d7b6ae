"""The types of the checks: a check, its limits, and a finding."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, NamedTuple

import pyarrow as pa

Severity = Literal["error", "warning", "notice"]
SEVERITIES: tuple[Severity, ...] = ("error", "warning", "notice")


class Limits(NamedTuple):
    """From where on a page is large or slow, or a text is long."""

    large_bytes: int = 1_000_000
    slow_seconds: float = 3.0
    title_characters: int = 60
    description_characters: int = 155


class Check(NamedTuple):
    """One thing that can be wrong with a site."""

    name: str
    family: str
    severity: Severity
    title: str
    """In a few words, as a heading."""
    meaning: str
    """Why it matters, in one sentence."""
    mend: str
    """What to do about it, in one sentence."""
    query: Callable[[Limits], str]
    """SQL over the tables of `prepared`, with the columns of `COLUMNS`."""
    subject: Literal["url", "target_url", "text"] = "url"
    """The column that says what is to be mended; findings that share it belong together."""


class Finding(NamedTuple):
    """One row of `findings`."""

    kind: str
    """The name of the check."""
    severity: str
    url: str
    """The page on which it can be mended."""
    target_url: str | None
    """The other URL, where two are concerned."""
    status: int | None
    """The HTTP status of that, where it was asked for."""
    text: str | None
    """The text of the link, or the title or description in question."""
    detail: str
    """What exactly was found."""
    hops: list[str] | None
    """The URLs that a redirect goes through, from the first to the last."""


COLUMNS = ("url", "target_url", "status", "text", "detail", "hops")
"""The columns that every query gives."""

SCHEMA = pa.schema(
    [
        ("kind", pa.string()),
        ("severity", pa.string()),
        ("url", pa.string()),
        ("target_url", pa.string()),
        ("status", pa.int16()),
        ("text", pa.string()),
        ("detail", pa.string()),
        ("hops", pa.list_(pa.string())),
    ]
)


def named(values: tuple[str, ...]) -> str:
    """Write texts as a list of SQL."""
    return "(" + ", ".join(f"'{value}'" for value in values) + ")"
