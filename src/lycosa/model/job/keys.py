"""Declares the sections of a job: a frozen record, and its keys with unit, limits and meaning.

A section behaves like a dataclass and is one (`dataclasses.replace`, `fields` and `asdict` accept
it). Its methods are written here once, for all sections: `dataclass` would generate and compile
six methods for each, which takes 10 ms of every start.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterable
from functools import cache
from typing import Any, ClassVar, TypeVar, cast, dataclass_transform

from msgspec import Struct


class Table(dict[str, Any]):
    """A table of a job whose keys a plugin checks; it is never changed."""

    def __hash__(self) -> int:  # type: ignore[override]
        return hash(repr(self))


T = TypeVar("T", bool, int, float, str, tuple[str, ...], Table)


class Key(Struct, frozen=True):
    """The definition of one key."""

    name: str
    default: int | float | str | tuple[str, ...] | Table
    doc: str
    unit: str = ""
    least: float = 0
    most: float = math.inf
    choices: tuple[str, ...] = ()
    pattern: str = ""
    pattern_text: str = ""
    """The pattern in words, for error texts."""
    is_required: bool = False
    """Whether the text or list must not be empty."""
    is_path: bool = False
    """Whether the text is a path, relative to the job file's folder."""
    is_confidential: bool = False
    """Whether the text may hold a secret by mistake, so that error texts do not repeat it."""
    may_be_plugged: bool = False
    """Whether the text may also name a part of a plugin, as `plugin:name`."""
    before: int | float | str | tuple[str, ...] | None = None
    """The value in the jobs of crawls that began before there was the key, if not the default."""


def key(default: T, doc: str, **facts: Any) -> T:
    """Define a key; `facts` are fields of `Key`."""
    definition: Any = dataclasses.field(default=default, metadata={"doc": doc, **facts})
    return definition  # type: ignore[no-any-return]


@cache
def keys_of(section: type) -> dict[str, Key]:
    """Return the keys of a section class, in the order of their definition."""
    return {
        field.name: Key(field.name, cast(Any, field.default), **field.metadata)
        for field in dataclasses.fields(section)
    }


@dataclass_transform(frozen_default=True)
class Record:
    """The base of all sections: a frozen record whose fields all have defaults."""

    __dataclass_fields__: ClassVar[dict[str, dataclasses.Field[Any]]]
    __match_args__: ClassVar[tuple[str, ...]]

    def __init_subclass__(cls) -> None:
        dataclasses.dataclass(init=False, repr=False, eq=False)(cls)

    def __init__(self, *values: Any, **named: Any) -> None:
        names = self.__match_args__
        given = dict(zip(names, values, strict=False))
        unknown = named.keys() - names
        if len(values) > len(names) or unknown or named.keys() & given.keys():
            wrong = ", ".join(sorted(unknown or named.keys() & given.keys())) or "too many values"
            raise TypeError(f"{type(self).__name__}() got unexpected values: {wrong}")
        given |= named
        # Not through `__dict__`: touching it halves the speed of reading attributes.
        for name, field in self.__dataclass_fields__.items():
            value = given[name] if name in given else _default(field)
            object.__setattr__(self, name, value)

    def __setattr__(self, name: str, value: object) -> None:
        raise dataclasses.FrozenInstanceError(f"cannot assign to field {name!r}")

    def __delattr__(self, name: str) -> None:
        raise dataclasses.FrozenInstanceError(f"cannot delete field {name!r}")

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Record) or other.__class__ is not self.__class__:
            return NotImplemented
        return self._values() == other._values()

    def __hash__(self) -> int:
        return hash(self._values())

    def __repr__(self) -> str:
        names = self.__match_args__
        fields = ", ".join(f"{name}={getattr(self, name)!r}" for name in names)
        return f"{type(self).__qualname__}({fields})"

    def contradictions(self) -> Iterable[str]:
        """Return the faults of the section as a whole; a section that can have some says which."""
        return ()

    def _values(self) -> tuple[object, ...]:
        return tuple(getattr(self, name) for name in self.__match_args__)


def _default(field: dataclasses.Field[Any]) -> object:
    make = field.default_factory
    return field.default if make is dataclasses.MISSING else make()
