"""The two sides of a comparison, as tables of one database.

before, after              the last answer of every URL; `place` is the URL by which the sides
                           are compared
before_said, after_said    a digest of the text of every page that was kept
before_edges, after_edges  the links by which readers get from these pages to others
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, time
from pathlib import Path
from typing import NamedTuple

from lycosa.analysis.checks.check import named
from lycosa.analysis.checks.prepared import READERS_KINDS, SAYS_NOTHING
from lycosa.analysis.study.tables import Connection, add_rows, all_rows, quoted, require_rows
from lycosa.errors import ConfigError, LycosaError
from lycosa.model.url import canonicalize
from lycosa.runtime.directory import CrawlDirectory

BEFORE, AFTER = "before", "after"
KINDS = ("pages", "links", "text")


class Mapping(NamedTuple):
    """A mapping of URLs: a prefix in the first side, and its prefix in the second."""

    old: str
    new: str


class Side(NamedTuple):
    """A crawl, up to a moment."""

    folder: Path
    moment: datetime | None = None
    """The moment; None for the present."""

    @property
    def title(self) -> str:
        """The side in a few words."""
        if self.moment is None:
            return str(self.folder)
        return f"{self.folder} at {self.moment:%Y-%m-%d %H:%M:%S} UTC"


def read_mapping(text: str) -> Mapping:
    """Read `http://a=http://b`."""
    for place, sign in enumerate(text):
        if sign == "=" and "://" in text[place:]:
            old, new = (_beginning(part) for part in (text[:place], text[place + 1 :]))
            if old and new:
                return Mapping(old, new)
    raise ConfigError(
        f"--map {text}: is not URL=URL\n  write for example --map http://localhost=https://a.org"
    )


def _beginning(text: str) -> str | None:
    """Return the beginning of URLs; one without a path ends with the slash after the host."""
    url = canonicalize(text)
    if url is None:
        return None
    has_path = "/" in text.partition("://")[2]
    return url if has_path else url.rstrip("/") + "/"


def read_moment(text: str) -> datetime:
    """Read a moment in ISO 8601, in UTC unless it says otherwise; a day alone means its end."""
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        raise ConfigError(
            f"--at {text}: is not a moment\n  write 2026-11-01, or 2026-11-01T18:30 (in UTC)"
        ) from None
    if len(text) <= 10:
        moment = datetime.combine(moment.date(), time.max)
    return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)


def add_side(connection: Connection, name: str, side: Side, maps: Sequence[Mapping] = ()) -> None:
    """Make the tables of one side."""
    CrawlDirectory.open(side.folder)
    rows = all_rows(side.folder, KINDS)
    (pages,) = (some for some in rows if some.kind == "pages")
    require_rows(side.folder, pages)
    for some in rows:
        add_rows(connection, some, f"{name}_")
    connection.execute(_LAST.format(name=name, until=_until(side), place=_mapped("url", maps)))
    if not connection.sql(f"select url_id from {name} limit 1").fetchall():
        raise LycosaError(
            f"{side.title}: no page had been fetched by then\n"
            f"  moments of its fetches: lycosa sql {side.folder}"
            " 'select min(fetched_at), max(fetched_at) from pages'"
        )
    connection.execute(_SAID.format(name=name))
    places = {"source": _mapped("source_url", maps), "target": _mapped("target_url", maps)}
    connection.execute(_EDGES.format(name=name, kinds=named(READERS_KINDS), **places))


def _until(side: Side) -> str:
    if side.moment is None:
        return "true"
    return f"fetched_at <= {quoted(side.moment.isoformat())}::timestamptz"


def _mapped(column: str, maps: Sequence[Mapping]) -> str:
    """Return the SQL for a URL as the other side spells it; the first matching mapping counts."""
    cases = "".join(
        f" when starts_with({column}, {quoted(old)})"
        f" then {quoted(new)} || substr({column}, {len(old) + 1})"
        for old, new in maps
    )
    return f"case{cases} else {column} end" if cases else column


_LAST = f"""
    create temp table {{name}} as
    select url_id, fetch_id, url, outcome::varchar as outcome, status, digest, size_bytes,
        coalesce(title, '') as title, coalesce(description, '') as description, redirect_url,
        fetched_at, {{place}} as place
    from {{name}}_pages where outcome not in {named(SAYS_NOTHING)} and {{until}}
    qualify row_number() over (partition by url_id order by fetched_at desc, fetch_id desc) = 1
"""
# A page that was found unchanged has its text and its links beside an earlier fetch of its bytes.
_SAID = """
    create temp table {name}_said as
    select page.url_id, arg_max(said.fetch_id, said.fetched_at) as text_fetch,
        arg_max(md5(said.text), said.fetched_at) as said,
        arg_max(length(said.text), said.fetched_at) as characters
    from {name} page join {name}_pages held on held.url_id = page.url_id
        and held.outcome = 'kept' and held.digest is not distinct from page.digest
    join {name}_text said on said.fetch_id = held.fetch_id
    where page.outcome = 'kept' group by page.url_id
"""
_EDGES = """
    create temp table {name}_edges as
    with linking as (
        select arg_max(held.fetch_id, held.fetched_at) as fetch_id
        from {name} page join {name}_pages held on held.url_id = page.url_id
            and held.outcome = 'kept' and held.digest is not distinct from page.digest
        where page.outcome = 'kept' and held.fetch_id in (select fetch_id from {name}_links)
        group by page.url_id
    )
    select {source} as source, {target} as target, any_value(text) as text
    from {name}_links semi join linking using (fetch_id)
    where kind in {kinds} group by source, target
"""
