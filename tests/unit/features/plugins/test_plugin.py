from __future__ import annotations

from typing import Any

import pytest

from lycosa.errors import PluginError
from lycosa.features.plugins.columns import Columns
from lycosa.features.plugins.plugin import Plugin


async def later(page: object) -> None: ...


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"name": ""}, "cannot be called"),
        ({"name": "a b"}, "cannot be called"),
        ({"name": "p", "on_page": 5}, "on_page must be a plain function"),
        ({"name": "p", "on_page": later}, "on_page must be a plain function"),
        ({"name": "p", "extractors": {"a/b": None}}, "extractors 'a/b' must be"),
        ({"name": "p", "extractors": {"PDF": print}}, "is not a valid name of a content type"),
        ({"name": "p", "columns": {"a b": int}}, "is not a valid name of a column"),
        ({"name": "p", "schedulers": {"a:b": print}}, "is not a valid name of a scheduler"),
        ({"name": "p", "partitioners": {"": print}}, "is not a valid name of a partitioner"),
    ],
)
def test_a_plugin_that_cannot_work_is_refused_when_it_is_made(
    given: dict[str, Any], said: str
) -> None:
    with pytest.raises(PluginError, match=said):
        Plugin(**given)


def test_columns_keep_their_names_unless_they_are_taken() -> None:
    plugins = [
        Plugin("a", columns={"words": int, "title": str}),
        Plugin("b.c", columns={"words": "float32", "group_offset": bytes}),
    ]
    schema = Columns(plugins).schema
    assert schema.names == ["words", "a_title", "b_c_words", "b_c_group_offset"]
    assert [str(kind) for kind in schema.types] == ["int64", "string", "float", "binary"]


def test_a_column_of_no_type_is_refused() -> None:
    with pytest.raises(PluginError, match="cannot be of the type"):
        Columns([Plugin("a", columns={"words": dict})])
    with pytest.raises(PluginError, match="cannot be of the type 'words'"):
        Columns([Plugin("a", columns={"n": "words"})])


def test_two_columns_that_would_be_called_the_same_are_refused() -> None:
    with pytest.raises(PluginError, match="which exists already"):
        Columns([Plugin("a", columns={"a_title": int, "title": str})])


def test_values_stand_in_the_order_of_the_columns() -> None:
    columns = Columns([Plugin("a", columns={"x": int}), Plugin("b", columns={"y": str, "z": int})])
    assert columns.row({}) == ()
    assert columns.row({2: 5}) == (None, None, 5)


@pytest.mark.parametrize(
    ("kind", "value"), [(int, 2.5), (int, "5"), (int, True), (str, 5), ("int8", 300), (bool, 1)]
)
def test_a_value_of_another_type_is_refused(kind: object, value: object) -> None:
    slot = Columns([Plugin("a", columns={"x": kind})]).slots["a"]["x"]
    with pytest.raises(TypeError, match="does not fit the column `x`"):
        slot.convert(value)


def test_a_value_is_copied_and_made_writable() -> None:
    columns = Columns([Plugin("a", columns={"x": str, "y": float})])
    assert columns.slots["a"]["x"].convert("lone \ud800") == "lone ?"
    assert columns.slots["a"]["y"].convert(1) == 1.0
    assert columns.slots["a"]["y"].convert(None) is None
