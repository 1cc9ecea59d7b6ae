"""Items: rows that hooks read out of a page, each of a kind, as they are stored.

A kind may be declared by its plugin: by a class (a dataclass, a msgspec `Struct`, a `TypedDict`),
or by columns, as in `items={"product": {"sku": str, "price": float}}`. Items of such a kind are
checked when they are emitted: a value of another type, a missing one and a name that is not
declared are failures of the hook. Items of other kinds have any values that JSON has.

An item is stored as JSON, with the types that were declared and its key; readers make columns.

Always true: a page has all its items or none. A hook that fails, and a page with more items than
the job allows (`TooManyItems`), leaves none.
"""

from __future__ import annotations

import dataclasses
import re
import typing
from collections.abc import Iterable, Mapping, Sequence
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from typing import Any, Protocol
from uuid import UUID

import msgspec
from msgspec import inspect

from lycosa._support.decoders import converted
from lycosa.errors import PluginError
from lycosa.model.job import Plugins
from lycosa.model.records import Item

_KIND = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,59}")
_RESERVED = "history"
"""The view `items_history` has all items; a kind of this name would want the same one."""
_AS_THEY_ARE = (bytes, bytearray, datetime, date, time, timedelta, Decimal, UUID)
_LEAST, _MOST = -(1 << 63), (1 << 63) - 1
_MOST_UNDECLARED = (1 << 64) - 1
"""Readers show it as text, and no larger number without loss."""
_MOST_COLUMNS, _LONGEST_NAME = 1_000, 200
_DEEPEST = 100
"""Lists and objects within each other; readers of JSON have bounds of their own."""

_TYPES: dict[type, str] = {
    inspect.BoolType: "boolean",
    inspect.IntType: "integer",
    inspect.FloatType: "number",
    inspect.StrType: "text",
    inspect.EnumType: "text",
    inspect.LiteralType: "text",
    inspect.UUIDType: "text",
    inspect.DecimalType: "text",
    inspect.BytesType: "bytes",
    inspect.DateTimeType: "moment",
    inspect.DateType: "date",
}
"""Names of types as rows tell them; `[]` behind one is a list, and all others are `json`."""
_LISTS = (inspect.ListType, inspect.SetType, inspect.VarTupleType, inspect.CollectionType)


class TooManyItems(Exception):
    """A page has more items than the job allows, in number or in bytes."""


class Kind:
    """One kind of items: the check of their values, and their form in the table."""

    def __init__(self, name: str, declared: object, key: tuple[str, ...], plugin: str) -> None:
        self.name = name
        self._key = key
        self._class: Any = _class_of(name, declared, plugin) if declared is not None else None
        self._fields: dict[str, str] = {}
        """Type by column, of a declared kind."""
        if self._class is not None:
            self._fields = _fields_of(name, self._class, plugin)
            if missing := [column for column in key if column not in self._fields]:
                raise PluginError(
                    f"plugin `{plugin}`: the key of `{name}` names `{missing[0]}`, which is not a "
                    f"column\n  its columns: {', '.join(self._fields)}"
                )
        self._integers = [column for column, kind in self._fields.items() if kind == "integer"]
        self.columns = msgspec.json.encode(self._fields).decode() if self._fields else None

    def item_of(self, values: object) -> Item:
        """Return an item as it is stored; `TypeError` or `ValueError` if its values do not fit."""
        found = _as_mapping(self.name, values)
        checked: Any = found
        if self._class is not None:
            if unknown := [column for column in found if column not in self._fields]:
                raise ValueError(
                    f"{self.name}: there is no column {unknown[0]!r}; it has: "
                    f"{', '.join(self._fields)}"
                )
            try:
                checked = converted(found, self._class)
            except msgspec.ValidationError as error:
                raise ValueError(f"{self.name}: {error}") from None
            for column in self._integers:
                if isinstance(value := found.get(column), int) and not _LEAST <= value <= _MOST:
                    raise ValueError(f"{self.name}: `{column}` does not fit 64 bits: {value}")
        else:
            for column, value in found.items():
                if type(value) is int and not _LEAST <= value <= _MOST_UNDECLARED:
                    raise ValueError(
                        f"{self.name}: `{column}` does not fit 64 bits: emit it as text"
                    )
        try:
            data = msgspec.json.encode(checked).decode()
            if data.count("[") + data.count("{") > _DEEPEST and _depth(checked) > _DEEPEST:
                raise ValueError(f"more than {_DEEPEST} lists and objects within each other")
            return Item(self.name, data, self._key_of(found), self.columns)
        except RecursionError:
            raise ValueError(f"{self.name}: the values are nested too deeply") from None
        except (TypeError, ValueError, OverflowError) as error:
            raise _not_a_value(self.name, found, error) from None

    def _key_of(self, values: Mapping[str, object]) -> str | None:
        """Return the key of an item; None if the kind has none, or a part of it is missing."""
        parts = [values.get(column) for column in self._key]
        if not parts or any(part is None for part in parts):
            return None
        return msgspec.json.encode(parts).decode()


