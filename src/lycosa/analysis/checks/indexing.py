"""Checks of the directives for search engines: canonical URLs, `noindex`, hreflang."""

from __future__ import annotations

from lycosa.analysis.checks.check import Check, CheckLimits
from lycosa.analysis.checks.prepared import told

_CODE = "^(x-default|[a-z]{2,3}(-[a-z]{4})?(-([a-z]{2}|[0-9]{3}))?)$"
"""A language, perhaps a script, perhaps a region (BCP 47, as far as search engines read it)."""


def _canonicals(limits: CheckLimits) -> str:
    return f"""
        with counted as (
            select url_id, count(*) as named, min(target_url) as first, max(target_url) as last
            from canonical_of group by url_id
        ), single as (
            select canonical_of.*, page.url
            from canonical_of join counted using (url_id) join shown_pages page using (url_id)
            where named = 1 and target_id != url_id
        )
        select page.url, first as target_url, null as status, null as text,
            'names ' || named || ' canonical URLs, as ' || first || ' and ' || last as detail,
            null::varchar[] as hops
        from counted join shown_pages page using (url_id) where named > 1
        union all
        select single.url, target_url, failures.status, null,
            'the canonical URL gives no page: '
            || {told("failures.outcome", "failures.status")}, hops
        from single join failures on failures.url_id = target_id
        union all
        select single.url, target_url, walks.status, null,
            'the canonical URL redirects to ' || end_url, hops
        from single join walks on walks.url_id = target_id
        where target_id not in (select url_id from failures)
        union all
        select single.url, single.target_url, null, null,
            'the canonical URL names another one, ' || onward.target_url, null
        from single join canonical_of onward on onward.url_id = single.target_id
        where onward.target_id != onward.url_id
        union all
        select single.url, single.target_url, null, null,
            'the canonical URL is noindex', null
        from single join shown_pages there on there.url_id = single.target_id where there.noindex
        union all
        select single.url, target_url, null, null,
            'the sitemap lists the page, and its canonical URL is another one', null
        from single semi join listed using (url_id)
    """


def _noindex(limits: CheckLimits) -> str:
    return """
        with wanted as (
            select url_id, 'a sitemap lists it' as why, sitemap as who from listed
            union all
            select url_id, 'it is a seed of the crawl', null from shown_pages where via = 'seed'
            union all
            select target_id, 'another page of a language names it', any_value(page.url)
            from language_links join shown_pages page on page.url_id = language_links.url_id
            where target_id != language_links.url_id group by target_id
        )
        select url, any_value(who) as target_url, any_value(status) as status,
            any_value(title) as text, 'noindex, but ' || string_agg(why, ' and ' order by why)
            as detail, null::varchar[] as hops
        from shown_pages join wanted using (url_id) where noindex group by url
    """


def _hreflang(limits: CheckLimits) -> str:
    return f"""
        with pairs as (
            select language_links.*, page.url
            from language_links join shown_pages page using (url_id)
        )
        select url, target_url, null as status, language as text,
            'no code of a language: ' || language as detail, null::varchar[] as hops
        from pairs where not regexp_full_match(lower(language), '{_CODE}')
        union all
        select url, target_url, failures.status, language,
            'gives no page: ' || {told("failures.outcome", "failures.status")}, hops
        from pairs join failures on failures.url_id = target_id
        union all
        select url, target_url, walks.status, language, 'redirects to ' || end_url, hops
        from pairs join walks on walks.url_id = target_id
        where target_id not in (select url_id from failures)
        union all
        select pairs.url, target_url, null, language, 'does not name this page in return', null
        from pairs join shown_pages there on there.url_id = target_id
        where target_id != pairs.url_id
            and (target_id, pairs.url_id) not in (select url_id, target_id from language_links)
    """


CHECKS = (
    Check(
        "canonicals",
        "indexing",
        "warning",
        "Canonical URLs that contradict",
        "The page names another URL as its canonical one, but that URL contradicts it.",
        "Name one URL that answers with an indexable page and names itself.",
        _canonicals,
    ),
    Check(
        "noindex",
        "indexing",
        "warning",
        "noindex, probably by accident",
        "The page asks to be left out of searches, but the site presents it as a page to be found.",
        "Remove noindex from page or header, or take the page out of the sitemap.",
        _noindex,
    ),
    Check(
        "hreflang",
        "indexing",
        "warning",
        "hreflang links that are not mutual",
        "Search engines ignore a version in another language unless both pages name each other.",
        "Name each other on both pages, with the final URLs and codes such as de or pt-BR.",
        _hreflang,
    ),
)
