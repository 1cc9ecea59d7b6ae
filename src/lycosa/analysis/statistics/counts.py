"""Counts of the study: each small table is the answer to one SQL query.

`prepare` makes the tables that all queries start from:

    fetches         every fetch of a page, with its site
    kept            the last stored fetch of each URL
    current_links   the links of those
    link_facts      their number, by kind and by suffix of the target
    site_facts      the facts of every site that need no graph
"""

from __future__ import annotations

from lycosa.analysis.study.results import Results
from lycosa.analysis.study.tables import Connection, quoted

_SUFFIX = r"://[^/]+/(?:[^?#]*/)?[^/?#]*\.([A-Za-z0-9]{1,5})(?:[?#]|$)"

_PREPARATIONS = (
    """
    create view fetches as
    select *, regexp_extract(url, '^[a-z]+://[^/]+') as site
    from pages where outcome <> 'rendered'
    """,
    """
    create temp table current as
    select url_id, fetch_id, digest, fetched_at as kept_at from pages where outcome = 'kept'
    qualify row_number() over (partition by url_id order by fetched_at desc, fetch_id) = 1
    """,
    "create view kept as select * from fetches semi join current using (fetch_id)",
    # A page that was found unchanged has its links beside an earlier fetch of the same bytes; one
    # that was rendered has those of the page as it came, too, beside what the browser has made.
    """
    create temp table linking as
    select coalesce(max(pages.fetch_id) filter (outcome = 'rendered'), max(pages.fetch_id))
        as fetch_id
    from pages join current using (url_id)
    where ((outcome = 'kept' and pages.digest is not distinct from current.digest)
        or (outcome = 'rendered' and pages.fetched_at >= current.kept_at))
    and pages.fetch_id in (select distinct fetch_id from links)
    group by url_id
    """,
    "create view current_links as select * from links semi join linking using (fetch_id)",
    # A target has one suffix, so that targets add up over suffixes.
    f"""
    create temp table link_facts as
    select kind, lower(regexp_extract(target_url, '{_SUFFIX}', 1)) as suffix, count(*) as links,
        sum(times)::bigint as times, count(distinct target_id) as targets
    from current_links group by all
    """,
    """
    create temp table site_facts as
    with asked as (
        select site, any_value(host) as host, count(*) as fetches,
            count(*) filter (outcome = 'kept') as kept,
            count(*) filter (status >= 400 or status = 0) as failures,
            count(distinct address) as addresses,
            min(began) as first_asked, max(ended) as last_answered,
            avg(epoch(ended - began)) filter (status > 0) as mean_answer_seconds
        from fetches group by site
    ), held as (
        select site, count(*) as pages, sum(size_bytes)::bigint as bytes,
            avg(size_bytes) as mean_bytes, max(depth) as deepest, avg(depth) as mean_depth,
            count(distinct digest) as distinct_pages
        from kept group by site
    ), dated as (
        select site,
            avg(epoch(fetched_at - last_modified)) / 86400 as mean_age_days,
            min(epoch(fetched_at - last_modified)) / 86400 as least_age_days,
            max(epoch(fetched_at - last_modified)) / 86400 as most_age_days
        from kept join heads using (url_id, fetch_id)
        where last_modified <= fetched_at group by site
    ), served as (
        select site, arg_max(server, fetched_at) as server
        from fetches join heads using (url_id, fetch_id) where server != '' group by site
    )
    select asked.*, coalesce(pages, 0) as pages, coalesce(bytes, 0) as bytes,
        held.* exclude (site, pages, bytes), dated.* exclude (site), served.server
    from asked left join held using (site) left join dated using (site)
    left join served using (site)
    """,
)

_MEDIA = {
    "image": "apng avif bmp gif heic ico jfif jpe jpeg jpg jxl png svg tif tiff webp",
    "audio": "aac aif aiff amr flac m3u m4a mid midi mka mp3 oga ogg opus ra wav weba wma",
    "video": "3gp asf avi f4v flv m3u8 m4v mkv mov mp4 mpeg mpg ogv rm swf webm wmv",
}
"""Media by the suffix of a link's target."""
_KINDS_OF_MEDIA = {"image": "image icon", "audio or video": "media"}
"""Media by the kind of the link, if the suffix does not tell."""

_HEADERS = {
    "security": "content-security-policy content-security-policy-report-only"
    " cross-origin-embedder-policy cross-origin-opener-policy cross-origin-resource-policy"
    " permissions-policy referrer-policy strict-transport-security x-content-type-options"
    " x-frame-options x-xss-protection",
    "caching": "age cache-control etag expires last-modified pragma vary x-cache",
    "server": "server via x-aspnet-version x-generator x-powered-by",
    "robots": "link x-robots-tag",
}
"""Headers by subject."""


