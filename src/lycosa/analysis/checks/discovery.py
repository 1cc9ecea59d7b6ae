"""Checks of how pages are found: orphans, and the sitemap against the links."""

from __future__ import annotations

from lycosa.analysis.checks.check import Check, CheckLimits
from lycosa.analysis.checks.prepared import told


def _orphans(limits: CheckLimits) -> str:
    return """
        select url, sitemap as target_url, null as status, title as text,
            case when sitemap is not null then 'listed in ' || sitemap
            else 'guessed by the rule ' || rule end as detail, null::varchar[] as hops
        from shown_pages left join (select url_id, sitemap from listed) using (url_id)
        where via not in ('seed', 'redirect') and url_id not in (select url_id from reached)
            and (sitemap is not null or via = 'mined')
    """


def _sitemap(limits: CheckLimits) -> str:
    return f"""
        select sitemap as url, listed.url as target_url, failures.status, null as text,
            {told("failures.outcome", "failures.status")} as detail, hops
        from listed join failures using (url_id)
        union all
        select sitemap, listed.url, walks.status, null,
            'redirects to ' || end_url, hops
        from listed join walks using (url_id)
        where url_id not in (select url_id from failures)
        union all
        select sitemap, listed.url, null, null, 'forbidden by robots.txt', null
        from listed join unasked using (url_id) where outcome = 'disallowed'
    """


def _unlisted(limits: CheckLimits) -> str:
    return """
        with listing as (
            select distinct regexp_extract(url, '^[a-z]+://[^/]+') as site from listed
        )
        select url, null as target_url, null as status, title as text,
            'linked to, and in no sitemap' as detail, null::varchar[] as hops
        from indexable semi join listing using (site)
        where url_id not in (select url_id from listed)
            and (via = 'seed' or url_id in (select url_id from reached))
    """


CHECKS = (
    Check(
        "orphans",
        "discovery",
        "warning",
        "Orphans: pages without a link to them",
        "Readers cannot find the page: only a sitemap or a guess led to it.",
        "Link to it from a page, or remove it from site and sitemap.",
        _orphans,
    ),
    Check(
        name="sitemap",
        family="discovery",
        severity="error",
        title="Sitemap entries that are not pages",
        meaning="The sitemap names a URL that fails, redirects, or is forbidden by robots.txt.",
        mend="List the final address, or remove the entry.",
        query=_sitemap,
        subject="target_url",
    ),
    Check(
        "unlisted",
        "discovery",
        "notice",
        "Pages that the sitemap lacks",
        "The site has a sitemap, and it does not list this page.",
        "Add the page to the sitemap (lycosa export sitemap writes one), or mark it noindex.",
        _unlisted,
    ),
)
