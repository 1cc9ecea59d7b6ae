"""The items that plugins have read out of pages, as tables of SQL.

    items_history    every item of every fetch, as it is stored
    items            the items of each URL's newest fetch, without those that another one replaces

The newest fetch of a URL that says something decides: one that was kept has its items, and after
one that was not found, moved or failed in a hook there are none. An answer "not modified" and
failures that may pass (a timeout, a 503) say nothing. A page that came again with the same bytes
keeps the items it had, and those of the page as a browser has rendered it stand in their place.

Of items of one kind with the same key (`item_keys` of their plugin) the one that was fetched last
is shown; of several that were fetched at the same moment, that of the URL that sorts first, and
then the first one of its page. An item in whose key a value is missing replaces none.

The values of an item are JSON. `columns_of` finds their columns and `flat` makes them: with the
types that were declared, or else with those that all values share; a mixture becomes text.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import msgspec

from lycosa._support.decoders import json_decoder
from lycosa.analysis.study.tables import GONE, Connection, quoted
from lycosa.errors import LycosaError

NEWEST, HISTORY = "items", "items_history"
"""Names of the tables."""

_TELLING = ", ".join(quoted(name) for name in ("kept", "hook_failed", "too_many_items", *GONE))
_VIEW = f"""
    create view items as
    with bearing as (select distinct url_id, fetch_id, fetched_at from items_history),
    telling as (
        select url_id, fetch_id, fetched_at, outcome, digest from pages
        where outcome in ({_TELLING}) and url_id in (select url_id from bearing)
    ),
    newest as (
        select url_id, outcome, digest from telling
        qualify row_number() over (
            partition by url_id order by fetched_at desc, fetch_id desc) = 1
    ),
    before as (
        select telling.url_id, max(telling.fetched_at) as moment
        from telling join newest using (url_id)
        where telling.outcome != 'kept' or telling.digest is distinct from newest.digest
        group by telling.url_id
    ),
    valid as (
        select arg_max(bearing.fetch_id, (bearing.fetched_at, bearing.fetch_id)) as fetch_id
        from bearing join newest using (url_id) left join before using (url_id)
        where newest.outcome = 'kept' and (moment is null or bearing.fetched_at > moment)
        group by bearing.url_id
    )
    select items_history.* from items_history semi join valid using (fetch_id)
    qualify item_key is null or row_number() over (
        partition by kind, item_key order by fetched_at desc, url, ordinal) = 1
