"""The language of every page: from its markup, unless its text clearly says another.

The markup names the language of a page (`pages.language`), but often it is that of a template. The
language of every text is detected (`text_languages`). The text decides if markup has no language.
It also decides if the two contradict each other, provided that the detector is sure (`CLEAR`) and
knows the markup's language, too: it would take unknown languages for others.

    page_languages    each page's language, its source (markup or text), and what the other says
    languages         number of pages by language and source, and how often the two agree
    language_pairs    language by markup and language by text, with the number of pages

An invalid language code in markup (`xx`, `cn`) is ignored. A page without either is `und`.
"""

from __future__ import annotations

from typing import Any

import pyarrow as pa

from lycosa.analysis.study.results import Results
from lycosa.analysis.study.tables import Connection
from lycosa.extract.text import language_detector as detector
from lycosa.extract.text.language_codes import CODES, UNKNOWN
from lycosa.extract.text.page_language import CLEAR

_TEXT_OF_PAGES = """
    create temp table text_languages as
    select url_id, arg_max(coalesce(codes.language, tongues.language), fetched_at) as text,
        arg_max(tongues.confidence, fetched_at) as confidence
    from tongues left join codes on codes.code = tongues.language
    join pages using (url_id, fetch_id) join current using (url_id)
    where outcome = 'kept' and pages.digest is not distinct from current.digest
    and tongues.language is not null
    group by url_id
"""
"""A page that was found unchanged has its text beside an earlier fetch of the same bytes."""

_PAGES = f"""
    with given as (
        select url_id, url, lower(split_part(replace(trim(language), '_', '-'), '-', 1)) as tag
        from kept
    ), markup as (
        select url_id, url,
            case when codes.code is not null then codes.language
                when regexp_full_match(tag, '[a-z]{{3}}')
                    and tag not in ('und', 'mul', 'zxx', 'mis') then tag
            end as markup
        from given left join codes on codes.code = tag
    ), compared as (
        select url_id, url, confidence, markup, text,
            coalesce(one.kin, markup) = coalesce(other.kin, text) as agrees
        from markup left join text_languages using (url_id)
        left join codes one on one.code = markup left join codes other on other.code = text
    ), judged as (
        select *, coalesce(
            not agrees and confidence >= {CLEAR}
                and markup in (select language from detected), false
        ) as is_overruled
        from compared
    )
    select url_id, url,
        case when is_overruled then text else coalesce(markup, text, '{UNKNOWN}') end as language,
        case when markup is not null and not is_overruled then 'markup'
            when text is not null then 'text' end as source,
        confidence, markup, text, agrees
    from judged order by url_id
"""
_LANGUAGES = """
    select language, count(*) as pages,
        count(*) filter (source = 'markup') as by_markup,
        count(*) filter (source = 'text') as by_text,
        count(*) filter (agrees is not null) as compared,
        count(*) filter (agrees) as agreeing
    from page_languages group by all order by pages desc, language
"""
_PAIRS = """
    select markup, text, agrees, count(*) as pages, avg(confidence) as mean_confidence
    from page_languages where agrees is not null
    group by all order by pages desc, markup, text
"""
_FACTS = f"""
    select count(*) filter (source = 'markup'), count(*) filter (source = 'text'),
        count(*) filter (source is null), count(distinct language) filter (language != '{UNKNOWN}'),
        count(*) filter (agrees is not null), count(*) filter (agrees),
        count(*) filter (source = 'text' and markup is not null)
    from page_languages
"""


def write_languages(connection: Connection, results: Results) -> dict[str, Any]:
    """Write the three tables, from `tongues` and `kept`; return the figures for `study.json`."""
    connection.register("codes", CODES)
    connection.register("detected", pa.table({"language": detector.supported()}))
    connection.execute(_TEXT_OF_PAGES)
    results.write_and_name(connection, "page_languages", _PAGES)
    connection.execute("drop table text_languages")
    results.write(connection, "languages", _LANGUAGES)
    results.write(connection, "language_pairs", _PAIRS)
    names = ("by_markup", "by_text", "unknown", "languages", "compared", "agreeing", "overruled")
    return dict(zip(names, connection.execute(_FACTS).fetchone(), strict=True))
