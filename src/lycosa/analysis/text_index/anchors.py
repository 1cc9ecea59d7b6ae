"""The texts of the links that lead to each page: its names on other pages.

A page has the 50 texts that most other pages use for it. Texts that say nothing of their target
("next", "here", a number) are dropped, and so are links that the page's author does not vouch for
(`rel` with nofollow, ugc or sponsored). A link to a URL that has moved counts for the page it has
moved to.
"""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

from lycosa.analysis.study.tables import Connection, add_files, quoted

MOST_ANCHORS = 50
_LONGEST = 200
_MOST_HOPS = 5

_SILENT = [
    "next",
    "next page",
    "next topic",
    "previous",
    "previous page",
    "previous topic",
    "prev",
    "back",
    "forward",
    "up",
    "top",
    "home",
    "here",
    "click here",
    "this",
    "link",
    "this link",
    "this page",
    "more",
    "read more",
    "see more",
    "learn more",
    "details",
    "show",
    "view",
    "continue",
    "contents",
    "table of contents",
    "index",
    "source",
    "permalink",
    "edit",
    "weiter",
    "zurück",
    "hier",
    "mehr",
    "nach oben",
    "startseite",
    "inhalt",
    "suivant",
    "précédent",
    "ici",
    "retour",
    "accueil",
    "plus",
    "lire la suite",
    "siguiente",
    "anterior",
    "aquí",
    "volver",
    "inicio",
    "más",
    "avanti",
    "indietro",
    "qui",
    "altro",
    "próximo",
    "anterior",
    "aqui",
    "mais",
    "volgende",
    "vorige",
    "terug",
    "dalej",
    "wstecz",
    "далее",
    "назад",
    "здесь",
    "次へ",
    "前へ",
    "下一页",
    "上一页",
    "首页",
]
"""Texts of links that describe the link and not its target."""

_TARGETS = """
    create table moved as
    select url_id, redirect_id from newest
    where outcome = 'redirected' and redirect_id is not null and redirect_id != url_id
"""
_ENDS = "create table ends as select url_id as asked, redirect_id as url_id from moved"
_HOP = """
    create or replace table ends as
    select asked, coalesce(moved.redirect_id, ends.url_id) as url_id
    from ends left join moved on moved.url_id = ends.url_id
"""
_SAID = f"""
    copy (with told as (
        select coalesce(ends.url_id, target_id) as url_id, source_id,
            left(lower(trim(regexp_replace(links.text, '\\s+', ' ', 'g'))), {_LONGEST}) as anchor
        from links semi join linking using (fetch_id) left join ends on ends.asked = target_id
        where kind in ('anchor', 'pagination') and links.text != '' and target_id != source_id
        and not regexp_matches(coalesce(rel, ''), '(?i)\\b(nofollow|ugc|sponsored)\\b')
    )
    select url_id, source_id, anchor, hash(url_id) % {{parts}} as part from told
    where url_id != source_id and regexp_matches(anchor, '\\pL')
    and anchor not in ({", ".join(map(quoted, _SILENT))})
    ) to {{folder}} (format parquet, partition_by (part))
"""
_ANCHORS = f"""
    insert into anchors
    with each_source as (
        select url_id, anchor, source_id from said
        semi join documents using (url_id) group by all
    ), counted as (
        select url_id, anchor, count(*) as sources from each_source group by all
    ), chosen as (
        select url_id, anchor from counted
        qualify row_number() over (partition by url_id order by sources desc, anchor)
            <= {MOST_ANCHORS}
    )
    select url_id, string_agg(anchor, chr(10) order by anchor) from chosen group by all
"""
_PART_LINKS = 4_000_000
"""Links from which anchors are chosen at a time; more take more memory."""
_WAITING_LINKS = 1_000_000
"""Most links that wait in memory to be written, all parts together."""


def find_anchors(connection: Connection, beside: Path) -> None:
    """Make the table `anchors`, from `newest`, `documents`, `linking` and `links`.

    The links are written by part to a folder `beside` the index, so that each is read once.
    """
    connection.execute(_TARGETS)
    connection.execute(_ENDS)
    for _ in range(_MOST_HOPS - 1):
        connection.execute(_HOP)
    connection.execute("create table anchors (url_id bigint, anchors varchar)")
    ((rows,),) = connection.execute("select count(*) from links").fetchall()
    parts = max(1, -(-rows // _PART_LINKS))
    waiting = _WAITING_LINKS // parts
    connection.execute(f"set partitioned_write_flush_threshold = {waiting}")
    with tempfile.TemporaryDirectory(".tmp", "lycosa-anchors-", beside) as folder:
        connection.execute(_SAID.format(parts=parts, folder=quoted(folder)))
        for part in sorted(Path(folder).iterdir()):
            add_files(connection, "said", part.iterdir())
            connection.execute(_ANCHORS)
            connection.execute("drop view said")
            shutil.rmtree(part)
