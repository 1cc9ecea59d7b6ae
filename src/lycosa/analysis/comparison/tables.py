"""The differences between the two sides, as SQL over their tables.

pages_new       pages of the second side that the first does not have
pages_gone      pages of the first side that the second does not have, and their last outcome
pages_moved     pages with the same text at another URL, or with a redirect there
pages_changed   pages whose text differs; how much is added by `run`
titles          pages whose title differs
descriptions    pages whose description differs
statuses        URLs that both sides asked for and that ended differently
links_new       links of pages of both sides that the first does not have
links_gone      links of pages of both sides that the second does not have
"""

from __future__ import annotations

from lycosa.analysis.comparison.sides import AFTER, BEFORE

_LEAST_CHARACTERS = 50
"""Fewest characters by which a page is recognised: shorter texts may be equal by chance.
"""

PREPARATIONS = (
    *(
        f"""
        create temp table {name}_kept as
        select {name}.*, text_fetch, said, characters
        from {name} left join {name}_said using (url_id) where outcome = 'kept'
        """
        for name in (BEFORE, AFTER)
    ),
    """
    create temp table appeared as
    select * from after_kept where place not in (select place from before_kept)
    """,
    """
    create temp table vanished as
    select * from before_kept where place not in (select place from after_kept)
    """,
    # The server says where a page has gone; after that, pages with the same text are paired.
    """
    create temp table redirected as
    select vanished.place as old, after.redirect_url as new
    from vanished join after on after.place = vanished.place
    semi join appeared on appeared.place = after.redirect_url
    where after.outcome = 'redirected'
    qualify row_number() over (partition by new order by old) = 1
    """,
    f"""
    create temp table pages_moved as
    with old as (
        select place, url, title, said,
            row_number() over (partition by said order by split_part(place, '/', -1), place) as n
        from vanished where characters >= {_LEAST_CHARACTERS}
            and place not in (select old from redirected)
    ), new as (
        select place, title, said,
            row_number() over (partition by said order by split_part(place, '/', -1), place) as n
        from appeared where characters >= {_LEAST_CHARACTERS}
            and place not in (select new from redirected)
    )
    select vanished.url as old_url, redirected.new as url, appeared.title, 'redirect' as known_by
    from redirected join vanished on vanished.place = redirected.old
    join appeared on appeared.place = redirected.new
    union all
    select old.url, new.place, new.title, 'same text' from old join new using (said, n)
    """,
    """
    create temp table pages_new as
    select url, title, status, size_bytes from appeared
    where place not in (select url from pages_moved)
    """,
    """
    create temp table pages_gone as
    select vanished.url, vanished.title, after.status,
        case when after.outcome is null then 'not met any more'
        when after.outcome = 'redirected' then 'redirects to ' || after.redirect_url
        else replace(after.outcome, '_', ' ') end as became
    from vanished left join after on after.place = vanished.place
    where vanished.url not in (select old_url from pages_moved)
    """,
    """
    create temp table pages_both as
    select new.place, new.url, old.url as old_url, new.title, old.title as old_title,
        new.description, old.description as old_description, new.text_fetch,
        old.text_fetch as old_text_fetch, old.said is distinct from new.said as has_other_text,
        old.digest is distinct from new.digest as has_other_bytes
    from after_kept new join before_kept old using (place)
    """,
    """
    create temp table titles as
    select url, old_title, title from pages_both where old_title != title
    """,
    """
    create temp table descriptions as
    select url, old_description, description from pages_both
    where old_description != description
    """,
    """
    create temp table statuses as
    select new.url, old.status as old_status, new.status, replace(old.outcome, '_', ' ')
        as old_outcome, replace(new.outcome, '_', ' ') as outcome
    from after new join before old using (place)
    where old.status != new.status or old.outcome != new.outcome
    """,
    *(
        f"""
        create temp table {name} as
        select source as url, target as target_url, text from {has}_edges
        semi join pages_both on pages_both.place = source
        where (source, target) not in (select source, target from {lacks}_edges)
        """
        for name, has, lacks in (("links_new", AFTER, BEFORE), ("links_gone", BEFORE, AFTER))
    ),
)

TABLES = {
    "pages_new": "url",
    "pages_gone": "url",
    "pages_moved": "old_url",
    "pages_changed": "changed desc, url",
    "titles": "url",
    "descriptions": "url",
    "statuses": "url",
    "links_new": "url, target_url",
    "links_gone": "url, target_url",
}
"""The tables that a comparison gives, with the order of their rows."""
