"""Groups pages with the same content: equal bytes, or nearly equal text by fingerprint.

`duplicates` has the pages that share a payload with others, `near_duplicates` those whose
fingerprints differ in at most `NEAR_BITS` bits from another's. Each page has the number of its
group, and the largest group comes first. A duplicate also names its original, of any host: the page
that was fetched first with these bytes (WIRE, section 2.3). Nearness is transitive here: A and C
are in one group if B is near both.
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from lycosa.analysis.study.results import Results
from lycosa.analysis.study.tables import Connection
from lycosa.frontier.graph.near_duplicates import OnSort, near_groups

NEAR_BITS = 6
"""Bits that find four of five copies, hardly any wrongly: docs/decisions/0024-graph-library.md.
"""

_DUPLICATES = """
    with copied as (
        select digest, count(*) as copies from kept where size_bytes > 0
        group by digest having copies > 1
    ), found as (
        select copies, url_id, url, site, size_bytes, digest from kept join copied using (digest)
    ), numbered as (
        select digest, row_number() over (order by any_value(copies) desc, min(url)) as "set"
        from found group by digest
    ), first_seen as (
        select digest, url_id, min(fetched_at) as seen_at from pages semi join copied using (digest)
        where outcome = 'kept' group by all
    ), originals as (
        select digest, arg_min(url_id, (seen_at, url)) as original_id,
            arg_min(url, (seen_at, url)) as original_url
        from found join first_seen using (digest, url_id) group by digest
    )
    select "set", copies, url_id, url, site, size_bytes, digest,
        case when url_id != original_id then original_id end as duplicate_of,
        case when url_id != original_id then original_url end as original_url
    from found join numbered using (digest) join originals using (digest) order by "set", url
"""
_NEAR = """
    with sizes as (
        select component, count(*) as alike from kept join components using (fingerprint)
        group by component having alike > 1
    ), found as (
        select component, alike, url_id, url, site, fingerprint
        from kept join components using (fingerprint) join sizes using (component)
    ), numbered as (
        select component, row_number() over (order by any_value(alike) desc, min(url)) as "set"
        from found group by component
    )
    select "set", alike, url_id, url, site, fingerprint
    from found join numbered using (component) order by "set", url
"""
"""The query counts first, so that only URLs with duplicates are kept in memory."""


def write_duplicates(connection: Connection, results: Results) -> None:
    """Write the pages that are the same byte for byte."""
    results.write(connection, "duplicates", _DUPLICATES)


def write_near_duplicates(connection: Connection, results: Results, on_sort: OnSort) -> None:
    """Write the pages that are nearly the same; `on_sort` gets the progress of the search."""
    found = connection.execute(
        "select distinct fingerprint from kept where fingerprint != 0"
    ).fetchnumpy()
    signed = np.asarray(found["fingerprint"], np.int64)
    groups = near_groups(signed.view(np.uint64), NEAR_BITS, on_sort)
    columns = {"fingerprint": signed, "component": groups}
    connection.register("components", pa.table(columns))
    results.write(connection, "near_duplicates", _NEAR)