class Declares(Protocol):
    """A plugin, as far as its items go."""

    @property
    def name(self) -> str:
        """Its name."""

    @property
    def items(self) -> Mapping[str, object]:
        """The kinds that it declares."""

    @property
    def item_keys(self) -> Mapping[str, str | Sequence[str]]:
        """The columns that tell items of a kind apart."""


class Kinds:
    """The kinds of items of all plugins of a crawl."""

    def __init__(self, plugins: Iterable[Declares]) -> None:
        self._kinds: dict[str, Kind] = {}
        owners: dict[str, str] = {}
        for plugin in plugins:
            for name in dict.fromkeys((*plugin.items, *plugin.item_keys)):
                if name in owners:
                    raise PluginError(
                        f"plugins `{owners[name]}` and `{plugin.name}` both declare items "
                        f"`{name}`\n  declare them once: other plugins emit them as they are"
                    )
                owners[name] = plugin.name
                key = plugin.item_keys.get(name, ())
                columns = (key,) if isinstance(key, str) else tuple(key)
                kind = Kind(_valid(name), plugin.items.get(name), columns, plugin.name)
                self._kinds[name] = kind

    def kind(self, name: str) -> Kind:
        """Return a kind; one that is not declared takes all values that JSON has."""
        found = self._kinds.get(name)
        if found is None:
            found = self._kinds[name] = Kind(_valid(name), None, (), "")
        return found


class Emitted:
    """The items of one page, bounded in number and bytes."""

    def __init__(self, kinds: Kinds, limits: Plugins) -> None:
        self._kinds, self._limits = kinds, limits
        self._bytes = 0
        self.items: list[Item] = []
        self.is_too_much = False
        """Also when the hook has caught `TooManyItems`."""

    def add(self, kind: str, values: object) -> None:
        """Take an item."""
        if not isinstance(kind, str):
            raise TypeError(f"the kind of an item is a text, not {kind!r:.200}")
        item = self._kinds.kind(kind).item_of(values)
        self._bytes += len(item.data)
        most_items, most_bytes = self._limits.most_items, self._limits.most_item_bytes
        if most_items and len(self.items) >= most_items:
            self.is_too_much = True
            raise TooManyItems(
                f"the page has more than {most_items:,} items: raise [plugins] most_items, 0 for "
                "no limit"
            )
        if most_bytes and self._bytes > most_bytes:
            self.is_too_much = True
            raise TooManyItems(
                f"the items of the page take more than {most_bytes:,} bytes: raise [plugins] "
                "most_item_bytes, 0 for no limit"
            )
        self.items.append(item)


def _valid(name: str) -> str:
    if not isinstance(name, str) or not _KIND.fullmatch(name) or name == _RESERVED:
        raise PluginError(
            f"items cannot be called {name!r:.200}\n"
            "  use letters, digits and `_`, at most 60, and begin with a letter; `history` is taken"
        )
    return name