def _choice(column: str, names: dict[str, str]) -> str:
    """Return the SQL that finds the name under which a value is listed."""
    cases = "".join(
        f" when {column} in ({', '.join(map(quoted, listed.split()))}) then {quoted(name)}"
        for name, listed in names.items()
    )
    return f"case{cases} end"


QUERIES = {
    "outcomes": """
        select outcome, count(*) as fetches, count(distinct url_id) as urls from pages
        group by all order by fetches desc, outcome""",
    "statuses": """
        select status, count(*) as fetches from pages group by all order by status""",
    "depths": """
        select depth, count(*) as pages, sum(size_bytes)::bigint as bytes from kept
        group by all order by depth""",
    "sizes": """
        select case when size_bytes > 0 then 2 ** floor(log2(size_bytes)) else 0 end::bigint
            as from_bytes, count(*) as pages, sum(size_bytes)::bigint as bytes
        from kept group by all order by from_bytes""",
    "ages": """
        select floor(epoch(fetched_at - last_modified) / 86400 / 30)::bigint as months,
            count(*) as pages
        from kept join heads using (url_id, fetch_id)
        where last_modified <= fetched_at group by all order by months""",
    "types": """
        select lower(trim(split_part(content_type, ';', 1))) as type, count(*) as pages,
            sum(size_bytes)::bigint as bytes
        from kept group by all order by pages desc, type""",
    "link_kinds": """
        select kind, sum(links)::bigint as links, sum(times)::bigint as times,
            sum(targets)::bigint as targets
        from link_facts group by all order by links desc, kind""",
    "link_reasons": """
        select coalesce(reason, 'followed') as reason, kind, count(*) as links,
            sum(times)::bigint as times, count(distinct target_id) as targets
        from current_links group by all order by links desc, reason, kind""",
    "file_types": """
        select suffix, kind, links, targets from link_facts where suffix != ''
        order by links desc, suffix, kind""",
    "multimedia": f"""
        with found as (
            select {_choice("suffix", _MEDIA)} as told, {_choice("kind", _KINDS_OF_MEDIA)} as held,
                kind, links, targets
            from link_facts
        )
        select coalesce(told, held) as medium, kind,
            case when told is null then 'kind' else 'suffix' end as known_by,
            sum(links)::bigint as links, sum(targets)::bigint as targets
        from found where medium is not null
        group by all order by links desc, medium, kind, known_by""",
    "servers": """
        select server, count(*) as sites, sum(pages)::bigint as pages from site_facts
        where server is not null group by all order by sites desc, pages desc, server""",
    "headers": f"""
        with sets as (
            select names, site, count(*) as answers
            from heads join fetches using (url_id, fetch_id) group by all
        ), each as (
            select unnest(string_split(names, chr(10))) as header, site, answers from sets
        )
        select header, {_choice("header", _HEADERS)} as about, sum(answers)::bigint as answers,
            count(distinct site) as sites
        from each where header != '' group by all order by answers desc, header""",
    "politeness": """
        with asked as (
            select host, began, ended from pages where status > 0
            union all select host, began, ended from hosts where status > 0
        ), pauses as (
            select host, epoch(began - lag(ended) over (partition by host order by began)) as pause
            from asked
        )
        select host, count(*) as requests, min(pause) as least_pause_seconds,
            median(pause) as median_pause_seconds,
            count(*) filter (pause < 0) as requests_at_once
        from pauses group by all order by requests desc, host""",
    "degrees": """
        select 'in' as direction, in_degree as degree, count(*) as pages from ranks group by all
        union all
        select 'out' as direction, out_degree as degree, count(*) as pages from ranks group by all
        order by direction, degree""",
    "bow_ties": """
        select 'pages' as over, part, count(*) as nodes from ranks group by all
        union all
        select 'sites' as over, part, count(*) as nodes from sites group by all
        order by over, nodes desc, part""",
}
"""Queries by the name of the table. The last two need `ranks` and `sites`."""


def prepare(connection: Connection) -> None:
    """Make the tables that the queries start from; `heads` must be there."""
    for preparation in _PREPARATIONS:
        connection.execute(preparation)


def count(connection: Connection, results: Results, name: str) -> int:
    """Make one table; return the number of its rows."""
    return results.write(connection, name, QUERIES[name])
