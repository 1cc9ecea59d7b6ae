"""Pages that say the same: byte for byte, or nearly, by the fingerprints of their text.

`duplicates` has the pages that share a payload with others, `near_duplicates` those whose
fingerprints differ in at most `NEAR_BITS` bits from another's: each with the number of its group,
the largest first. Nearness is passed on: A and C are in one group if B is near both.
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from lycosa.graph.bow_tie import weak_components
from lycosa.graph.links import graph_of
from lycosa.graph.near import near_pairs
from lycosa.study.results import Results
from lycosa.study.tables import Connection

NEAR_BITS = 6
"""Finds four of five and hardly anything wrong: docs/decisions/0025-near-duplicates.md."""

_DUPLICATES = """
    with sets as (
        select digest, count(*) as copies, min(url) as first from kept
        where size_bytes > 0 group by digest having copies > 1
    ), numbered as (
        select digest, copies, row_number() over (order by copies desc, first) as "set" from sets
    )
    select "set", copies, url_id, url, site, size_bytes, digest
    from kept join numbered using (digest) order by "set", url
"""
_NEAR = """
    with gathered as (
        select component, count(*) as alike, min(url) as first
        from kept join components using (fingerprint) group by component having alike > 1
    ), numbered as (
        select component, alike, row_number() over (order by alike desc, first) as "set"
        from gathered
    )
    select "set", alike, url_id, url, site, fingerprint
    from kept join components using (fingerprint) join numbered using (component)
    order by "set", url
"""


def write_alike(connection: Connection, results: Results) -> None:
    """Write `duplicates` and `near_duplicates`."""
    results.write(connection, "duplicates", _DUPLICATES)
    found = connection.execute(
        "select distinct fingerprint from kept where fingerprint != 0"
    ).fetchnumpy()
    signed = np.asarray(found["fingerprint"], np.int64)
    pairs = near_pairs(signed.view(np.uint64), NEAR_BITS)
    graph = graph_of(pairs.first, pairs.second, len(signed))
    columns = {"fingerprint": signed, "component": weak_components(graph)}
    connection.register("components", pa.table(columns))
    results.write(connection, "near_duplicates", _NEAR)