def _as_mapping(kind: str, values: object) -> dict[str, Any]:
    """Return the values of an item by their names."""
    if isinstance(values, Mapping):
        found = dict(values)
    elif isinstance(values, msgspec.Struct) or (
        dataclasses.is_dataclass(values) and not isinstance(values, type)
    ):
        found = msgspec.to_builtins(values, builtin_types=_AS_THEY_ARE)
    else:
        raise TypeError(
            f"{kind}: an item is a dict, a dataclass or a msgspec Struct, not {values!r:.200}"
        )
    for column in found:
        if (
            not isinstance(column, str)
            or not column.isprintable()
            or not 0 < len(column) <= _LONGEST_NAME
            or column.startswith("_")
        ):
            raise ValueError(
                f"{kind}: {column!r:.200} cannot be the name of a column: use a text of at most "
                f"{_LONGEST_NAME} visible characters that does not begin with `_`"
            )
    if len(found) > _MOST_COLUMNS:
        raise ValueError(
            f"{kind}: an item has at most {_MOST_COLUMNS:,} values, not {len(found):,}: emit rows, "
            "or a list"
        )
    if not found:
        raise ValueError(f"{kind}: an item needs at least one value")
    return found


def _depth(value: object) -> int:
    """Return how many lists and objects stand within each other in what JSON has of a value."""
    deepest, waiting = 0, [(msgspec.to_builtins(value), 0)]
    while waiting:
        found, depth = waiting.pop()
        if isinstance(found, Mapping | list | tuple | set | frozenset):
            deepest = max(deepest, depth + 1)
            parts = found.values() if isinstance(found, Mapping) else found
            waiting += [(part, depth + 1) for part in parts]
    return deepest


def _not_a_value(kind: str, values: Mapping[str, Any], error: Exception) -> Exception:
    """Return the error that names the column whose value JSON does not have."""
    for column, value in values.items():
        try:
            msgspec.json.encode(value)
        except (TypeError, ValueError, OverflowError):
            what = type(value).__name__
            more = "; add .get() or .getall()" if what.startswith("Selector") else ""
            return TypeError(f"{kind}: `{column}` is a {what}, which cannot be stored{more}")
    return TypeError(f"{kind}: {error}")


def _class_of(name: str, declared: object, plugin: str) -> Any:
    """Return the class by which items of a kind are checked."""
    is_class = isinstance(declared, type)
    if is_class and (
        dataclasses.is_dataclass(declared)
        or issubclass(typing.cast(type, declared), msgspec.Struct)
        or typing.is_typeddict(declared)
    ):
        return declared
    if isinstance(declared, Mapping) and declared:
        for column in declared:
            if not isinstance(column, str) or not column.isidentifier() or column[0] == "_":
                raise PluginError(
                    f"plugin `{plugin}`: {column!r:.200} is not a valid name of a column of "
                    f"`{name}`"
                )
        types: Mapping[str, Any] = declared
        try:
            fields = [(column, kind | None, None) for column, kind in types.items()]
            return msgspec.defstruct(name, fields)
        except (TypeError, NameError) as error:
            raise _bad_type(name, plugin, error) from None
    raise PluginError(
        f"plugin `{plugin}`: items `{name}` cannot be declared by {declared!r:.200}\n"
        "  give a dataclass, a msgspec Struct, a TypedDict, or columns with their types, as in "
        "{'sku': str, 'price': float}"
    )


def _fields_of(name: str, declared: Any, plugin: str) -> dict[str, str]:
    """Return the columns of a class, with the names of their types."""
    try:
        info: Any = inspect.type_info(declared)
    except (TypeError, NameError) as error:
        raise _bad_type(name, plugin, error) from None
    return {field.encode_name: _type_name(field.type) for field in info.fields}


def _type_name(found: Any) -> str:
    if isinstance(found, inspect.Metadata):
        return _type_name(found.type)
    if isinstance(found, inspect.UnionType):
        others = [one for one in found.types if not isinstance(one, inspect.NoneType)]
        return _type_name(others[0]) if len(others) == 1 else "json"
    if isinstance(found, inspect.LiteralType) and not all(
        isinstance(value, str) for value in found.values
    ):
        return "json"
    if isinstance(found, _LISTS):
        of = _type_name(found.item_type)
        return "json" if of == "json" or of.endswith("[]") else f"{of}[]"
    return _TYPES.get(type(found), "json")


def _bad_type(name: str, plugin: str, error: Exception) -> PluginError:
    return PluginError(
        f"plugin `{plugin}`: the types of items `{name}` cannot be used: {error}\n"
        "  use str, int, float, bool, bytes, datetime, date, lists and dicts of these, or classes "
        "of them"
    )
