"""The types of a report section: its queries, and its sentence, figures and tables.

A section is declared, not programmed: its queries, each named after the file for its rows,
and a function from the rows to one sentence, figures and tables. If the study lacks a table that a
section needs, or there is nothing to say, the section shows the sentence alone. To add a section,
write one and name it in `sections`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, NamedTuple

from lycosa.analysis.charts import Figure
from lycosa.model.job import Job
from lycosa.operate.inspect.audit import Audit

Row = Mapping[str, Any]
Answers = Mapping[str, Sequence[Row]]
"""Rows by the name of the query."""

Kind = Literal["text", "web", "count", "share", "size", "number", "seconds"]
"""The format of a column; `web` is text from the web, which is not trusted."""


class Facts(NamedTuple):
    """Facts of the crawl that its tables do not hold."""

    directory: str
    job: Job
    study: Mapping[str, Any]
    """The manifest of the study."""
    audit: Audit | None
    """The audit; None if it was left out, or cannot be made."""
    is_running: bool
    version: str
    words: Mapping[str, Sequence[str]] = {}
    """The words with the most weight for each topic, in a crawl with a model."""


class Column(NamedTuple):
    """A column of a table."""

    title: str
    kind: Kind = "text"


class Table(NamedTuple):
    """A table; a cell is None where there is no value."""

    caption: str
    columns: Sequence[Column]
    rows: Sequence[Sequence[Any]]


class Shown(NamedTuple):
    """The content of a section: sentence, figures, tables."""

    sentence: str
    figures: Sequence[Figure] = ()
    tables: Sequence[Table] = ()

    @property
    def is_filled(self) -> bool:
        """Whether there was anything to show."""
        return bool(self.figures or self.tables)


class Section(NamedTuple):
    """A part of the report."""

    name: str
    title: str
    queries: Mapping[str, str]
    """SQL over the tables of the study, by the name of the file for the rows."""
    show: Callable[[Answers, Facts], Shown]
    needs: Sequence[str] = ()
    """Tables of the study that the queries need."""
    asides: Mapping[str, str] = {}
    """Queries whose rows are not written to a file: totals, for the sentence."""


class Chapter(NamedTuple):
    """Sections that belong together."""

    title: str
    sections: Sequence[Section]
    needs: Sequence[str] = ()
    """Tables of the study without which the report has no such chapter."""
