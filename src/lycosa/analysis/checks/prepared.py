"""The tables that all checks start from, made from `pages` and `links`.

    last_answers   the last informative answer of every URL
    shown_pages    those that are pages for readers
    page_links     the links of stored pages and sitemaps as they were last seen
    language_links their versions in other languages
    moves          URLs that redirect, with the next URL
    walks          where redirects end, with every hop
    failures       URLs that give no page, by themselves or at the end of their redirects
    listed         URLs that sitemaps list
    reached        pages that readers reach by links
    canonical_of   the canonical URLs that pages name
    indexable      pages that search engines are meant to show

`unasked`, `all_language_links` and `outside_answers` must be there before; they may be empty.
"""

from __future__ import annotations

from lycosa.analysis.checks.check import named
from lycosa.analysis.study.tables import Connection

BROKEN = (
    "not_found",
    "client_error",
    "server_error",
    "unavailable",
    "bad_status",
    "soft_404",
    "name_failure",
    "connect_failure",
    "timeout",
    "cut_short",
    "bad_answer",
    "no_such_host",
    "unreachable",
    "robots_unreachable",
    "host_given_up",
)
"""Outcomes of URLs that give a reader no page."""
READERS_KINDS = ("anchor", "frame", "form", "pagination", "refresh")
"""Kinds of links by which a reader gets from page to page."""
SAYS_NOTHING = (
    "not_modified",
    "no_sitemap",
    "probe_honest",
    "probe_soft",
    "probe_inconclusive",
    "stale_connection",
)
"""Outcomes that say nothing new about a URL."""
_STORED = ("kept", "sitemap", "wrong_language")
_PAGES = ("text/html", "application/xhtml+xml", "")
_MOST_HOPS = 21
"""Most redirects of a walk: one more than a crawl follows in a row."""


def told(outcome: str, status: str) -> str:
    """Return the SQL that writes an outcome for people: `404 not found`."""
    words = f"replace({outcome}, '_', ' ')"
    return f"case when {status} > 0 then {status} || ' ' || {words} else {words} end"


_PREPARATIONS = (
    f"""
    create temp table last_answers as
    select url_id, fetch_id, url, host, outcome, status, size_bytes, truncated, digest,
        lower(trim(split_part(coalesce(content_type, ''), ';', 1))) as type,
        coalesce(title, '') as title, coalesce(description, '') as description,
        coalesce(noindex, false) as noindex, redirect_url, redirect_id, via, rule, fetched_at,
        epoch(ended - began) as seconds, regexp_extract(url, '^[a-z]+://[^/]+') as site
    from pages where outcome not in {named(SAYS_NOTHING)}
    qualify row_number() over (partition by url_id order by fetched_at desc, fetch_id desc) = 1
    """,
    f"""
    create temp view shown_pages as
    select * from last_answers where outcome = 'kept' and type in {named(_PAGES)}
    """,
    # A page that was found unchanged has its links beside an earlier fetch of the same bytes.
    f"""
    create temp table link_fetches as
    select arg_max(pages.fetch_id, pages.fetched_at) as fetch_id
    from pages join last_answers on pages.url_id = last_answers.url_id
        and pages.outcome = last_answers.outcome
        and pages.digest is not distinct from last_answers.digest
    where last_answers.outcome in {named(_STORED)}
        and pages.fetch_id in (select fetch_id from links)
    group by pages.url_id
    """,
    "create temp view page_links as select * from links semi join link_fetches using (fetch_id)",
    """
    create temp view language_links as
    select * from all_language_links semi join link_fetches using (fetch_id)
    """,
    """
    create temp table moves as
    select url_id, url, status, redirect_id, redirect_url from last_answers
    where outcome = 'redirected' and redirect_id is not null
    """,
    f"""
    create temp table walks as
    with recursive walk as (
        select url_id, status, redirect_id as end_id, [url, redirect_url] as hops,
            [url_id, redirect_id] as ids, url_id = redirect_id as is_loop
        from moves
        union all
        select walk.url_id, walk.status, moves.redirect_id, list_append(hops, moves.redirect_url),
            list_append(ids, moves.redirect_id), list_contains(ids, moves.redirect_id)
        from walk join moves on moves.url_id = walk.end_id
        where not is_loop and len(hops) <= {_MOST_HOPS}
    )
    select url_id, status, end_id, hops, hops[-1] as end_url, is_loop
    from walk qualify row_number() over (partition by url_id order by len(hops) desc) = 1
    """,
    f"""
    create temp table failures as
    with direct as (
        select url_id, outcome::varchar as outcome, status from last_answers
        where outcome in {named(BROKEN)}
        union all
        select url_id, outcome, 0 from unasked where outcome in {named(BROKEN)}
    )
    select url_id, outcome, status, null::varchar[] as hops from direct
    union all
    select walks.url_id, direct.outcome, direct.status, hops
    from walks join direct on direct.url_id = walks.end_id where not is_loop
    """,
    """
    create temp table listed as
    select target_id as url_id, any_value(target_url) as url, min(source_url) as sitemap
    from page_links join last_answers on last_answers.url_id = source_id
    where kind = 'sitemap' and last_answers.outcome = 'sitemap' group by target_id
    """,
    f"""
    create temp table reached as
    with targets as (
        select distinct target_id from page_links
        where kind in {named(READERS_KINDS)} and source_id != target_id
    )
    select target_id as url_id from targets
    union select end_id from walks semi join targets on walks.url_id = targets.target_id
    """,
    """
    create temp table canonical_of as
    select distinct source_id as url_id, target_id, target_url
    from page_links semi join shown_pages on shown_pages.url_id = source_id
    where kind = 'canonical'
    """,
    """
    create temp table indexable as
    select * from shown_pages where status = 200 and not noindex
    and url_id not in (select url_id from canonical_of where target_id != url_id)
    """,
)


def prepare(connection: Connection) -> None:
    """Make the tables."""
    for preparation in _PREPARATIONS:
        connection.execute(preparation)
