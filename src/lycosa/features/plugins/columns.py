"""The columns that plugins add to the table `pages`.

A column has the name that its plugin gives it. If a column of Lycosa or of a plugin named
earlier has the same name, the plugin's name is put before it (`wordcount_title`). All are
nullable: pages without a value, and pages crawled before the plugin was used, have null.

A value is checked and converted when a hook sets it, so a wrong value is that hook's failure.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import datetime
from functools import partial

import pyarrow as pa

from lycosa.errors import PluginError
from lycosa.features.plugins.pages import Slot
from lycosa.features.plugins.plugin import Plugin
from lycosa.storage.tables.rows import JOURNAL_SCHEMAS

_TYPES: dict[object, pa.DataType] = {
    bool: pa.bool_(),
    int: pa.int64(),
    float: pa.float64(),
    str: pa.string(),
    bytes: pa.binary(),
    datetime: pa.timestamp("us", tz="UTC"),
}


_PLAIN = {pa.int64().id: int, pa.float64().id: float, pa.bool_().id: bool}
"""Types of Arrow whose values are those of a type of Python, by their numbers."""


class Columns:
    """The columns of all plugins of a crawl."""

    def __init__(self, plugins: Iterable[Plugin]) -> None:
        taken = {*JOURNAL_SCHEMAS["pages"].names, "topic", "topic_confidence", "topics"}
        fields: list[pa.Field] = []
        self.slots: dict[str, dict[str, Slot]] = {}
        """By plugin, and by what it calls a column."""
        for plugin in plugins:
            slots = self.slots.setdefault(plugin.name, {})
            for column, kind in plugin.columns.items():
                name = column if column not in taken else f"{_prefix(plugin)}_{column}"
                if name in taken:
                    raise PluginError(
                        f"plugin `{plugin.name}`: the column `{column}` would be called `{name}`, "
                        "which exists already\n  give it another name"
                    )
                taken.add(name)
                field = pa.field(name, _arrow_type(plugin, column, kind))
                slots[column] = Slot(len(fields), partial(_converted, field))
                fields.append(field)
        self.schema = pa.schema(fields)

    def row(self, values: dict[int, object]) -> tuple[object, ...]:
        """Return the values of a page in the order of the columns; () when there are none."""
        return tuple(map(values.get, range(len(self.schema)))) if values else ()


def _converted(field: pa.Field, value: object) -> object:
    """Return a copy of a value that Arrow will take for one of the column's type."""
    if type(value) is _PLAIN.get(field.type.id) and (
        type(value) is not int or -(1 << 63) <= value < 1 << 63
    ):
        return value  # most are, and Arrow takes its time
    if isinstance(value, str):
        value = value.encode("utf-8", "replace").decode()
    try:
        if isinstance(value, float) and pa.types.is_integer(field.type) and value % 1:
            raise TypeError("it is not a whole number")
        return pa.array([value], field.type).to_pylist()[0]
    except (pa.ArrowException, TypeError, ValueError, OverflowError) as error:
        raise TypeError(
            f"{value!r:.200} does not fit the column `{field.name}` ({field.type})"
        ) from error


def _arrow_type(plugin: Plugin, column: str, kind: object) -> pa.DataType:
    if isinstance(kind, pa.DataType):
        return kind
    try:
        return _TYPES[kind] if not isinstance(kind, str) else pa.type_for_alias(kind)
    except (KeyError, TypeError, ValueError):
        known = ", ".join(getattr(known, "__name__", "") for known in _TYPES)
        raise PluginError(
            f"plugin `{plugin.name}`: the column `{column}` cannot be of the type {kind!r}\n"
            f"  known types: {known}, and those of Arrow"
        ) from None


def _prefix(plugin: Plugin) -> str:
    return re.sub(r"\W", "_", plugin.name)
