"""The tables of a crawl in a store, and the questions that both engines ask.

A store holds the files of a crawl as the crawl directory does: `pages/…parquet`, `links/…parquet`.
A segment counts when it has a manifest, `manifests/SEGMENT.json`, which is written last and names
its files. One that says `"lost": true` was given up with its machine: its pages are fetched again.
"""

from __future__ import annotations

import json
import os
from urllib.parse import urlsplit

from pyarrow import fs

KINDS = "'anchor', 'frame', 'form', 'pagination', 'refresh'"
"""Links by which a reader gets from one page to another."""
REASONS = "'followed', 'too-deep', 'known-copy'"
"""Links in scope."""
DAMPING = 0.85
TOLERANCE = 1e-6
"""Of the sum of all values: more steps change no place among the first."""
MOST_HOPS = 20

QUESTIONS = {
    "fetches": "select *, regexp_extract(url, '^([a-z]+://[^/]+)', 1) as site from pages",
    # A page is a URL that was kept, as it was at the last visit.
    "held": """
        select url_id, fetch_id, url, site, digest, size_bytes from (
            select *, row_number() over (
                partition by url_id order by fetched_at desc, fetch_id) as visit
            from fetches where lower(outcome) = 'kept') as visits
        where visit = 1""",
    # A page that was found unchanged has its links beside an earlier fetch of the same bytes.
    "linking": """
        select max(fetches.fetch_id) as fetch_id
        from fetches
        join held on fetches.url_id = held.url_id
        join (select distinct fetch_id from links) as linked on fetches.fetch_id = linked.fetch_id
        where lower(fetches.outcome) = 'kept' and fetches.digest is not distinct from held.digest
        group by fetches.url_id""",
    "moved": """
        select url_id, redirect_id from (
            select url_id, redirect_id, row_number() over (
                partition by url_id order by fetched_at desc) as visit
            from fetches where redirect_id is not null) as visits
        where visit = 1""",
    "leads": f"""
        select distinct links.source_id as source, links.target_id as target
        from links join linking on links.fetch_id = linking.fetch_id
        where links.kind in ({KINDS}) and (links.reason is null or links.reason in ({REASONS}))""",
}
"""Each question is a view for the next ones."""

SITES = """
    select asked.site, asked.fetches, coalesce(kept.pages, 0) as pages,
        coalesce(kept.size_bytes, 0) as size_bytes
    from (select site, count(*) as fetches from fetches group by site) as asked
    left join (select site, count(*) as pages, cast(sum(size_bytes) as bigint) as size_bytes
        from held group by site) as kept on asked.site = kept.site"""

HOP = """
    select leads.source, coalesce(moved.redirect_id, leads.target) as target
    from leads left join held on leads.target = held.url_id
    left join moved on leads.target = moved.url_id and held.url_id is null"""
"""A link to a URL that redirects is a link to where that leads; asked again until nothing moves."""

EDGES = """
    select distinct source, target from leads
    join held as pages_from on source = pages_from.url_id
    join held as pages_to on target = pages_to.url_id
    where source <> target"""


class Store:
    """The sealed files of one crawl, below file:///FOLDER or s3://BUCKET/PREFIX."""

    def __init__(self, place: str) -> None:
        parts = urlsplit(place)
        if parts.scheme == "s3":
            end = urlsplit(os.environ.get("AWS_ENDPOINT_URL", ""))
            own = {"endpoint_override": end.netloc, "scheme": end.scheme} if end.netloc else {}
            self.files: fs.FileSystem = fs.S3FileSystem(**own)
            self.root = f"{parts.netloc}{parts.path}".rstrip("/")
        else:
            self.files = fs.LocalFileSystem()
            self.root = (parts.path or place).rstrip("/")
        self.size_bytes = 0
        """Of the files that `tables` has returned."""

    def tables(self) -> dict[str, list[str]]:
        """Return the Parquet files of `pages` and `links`, of segments that count."""
        found: dict[str, list[str]] = {"pages": [], "links": []}
        self.size_bytes = 0
        for entry in self.files.get_file_info(fs.FileSelector(f"{self.root}/manifests")):
            with self.files.open_input_file(entry.path) as file:
                manifest = json.loads(file.read())
            for key, facts in manifest.get("files", {}).items():
                kind = key.partition("/")[0]
                if kind in found and key.endswith(".parquet"):
                    found[kind].append(f"{self.root}/{key}")
                    self.size_bytes += facts["bytes"]
        return found
