"""Generates the reference page of all job keys, and the commented example job.

Both are made from the definitions in `sections`, so they are always complete.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

from lycosa.model.job.keys import Key, Table, keys_of
from lycosa.model.job.sections import RULES_DOC, SECTIONS, SEEDS_DOC
from lycosa.model.job.writer import section_defaults, write_job, write_value

_INTRODUCTION = """\
# The job file

A job is one TOML file, `crawl.toml`. Every key has a default; a key that is not listed
here is an error. Times are in seconds and sizes in bytes.
"""


def reference(section: str | None = None) -> str:
    """Return all keys as Markdown, or those of one section."""
    if section is not None:
        return "\n".join(_section_page(section)) + "\n"
    lines = [_INTRODUCTION, "## Top level", "", *_table_head()]
    lines.append(f"| `seeds` | list of texts | `[]` | {SEEDS_DOC} |")
    lines.append(f"| `rules` | list of tables | none | {RULES_DOC} |")
    for name in SECTIONS:
        lines += ["", *_section_page(name)]
    return "\n".join(lines) + "\n"


def example() -> str:
    """Return a complete job: every key with its default and its meaning."""
    head = "# A complete job: every key, with its default. Only `seeds` is required.\n\n"
    return head + write_job(["https://example.org/"], (), section_defaults(), with_comments=True)


def _section_page(name: str) -> Iterator[str]:
    section = SECTIONS[name]
    yield f"## [{name}]"
    yield ""
    yield section.__doc__ or ""
    yield ""
    yield from _table_head()
    for key in keys_of(section).values():
        default = write_value(key.default).replace("\n", " ")
        yield f"| `{key.name}` | {_values(key)} | `{default}` | {key.doc} |"


def _table_head() -> list[str]:
    return ["| key | values | default | meaning |", "|---|---|---|---|"]


def _values(key: Key) -> str:
    """Return the possible values of a key: type, unit and bounds."""
    if key.choices:
        plugged = ", `plugin:name`" if key.may_be_plugged else ""
        return ", ".join(f"`{choice}`" for choice in key.choices) + plugged
    if isinstance(key.default, Table):
        return "a table for each plugin"
    if isinstance(key.default, tuple):
        return "list of texts" + (f": {key.pattern_text}" if key.pattern else "")
    if isinstance(key.default, str):
        return "text" + (f": {key.pattern_text}" if key.pattern else "")
    if isinstance(key.default, bool):
        return "`true`, `false`"
    kind = key.unit or ("whole number" if isinstance(key.default, int) else "number")
    if key.most != math.inf:
        return f"{kind}, {key.least:g} to {key.most:g}"
    return f"{kind}, at least {key.least:g}" if key.least else kind
