"""The section of a job about the store of objects, and a check of its URL.

A URL is written to `crawl.toml`, to messages and to the list of processes. So it must not hold a
secret: those come from the environment, as every S3 client has them.
"""

from __future__ import annotations

import re

from lycosa.config.keys import Record, key

DURABLE = ("machine", "cluster")


class Store(Record):
    """A place outside the crawl directory to which sealed segments are copied."""

    place: str = key(
        "",
        "Where sealed segments are copied to: s3://BUCKET/PREFIX, or file:///FOLDER with a folder "
        "that all machines share; empty for nowhere. Keys and the address of the S3 service come "
        "from the environment (docs/reference/store.md).",
    )
    durable: str = key(
        "machine",
        "What a commit waits for: that pages are on the disk of this `machine`, or that they are "
        "in the store, so that a machine that is lost takes no page of the `cluster` with it. That "
        "costs a PUT a commit: set `log.commit_seconds` higher.",
        choices=DURABLE,
    )
    seal_seconds: float = key(
        60.0,
        "How often segments are sealed if there is a place: what is not sealed is not copied.",
        unit="seconds",
        least=1,
        most=3600,
    )


def place_problem(place: str) -> str:
    """Return what is wrong with the URL of a place, without its secrets; "" when nothing is."""
    from urllib.parse import urlsplit  # a crawl without a store does not need it

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
            f"{place.rpartition('@')[2]}: no store of objects can be there\n"
            "  write s3://BUCKET/PREFIX, or file:///FOLDER with a folder that all machines share"
        )
    return ""
