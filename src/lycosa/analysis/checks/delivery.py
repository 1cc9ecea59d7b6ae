"""Checks of how pages are delivered: mixed content, large and slow pages."""

from __future__ import annotations

from lycosa.analysis.checks.check import Check, CheckLimits, named

_LOADED = ("image", "style", "script", "media", "object", "manifest", "frame", "icon")
_SENT = ("form", "post")


def _mixed(limits: CheckLimits) -> str:
    return f"""
        select source_url as url, target_url, null as status, text,
            case when kind in {named(_SENT)} then 'a form is sent in the clear'
            else kind || ' over http' end as detail, null::varchar[] as hops
        from page_links
        where starts_with(source_url, 'https://') and starts_with(target_url, 'http://')
            and kind in {named((*_LOADED, *_SENT))}
    """


def _large(limits: CheckLimits) -> str:
    return f"""
        select url, null as target_url, status, title as text,
            format('{{:,}}', size_bytes) || ' bytes'
            || case when truncated then ', cut off there' else '' end as detail,
            null::varchar[] as hops
        from shown_pages where size_bytes > {limits.large_bytes} or truncated
    """


def _slow(limits: CheckLimits) -> str:
    return f"""
        select url, null as target_url, status, title as text,
            round(seconds, 1) || ' s' as detail, null::varchar[] as hops
        from shown_pages where seconds > {limits.slow_seconds}
    """


CHECKS = (
    Check(
        name="mixed",
        family="delivery",
        severity="error",
        title="Mixed content",
        meaning=(
            "A page that came by https loads something, or sends a form, by http: browsers"
            " block it."
        ),
        mend="Use https addresses.",
        query=_mixed,
        subject="target_url",
    ),
    Check(
        "large",
        "delivery",
        "warning",
        "Large pages",
        "The HTML alone is larger than the limit (--large), or was cut off by the crawl's.",
        "Split the page, or move data out of it.",
        _large,
    ),
    Check(
        "slow",
        "delivery",
        "warning",
        "Slow pages",
        "The answer took longer than the limit (--slow), from the request to its last byte.",
        "Look at what the server does for this page; cache it.",
        _slow,
    ),
)
