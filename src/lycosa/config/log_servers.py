"""Checks the address of a server that keeps a log, without connecting to it.

An address is written to `crawl.toml`, to messages and to the list of processes. So it must not hold
a secret; each kind of server takes its own from files and variables.
"""

from __future__ import annotations

import re

POSTGRES = ("postgresql", "postgres")
NATS = ("nats", "tls")

_SECRETS = ("password", "sslpassword", "token", "user_password")
_ELSEWHERE = {
    "postgresql": "~/.pgpass (mode 600), the file that PGPASSFILE names, or PGPASSWORD",
    "nats": "LYCOSA_NATS_PASSWORD or LYCOSA_NATS_TOKEN, or name a credentials file: ?creds=FILE",
}


def usual_partitions(address: str) -> int:
    """Return into how many partitions a new crawl in a server is divided.

    That is enough for a hundred machines. JetStream takes a thousand messages in one write, which
    may have links for every partition.
    """
    return 960 if address.partition("://")[0] in NATS else 1024


def server_problem(address: str) -> str:
    """Return what is wrong with an address, without its secrets; "" when nothing is."""
    scheme, mark, rest = address.partition("://")
    if not mark or scheme not in POSTGRES + NATS:
        shown = f"{scheme}://" if mark else "that"
        return (
            f"{shown} names no server that keeps a log\n"
            "  write postgresql://HOST/DATABASE or nats://HOST1,HOST2,HOST3, or leave it empty"
        )
    place, _, query = rest.partition("?")
    user = place.rpartition("@")[0]
    named = set(re.findall(r"(?:^|[&\s])([a-z_]+)=", query))
    if ":" in user or named.intersection(_SECRETS):
        kind = "postgresql" if scheme in POSTGRES else "nats"
        return (
            f"the address of {scheme}://{place.rpartition('@')[2]} has a password or token in it,"
            f" which others could read\n  leave it out, and use {_ELSEWHERE[kind]}"
        )
    return ""
