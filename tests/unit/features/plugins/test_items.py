"""Items that hooks emit: their types, their bounds, and what is left of them after a failure."""

from __future__ import annotations

import dataclasses
from datetime import UTC, datetime
from typing import Any, NotRequired, TypedDict

import msgspec
import pytest

from lycosa.errors import PluginError
from lycosa.features.plugins.items import Emitted, Kind, Kinds, TooManyItems
from lycosa.features.plugins.plugin import Plugin
from lycosa.model.job import Plugins
from lycosa.model.records import Item


@dataclasses.dataclass
class Quote:
    text: str
    author: str
    tags: list[str] = dataclasses.field(default_factory=list)


class Product(msgspec.Struct):
    sku: str
    price: float
    stock: int | None = None


class Entry(TypedDict):
    name: str
    seen: NotRequired[datetime]


COLUMNS = {"sku": str, "price": float, "stock": int}
TYPES = '{"sku":"text","price":"number","stock":"integer"}'


def _nested(depth: int) -> list[Any]:
    found: list[Any] = []
    for _ in range(depth - 1):
        found = [found]
    return found


@pytest.mark.parametrize(
    ("values", "why"),
    [
        ({"n" * 201: 1}, "at most 200 visible"),
        ({"a\nb": 1}, "at most 200 visible"),
        ({"a\x1b[31m": 1}, "at most 200 visible"),
        ({"a\ud800": 1}, "at most 200 visible"),
        ({f"c{number}": 1 for number in range(1_001)}, "at most 1,000 values, not 1,001"),
        ({"d": _nested(100)}, "more than 100 lists"),
        ({"d": _nested(100_000)}, "nested too deeply"),
        ({"n": 10**30}, "`n` does not fit 64 bits"),
        ({"n": -(2**63) - 1}, "`n` does not fit 64 bits"),
    ],
)
def test_values_that_no_reader_could_show_are_refused(values: dict[str, object], why: str) -> None:
    with pytest.raises((TypeError, ValueError), match=why):
        Kind("thing", None, (), "p").item_of(values)


def test_values_within_the_bounds_are_taken() -> None:
    kind = Kind("thing", None, (), "p")
    for values in ({"n" * 200: 1}, {"d": _nested(99)}, {"n": 2**64 - 1}, {"s": "[" * 500}):
        assert kind.item_of(values).data
    assert kind.item_of({f"c{number}": 1 for number in range(1_000)}).data


@pytest.mark.parametrize(
    ("declared", "values", "data", "types"),
    [
        (Quote, {"text": "a", "author": "b"}, '{"text":"a","author":"b","tags":[]}',
         '{"text":"text","author":"text","tags":"text[]"}'),
        (Quote, Quote("a", "b", ["c"]), '{"text":"a","author":"b","tags":["c"]}',
         '{"text":"text","author":"text","tags":"text[]"}'),
        (Product, {"sku": "1", "price": 2}, '{"sku":"1","price":2.0,"stock":null}', TYPES),
        (Product, Product("1", 2.5, 3), '{"sku":"1","price":2.5,"stock":3}', TYPES),
        (COLUMNS, {"sku": "1"}, '{"sku":"1","price":null,"stock":null}', TYPES),
        (Entry, {"name": "x", "seen": datetime(2026, 1, 2, tzinfo=UTC)},
         '{"name":"x","seen":"2026-01-02T00:00:00Z"}', '{"name":"text","seen":"moment"}'),
        (None, {"anything": {"at": [1, "two", None]}}, '{"anything":{"at":[1,"two",null]}}', None),
    ],
)  # fmt: skip
def test_an_item_is_stored_as_json_with_its_declared_types(
    declared: object, values: object, data: str, types: str | None
) -> None:
    assert Kind("thing", declared, (), "p").item_of(values) == Item("thing", data, None, types)


class Selector:
    """Something that is no value."""


@pytest.mark.parametrize(
    ("declared", "values", "error"),
    [
        (Quote, {"text": "a"}, "missing required field `author`"),
        (Quote, {"text": "a", "autor": "b"}, "there is no column 'autor'; it has: text, author"),
        (Product, {"sku": "1", "price": "12"}, r"Expected `float`, got `str` - at `\$.price`"),
        (COLUMNS, {"stock": 1 << 63}, "`stock` does not fit 64 bits"),
        (None, {"name": Selector()}, "`name` is a Selector, which cannot be stored; add .get"),
        (None, {"name": "\ud800"}, "`name` is a str, which cannot be stored"),
        (None, {"_url": "x"}, "cannot be the name of a column"),
        (None, {1: "x"}, "cannot be the name of a column"),
        (None, {}, "at least one value"),
        (None, "text", "an item is a dict, a dataclass or a msgspec Struct, not 'text'"),
    ],
)
def test_values_that_do_not_fit_are_told_by_name(
    declared: object, values: object, error: str
) -> None:
    with pytest.raises((TypeError, ValueError), match=error):
        Kind("thing", declared, (), "p").item_of(values)


def test_a_key_is_made_of_the_values_of_its_columns() -> None:
    kind = Kind("thing", None, ("shop", "sku"), "p")
    assert kind.item_of({"sku": "1", "shop": "a", "n": 1}).key == '["a","1"]'
    assert kind.item_of({"sku": "1"}).key is None


@pytest.mark.parametrize(
    ("plugin", "error"),
    [
        ({"items": {"history": Quote}}, "items cannot be called 'history'"),
        ({"items": {"a b": Quote}}, "items cannot be called 'a b'"),
        ({"items": {"quote": "text"}}, "cannot be declared by 'text'"),
        ({"items": {"quote": {}}}, "cannot be declared by {}"),
        ({"items": {"quote": {"a-b": str}}}, "'a-b' is not a valid name of a column"),
        ({"items": {"quote": {"a": "nonsense"}}}, "the types of items `quote` cannot be used"),
        ({"items": {"quote": Quote}, "item_keys": {"quote": "sku"}}, "names `sku`, which is not a"),
    ],
)
def test_a_wrong_declaration_is_told_before_the_crawl(plugin: dict[str, Any], error: str) -> None:
    with pytest.raises(PluginError, match=error):
        Kinds([Plugin("p", **plugin)])


def test_two_plugins_cannot_declare_one_kind() -> None:
    plugins = [Plugin(name, items={"quote": Quote}) for name in "pq"]
    with pytest.raises(PluginError, match="`p` and `q` both declare items `quote`"):
        Kinds(plugins)


@pytest.mark.parametrize(
    ("limits", "error"),
    [
        (Plugins(most_items=3), r"more than 3 items: raise \[plugins\] most_items"),
        (Plugins(most_item_bytes=30), r"more than 30 bytes: raise \[plugins\] most_item_bytes"),
    ],
)
def test_items_of_a_page_are_bounded(limits: Plugins, error: str) -> None:
    emitted = Emitted(Kinds([]), limits)
    for n in range(3):
        emitted.add("thing", {"n": n})
    assert not emitted.is_too_much
    with pytest.raises(TooManyItems, match=error):
        emitted.add("thing", {"n": "more"})
    assert emitted.is_too_much
    boundless = Emitted(Kinds([]), Plugins(most_items=0, most_item_bytes=0))
    for n in range(20_000):
        boundless.add("thing", {"n": n})
    assert len(boundless.items) == 20_000
