"""Checks of links: broken ones inside the crawl and, on request, outside."""

from __future__ import annotations

from lycosa.analysis.checks.check import Check, CheckLimits, named
from lycosa.analysis.checks.prepared import BROKEN, told

_OTHER_CHECKS = ("sitemap", "canonical", "mention")
"""Kinds of links that have checks of their own, or are guesses."""
_HREFLANG = "(select url_id, target_id from language_links)"
_OUTSIDE_BROKEN = (*BROKEN, "refused_address")


def _broken(limits: CheckLimits) -> str:
    return f"""
        select source_url as url, target_url, failures.status, text,
            case when kind in ('anchor', 'pagination') then '' else kind || ': ' end
            || {told("failures.outcome", "failures.status")} as detail, hops
        from page_links join failures on failures.url_id = target_id
        where kind not in {named(_OTHER_CHECKS)}
            and (kind != 'alternate' or (source_id, target_id) not in {_HREFLANG})
    """


def _outside(limits: CheckLimits) -> str:
    return f"""
        select source_url as url, page_links.target_url, answers.status, text,
            {told("answers.outcome", "answers.status")} as detail, null::varchar[] as hops
        from page_links join outside_answers answers on answers.url_id = target_id
        where answers.outcome in {named(_OUTSIDE_BROKEN)}
            and target_id not in (select url_id from last_answers)
    """


CHECKS = (
    Check(
        name="broken",
        family="links",
        severity="error",
        title="Broken links",
        meaning="A reader who follows the link, or the page that needs the file, gets an error.",
        mend="Correct the address, remove the link, or put the page back.",
        query=_broken,
        subject="target_url",
    ),
    Check(
        name="outside",
        family="links",
        severity="error",
        title="Broken links to other sites",
        meaning=(
            "The page on the other site is gone, or its site does not answer (--check-outside)."
        ),
        mend="Correct the address, link to an archived copy, or remove the link.",
        query=_outside,
        subject="target_url",
    ),
)
