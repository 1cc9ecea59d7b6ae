"""Writes a job as TOML, with every key, so that people can read it and Lycosa can run it again.

Always true: reading the text back gives the same job.
"""

from __future__ import annotations

import dataclasses
import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date, datetime, time
from typing import Any

from lycosa.model.job.keys import Key, Table, keys_of
from lycosa.model.job.sections import RULES_DOC, SECTIONS, SEEDS_DOC

_BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")
_NEEDS_ESCAPE = re.compile(r'["\\\x00-\x1f\x7f]')


def write_job(
    seeds: Sequence[str] | Mapping[str, object],
    rules: Sequence[Mapping[str, object]],
    sections: Mapping[str, Any],
    *,
    with_comments: bool = False,
) -> str:
    """Write every key of the job, also those that have their defaults."""
    lines: list[str] = []
    if with_comments:
        lines += comment(SEEDS_DOC)
    lines.append(f"seeds = {write_value(seeds if isinstance(seeds, Mapping) else list(seeds))}")
    for name, section in SECTIONS.items():
        lines += ["", f"[{name}]"]
        if with_comments:
            lines += comment(section.__doc__ or "")
        for key in keys_of(section).values():
            if with_comments:
                lines += ["", *comment(key.doc)]
            lines.append(f"{key.name} = {write_value(getattr(sections[name], key.name))}")
    if with_comments:
        lines += ["", *comment(RULES_DOC)]
    for rule in rules:
        lines += ["", "[[rules]]"]
        lines += [f"{_write_key(key)} = {write_value(value)}" for key, value in rule.items()]
    return "\n".join(lines) + "\n"


def write_long_list(blocks: Iterable[Sequence[str]]) -> Iterator[str]:
    """Write a list that is too long for a line, piece by piece, as `write_value` writes it."""
    yield "[\n"
    for block in blocks:
        text = "".join(block)
        # This runs for a million seeds; the three calls take a fifth of the expression's time.
        if not text.isprintable() or '"' in text or "\\" in text:
            yield "".join([f"    {_write_text(entry)},\n" for entry in block])
        else:
            yield '    "' + '",\n    "'.join(block) + '",\n'
    yield "]"


def comment(text: str) -> list[str]:
    """Return the text as lines of a comment."""
    import textwrap  # imported here: only people need the comments

    return textwrap.wrap(text, 88, initial_indent="# ", subsequent_indent="# ")


def write_value(value: object) -> str:
    """Write one value; inner tables are written inline."""
    match value:
        case bool():
            return "true" if value else "false"
        case int():
            return f"{value:_}"
        case float():
            return repr(value)
        case str():
            return _write_text(value)
        case datetime() | date() | time():
            return value.isoformat()
        case list() | tuple():
            return _write_list([write_value(entry) for entry in value])
        case Mapping():
            pairs = [f"{_write_key(key)} = {write_value(entry)}" for key, entry in value.items()]
            return "{" + ", ".join(pairs) + "}"
    raise TypeError(f"TOML has no way to write {value!r}")


def _write_list(entries: list[str]) -> str:
    line = "[" + ", ".join(entries) + "]"
    # An inline table must stay on its line, so only lists of plain values are broken up.
    if len(line) <= 88 or any(entry.startswith("{") for entry in entries):
        return line
    return "[\n" + "".join(f"    {entry},\n" for entry in entries) + "]"


def _write_key(key: str) -> str:
    return key if _BARE_KEY.fullmatch(key) else _write_text(key)


def _write_text(text: str) -> str:
    return '"' + _NEEDS_ESCAPE.sub(_escape, text) + '"'


def _escape(match: re.Match[str]) -> str:
    character = match[0]
    return "\\" + character if character in '"\\' else f"\\u{ord(character):04x}"


def section_defaults() -> dict[str, Any]:
    """Return every section with its defaults."""
    return {name: section() for name, section in SECTIONS.items()}


def sections_of(job: Any) -> dict[str, Any]:
    """Return the sections of a job by their names."""
    return {
        field.name: getattr(job, field.name)
        for field in dataclasses.fields(job)
        if field.name in SECTIONS
    }


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
    # A bool is an int, too, so it comes before numbers.
    if isinstance(key.default, bool):
        return "`true`, `false`"
    kind = key.unit or ("whole number" if isinstance(key.default, int) else "number")
    if key.most != math.inf:
        return f"{kind}, {key.least:g} to {key.most:g}"
    return f"{kind}, at least {key.least:g}" if key.least else kind
