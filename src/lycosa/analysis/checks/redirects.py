"""Checks of redirects: loops, chains, and links to pages that have moved for good."""

from __future__ import annotations

from lycosa.analysis.checks.check import Check, CheckLimits

_LINKED = """
    select source_url as url, hops[1] as target_url, walks.status, text, {detail} as detail, hops
    from page_links join walks on walks.url_id = target_id
    where kind not in ('sitemap', 'canonical', 'mention') and {wanted}
    union all
    select hops[1], hops[1], walks.status, null, {detail}, hops
    from walks join last_answers using (url_id) where via = 'seed' and {wanted}
"""
"""Links to the first URL, and seeds."""
_ENDS_WELL = "not is_loop and walks.url_id not in (select url_id from failures)"


def _loops(limits: CheckLimits) -> str:
    detail = "'goes round through ' || len(hops) - 1 || ' URLs'"
    return _LINKED.format(detail=detail, wanted="is_loop")


def _chains(limits: CheckLimits) -> str:
    detail = "len(hops) - 1 || ' redirects in a row'"
    return _LINKED.format(detail=detail, wanted=f"{_ENDS_WELL} and len(hops) > 2")


def _moved(limits: CheckLimits) -> str:
    wanted = f"{_ENDS_WELL} and len(hops) = 2 and walks.status in (301, 308)"
    return _LINKED.format(detail="'has moved to ' || end_url", wanted=wanted)


CHECKS = (
    Check(
        name="loops",
        family="redirects",
        severity="error",
        title="Redirect loops",
        meaning="The redirects form a circle, so no reader reaches a page.",
        mend="Let one of the URLs answer with a page, or link to another page.",
        query=_loops,
        subject="target_url",
    ),
    Check(
        name="chains",
        family="redirects",
        severity="warning",
        title="Redirect chains",
        meaning="Every redirect on the way costs the reader a request, and may break by itself.",
        mend="Link to the last URL, and let the first redirect there at once.",
        query=_chains,
        subject="target_url",
    ),
    Check(
        name="moved",
        family="redirects",
        severity="notice",
        title="Links to pages that have moved",
        meaning="The server says that the page has moved for good (301, 308).",
        mend="Link to the new address.",
        query=_moved,
        subject="target_url",
    ),
)