"""
_TYPES = {
    "text": "varchar",
    "integer": "bigint",
    "number": "double",
    "boolean": "boolean",
    "bytes": "blob",
    "moment": "timestamptz",
    "date": "date",
    "json": "json",
}
_INFERRED = {
    "VARCHAR": "text",
    "BIGINT": "integer",
    "UBIGINT": "integer",
    "DOUBLE": "number",
    "BOOLEAN": "boolean",
    "OBJECT": "json",
    "ARRAY": "json",
}
"""Types of values that nobody declared, by what DuckDB calls them."""
_LONGEST_NAME = 200
_MOST_COLUMNS = 2_000
"""A table with more takes minutes to make, and fits no reader."""
_POINTER = "'/' || replace(replace(name, '~', '~0'), '/', '~1')"

ABOUT = {
    "_kind": "kind",
    "_url": "url",
    "_fetched_at": "fetched_at",
    "_ordinal": "ordinal",
    "_key": "item_key",
    "_url_id": "url_id",
    "_fetch_id": "fetch_id",
}
"""Columns about an item beside its values, whose names do not begin with `_`."""

_declared = json_decoder(dict[str, str])


class Column(NamedTuple):
    """A column of items."""

    name: str
    """In the values."""
    kind: str
    """Its type, by the names of `_TYPES`; `[]` behind it is a list."""


def add_items(connection: Connection) -> None:
    """Make the table `items` from `items_history` and `pages`."""
    connection.execute(_VIEW)


def kinds_of(connection: Connection, table: str) -> list[str]:
    """Return the kinds of items that there are."""
    rows = connection.execute(f"select distinct kind from {table} order by kind").fetchall()
    return [kind for (kind,) in rows]


def columns_of(
    connection: Connection, table: str, kind: str = "", only: Sequence[str] = ()
) -> list[Column]:
    """Return the columns of the items of a kind, or of all: the declared ones come first.

    With `only`, columns of other names are not looked for; without it too many are an error.
    """
    chosen = f"where kind = {quoted(kind)}" if kind else ""
    found: dict[str, set[str]] = {}
    declared = connection.execute(
        f"select types from {table} {chosen} group by types having types is not null"
        " order by max(fetched_at) desc, types"
    ).fetchall()
    for (types,) in declared:
        for name, type_name in _types_told(types).items():
            found.setdefault(name, set()).add(type_name)
    free = f"{chosen} {'and' if chosen else 'where'} types is null"
    keys = f"select unnest(json_keys(data)) as name from {table} {free}"
    if not only:
        (count,) = connection.execute(f"select count(distinct name) from ({keys})").fetchone()
        if count + len(found) > _MOST_COLUMNS:
            what = f"items `{kind}` have" if kind else "items have"
            raise LycosaError(
                f"{what} {count + len(found):,} columns, and a table has {_MOST_COLUMNS:,} at most"
                "\n  choose some: lycosa export items DIR --columns NAME,NAME"
                "\n  values as they are stored: lycosa sql DIR 'select data from items'"
            )
    wanted = f"where name in ({', '.join(map(quoted, only))})" if only else ""
    rows = connection.execute(
        f"""
        with names as (
            select data, unnest(json_keys(data)) as name,
                generate_subscripts(json_keys(data), 1) as place
            from {table} {free}
        )
        select name, min(place), json_type(data, {_POINTER}) as found,
            bool_or(try_cast(json_extract_string(data, {_POINTER}) as bigint) is null) as is_large
        from names {wanted} group by name, found
        """
    ).fetchall()
    first: dict[str, int] = {}
    for name, place, *_ in rows:
        first[name] = min(place, first.get(name, place))
    for name, _, type_name, is_large in sorted(rows, key=lambda row: (first[row[0]], row[0])):
        types = found.setdefault(name, set())
        if type_name in ("BIGINT", "UBIGINT") and is_large:
            types.add("text")  # a number beyond 64 bits
        elif type_name != "NULL":
            types.add(_INFERRED.get(type_name, "text"))
    return [Column(name, _common(types)) for name, types in found.items()]


def _types_told(types: str) -> dict[str, str]:
    """Return declared columns; a stranger may have written them, so unknown types are text."""
    try:
        told = _declared.decode(types)
    except msgspec.DecodeError:
        return {}
    return {
        name: kind if kind.removesuffix("[]") in _TYPES else "text" for name, kind in told.items()
    }


def _common(types: set[str]) -> str:
    """Return the type that values of these types have together."""
    if len(types) == 1:
        return next(iter(types))
    return "number" if types == {"integer", "number"} else "text"


def flat(table: str, columns: Sequence[Column], about: Sequence[str], kind: str = "") -> str:
    """Return the query for items with their values as columns, and columns about them."""
    taken = {*ABOUT}
    parts = [f"{_value(one)} as {_identifier(one.name, taken)}" for one in columns]
    beside = [f"{ABOUT[name]} as {name}" for name in about if name != "_kind"]
    parts = [*(["kind as _kind"] if "_kind" in about else []), *parts, *beside]
    chosen = f" where kind = {quoted(kind)}" if kind else ""
    return f"select {', '.join(parts)} from {table}{chosen}"


def _identifier(name: str, taken: set[str]) -> str:
    """Return the name of a column in SQL, which takes no notice of capitals."""
    # Hooks cannot emit names without a visible sign, but a table may come from a stranger.
    signs = (sign if sign.isprintable() else "_" for sign in name[:_LONGEST_NAME])
    short = "".join(signs) or "_"
    found, number = short, 2
    while found.lower() in taken:
        found, number = f"{short}_{number}", number + 1
    taken.add(found.lower())
    return '"' + found.replace('"', '""') + '"'


def _value(column: Column) -> str:
    place = quoted("/" + column.name.replace("~", "~0").replace("/", "~1"))
    text, kind = f"json_extract_string(data, {place})", column.kind
    if kind.endswith("[]"):
        of = _TYPES[kind.removesuffix("[]")]
        return f"cast(json_extract(data, {place}) as {'json' if of == 'blob' else f'{of}[]'})"
    if kind == "text":
        return text
    if kind == "bytes":
        return f"from_base64({text})"
    if kind == "json":
        return f"case when {text} is null then null else json_extract(data, {place}) end"
    return f"cast({text} as {_TYPES[kind]})"


def chosen(connection: Connection, table: str, kind: str = "", names: Sequence[str] = ()) -> str:
    """Return the query for items of a kind, with these columns or all; unknown names are told."""
    kinds = kinds_of(connection, table)
    if kind and kind not in kinds:
        there = f"there are: {', '.join(kinds)}" if kinds else "no plugin has emitted any item"
        raise LycosaError(f"there are no items `{kind}`\n  {there}")
    columns = columns_of(connection, table, kind, names)
    # The kind of an item is told only where rows of several kinds stand below each other.
    if not names:
        about = ["_kind"] if len(kinds) > 1 and not kind else []
        return flat(table, columns, [*about, "_url", "_fetched_at"], kind)
    known = {column.name: column for column in columns}
    for name in names:
        if name not in known and name not in ABOUT:
            names_there = [column.name for column in columns_of(connection, table, kind)]
            raise LycosaError(_no_column(name, names_there, kind))
    wanted: list[Any] = [known.get(name, name) for name in names]
    query = flat(
        table,
        [one for one in wanted if isinstance(one, Column)],
        [one for one in wanted if isinstance(one, str)],
        kind,
    )
    # The outer query puts the columns into the order that was asked for.
    taken = {*ABOUT}
    order = ", ".join(
        one if isinstance(one, str) else _identifier(one.name, taken) for one in wanted
    )
    return f"select {order} from ({query})"


def _no_column(name: str, known: Sequence[str], kind: str) -> str:
    from difflib import get_close_matches  # for a mistake alone

    near = get_close_matches(name, [*known, *ABOUT], 1)
    guess = f"did you mean `{near[0]}`?  " if near else ""
    of = f"items `{kind}` have" if kind else "items have"
    return (
        f"{of} no column `{name}`\n  {guess}values: {', '.join(known) or 'none'}; about the item: "
        f"{', '.join(ABOUT)}"
    )
