"""The section of a job about the store of objects, and a check of its URL.

A URL is written to `crawl.toml`, to messages and to the list of processes. So it must not hold a
secret: those come from the environment, as every S3 client has them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from lycosa.model.job.keys import Record, key

DURABLE = ("machine", "cluster")


class Store(Record):
    """A place outside the crawl directory to which sealed segments are copied."""

    place: str = key(
        "",
        "The store to which sealed segments are copied: s3://BUCKET/PREFIX, or file:///FOLDER"
        " with a folder that all machines share; empty for none. Keys and the address of the S3"
        " service come "
        "from the environment (docs/reference/store.md).",
    )
    durable: str = key(
        "machine",
        "The place where pages must be before a commit ends: on the disk of this `machine`, or"
        " in the store, so that the `cluster` loses no page with a machine. That "
        "costs a PUT a commit: set `log.commit_seconds` higher.",
        choices=DURABLE,
    )
    seal_seconds: float = key(
        60.0,
        "Time between two sealings of segments if there is a place: only sealed segments are"
        " copied.",
        unit="seconds",
        least=1,
        most=3600,
    )

    def contradictions(self) -> Iterator[str]:
        """Yield the faults of the section as a whole."""
        if self.place and (problem := place_problem(self.place)):
            yield f"`place`: {problem}"
        if self.durable == "cluster" and not self.place:
            yield (
                'has `durable = "cluster"` and no `place`\n'
                '  give the store that commits wait for: place = "s3://BUCKET/PREFIX"'
            )


def place_problem(place: str) -> str:
    """Return the fault of the URL of a place, without its secrets; "" if it has none."""
    # imported here: a crawl without a store does not need it
    from urllib.parse import urlsplit

    scheme = place.partition("://")[0] if "://" in place else ""
    try:
        address = urlsplit(place)
    except ValueError:
        address = urlsplit("")
    if scheme == "s3" and ("@" in address.netloc or address.query):
        return (
            f"s3://{address.netloc.rpartition('@')[2]}: the URL has keys or options in it, which"
            " others could read\n"
            "  leave them out, and set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY"
        )
    is_bucket = scheme == "s3" and re.fullmatch(r"[a-z0-9][a-z0-9.-]{1,62}", address.netloc)
    is_folder = scheme == "file" and not address.netloc and len(address.path) > 1
    if not (is_bucket or is_folder) or "//" in address.path or "/." in address.path:
        return (
            f"{place.rpartition('@')[2]}: is not the URL of a store of objects\n"
            "  write s3://BUCKET/PREFIX, or file:///FOLDER with a folder that all machines share"
        )
    return ""
