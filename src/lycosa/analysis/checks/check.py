"""The types of the checks: a check, its limits, and a finding."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, NamedTuple

import pyarrow as pa

Severity = Literal["error", "warning", "notice"]
SEVERITIES: tuple[Severity, ...] = ("error", "warning", "notice")


class CheckLimits(NamedTuple):
    """Limits above which a page is large or slow, or a text is long."""

    large_bytes: int = 1_000_000
    slow_seconds: float = 3.0
    title_characters: int = 60
    description_characters: int = 155


class Check(NamedTuple):
    """A kind of fault that a site can have."""

    name: str
    family: str
    severity: Severity
    title: str
    """The heading, in a few words."""
    meaning: str
    """The consequence, in one sentence."""
    mend: str
    """The remedy, in one sentence."""
    query: Callable[[CheckLimits], str]
    """SQL over the tables of `prepared`, with the columns of `COLUMNS`."""
    subject: Literal["url", "target_url", "text"] = "url"
    """The column with the object to repair; findings with the same value belong together."""


class Finding(NamedTuple):
    """A row of `findings`."""

    kind: str
    """The name of the check."""
    severity: str
    url: str
    """The page on which the fault can be repaired."""
    target_url: str | None
    """The other URL, if there are two."""
    status: int | None
    """The HTTP status of the other URL, if it was fetched."""
    text: str | None
    """The text of the link, or the title or description in question."""
    detail: str
    """The details of the finding."""
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
