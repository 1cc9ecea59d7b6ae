"""WebParF's three measures of a parallel crawl: URL overlap, content overlap, communication.

The table `topic_overlaps` of a crawl with topics has a row for each measure:

    url overlap                     fetches that kept a URL again; null where the job revisits pages
    content overlap                 pages whose content was met before, at another URL
    content overlap of partitions   content that another partition has, each partition counting once
    content overlap of topics       content that another topic has, each topic counting once
    messages                        batches that partitions have read from their inboxes, in all:
                                    links to follow, hints for topics, counts, seeds
    links between partitions        links between sites whose partitions differ

`number` is counted, `pages` are the kept pages, and `share` is the quotient: for messages and links
their number for each page. Unknown numbers are null: messages if the log is in a server or missing,
links if a partitioner splits hosts.
"""

from __future__ import annotations

from collections import defaultdict
from typing import NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq

from lycosa._support import beneath
from lycosa.analysis.study.results import Results
from lycosa.analysis.study.tables import Connection
from lycosa.frontier.partitioners import Partitioner
from lycosa.model.job import Job
from lycosa.model.url import key_of
from lycosa.storage.archive.files import temporary

SCHEMA = pa.schema(
    [
        ("measure", pa.string()),
        ("number", pa.int64()),
        ("pages", pa.int64()),
        ("share", pa.float64()),
    ]
)
_FETCHES = "select count(*), count(distinct url_id) from pages where outcome = 'kept'"
_COPIES = """
    select digest, url, page_topic.topic from kept left join page_topic using (url_id)
    where digest in (
        select digest from kept where size_bytes > 0 group by digest having count(*) > 1
    )
"""


class Measures(NamedTuple):
    """The counted numbers; None if a number is unknown."""

    pages: int
    fetched_again: int | None
    copies: int
    copies_of_partitions: int
    copies_of_topics: int
    messages: int | None
    links: int | None

    def rows(self) -> pa.Table:
        """Return the rows of the table."""
        counted = {
            "url overlap": self.fetched_again,
            "content overlap": self.copies,
            "content overlap of partitions": self.copies_of_partitions,
            "content overlap of topics": self.copies_of_topics,
            "messages": self.messages,
            "links between partitions": self.links,
        }
        columns = {
            "measure": list(counted),
            "number": list(counted.values()),
            "pages": [self.pages] * len(counted),
            "share": [
                number / self.pages if number is not None and self.pages else None
                for number in counted.values()
            ],
        }
        return pa.table(columns, SCHEMA)


def write_overlaps(
    connection: Connection,
    results: Results,
    job: Job,
    partitioner: Partitioner,
    messages: int | None,
) -> None:
    """Write the table; `site_links` must be written."""
    fetches, pages = connection.execute(_FETCHES).fetchone()
    partitions, topics = defaultdict[str, set[int]](set), defaultdict[str, set[str]](set)
    copies = 0
    for digest, url, topic in connection.execute(_COPIES).fetchall():
        copies += 1
        partitions[digest].add(partitioner.partition_of(key_of(url)))
        topics[digest].add(topic or "")
    measures = Measures(
        pages,
        fetches - pages if job.revisit.policy == "off" else None,
        copies - len(partitions),
        sum(len(some) - 1 for some in partitions.values()),
        sum(len(some) - 1 for some in topics.values()),
        messages,
        _links_between(results, partitioner),
    )
    results.write_table("topic_overlaps", measures.rows())


def _links_between(results: Results, partitioner: Partitioner) -> int | None:
    if partitioner.splits_hosts:
        return None
    found = pq.read_table(beneath.checked(temporary(results.path("site_links")))).to_pylist()
    sites = {site for row in found for site in (row["source"], row["target"])}
    partition_of = {site: partitioner.partition_of(key_of(f"{site}/")) for site in sites}
    links = 0
    for row in found:
        if partition_of[row["source"]] != partition_of[row["target"]]:
            links += int(row["links"])
    return links
