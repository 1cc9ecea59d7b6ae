"""Checks of titles and descriptions: missing, doubled, long.

Only pages that search engines are meant to show count: neither `noindex` nor with a canonical URL
elsewhere. A text counts as doubled among the pages of one host.
"""

from __future__ import annotations

from collections.abc import Callable

from lycosa.analysis.checks.check import Check, CheckLimits

_NOTHING = "null as target_url, null as status"


def _missing(column: str) -> Callable[[CheckLimits], str]:
    return lambda limits: (
        f"""
        select url, {_NOTHING}, null as text, 'it has none' as detail, null::varchar[] as hops
        from indexable where trim({column}) = ''
    """
    )


def _doubled(column: str) -> Callable[[CheckLimits], str]:
    return lambda limits: (
        f"""
        select url, null as target_url, null as status, {column} as text,
            'the same on ' || count(*) over same || ' pages' as detail, null::varchar[] as hops
        from indexable where trim({column}) != ''
        window same as (partition by host, {column})
        qualify count(*) over same > 1
    """
    )


def _long(column: str, longest: Callable[[CheckLimits], int]) -> Callable[[CheckLimits], str]:
    return lambda limits: (
        f"""
        select url, {_NOTHING}, {column} as text,
            length({column}) || ' characters' as detail, null::varchar[] as hops
        from indexable where length({column}) > {longest(limits)}
    """
    )


def _title_length(limits: CheckLimits) -> int:
    return limits.title_characters


def _description_length(limits: CheckLimits) -> int:
    return limits.description_characters


_DESCRIBE = "A description is the text that search engines show below the title."

CHECKS = (
    Check(
        "title-missing",
        "titles",
        "warning",
        "Pages without a title",
        "Tabs, bookmarks and search results show the title.",
        "Give the page a title element.",
        _missing("title"),
    ),
    Check(
        name="title-doubled",
        family="titles",
        severity="warning",
        title="Titles that several pages share",
        meaning="Readers cannot tell the pages apart in tabs, bookmarks and search results.",
        mend="Give every page a title of its own, or name one of them as canonical.",
        query=_doubled("title"),
        subject="text",
    ),
    Check(
        "title-long",
        "titles",
        "notice",
        "Long titles",
        "Search engines cut a long title off.",
        "Put the most important words first, and shorten the rest.",
        _long("title", _title_length),
    ),
    Check(
        "description-missing",
        "titles",
        "notice",
        "Pages without a description",
        _DESCRIBE,
        'Add a meta element with name="description".',
        _missing("description"),
    ),
    Check(
        name="description-doubled",
        family="titles",
        severity="notice",
        title="Descriptions that several pages share",
        meaning=_DESCRIBE,
        mend="Describe on every page its own content.",
        query=_doubled("description"),
        subject="text",
    ),
    Check(
        "description-long",
        "titles",
        "notice",
        "Long descriptions",
        _DESCRIBE + " A long description is cut off.",
        "Shorten it.",
        _long("description", _description_length),
    ),
)
